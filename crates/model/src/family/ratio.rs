//! Logarithms of ratios, which deviances are made of.
use isostat_number::Number;

/// `ln(top / bottom)`, given `distance = top - bottom` to full relative accuracy.
///
/// Near 1 the logarithm is as small as the distance, and takes its digits from there; far below 1 the relative
/// distance is -1 to rounding, and the ratio alone knows. One division serves both.
#[inline(always)]
pub(super) fn log_ratio<N: Number>(top: N, bottom: N, distance: N) -> N {
    let (one, minus_half) = (N::literal(1.0), N::literal(-0.5));
    let inverse = bottom.recip();
    let excess = distance * inverse.clone();
    let is_low = excess.less(&minus_half);
    let is_near = N::and(&minus_half.less_equal(&excess), &excess.less(&one));
    let ratio = N::select(&is_low, top * inverse, excess.clone() + one.clone());
    // ln(ratio + rounding) = ln ratio + rounding / ratio, and the ratio is 1 where a rounding counts.
    let rounding = excess - (ratio.clone() - one);
    ratio.ln() + N::select(&is_near, rounding, N::literal(0.0))
}

/// A deviance: rounding may leave the sum of its terms a little below 0.
#[inline(always)]
pub(super) fn not_negative<N: Number>(deviance: N) -> N {
    deviance.maximum(N::literal(0.0))
}
