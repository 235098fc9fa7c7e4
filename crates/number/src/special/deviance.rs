//! The exponent of a density around its mode, to more digits than a float has.
//!
//! Loader (2000), "Fast and accurate computation of binomial probabilities", writes a density as its value at the
//! mode times `e^-D`. Where the value is 1e-300, `D` is near 700 and a float's rounding of it costs 1e-13 of the
//! value: so `D` is a double-double.
use super::double::Double;
use std::f64::consts::FRAC_1_SQRT_2;

/// `φ = u - ln(1 + u)`, given both `u` and `1 + u > 0`, each to full relative accuracy.
pub(super) fn deviance(u: Double, one_plus_u: Double) -> Double {
    if (0.7..=1.42).contains(&one_plus_u.hi) {
        // ln(1 + u) = 2 artanh(s) with s = u/(2 + u), and 2s - u = -u s: nothing cancels.
        let s = u / (u + Double::from(2.0));
        let square = s * s;
        u * s - square * s * inverse_tangent_rest(square) * 2.0
    } else {
        u - ln(one_plus_u)
    }
}

/// `ln y` for a positive double-double.
fn ln(y: Double) -> Double {
    const LN_2: Double = Double { hi: std::f64::consts::LN_2, lo: 2.319_046_813_846_299_6e-17 };
    let (y, shift) = if y.hi < 1e-200 {
        (y * TWO_300, -300)
    } else if y.hi > 1e200 {
        (y * (1.0 / TWO_300), 300)
    } else {
        (y, 0)
    };
    let mut exponent = ((y.hi.to_bits() >> 52) & 0x7ff) as i64 - 1022;
    if y.hi * power_of_two(-exponent) < FRAC_1_SQRT_2 {
        exponent -= 1;
    }
    let mantissa = y * power_of_two(-exponent);
    let one = Double::from(1.0);
    let s = (mantissa - one) / (mantissa + one);
    let square = s * s;
    let rest = square * s * inverse_tangent_rest(square);
    LN_2 * (exponent + shift) as f64 + (s + rest) * 2.0
}

/// `2^300`.
const TWO_300: f64 = 2.037_035_976_334_486_1e90;

fn power_of_two(exponent: i64) -> f64 {
    f64::from_bits(((exponent + 1023) as u64) << 52)
}

/// `(artanh(s) - s) / s³ = Σ s^{2k}/(2k + 3)` from the square of `s`, for `s² ≤ 0.031`.
fn inverse_tangent_rest(square: Double) -> Double {
    // The terms in floats are below 1e-5 of the whole, so that their rounding is below 1e-21 of it.
    let z = square.hi;
    let mut tail = 0.0;
    for k in (3..13).rev() {
        tail = tail * z + 1.0 / (2 * k + 3) as f64;
    }
    let third = Double { hi: 1.0 / 3.0, lo: 1.850_371_707_708_594_2e-17 };
    let fifth = Double { hi: 0.2, lo: -1.110_223_024_625_156_5e-17 };
    let seventh = Double { hi: 1.0 / 7.0, lo: 7.930_164_461_608_261e-18 };
    third + square * (fifth + square * (seventh + square * tail))
}
