//! The error function, its complement and the scaled complement.
//!
//! `erf` and `erfc` are those of the libm crate (below one unit in the last place). `erfcx` is ours: one
//! polynomial, without branches on the positive axis.

/// Error function `2/√π ∫₀ˣ e^{-t²} dt`.
///
/// R: `2 * pnorm(x * sqrt(2)) - 1`. SciPy: `scipy.special.erf`.
#[inline]
pub fn erf(x: f64) -> f64 {
    libm::erf(x)
}

/// Complementary error function `1 - erf(x)`, accurate in the upper tail.
///
/// R: `2 * pnorm(x * sqrt(2), lower.tail = FALSE)`. SciPy: `scipy.special.erfc`.
#[inline]
pub fn erfc(x: f64) -> f64 {
    libm::erfc(x)
}

/// Scaled complementary error function `e^{x²} erfc(x)`; infinite below about -26.6.
///
/// For `x ≥ 0` the Chebyshev expansion of `(1 + 2x) erfcx(x)` in `t = (x - 3)/(x + 3)`, the form of
/// Shepherd and Laframboise (1981), Math. Comp. 36, 249–253; for `x < 0`, `2 e^{x²} - erfcx(-x)`.
/// SciPy: `scipy.special.erfcx`.
#[inline]
pub fn erfcx(x: f64) -> f64 {
    let upper = erfcx_positive(x.abs());
    if x < 0.0 {
        2.0 * exp_square(x) - upper
    } else {
        upper
    }
}

/// Coefficients of `(1 + 2x) erfcx(x)` in powers of `t = (x - 3)/(x + 3)`: the Chebyshev series of degree 26,
/// computed at 60 digits and converted to powers; the first dropped term is below 1e-18. The last two are moved by
/// 2e-17 so that `erfcx(0)` rounds to 1 exactly.
const SCALED: [f64; 27] = [
    1.2530080582697296,
    -0.1356211061245812,
    -0.04756229435345109,
    0.12964515870276475,
    -0.11927366341528023,
    0.06830802734384515,
    -0.023770514919506852,
    0.0025293918180474668,
    0.0018886903716907627,
    -0.0007798322884823084,
    -0.00010515990108729849,
    0.0001250994355712812,
    4.949988662264347e-06,
    -2.0100843094844725e-05,
    -7.33143259743597e-07,
    3.473024167841533e-06,
    3.603910925712771e-07,
    -6.175617678992323e-07,
    -1.4683175494120584e-07,
    1.0277997488271058e-07,
    4.6950946691614734e-08,
    -1.3906145791730994e-08,
    -1.1734464137789657e-08,
    1.2019719440135793e-09,
    2.0626322959832455e-09,
    -3.451499487664328e-11,
    -1.8819364309448578e-10,
];

/// `erfcx` for `x ≥ 0`.
#[inline]
pub(super) fn erfcx_positive(x: f64) -> f64 {
    // 1 - 6/(x + 3) equals (x - 3)/(x + 3) and is finite at infinity.
    let t = 1.0 - 6.0 / (x + 3.0);
    // Even and odd powers apart: two short chains of additions instead of one long one.
    let square = t * t;
    let (mut even, mut odd) = (SCALED[26], SCALED[25]);
    for k in (0..12).rev() {
        even = even * square + SCALED[2 * k + 2];
        odd = odd * square + SCALED[2 * k + 1];
    }
    (SCALED[0] + (t * odd + even * square)) / (1.0 + 2.0 * x)
}

/// Cuts the last 27 bits, so that the square of the result is exact.
#[inline]
fn head(x: f64) -> f64 {
    f64::from_bits(x.to_bits() & 0xffff_ffff_f800_0000)
}

/// `e^{x²}` without the error of rounding `x²`, which `exp` would magnify `x²` times.
#[inline]
fn exp_square(x: f64) -> f64 {
    let h = head(x);
    (h * h).exp() * ((x - h) * (x + h)).exp()
}

/// `e^{-x²/2}` without the error of rounding `x²`.
#[inline]
pub(super) fn exp_minus_half_square(x: f64) -> f64 {
    // Beyond 40 the value is zero; the cut keeps infinity out of the difference.
    let x = if x.abs() > 40.0 { 40.0 } else { x };
    let h = head(x);
    (-0.5 * h * h).exp() * (-0.5 * (x - h) * (x + h)).exp()
}
