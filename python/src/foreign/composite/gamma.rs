//! Gamma functions for positive arguments.
use isostat_number::{Constant, Number};

use super::{lit, polynomial};

/// `ln Γ(2 + t)/t` for |t| ≤ 1/2, lowest power first: Chebyshev interpolation in 60 digits, error below 7e-17.
const LN_GAMMA_NEAR_TWO: [f64; 19] = [
    0.42278433509846713,
    0.32246703342411326,
    -0.0673523010531981,
    0.02058080842778038,
    -0.0073855510286719986,
    0.002890510331034267,
    -0.0011927539118428156,
    0.0005096695154115458,
    -0.00022315475400520507,
    9.945767355819498e-05,
    -4.49263133791557e-05,
    2.0505590755833454e-05,
    -9.438715099211532e-06,
    4.38470440459836e-06,
    -2.0439048107029907e-06,
    9.200527894968101e-07,
    -4.3252393445604814e-07,
    2.78740805211359e-07,
    -1.3219945666117874e-07,
];

/// `B_2k / (2k (2k - 1))`, k = 1, 2, …: Stirling's series [DLMF 5.11.1].
const STIRLING: [f64; 8] = [
    1.0 / 12.0,
    -1.0 / 360.0,
    1.0 / 1260.0,
    -1.0 / 1680.0,
    1.0 / 1188.0,
    -691.0 / 360_360.0,
    1.0 / 156.0,
    -3617.0 / 122_400.0,
];

/// From here on Stirling's series is used.
const STIRLING_FROM: f64 = 8.0;

/// `ln Γ(x)` for x > 0; NaN for negative x.
///
/// Arguments below 8 are moved to (3/2, 5/2], where no digit is lost beside the zeros at 1 and 2.
pub(super) fn ln_gamma<N: Number>(x: N) -> N {
    let far = lit::<N>(STIRLING_FROM).less(&x);
    let high = N::select(&far, x.clone(), lit(STIRLING_FROM));
    let square = high.clone().square().recip();
    let reversed: Vec<f64> = STIRLING.iter().rev().copied().collect();
    let series = polynomial(&square, &reversed) / high.clone();
    // (x - 1/2) ln x - x, written so that it is infinite at infinity.
    let main = (high.clone() - lit(0.5)) * (high.ln() - lit(1.0)) - lit(0.5);
    let stirling = main + N::constant(Constant::HalfLn2Pi) + series;

    let valid = lit::<N>(0.0).less(&x);
    let near = N::select(&N::and(&valid, &N::not(&far)), x.clone(), lit(2.0));
    N::select(&far, stirling, ln_gamma_below_eight(near, &x))
}

fn ln_gamma_below_eight<N: Number>(near: N, x: &N) -> N {
    // x > 5/2: Γ(x) = (x-1)(x-2)… Γ(y).  x ≤ 3/2: ln Γ(x) = ln Γ(x+1) - ln x, where ln x = log1p(x - 1) beside 1.
    let below = near.less(&lit(1.5));
    let tiny = near.less(&lit(0.5));
    let one = N::select(&below, near.clone(), lit(1.0));
    let two = N::select(&tiny, near.clone(), lit(0.0));
    let mut y = N::select(&below, lit(2.0), near.clone());
    let mut product = lit::<N>(1.0);
    for _ in 0..6 {
        let above = lit::<N>(2.5).less(&y);
        let less = y.clone() - lit(1.0);
        product = product * N::select(&above, less.clone(), lit(1.0));
        y = N::select(&above, less, y);
    }
    let reversed: Vec<f64> = LN_GAMMA_NEAR_TWO.iter().rev().copied().collect();
    // t = y - 2 from the argument itself, whose last digits y + 1 would drop beside 1 and 0.
    let shifted = N::select(&tiny, near.clone(), near - lit(1.0));
    let t = N::select(&below, shifted, y - lit(2.0));
    let core = t.clone() * polynomial(&t, &reversed);
    let beside_one = (one.clone() - lit(1.0)).ln_1p();
    let log_one = N::select(&tiny, N::select(&tiny, one, lit(1.0)).ln(), beside_one);
    let value = core + product.ln() - log_one - two.ln_1p();
    pole_or_nan(x, value, lit(f64::INFINITY))
}

/// `value`, the pole at 0, NaN below.
fn pole_or_nan<N: Number>(x: &N, value: N, at_zero: N) -> N {
    let zero = lit::<N>(0.0);
    let positive = zero.less(x);
    let negative = x.less(&zero);
    // A NaN argument is neither: it must stay NaN.
    let other = N::select(&negative, lit(f64::NAN), at_zero + x.clone() - x.clone());
    N::select(&positive, value, other)
}

/// `ψ(3/2 + t)/(x - x₀)` on [1, 2], lowest power first: Chebyshev interpolation in 60 digits, error below 8e-17.
const DIGAMMA_BETWEEN: [f64; 22] = [
    0.951055876031833,
    -0.4236274212814605,
    0.2405424842407742,
    -0.14840492305390884,
    0.09498872445494122,
    -0.061922133273064534,
    0.04076083381242074,
    -0.02697579675613825,
    0.0179072524394512,
    -0.011908218001568644,
    0.007926944646403797,
    -0.005279964873257405,
    0.003519006401502276,
    -0.002345267632540769,
    0.0015566317474486838,
    -0.0010376374098418604,
    0.0007233266279287554,
    -0.0004821990530566789,
    0.0002272331660987376,
    -0.00015148586836773365,
    0.00025968482126430747,
    -0.00017312261802727394,
];
/// The positive zero of ψ, in two parts.
const DIGAMMA_ZERO: (f64, f64) = (1.4616321449683622, 9.549995429965697e-17);

/// `B_2k / 2k`, k = 1, 2, …: [DLMF 5.11.2].
const DIGAMMA_SERIES: [f64; 8] = [
    1.0 / 12.0,
    -1.0 / 120.0,
    1.0 / 252.0,
    -1.0 / 240.0,
    1.0 / 132.0,
    -691.0 / 32_760.0,
    1.0 / 12.0,
    -3617.0 / 8160.0,
];

/// `ψ(x)` for x > 0; NaN for negative x.
pub(super) fn digamma<N: Number>(x: N) -> N {
    let far = lit::<N>(STIRLING_FROM).less(&x);
    let high = N::select(&far, x.clone(), lit(STIRLING_FROM));
    let square = high.clone().square().recip();
    let reversed: Vec<f64> = DIGAMMA_SERIES.iter().rev().copied().collect();
    let series = polynomial(&square, &reversed) * square;
    let asymptotic = high.clone().ln() - high.recip() * lit(0.5) - series;

    let valid = N::and(&lit::<N>(0.0).less(&x), &N::not(&far));
    let near = N::select(&valid, x.clone(), lit(1.5));
    let below = near.less(&lit(1.0));
    let mut sum = N::select(&below, -near.clone().recip(), lit(0.0));
    let mut y = N::select(&below, near.clone() + lit(1.0), near);
    for _ in 0..6 {
        let above = lit::<N>(2.0).less(&y);
        let less = y.clone() - lit(1.0);
        sum = sum + N::select(&above, N::select(&above, less.clone(), lit(1.0)).recip(), lit(0.0));
        y = N::select(&above, less, y);
    }
    let reversed: Vec<f64> = DIGAMMA_BETWEEN.iter().rev().copied().collect();
    let from_zero = (y.clone() - lit(DIGAMMA_ZERO.0)) - lit(DIGAMMA_ZERO.1);
    let value = sum + from_zero * polynomial(&(y - lit(1.5)), &reversed);
    N::select(&far, asymptotic, pole_or_nan(&x, value, lit(f64::NEG_INFINITY)))
}

/// Bernoulli numbers `B_2k`, k = 1, 2, ….
const BERNOULLI: [f64; 10] = [
    1.0 / 6.0,
    -1.0 / 30.0,
    1.0 / 42.0,
    -1.0 / 30.0,
    5.0 / 66.0,
    -691.0 / 2730.0,
    7.0 / 6.0,
    -3617.0 / 510.0,
    43_867.0 / 798.0,
    -174_611.0 / 330.0,
];

/// `ψ⁽ⁿ⁾(x)` for n ≥ 1 and x > 0 [DLMF 5.15.8, 5.15.5]; NaN for negative x.
pub(super) fn polygamma<N: Number>(n: u32, x: N) -> N {
    let terms = 12 + n;
    let from = f64::from(terms);
    let valid = lit::<N>(0.0).less(&x);
    let mut y = N::select(&valid, x.clone(), lit(from));
    let mut shifted = lit::<N>(0.0);
    let power = -f64::from(n) - 1.0;
    for _ in 0..terms {
        let low = y.less(&lit(from));
        let safe = N::select(&low, y.clone(), lit(1.0));
        shifted = shifted + N::select(&low, safe.powf(power), lit(0.0));
        y = N::select(&low, y.clone() + lit(1.0), y);
    }
    // Coefficients relative to n!: 1/n, 1/2, B_2k (2k+n-1)!/((2k)! n!).
    let order = f64::from(n);
    let mut coefficients = Vec::with_capacity(BERNOULLI.len());
    let mut ratio = 1.0 / order;
    for (index, bernoulli) in BERNOULLI.iter().enumerate() {
        let twice = 2.0 * (index as f64 + 1.0);
        ratio *= (twice + order - 2.0) * (twice + order - 1.0) / ((twice - 1.0) * twice);
        coefficients.push(bernoulli * ratio);
    }
    coefficients.reverse();
    let inverse = y.recip();
    let square = inverse.clone().square();
    let series =
        (polynomial(&square, &coefficients) * square) + inverse.clone() * lit(0.5) + lit(1.0 / order);
    let factorial: f64 = (1..=n).map(f64::from).product();
    let sign = if n.is_multiple_of(2) { -1.0 } else { 1.0 };
    let value = (shifted + series * inverse.powf(order)) * lit(sign * factorial);
    pole_or_nan(&x, value, lit(sign * f64::INFINITY))
}
