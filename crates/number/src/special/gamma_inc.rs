//! The incomplete gamma function, its inverse, and the distributions that are it.
use super::deviance::deviance;
use super::double::Double;
use super::gamma::{gamma, gamma_star, ln_gamma, ln_gamma_1p, STIRLING_FROM};
use super::normal::norm_quantile;
use super::solve::{solve, Point};
use super::tails::Tails;
use super::uniform::{uniform_tails, GAMMA, LARGEST_HALF_SQUARE, SMALLEST_SIZE};
use std::f64::consts::PI;

/// Regularised lower incomplete gamma function `P(a, x) = γ(a, x)/Γ(a)`, for `a > 0`, `x ≥ 0`.
///
/// Near the mode of large `a` the uniform expansion; elsewhere the series (DLMF 8.11.4) below and the continued
/// fraction (DLMF 8.9.2) above. The factor `x^a e^-x/Γ(a)` is Loader's saddle point with a double-double
/// exponent, so that neither large `a` nor far tails lose digits.
/// R: `pgamma(x, a)`. SciPy: `scipy.special.gammainc(a, x)`.
pub fn gamma_p(a: f64, x: f64) -> f64 {
    gamma_tails(a, x).lower
}

/// Regularised upper incomplete gamma function `Q(a, x) = 1 - P(a, x)`, accurate in the upper tail.
///
/// R: `pgamma(x, a, lower.tail = FALSE)`. SciPy: `scipy.special.gammaincc(a, x)`.
pub fn gamma_q(a: f64, x: f64) -> f64 {
    gamma_tails(a, x).upper
}

/// The `x` with `P(a, x) = p`.
///
/// Halley steps on `ln P` as a concave function of `ln x`, in the smaller tail.
/// R: `qgamma(p, a)`. SciPy: `scipy.special.gammaincinv(a, p)`.
pub fn inv_gamma_p(a: f64, p: f64) -> f64 {
    if p <= 0.5 {
        gamma_quantile(a, p, false)
    } else {
        gamma_quantile(a, 1.0 - p, true)
    }
}

/// The `x` with `Q(a, x) = q`.
///
/// R: `qgamma(q, a, lower.tail = FALSE)`. SciPy: `scipy.special.gammainccinv(a, q)`.
pub fn inv_gamma_q(a: f64, q: f64) -> f64 {
    if q <= 0.5 {
        gamma_quantile(a, q, true)
    } else {
        gamma_quantile(a, 1.0 - q, false)
    }
}

/// Both tails at `x`; the slope is `x^a e^-x / Γ(a)`.
pub(super) fn gamma_tails(a: f64, x: f64) -> Tails {
    gamma_tails_at(a, Double::from(x))
}

/// The same at a double-double `x`: in a far tail the rounding of `x` alone would cost digits.
pub(super) fn gamma_tails_at(a: f64, x: Double) -> Tails {
    let point = x.hi;
    if a.is_nan() || point.is_nan() || a <= 0.0 || point < 0.0 || (a.is_infinite() && point.is_infinite()) {
        return Tails::NAN;
    }
    if point == 0.0 || a.is_infinite() {
        return Tails::ZERO;
    }
    if point.is_infinite() {
        return Tails::ONE;
    }
    if a < STIRLING_FROM {
        return by_series_or_fraction(a, point, small_density(a, x));
    }
    let d = gamma_deviance(a, x);
    if a >= SMALLEST_SIZE && d.hi <= LARGEST_HALF_SQUARE * a {
        return uniform_tails(&GAMMA, a, d, point > a);
    }
    let density = (a / (2.0 * PI)).sqrt() / gamma_star(a) * d.exp_minus();
    by_series_or_fraction(a, point, density)
}

/// `a φ(x/a - 1)`, the deviance of `x^a e^-x` from its mode.
pub(super) fn gamma_deviance(a: f64, x: Double) -> Double {
    deviance((x - Double::from(a)) / a, x / a) * a
}

/// `x^a e^-x / Γ(a)` for `a < 8`.
fn small_density(a: f64, x: Double) -> f64 {
    if x.hi > 800.0 {
        return 0.0;
    }
    // Two halves, as e^-x alone may underflow where the product does not.
    let half = (-0.5 * x.hi).exp();
    let value = x.hi.powf(a) * half * half / gamma(a);
    value + value * ((a - x.hi) * (x.lo / x.hi))
}

fn by_series_or_fraction(a: f64, x: f64, density: f64) -> Tails {
    if a < 1.0 && x < 1.1 {
        small_shape(a, x, density)
    } else if x < a + 1.0 {
        Tails::from_smaller(density / a * lower_series(a, x), false, density)
    } else {
        Tails::from_smaller(density * upper_fraction(a, x), true, density)
    }
}

/// `Σ xⁿ / ((a + 1) … (a + n))`.
fn lower_series(a: f64, x: f64) -> f64 {
    let (mut term, mut sum, mut n) = (1.0, 1.0, a);
    while term > 1e-17 * sum {
        n += 1.0;
        term *= x / n;
        sum += term;
    }
    sum
}

/// `Γ(a, x) e^x x^-a` by Lentz's method on DLMF 8.9.2.
fn upper_fraction(a: f64, x: f64) -> f64 {
    let mut b = x + 1.0 - a;
    let mut c = f64::MAX;
    let mut d = 1.0 / b;
    let mut h = d;
    let mut i = 1.0;
    loop {
        let an = -i * (i - a);
        b += 2.0;
        d = 1.0 / (an * d + b);
        c = b + an / c;
        let factor = c * d;
        h *= factor;
        if (factor - 1.0).abs() < 2.3e-16 || i > 1e4 {
            return h;
        }
        i += 1.0;
    }
}

/// Both tails for `a < 1`, `x < 1.1`, where the upper one may be the small one although `x` is small.
///
/// With `x^a/Γ(1 + a) = 1 + L` and `Σ = Σ_{n≥1} (-x)ⁿ/((a + n) n!)`: `Q = -L - (1 + L) a Σ`.
fn small_shape(a: f64, x: f64, density: f64) -> Tails {
    let lower = density / a * lower_series(a, x);
    if lower < 0.5 {
        return Tails::from_smaller(lower, false, density);
    }
    let log_power = a * x.ln() - ln_gamma_1p(a);
    let (mut power, mut sum, mut n) = (1.0, 0.0, 1.0);
    loop {
        power *= -x / n;
        let term = power / (a + n);
        sum += term;
        if term.abs() < 1e-17 * sum.abs() {
            break;
        }
        n += 1.0;
    }
    let upper = -log_power.exp_m1() - log_power.exp() * a * sum;
    Tails { lower, upper, slope: density }
}

/// The `x` whose tail mass is `tail ≤ ½`.
fn gamma_quantile(a: f64, tail: f64, is_upper: bool) -> f64 {
    if !(tail >= 0.0 && a > 0.0 && a.is_finite()) {
        return f64::NAN;
    }
    if tail == 0.0 {
        return if is_upper { f64::INFINITY } else { 0.0 };
    }
    // P ≤ x^a/Γ(a + 1): this start is never above the root.
    let lower = if is_upper { 1.0 - tail } else { tail };
    let power = ((lower.ln() + ln_gamma(a + 1.0)) / a).exp();
    let start = if a >= 1.0 {
        let z = norm_quantile(tail);
        power.max(wilson_hilferty(a, if is_upper { -z } else { z }))
    } else if is_upper && power > 0.1 {
        power.max(-tail.ln())
    } else {
        power
    };
    solve(tail, start, |x| {
        let tails = gamma_tails(a, x);
        let mass = if is_upper { tails.upper } else { tails.lower };
        Point { mass, slope: if is_upper { -tails.slope } else { tails.slope }, log_slope: a - x }
    })
}

/// Wilson and Hilferty (1931): the cube root of a gamma variable is nearly normal.
fn wilson_hilferty(a: f64, z: f64) -> f64 {
    let cube_root = 1.0 - 1.0 / (9.0 * a) + z / (3.0 * a.sqrt());
    if cube_root > 0.0 {
        a * cube_root.powi(3)
    } else {
        0.0
    }
}
