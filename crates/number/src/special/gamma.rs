//! The gamma function and its logarithm.

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
