//! The gamma function, its logarithm, and the parts of it that cancel against powers.
use super::normal::LN_SQRT_2PI;
use std::f64::consts::PI;

/// `ln |Γ(x)|`; `∞` at zero and the negative integers.
///
/// The libm crate's, whose error is absolute near the zeros at 1 and 2 and those below 0.
/// R: `lgamma(x)`. SciPy: `scipy.special.gammaln`.
#[inline]
pub fn ln_gamma(x: f64) -> f64 {
    libm::lgamma(x)
}

/// `Γ(x)`; `±∞` at `±0`, NaN at the negative integers. R: `gamma(x)`. SciPy: `scipy.special.gamma`.
#[inline]
pub fn gamma(x: f64) -> f64 {
    libm::tgamma(x)
}

/// From here on Stirling's series with ten terms is exact to rounding.
pub(super) const STIRLING_FROM: f64 = 8.0;

/// `B_{2k} / (2k(2k - 1))` for `k = 1, …, 10` (DLMF 5.11.1).
const STIRLING: [f64; 10] = [
    1.0 / 12.0,
    -1.0 / 360.0,
    1.0 / 1260.0,
    -1.0 / 1680.0,
    1.0 / 1188.0,
    -691.0 / 360360.0,
    1.0 / 156.0,
    -3617.0 / 122400.0,
    43867.0 / 244188.0,
    -174611.0 / 125400.0,
];

/// Stirling's error `δ(a) = ln Γ(a) - (a - ½) ln a + a - ½ ln 2π`, for `a ≥ 8`.
pub(super) fn stirling_error(a: f64) -> f64 {
    let inverse = 1.0 / a;
    let square = inverse * inverse;
    STIRLING.iter().rev().fold(0.0, |sum, &c| sum * square + c) * inverse
}

/// `Γ*(a) = e^{δ(a)} = Γ(a) e^a a^{½-a} / √(2π)`, for `a > 0`.
pub(super) fn gamma_star(a: f64) -> f64 {
    if a >= STIRLING_FROM {
        stirling_error(a).exp()
    } else {
        gamma(a) * (a / (2.0 * PI)).sqrt() * a.exp() * a.powf(-a)
    }
}

/// `ln Γ(1 + t)` for `t ≥ 0`, to full relative accuracy at small `t`.
pub(super) fn ln_gamma_1p(t: f64) -> f64 {
    /// `(-1)^k (ζ(k) - 1)/k` for `k = 2, …, 19` (DLMF 5.7.3).
    const ZETA: [f64; 18] = [
        0.3224670334241132,
        -0.0673523010531981,
        0.020580808427784546,
        -0.007385551028673986,
        0.0028905103307415234,
        -0.001192753911703261,
        0.0005096695247430425,
        -0.00022315475845357939,
        9.945751278180853e-05,
        -4.492623673813314e-05,
        2.050721277567069e-05,
        -9.439488275268397e-06,
        4.374866789907488e-06,
        -2.039215753801366e-06,
        9.55141213040742e-07,
        -4.492469198764566e-07,
        2.1207184805554665e-07,
        -1.0043224823968099e-07,
    ];
    const ONE_MINUS_EULER: f64 = 0.422_784_335_098_467_139_39;
    if t > 0.25 {
        return ln_gamma(1.0 + t);
    }
    let series = ZETA.iter().rev().fold(0.0, |sum, &c| sum * t + c);
    t * (ONE_MINUS_EULER + t * series) - t.ln_1p()
}

/// `ln Γ(b + a) - ln Γ(b)` for `a, b ≥ 0`, to full relative accuracy at small `a`.
pub(super) fn ln_gamma_increment(b: f64, a: f64) -> f64 {
    let (mut z, mut shift) = (b, 0.0);
    while z < STIRLING_FROM {
        shift += (a / z).ln_1p();
        z += 1.0;
    }
    let difference = if a < 1e-5 * z {
        a * stirling_slope(z + 0.5 * a)
    } else {
        stirling_error(z + a) - stirling_error(z)
    };
    (z - 0.5) * (a / z).ln_1p() + a * ((z + a).ln() - 1.0) + difference - shift
}

/// `δ'(z)`.
fn stirling_slope(z: f64) -> f64 {
    let square = 1.0 / (z * z);
    let terms = STIRLING.iter().enumerate().rev();
    -square * terms.fold(0.0, |sum, (k, &c)| sum * square + c * (2 * k + 1) as f64)
}

/// Logarithm of the beta function, `ln Γ(a) + ln Γ(b) - ln Γ(a + b)`, for `a, b > 0`.
///
/// Large arguments go through Stirling's errors, so that the large parts never cancel.
/// R: `lbeta(a, b)`. SciPy: `scipy.special.betaln(a, b)`.
pub fn ln_beta(a: f64, b: f64) -> f64 {
    let (a, b) = if a <= b { (a, b) } else { (b, a) };
    if a.is_nan() || b.is_nan() || a < 0.0 {
        f64::NAN
    } else if a == 0.0 {
        f64::INFINITY
    } else if b == f64::INFINITY {
        f64::NEG_INFINITY
    } else if a >= STIRLING_FROM {
        let n = a + b;
        let errors = stirling_error(a) + stirling_error(b) - stirling_error(n);
        LN_SQRT_2PI - 0.5 * a.ln() + (a * (a / n).ln() + (b - 0.5) * (-a / n).ln_1p()) + errors
    } else if b >= STIRLING_FROM {
        ln_gamma(a) - ln_gamma_increment(b, a)
    } else {
        ln_gamma(a) + ln_gamma(b) - ln_gamma(a + b)
    }
}
