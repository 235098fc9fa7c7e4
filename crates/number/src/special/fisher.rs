//! The F distribution of Fisher and Snedecor.
use super::beta_inc::{beta_odds, beta_tails_at};
use super::double::Double;
use super::gamma_inc::{gamma_tails_at, inv_gamma_p, inv_gamma_q};
use super::tails::Tails;

/// Distribution function of F with `dof1`, `dof2 > 0`; `dof2` may be infinite.
///
/// `I_x(d₁/2, d₂/2)` at the odds `x/(1 - x) = d₁ f/d₂`. R: `pf(f, dof1, dof2)`. SciPy: `scipy.stats.f.cdf`.
pub fn f_cdf(f: f64, dof1: f64, dof2: f64) -> f64 {
    tails(f, dof1, dof2).lower
}

/// Upper tail of F. R: `pf(f, dof1, dof2, lower.tail = FALSE)`. SciPy: `scipy.stats.f.sf`.
pub fn f_sf(f: f64, dof1: f64, dof2: f64) -> f64 {
    tails(f, dof1, dof2).upper
}

/// The `f` with `P(F ≤ f) = p`. R: `qf(p, dof1, dof2)`. SciPy: `scipy.stats.f.ppf(p, dof1, dof2)`.
pub fn f_quantile(p: f64, dof1: f64, dof2: f64) -> f64 {
    if !((0.0..=1.0).contains(&p) && dof1 > 0.0 && dof1.is_finite() && dof2 > 0.0) {
        return f64::NAN;
    }
    let (a, b) = (0.5 * dof1, 0.5 * dof2);
    if dof2.is_infinite() {
        return inv_gamma_p(a, p) / a;
    }
    if p <= 0.5 {
        beta_odds(a, b, p) * (dof2 / dof1)
    } else {
        // Odds of the reversed variable; zero odds are an infinite quantile.
        dof2 / dof1 / beta_odds(b, a, 1.0 - p)
    }
}

/// The `f` with `P(F > f) = q`. R: `qf(q, dof1, dof2, lower.tail = FALSE)`. SciPy: `scipy.stats.f.isf`.
pub fn f_upper_quantile(q: f64, dof1: f64, dof2: f64) -> f64 {
    if dof2.is_infinite() && dof2 > 0.0 {
        return inv_gamma_q(0.5 * dof1, q) / (0.5 * dof1);
    }
    f_quantile(q, dof2, dof1).recip()
}

fn tails(f: f64, dof1: f64, dof2: f64) -> Tails {
    if !(f >= 0.0 && dof1 > 0.0 && dof1.is_finite() && dof2 > 0.0) {
        return Tails::NAN;
    }
    let (a, b) = (0.5 * dof1, 0.5 * dof2);
    if dof2.is_infinite() {
        gamma_tails_at(a, Double::product(a, f))
    } else if f == 0.0 {
        Tails::ZERO
    } else if f * dof1 > 1e300 * dof2 {
        Tails::ONE
    } else {
        beta_tails_at(a, b, Double::product(dof1, f), Double::from(dof2))
    }
}
