//! The logistic function and its antiderivative.

/// Logistic function `1 / (1 + e^-x)`, the inverse of the logit.
///
/// Written with `e^-|x|`, which cannot overflow, so that the lower tail keeps its relative accuracy.
/// R: `plogis(x)`. SciPy: `scipy.special.expit(x)`.
#[inline]
pub fn sigmoid(x: f64) -> f64 {
    let e = (-x.abs()).exp();
    let numerator = if x < 0.0 { e } else { 1.0 };
    numerator / (1.0 + e)
}

/// Softplus `ln(1 + e^x) = max(x, 0) + ln(1 + e^-|x|)`, without overflow.
///
/// R: `-plogis(-x, log.p = TRUE)`. SciPy: `numpy.logaddexp(0, x)`.
#[inline]
pub fn log1p_exp(x: f64) -> f64 {
    // `max` would drop a NaN; the sum keeps it.
    x.max(0.0) + (-x.abs()).exp().ln_1p()
}
