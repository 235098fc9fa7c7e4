//! One uniform expansion for the incomplete gamma and beta functions.
//!
//! Both have a density `e^{-mζ²/2} f(ζ)` up to its constant, with `mζ²/2 = D` the deviance. The smaller tail is
//!
//! ```text
//! e^-D [ ½ erfcx(√D) ± S(ζ) / √(2πm) ],   S'/m - ζS = 1 - G f(ζ)
//! ```
//!
//! with `+` above the mode and `-` below it, `G` the normaliser, and `f(ζ) = ζ/u` where
//! `ζ dζ = u du / ((1 + x₁u)(1 - x₀u))`; the gamma function is the case `x₀ = 0`. Gil, Segura and Temme (2012),
//! SIAM J. Sci. Comput. 34, A2965, solve the equation for gamma by a backward recursion on power series; the
//! change of variable above gives the beta function the same form. Temme (1979), SIAM J. Math. Anal. 10, 757;
//! (1982) 13, 239; DLMF 8.12 and 8.18(ii).
use super::double::Double;
use super::erf::erfcx_positive;
use super::tails::Tails;
use std::f64::consts::PI;

/// Degree of the series. The radius of convergence is `2√π ≈ 3.54`; at `|ζ| ≤ 0.9` the rest is below 1e-17.
const DEGREE: usize = 30;
/// Smallest `m` at which the series reaches rounding.
pub(super) const SMALLEST_SIZE: f64 = 20.0;
/// Largest `ζ²/2 = D/m` for which the series is used.
pub(super) const LARGEST_HALF_SQUARE: f64 = 0.41;

/// The Taylor coefficients of `f(ζ)`.
pub(super) type Series = [f64; DEGREE + 1];

/// The coefficients for the gamma function.
pub(super) const GAMMA: Series = series(1.0, 0.0);

/// Coefficients of `f(ζ) = ζ/u(ζ)`, where `u u' = ζ (1 + q u - r u²)`, `q = x₁ - x₀` and `r = x₀ x₁`.
pub(super) const fn series(q: f64, r: f64) -> Series {
    // u = ζ + …; w = u². From ½w' = ζ (1 + q u - r w): k w_k / 2 = q u_{k-2} - r w_{k-2}.
    let mut u = [0.0; DEGREE + 3];
    let mut w = [0.0; DEGREE + 3];
    u[1] = 1.0;
    w[2] = 1.0;
    let mut k = 3;
    while k <= DEGREE + 2 {
        w[k] = 2.0 * (q * u[k - 2] - r * w[k - 2]) / k as f64;
        let mut cross = 0.0;
        let mut i = 2;
        while i <= k - 2 {
            cross += u[i] * u[k - i];
            i += 1;
        }
        u[k - 1] = 0.5 * (w[k] - cross);
        k += 1;
    }
    let mut f = [0.0; DEGREE + 1];
    f[0] = 1.0;
    let mut n = 1;
    while n <= DEGREE {
        let mut sum = 0.0;
        let mut j = 1;
        while j <= n {
            sum += u[j + 1] * f[n - j];
            j += 1;
        }
        f[n] = -sum;
        n += 1;
    }
    f
}

/// Both tails and the slope from size `m`, deviance `D` and the side of the mode.
pub(super) fn uniform_tails(f: &Series, size: f64, deviance: Double, above: bool) -> Tails {
    let root = deviance.hi.max(0.0).sqrt();
    let zeta = (2.0 / size).sqrt() * if above { root } else { -root };
    // S = G Σ b_n ζⁿ with b_{n-1} = f_n + (n + 1) b_{n+1}/m and 1/G = 1 + b_1/m.
    let (mut next, mut after) = (0.0, 0.0);
    let mut sum = 0.0;
    let mut first = 0.0;
    for n in (1..=DEGREE).rev() {
        let b = f[n] + (n + 1) as f64 * after / size;
        sum = sum * zeta + b;
        if n == 2 {
            first = b;
        }
        (after, next) = (next, b);
    }
    let normaliser = 1.0 / (1.0 + first / size);
    let exponential = deviance.exp_minus();
    let correction = normaliser * sum / (2.0 * PI * size).sqrt();
    let bracket = 0.5 * erfcx_positive(root) + if above { correction } else { -correction };
    let slope = (size / (2.0 * PI)).sqrt() * normaliser * exponential;
    Tails::from_smaller(exponential * bracket, above, slope)
}
