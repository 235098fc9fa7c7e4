//! Derivatives of the logarithm of the gamma function, to the fifth.
//!
//! Positive arguments are shifted above [`SHIFTED`] by the recurrence, where the asymptotic series (DLMF 5.11.2
//! and 5.15.8) is exact to rounding; negative arguments go through the reflection formula (DLMF 5.15.6).
use std::f64::consts::PI;

/// From here on the asymptotic series with ten Bernoulli terms is exact to rounding.
const SHIFTED: f64 = 9.0;

/// `B_{2k} / (2k)` for `k = 1, …, 10` (DLMF 24.2).
const BERNOULLI: [f64; 10] = [
    1.0 / 12.0,
    -1.0 / 120.0,
    1.0 / 252.0,
    -1.0 / 240.0,
    1.0 / 132.0,
    -691.0 / 32760.0,
    1.0 / 12.0,
    -3617.0 / 8160.0,
    43867.0 / 14364.0,
    -174611.0 / 6600.0,
];

/// Digamma function `ψ(x) = d ln Γ(x) / dx`.
///
/// `∓∞` at `±0`, NaN at the negative integers, where the sides disagree. R: `digamma(x)`. SciPy: `digamma`.
pub fn digamma(x: f64) -> f64 {
    if x > 0.0 {
        return digamma_positive(x);
    }
    if x == 0.0 {
        return -1.0 / x;
    }
    digamma_positive(1.0 - x) - PI * cotangent_pi(x)
}

/// Trigamma function `ψ'(x)`; `∞` at zero and the negative integers. R: `trigamma(x)`.
#[inline]
pub fn trigamma(x: f64) -> f64 {
    polygamma(1, x)
}

/// Polygamma function `ψ⁽ⁿ⁾(x) = dⁿψ(x)/dxⁿ` for `n = 0, …, 4`, NaN for other `n`.
///
/// At zero and the negative integers: `∞` for odd `n`; for even `n` the limit from the side of the signed zero,
/// and NaN at the negative integers. R: `psigamma(x, n)`. SciPy: `scipy.special.polygamma(n, x)`.
pub fn polygamma(n: usize, x: f64) -> f64 {
    match n {
        0 => return digamma(x),
        1..=4 => {}
        _ => return f64::NAN,
    }
    if x > 0.0 {
        return polygamma_positive(n, x);
    }
    if n % 2 == 1 && x.is_finite() && x == x.round() {
        return f64::INFINITY;
    }
    if x == 0.0 {
        return -1.0 / x;
    }
    // (-1)ⁿ ψ⁽ⁿ⁾(1 - x) - ψ⁽ⁿ⁾(x) = π dⁿ cot(πx)/dxⁿ, with the derivatives as polynomials in the cotangent.
    let c = cotangent_pi(x);
    let c2 = c * c;
    let reflected = polygamma_positive(n, 1.0 - x);
    match n {
        1 => PI * PI * (1.0 + c2) - reflected,
        2 => reflected - 2.0 * PI.powi(3) * c * (1.0 + c2),
        3 => 2.0 * PI.powi(4) * (1.0 + c2) * (1.0 + 3.0 * c2) - reflected,
        _ => reflected - 8.0 * PI.powi(5) * c * (1.0 + c2) * (2.0 + 3.0 * c2),
    }
}

/// `cot(πx)`, exact in the reduction of `x`; NaN at infinity, infinite or NaN at integers.
fn cotangent_pi(x: f64) -> f64 {
    let r = x - x.round();
    if r == 0.0 {
        return f64::NAN;
    }
    // cot is the reciprocal of tan near zero and a shifted tan near a half: both stay accurate.
    if r.abs() <= 0.25 {
        1.0 / (PI * r).tan()
    } else {
        (PI * (0.5 - r.abs())).tan().copysign(r)
    }
}

/// `ψ(x)` for `x > 0`.
fn digamma_positive(x: f64) -> f64 {
    let (z, shift) = if x < SHIFTED { (x + 8.0, reciprocal_sum(x)) } else { (x, 0.0) };
    let inverse = 1.0 / z;
    let square = inverse * inverse;
    let tail = BERNOULLI.iter().rev().fold(0.0, |sum, &b| sum * square + b) * square;
    z.ln() - (0.5 * inverse + tail + shift)
}

/// `Σ 1/(x + k)` for `k = 0, …, 7`.
#[inline]
fn reciprocal_sum(x: f64) -> f64 {
    // x and 7 - x share a product: 1/(x+k) + 1/(x+7-k) = (2x + 7)/(q + k(7 - k)) with q = x(x + 7). The four
    // fractions are then added over two common denominators.
    let q = x * (x + 7.0);
    let (a, b, c, d) = (q, q + 6.0, q + 10.0, q + 12.0);
    (2.0 * x + 7.0) * ((a + b) / (a * b) + (c + d) / (c * d))
}

/// `ψ⁽ⁿ⁾(x)` for `x > 0`, `1 ≤ n ≤ 4`.
fn polygamma_positive(n: usize, x: f64) -> f64 {
    let power = n as i32 + 1;
    let factorial = [1.0, 1.0, 2.0, 6.0, 24.0][n];
    let mut z = x;
    let mut sum = 0.0;
    while z < SHIFTED + 4.0 {
        sum += z.powi(-power);
        z += 1.0;
    }
    let inverse = 1.0 / z;
    let square = inverse * inverse;
    // (n-1)!/zⁿ + n!/(2 zⁿ⁺¹) + Σ (B₂ₖ/2k) 2k(2k+1)…(2k+n-1) / z^{2k+n}, up to the sign.
    let mut series = 0.0;
    for k in (1..=BERNOULLI.len()).rev() {
        let rising: f64 = (0..n).map(|i| (2 * k + i) as f64).product();
        series = series * square + BERNOULLI[k - 1] * rising;
    }
    let asymptotic = factorial / n as f64 + 0.5 * factorial * inverse + series * square;
    let value = factorial * sum + asymptotic * inverse.powi(n as i32);
    if n % 2 == 1 {
        value
    } else {
        -value
    }
}
