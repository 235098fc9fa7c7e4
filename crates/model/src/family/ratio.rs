//! Logarithms of ratios, which deviances are made of.
use isostat_number::Number;

/// `ln ratio`, given `excess = ratio - 1` to full relative accuracy.
///
/// Near 1 the logarithm is as small as the excess, and takes its digits from there; far below 1 the excess is -1 to
/// rounding, and the ratio alone knows.
#[inline(always)]
pub(super) fn log_ratio<N: Number>(ratio: N, excess: N) -> N {
    let (half, two) = (N::literal(0.5), N::literal(2.0));
    let is_near = N::and(&half.less(&ratio), &ratio.less(&two));
    // ln(ratio + rounding) = ln ratio + rounding / ratio, and the ratio is 1 where a rounding counts.
    let rounding = excess - (ratio.clone() - N::literal(1.0));
    ratio.ln() + N::select(&is_near, rounding, N::literal(0.0))
}

/// A deviance: rounding may leave the sum of its terms a little below 0.
#[inline(always)]
pub(super) fn not_negative<N: Number>(deviance: N) -> N {
    deviance.maximum(N::literal(0.0))
}
