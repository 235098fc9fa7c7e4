//! The incomplete beta function and its inverse.
//!
//! Inside, a point is the pair `x`, `y = 1 - x` of double-doubles, so that both ends keep full accuracy.
use super::deviance::deviance;
use super::digamma::{digamma, trigamma};
use super::double::Double;
use super::gamma::{gamma_star, ln_beta, ln_gamma_1p, ln_gamma_increment};
use super::normal::norm_quantile;
use super::solve::{solve, Point};
use super::tails::Tails;
use super::uniform::{series, uniform_tails, LARGEST_HALF_SQUARE, SMALLEST_SIZE};
use std::f64::consts::PI;

/// Regularised incomplete beta function `I_x(a, b) = 1/B(a, b) ∫₀ˣ t^{a-1} (1 - t)^{b-1} dt`.
///
/// For `a, b > 0`, `0 ≤ x ≤ 1`. Near the mode of large `a`, `b` a uniform expansion; elsewhere the continued
/// fraction (DiDonato and Morris 1992) of the smaller tail, and a series where the other tail is tiny although `x` is small.
/// R: `pbeta(x, a, b)`. SciPy: `scipy.special.betainc(a, b, x)`.
pub fn beta_inc(a: f64, b: f64, x: f64) -> f64 {
    at_fraction(a, b, x).lower
}

/// The complement `1 - I_x(a, b) = I_{1-x}(b, a)`, accurate where it is small.
///
/// R: `pbeta(x, a, b, lower.tail = FALSE)`. SciPy: `scipy.special.betaincc(a, b, x)`.
pub fn beta_inc_complement(a: f64, b: f64, x: f64) -> f64 {
    at_fraction(a, b, x).upper
}

/// The `x` with `I_x(a, b) = p`.
///
/// Halley steps on the logarithm of the smaller tail as a concave function of the log odds of `x`.
/// R: `qbeta(p, a, b)`. SciPy: `scipy.special.betaincinv(a, b, p)`.
pub fn inv_beta_inc(a: f64, b: f64, p: f64) -> f64 {
    if p <= 0.5 {
        let odds = beta_odds(a, b, p);
        odds / (1.0 + odds)
    } else {
        1.0 / (1.0 + beta_odds(b, a, 1.0 - p))
    }
}

fn at_fraction(a: f64, b: f64, x: f64) -> Tails {
    if !((0.0..=1.0).contains(&x) && a > 0.0 && b > 0.0 && a.is_finite() && b.is_finite()) {
        Tails::NAN
    } else if x == 0.0 {
        Tails::ZERO
    } else if x == 1.0 {
        Tails::ONE
    } else {
        beta_tails(a, b, Double::from(x), Double::sum(1.0, -x))
    }
}

/// Both tails at odds `x/y = numerator/denominator`, both positive and finite.
pub(super) fn beta_tails_at(a: f64, b: f64, numerator: Double, denominator: Double) -> Tails {
    let total = numerator + denominator;
    beta_tails(a, b, numerator / total, denominator / total)
}

/// Both tails at `x`, `y = 1 - x`; the slope, by the log odds, is `x^a y^b / B(a, b)`.
fn beta_tails(a: f64, b: f64, x: Double, y: Double) -> Tails {
    if x.hi == 0.0 {
        return Tails::ZERO;
    }
    if y.hi == 0.0 {
        return Tails::ONE;
    }
    let n = Double::sum(a, b);
    let excess = x * b - y * a;
    let part = |shape: f64, excess: Double, x: Double| deviance(excess / shape, n * x / shape) * shape;
    let d = part(a, excess, x) + part(b, -excess, y);
    let n = n.hi;
    let size = a / n * b;
    if size >= SMALLEST_SIZE && d.hi <= LARGEST_HALF_SQUARE * size {
        let f = series((b - a) / n, (a / n) * (b / n));
        return uniform_tails(&f, size, d, excess.hi > 0.0);
    }
    let normaliser = gamma_star(n) / (gamma_star(a) * gamma_star(b));
    let density = (size / (2.0 * PI)).sqrt() * normaliser * d.exp_minus();
    if x.hi * (n + 2.0) <= a + 1.0 {
        from_lower(a, b, x.hi, -excess.hi, density)
    } else {
        from_lower(b, a, y.hi, excess.hi, density).swap()
    }
}

/// Both tails from the lower one, `x` being below the mean or near it.
fn from_lower(a: f64, b: f64, x: f64, below: f64, density: f64) -> Tails {
    let lower = density * fraction(a, b, x, below);
    if lower < 0.9 || a >= 1.0 {
        return Tails::from_smaller(lower, false, density);
    }
    // With x^a/(a B) = 1 + L: J = -L - (1 + L) a Σ_{n≥1} (1 - b)…(n - b) xⁿ/(n! (a + n)).
    let log_power = a * x.ln() - ln_gamma_1p(a) + ln_gamma_increment(b, a);
    let (mut power, mut sum, mut n) = (1.0, 0.0, 1.0);
    while n < 1e4 {
        power *= (n - b) / n * x;
        let term = power / (a + n);
        sum += term;
        if term.abs() <= 1e-17 * sum.abs() {
            break;
        }
        n += 1.0;
    }
    let upper = -log_power.exp_m1() - log_power.exp() * a * sum;
    Tails { lower, upper, slope: density }
}

/// `I_x(a, b) B(a, b) / (x^a y^b)` by Lentz's method on the fraction of DiDonato and Morris (1992), ACM TOMS 18,
/// 360–373, equation (9): the even part of DLMF 8.17.22. `below = a y - b x` comes from outside, as it cancels.
fn fraction(a: f64, b: f64, x: f64, below: f64) -> f64 {
    let denominator = |m: f64| {
        let odd = a + 2.0 * m;
        m + m * (b - m) * x / (odd - 1.0) + (a + m) / (odd + 1.0) * (below + 1.0 + m * (2.0 - x))
    };
    let mut value = a / (a + 1.0) * (below + 1.0);
    let (mut c, mut d) = (value, 0.0);
    let mut m = 1.0;
    while m < 1e5 {
        let scaled = x / (a + 2.0 * m - 1.0);
        // m - 1 first: at m = 1 a tiny shape must not be rounded to 1 and back.
        let before = m - 1.0;
        let numerator = (a + before) * scaled * ((a + b + before) * scaled) * (m * (b - m));
        let beta = denominator(m);
        d = 1.0 / (beta + numerator * d);
        c = beta + numerator / c;
        let factor = c * d;
        value *= factor;
        if (factor - 1.0).abs() < 2.3e-16 {
            break;
        }
        m += 1.0;
    }
    1.0 / value
}

/// Logarithm of the odds whose lower tail is `p` if only the first power counts: `x^a = p a B(a, b)`.
pub(super) fn log_odds_of_power(a: f64, b: f64, p: f64) -> f64 {
    // ln(a B(a, b)) = ln Γ(1 + a) - (ln Γ(b + a) - ln Γ(b)).
    let log_scale = if a < 1.0 { ln_gamma_1p(a) - ln_gamma_increment(b, a) } else { a.ln() + ln_beta(a, b) };
    (p.ln() + log_scale) / a
}

/// The odds `x/(1 - x)` whose lower tail is `p ≤ ½`.
pub(super) fn beta_odds(a: f64, b: f64, p: f64) -> f64 {
    if !(p >= 0.0 && a > 0.0 && b > 0.0 && a.is_finite() && b.is_finite()) {
        return f64::NAN;
    }
    if p == 0.0 {
        return 0.0;
    }
    let power = log_odds_of_power(a, b, p);
    if power + b.ln_1p() < -40.0 {
        // The next term is b x relative to the first: below 1e-17.
        return power.exp();
    }
    // The log odds are roughly normal, with these moments.
    let spread = (trigamma(a) + trigamma(b)).sqrt();
    let normal = digamma(a) - digamma(b) + norm_quantile(p) * spread;
    let start = if a < 1.0 { power } else { power.max(normal) };
    let one = Double::from(1.0);
    solve(p, start.clamp(-700.0, 700.0).exp(), |odds| {
        let tails = beta_tails_at(a, b, Double::from(odds), one);
        let log_slope = a / (1.0 + odds) - b * (odds / (1.0 + odds));
        Point { mass: tails.lower, slope: tails.slope, log_slope }
    })
}
