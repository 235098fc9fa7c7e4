//! Student's t distribution.
use super::beta_inc::{beta_odds, beta_tails_at, log_odds_of_power};
use super::double::Double;
use super::normal::{norm_cdf, norm_quantile};

/// From here on the t distribution is normal to rounding as far out as a normal tail can be represented.
const NORMAL_FROM: f64 = 1e23;

/// Distribution function of Student's t with `dof > 0`, infinite allowed.
///
/// `P(T > t) = ½ I_{ν/(ν + t²)}(ν/2, ½)` for `t ≥ 0`. R: `pt(t, dof)`. SciPy: `scipy.stats.t.cdf(t, dof)`.
pub fn student_t_cdf(t: f64, dof: f64) -> f64 {
    if t <= 0.0 {
        upper(-t, dof).0
    } else {
        upper(t, dof).1
    }
}

/// Upper tail `P(T > t)`. R: `pt(t, dof, lower.tail = FALSE)`. SciPy: `scipy.stats.t.sf(t, dof)`.
pub fn student_t_sf(t: f64, dof: f64) -> f64 {
    student_t_cdf(-t, dof)
}

/// The `t` with `P(T ≤ t) = p`; `∓∞` at 0 and 1.
///
/// From the quantile of the beta odds `t²/ν`, in the tail for `p` outside `[¼, ¾]` and in the central mass
/// `2|p - ½|` inside it. R: `qt(p, dof)`. SciPy: `scipy.stats.t.ppf(p, dof)`.
pub fn student_t_quantile(p: f64, dof: f64) -> f64 {
    if !((0.0..=1.0).contains(&p) && dof > 0.0) {
        return f64::NAN;
    }
    if dof >= NORMAL_FROM {
        return norm_quantile(p);
    }
    let half = 0.5 * dof;
    let tail = p.min(1.0 - p);
    let size = if tail >= 0.25 {
        (dof * beta_odds(0.5, half, 2.0 * (p - 0.5).abs())).sqrt()
    } else {
        let log_odds = log_odds_of_power(half, 0.5, 2.0 * tail);
        if log_odds < -100.0 {
            // t² may overflow where t does not.
            dof.sqrt() * (-0.5 * log_odds).exp()
        } else {
            (dof / beta_odds(half, 0.5, 2.0 * tail)).sqrt()
        }
    };
    size.copysign(p - 0.5)
}

/// `P(T > t)` and `P(T ≤ t)` for `t ≥ 0`.
fn upper(t: f64, dof: f64) -> (f64, f64) {
    if t.is_nan() || dof.is_nan() || dof <= 0.0 {
        return (f64::NAN, f64::NAN);
    }
    if dof >= NORMAL_FROM {
        return (norm_cdf(-t), norm_cdf(t));
    }
    if t == 0.0 {
        return (0.5, 0.5);
    }
    if t > 1e30 * (1.0 + dof.sqrt()) {
        // ν/t² may underflow where its power ν/2 does not: the first term, exact here.
        let log_scale = log_odds_of_power(0.5 * dof, 0.5, 1.0) * 0.5 * dof;
        let tail = 0.5 * (dof.sqrt() / t).powf(dof) * (-log_scale).exp();
        return (tail, 1.0 - tail);
    }
    let square = Double::product(t, t);
    let tails = beta_tails_at(0.5 * dof, 0.5, Double::from(dof), square);
    // Near zero the central mass is the accurate one.
    (0.5 * tails.lower, 0.5 + 0.5 * tails.upper)
}
