//! The gamma and chi-square distributions.
use super::double::Double;
use super::gamma_inc::{gamma_tails, gamma_tails_at, inv_gamma_p, inv_gamma_q};
use super::tails::Tails;

/// Distribution function of the gamma distribution, `P(shape, x/scale)`; zero below 0.
///
/// R: `pgamma(x, shape, scale = scale)`. SciPy: `scipy.stats.gamma.cdf(x, shape, scale=scale)`.
pub fn gamma_cdf(x: f64, shape: f64, scale: f64) -> f64 {
    tails(x, shape, scale).lower
}

/// Upper tail of the gamma distribution, `Q(shape, x/scale)`.
///
/// R: `pgamma(x, shape, scale = scale, lower.tail = FALSE)`. SciPy: `scipy.stats.gamma.sf`.
pub fn gamma_sf(x: f64, shape: f64, scale: f64) -> f64 {
    tails(x, shape, scale).upper
}

/// Quantile of the gamma distribution. R: `qgamma(p, shape, scale = scale)`. SciPy: `scipy.stats.gamma.ppf`.
pub fn gamma_quantile(p: f64, shape: f64, scale: f64) -> f64 {
    if scale > 0.0 {
        scale * inv_gamma_p(shape, p)
    } else {
        f64::NAN
    }
}

/// Distribution function of chi-square, `P(dof/2, x/2)`; zero below 0.
///
/// R: `pchisq(x, dof)`. SciPy: `scipy.stats.chi2.cdf(x, dof)`.
pub fn chi2_cdf(x: f64, dof: f64) -> f64 {
    gamma_cdf(x, 0.5 * dof, 2.0)
}

/// Upper tail of chi-square. R: `pchisq(x, dof, lower.tail = FALSE)`. SciPy: `scipy.stats.chi2.sf`.
pub fn chi2_sf(x: f64, dof: f64) -> f64 {
    gamma_sf(x, 0.5 * dof, 2.0)
}

/// Quantile of chi-square. R: `qchisq(p, dof)`. SciPy: `scipy.stats.chi2.ppf(p, dof)`.
pub fn chi2_quantile(p: f64, dof: f64) -> f64 {
    2.0 * inv_gamma_p(0.5 * dof, p)
}

/// The `x` with `P(X > x) = q`. R: `qchisq(q, dof, lower.tail = FALSE)`. SciPy: `scipy.stats.chi2.isf`.
pub fn chi2_upper_quantile(q: f64, dof: f64) -> f64 {
    2.0 * inv_gamma_q(0.5 * dof, q)
}

fn tails(x: f64, shape: f64, scale: f64) -> Tails {
    if x.is_nan() || scale.is_nan() || scale <= 0.0 {
        Tails::NAN
    } else if x == f64::INFINITY {
        gamma_tails(shape, x)
    } else {
        gamma_tails_at(shape, Double::quotient(x.max(0.0), scale))
    }
}
