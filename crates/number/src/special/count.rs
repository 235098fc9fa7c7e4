//! Distribution functions of counts.
//!
//! `y` is rounded down; below 0 the mass is zero. What randomised quantile residuals need: `F(y)` and `F(y - 1)`.
use super::beta_inc::{beta_inc, beta_inc_complement, beta_tails_at};
use super::double::Double;
use super::gamma_inc::gamma_tails;
use super::tails::Tails;

/// Poisson distribution function, `P(Y ≤ y) = Q(y + 1, mean)`, for `mean ≥ 0`.
///
/// R: `ppois(y, mean)`. SciPy: `scipy.stats.poisson.cdf(y, mean)`.
pub fn poisson_cdf(y: f64, mean: f64) -> f64 {
    poisson(y, mean).lower
}

/// Poisson upper tail `P(Y > y)`. R: `ppois(y, mean, lower.tail = FALSE)`. SciPy: `scipy.stats.poisson.sf`.
pub fn poisson_sf(y: f64, mean: f64) -> f64 {
    poisson(y, mean).upper
}

/// Binomial distribution function of `trials` of probability `p`, `P(Y ≤ y) = 1 - I_p(y + 1, trials - y)`.
///
/// R: `pbinom(y, trials, p)`. SciPy: `scipy.stats.binom.cdf(y, trials, p)`.
pub fn binomial_cdf(y: f64, trials: f64, p: f64) -> f64 {
    binomial(y, trials, p).lower
}

/// Binomial upper tail `P(Y > y)`. R: `pbinom(y, trials, p, lower.tail = FALSE)`. SciPy: `scipy.stats.binom.sf`.
pub fn binomial_sf(y: f64, trials: f64, p: f64) -> f64 {
    binomial(y, trials, p).upper
}

/// Negative binomial distribution function with `Var = mean + mean²/theta`.
///
/// `P(Y ≤ y) = I_x(theta, y + 1)` at the odds `x/(1 - x) = theta/mean`; infinite `theta` is Poisson.
/// R: `pnbinom(y, size = theta, mu = mean)`. SciPy: `scipy.stats.nbinom.cdf(y, theta, theta/(theta + mean))`.
pub fn neg_binomial_cdf(y: f64, mean: f64, theta: f64) -> f64 {
    neg_binomial(y, mean, theta).lower
}

/// Negative binomial upper tail `P(Y > y)`. R: `pnbinom(y, size = theta, mu = mean, lower.tail = FALSE)`.
pub fn neg_binomial_sf(y: f64, mean: f64, theta: f64) -> f64 {
    neg_binomial(y, mean, theta).upper
}

fn poisson(y: f64, mean: f64) -> Tails {
    if y.is_nan() || !(mean >= 0.0 && mean.is_finite()) {
        Tails::NAN
    } else if y < 0.0 {
        Tails::ZERO
    } else if y.is_infinite() || mean == 0.0 {
        Tails::ONE
    } else {
        gamma_tails(y.floor() + 1.0, mean).swap()
    }
}

fn binomial(y: f64, trials: f64, p: f64) -> Tails {
    if y.is_nan() || !(trials >= 0.0 && trials.is_finite() && (0.0..=1.0).contains(&p)) {
        return Tails::NAN;
    }
    let y = y.floor();
    if y < 0.0 {
        Tails::ZERO
    } else if y >= trials {
        Tails::ONE
    } else {
        let (a, b) = (y + 1.0, trials - y);
        Tails { lower: beta_inc_complement(a, b, p), upper: beta_inc(a, b, p), slope: f64::NAN }
    }
}

fn neg_binomial(y: f64, mean: f64, theta: f64) -> Tails {
    if y.is_nan() || !(mean >= 0.0 && mean.is_finite() && theta > 0.0) {
        Tails::NAN
    } else if y < 0.0 {
        Tails::ZERO
    } else if y.is_infinite() || mean == 0.0 {
        Tails::ONE
    } else if theta.is_infinite() {
        poisson(y, mean)
    } else {
        beta_tails_at(theta, y.floor() + 1.0, Double::from(theta), Double::from(mean))
    }
}
