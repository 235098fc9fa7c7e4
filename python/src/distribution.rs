//! Distribution functions of test statistics.
use pyo3::prelude::*;

use isostat_base::Error;
use isostat_number::special;

use crate::error::{guard, ForeignError};

/// Two-sided p-values of t statistics; the normal's where the degrees of freedom are infinite.
#[pyfunction]
#[pyo3(name = "_two_sided")]
pub fn two_sided(statistics: Vec<f64>, dof: f64) -> Vec<f64> {
    let tail = |t: f64| match dof.is_infinite() {
        true => special::norm_cdf(-t.abs()),
        false => special::student_t_sf(t.abs(), dof),
    };
    statistics.into_iter().map(|t| 2.0 * tail(t)).collect()
}

/// Quantile of the standard normal.
#[pyfunction]
#[pyo3(name = "_normal_quantile")]
pub fn normal_quantile(p: f64) -> f64 {
    special::norm_quantile(p)
}

/// Quantile of Student's t.
#[pyfunction]
#[pyo3(name = "_t_quantile")]
pub fn t_quantile(p: f64, dof: f64) -> f64 {
    special::student_t_quantile(p, dof)
}

/// Upper tail of F.
#[pyfunction]
#[pyo3(name = "_f_sf")]
pub fn f_sf(x: f64, dof1: f64, dof2: f64) -> f64 {
    special::f_sf(x, dof1, dof2)
}

/// Upper tail of chi-squared.
#[pyfunction]
#[pyo3(name = "_chi2_sf")]
pub fn chi2_sf(x: f64, dof: f64) -> f64 {
    special::chi2_sf(x, dof)
}

/// Randomised quantile residuals `Φ⁻¹(u)`, with u uniform between the distribution function below and at y.
#[pyfunction]
#[pyo3(name = "_quantile_residuals", signature = (family, theta, power, phi, y, mean, weights, uniform))]
pub fn quantile_residuals(
    py: Python<'_>,
    family: &str,
    theta: Option<f64>,
    power: Option<f64>,
    phi: f64,
    y: Vec<f64>,
    mean: Vec<f64>,
    weights: Vec<f64>,
    uniform: Vec<f64>,
) -> PyResult<Vec<f64>> {
    guard(py, || {
        let law = Law { family, theta, power, phi };
        let mut out = Vec::with_capacity(y.len());
        for (((y, mu), w), u) in y.iter().zip(&mean).zip(&weights).zip(&uniform) {
            let (below, at) = law.tails(*y, *mu, *w)?;
            out.push(special::norm_quantile(below + u * (at - below)));
        }
        Ok::<_, ForeignError>(out)
    })
}

struct Law<'a> {
    family: &'a str,
    theta: Option<f64>,
    power: Option<f64>,
    phi: f64,
}

impl Law<'_> {
    /// The distribution function just below y, and at y.
    fn tails(&self, y: f64, mu: f64, w: f64) -> Result<(f64, f64), Error> {
        let phi = self.phi / w;
        let counted = |cdf: &dyn Fn(f64) -> f64, k: f64| (if k > 0.0 { cdf(k - 1.0) } else { 0.0 }, cdf(k));
        let same = |p: f64| Ok((p, p));
        match self.family {
            "gaussian" => same(special::norm_cdf((y - mu) / phi.sqrt())),
            "gamma" => same(special::gamma_cdf(y, 1.0 / phi, mu * phi)),
            "inverse_gaussian" => same(special::inverse_gaussian_cdf(y, mu, 1.0 / phi)),
            "poisson" => Ok(counted(&|k| special::poisson_cdf(k, mu), y)),
            "binomial" => {
                let trials = w.round();
                Ok(counted(&|k| special::binomial_cdf(k, trials, mu), (y * trials).round()))
            }
            "negative_binomial" => {
                let theta = self.theta.unwrap_or(f64::NAN);
                Ok(counted(&|k| special::neg_binomial_cdf(k, mu, theta), y))
            }
            "tweedie" => Ok(tweedie_tails(y, mu, phi, self.power.unwrap_or(f64::NAN))),
            other => Err(Error::unsupported(
                format!("quantile residuals for family \"{other}\""),
                "a quasi family has no distribution function",
                "use residuals(\"deviance\")",
            )),
        }
    }
}

/// Below and at y for the Poisson sum of gammas: `P(N = 0)` and the mixture of gamma distribution functions.
fn tweedie_tails(y: f64, mu: f64, phi: f64, power: f64) -> (f64, f64) {
    let rate = mu.powf(2.0 - power) / (phi * (2.0 - power));
    if y <= 0.0 {
        return (0.0, (-rate).exp());
    }
    let shape = (2.0 - power) / (power - 1.0);
    let scale = phi * (power - 1.0) * mu.powf(power - 1.0);
    let mut total = (-rate).exp();
    let last = rate + 12.0 * rate.sqrt() + 40.0;
    for n in 1..=(last as u32) {
        let n = f64::from(n);
        let log_weight = n * rate.ln() - rate - special::ln_gamma(n + 1.0);
        total += log_weight.exp() * special::gamma_cdf(y, n * shape, scale);
    }
    (total, total)
}
