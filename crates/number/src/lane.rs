//! A SIMD lane: an `f64` whose every operation is branch-free, so that a loop over it vectorises.
//!
//! `FMA` says whether the enclosing function was compiled with fused multiply-add (AVX2, AVX-512); without it
//! `mul_add` would call a slow library routine. `exp` flushes below -708 to 0; both `exp` and `ln` are within
//! 1 ulp of the true value over the rest of their range (tested against the standard library).
use std::ops::{Add, Div, Mul, Neg, Sub};

use crate::number::{Constant, Number};
use crate::ops::{Elementary, Unary};

/// One lane of a vector register.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
#[repr(transparent)]
pub struct Lane<const FMA: bool>(pub f64);

macro_rules! arithmetic {
    ($($trait:ident $method:ident $op:tt;)*) => {$(
        impl<const FMA: bool> $trait for Lane<FMA> {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                Lane(self.0 $op other.0)
            }
        }
    )*};
}
arithmetic! { Add add +; Sub sub -; Mul mul *; Div div /; }

impl<const FMA: bool> Neg for Lane<FMA> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Lane(-self.0)
    }
}

#[inline(always)]
fn fma<const FMA: bool>(a: f64, b: f64, c: f64) -> f64 {
    if FMA {
        a.mul_add(b, c)
    } else {
        a * b + c
    }
}

const LN_2_HIGH: f64 = 6.931_471_803_691_238_164_90e-1;
const LN_2_LOW: f64 = 1.908_214_929_270_587_700_02e-10;
/// 1.5 · 2^52: adding it rounds to an integer held in the low mantissa bits.
const ROUND: f64 = 6_755_399_441_055_744.0;
/// Taylor coefficients `1/k!`, k = 2..=13; on |r| <= ln2/2 the next term is below 5e-18.
const INVERSE_FACTORIAL: [f64; 12] = [
    0.5,
    1.0 / 6.0,
    1.0 / 24.0,
    1.0 / 120.0,
    1.0 / 720.0,
    1.0 / 5_040.0,
    1.0 / 40_320.0,
    1.0 / 362_880.0,
    1.0 / 3_628_800.0,
    1.0 / 39_916_800.0,
    1.0 / 479_001_600.0,
    1.0 / 6_227_020_800.0,
];

/// `x = n ln2 + r`: returns `e^r - 1` and `2^n` for x in [-708, 709.8].
#[inline(always)]
fn exp_parts<const FMA: bool>(x: f64) -> (f64, f64, f64) {
    let shifted = fma::<FMA>(x, std::f64::consts::LOG2_E, ROUND);
    let n = shifted - ROUND;
    let high = fma::<FMA>(-n, LN_2_HIGH, x);
    let r = fma::<FMA>(-n, LN_2_LOW, high);
    let mut p = INVERSE_FACTORIAL[11];
    for k in (0..11).rev() {
        p = fma::<FMA>(p, r, INVERSE_FACTORIAL[k]);
    }
    let expm1 = fma::<FMA>(p * r, r, r);
    // 2^n in two factors, so that n = 1024 does not overflow before the product does.
    let bits = shifted.to_bits();
    let n_low = (bits << 52).wrapping_add(0x3ff0_0000_0000_0000_u64.wrapping_sub(1_u64 << 52));
    (expm1, f64::from_bits(n_low), 2.0)
}

#[inline(always)]
fn exp<const FMA: bool>(x: f64) -> f64 {
    let clamped = x.clamp(-708.0, 709.79);
    let (expm1, half_scale, two) = exp_parts::<FMA>(clamped);
    let value = fma::<FMA>(expm1, half_scale, half_scale) * two;
    let value = if x < -708.0 { 0.0 } else { value };
    let value = if x > 709.782_712_893_384 { f64::INFINITY } else { value };
    if x.is_nan() {
        x
    } else {
        value
    }
}

#[inline(always)]
fn exp_m1<const FMA: bool>(x: f64) -> f64 {
    let clamped = x.clamp(-60.0, 709.79);
    let (expm1, half_scale, two) = exp_parts::<FMA>(clamped);
    let value = fma::<FMA>(expm1, half_scale, half_scale - 0.5) * two;
    let value = if x > 709.782_712_893_384 { f64::INFINITY } else { value };
    if x.is_nan() {
        x
    } else {
        value
    }
}

/// `ln(m · 2^k)` by `f = m - 1, s = f/(2 + f)`, the odd series of atanh with the minimax coefficients of fdlibm.
#[inline(always)]
fn ln_normal<const FMA: bool>(x: f64) -> f64 {
    const C: [f64; 7] = [
        6.666_666_666_666_735_130e-1,
        3.999_999_999_940_941_908e-1,
        2.857_142_874_366_239_149e-1,
        2.222_219_843_214_978_396e-1,
        1.818_357_216_161_805_012e-1,
        1.531_383_769_920_937_332e-1,
        1.479_819_860_511_658_591e-1,
    ];
    // Moves the cut of the mantissa to sqrt(1/2), so that m lies in [sqrt(1/2), sqrt(2)).
    const CUT: u64 = 0x3fe6_a09e_667f_3bcd;
    let bits = x.to_bits();
    let offset = bits.wrapping_sub(CUT);
    let k_bits = offset >> 52;
    // k is a signed 12-bit integer; placed in the mantissa of 2^52 + 2^11 it becomes a float without conversion.
    let k = f64::from_bits(0x4330_0000_0000_0000 | ((k_bits ^ 0x800) & 0xfff))
        - (4_503_599_627_370_496.0 + 2048.0);
    let m = f64::from_bits(bits.wrapping_sub(offset & 0xfff0_0000_0000_0000));
    let f = m - 1.0;
    let s = f / (2.0 + f);
    let z = s * s;
    let mut p = C[6];
    for c in C[..6].iter().rev() {
        p = fma::<FMA>(p, z, *c);
    }
    let r = p * z;
    let half_square = 0.5 * f * f;
    let low = fma::<FMA>(s, half_square + r, k * LN_2_LOW);
    fma::<FMA>(k, LN_2_HIGH, f - (half_square - low))
}

#[inline(always)]
fn ln<const FMA: bool>(x: f64) -> f64 {
    let tiny = x < f64::MIN_POSITIVE;
    let scaled = if tiny { x * 18_014_398_509_481_984.0 } else { x };
    let value = ln_normal::<FMA>(scaled) - if tiny { 54.0 * std::f64::consts::LN_2 } else { 0.0 };
    let value = if x == f64::INFINITY { x } else { value };
    let value = if x == 0.0 { f64::NEG_INFINITY } else { value };
    if x < 0.0 || x.is_nan() {
        f64::NAN
    } else {
        value
    }
}

#[inline(always)]
fn ln_1p<const FMA: bool>(x: f64) -> f64 {
    let u = 1.0 + x;
    let lost = x - (u - 1.0);
    let correction = if u > 0.0 && u < 1e18 { lost / u } else { 0.0 };
    let value = ln::<FMA>(u) + correction;
    // Below half an ulp of 1 the sum is exactly 1 and the answer is x itself.
    if x.abs() < 1.1e-16 {
        x
    } else {
        value
    }
}

impl<const FMA: bool> Elementary for Lane<FMA> {
    /// Functions without a branch-free form call the scalar routine.
    #[inline]
    fn unary(self, op: Unary) -> Self {
        Lane(op.value(self.0))
    }
    #[inline(always)]
    fn abs(self) -> Self {
        Lane(self.0.abs())
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        Lane(self.0.sqrt())
    }
    #[inline(always)]
    fn square(self) -> Self {
        Lane(self.0 * self.0)
    }
    #[inline(always)]
    fn exp(self) -> Self {
        Lane(exp::<FMA>(self.0))
    }
    #[inline(always)]
    fn exp_m1(self) -> Self {
        Lane(exp_m1::<FMA>(self.0))
    }
    #[inline(always)]
    fn ln(self) -> Self {
        Lane(ln::<FMA>(self.0))
    }
    #[inline(always)]
    fn ln_1p(self) -> Self {
        Lane(ln_1p::<FMA>(self.0))
    }
    #[inline(always)]
    fn sigmoid(self) -> Self {
        let e = exp::<FMA>(-self.0.abs());
        let top = if self.0 < 0.0 { e } else { 1.0 };
        Lane(top / (1.0 + e))
    }
    #[inline(always)]
    fn softplus(self) -> Self {
        let e = exp::<FMA>(-self.0.abs());
        Lane(self.0.max(0.0) + ln_1p::<FMA>(e))
    }
}

impl<const FMA: bool> Number for Lane<FMA> {
    type Mask = bool;
    #[inline(always)]
    fn literal(x: f64) -> Self {
        Lane(x)
    }
    #[inline(always)]
    fn constant(c: Constant) -> Self {
        Lane(c.value())
    }
    #[inline(always)]
    fn less(&self, other: &Self) -> bool {
        self.0 < other.0
    }
    #[inline(always)]
    fn less_equal(&self, other: &Self) -> bool {
        self.0 <= other.0
    }
    #[inline(always)]
    fn and(a: &bool, b: &bool) -> bool {
        *a & *b
    }
    #[inline(always)]
    fn not(a: &bool) -> bool {
        !*a
    }
    #[inline(always)]
    fn select(mask: &bool, a: Self, b: Self) -> Self {
        if *mask {
            a
        } else {
            b
        }
    }
    #[inline(always)]
    fn pow(self, power: Self) -> Self {
        Lane(self.0.powf(power.0))
    }
    #[inline(always)]
    fn mul_add(self, a: Self, b: Self) -> Self {
        Lane(fma::<FMA>(self.0, a.0, b.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ulps(a: f64, b: f64) -> f64 {
        if a == b || (a.is_nan() && b.is_nan()) {
            return 0.0;
        }
        ((a - b) / (b.abs().max(f64::MIN_POSITIVE) * f64::EPSILON)).abs()
    }

    fn worst(f: impl Fn(f64) -> f64, g: impl Fn(f64) -> f64, lo: f64, hi: f64) -> f64 {
        (0..=200_000)
            .map(|i| lo + (hi - lo) * f64::from(i) / 2e5)
            .map(|x| ulps(f(x), g(x)))
            .fold(0.0, f64::max)
    }

    // The standard library itself may be off by one ulp; ours by one more.
    const TWO_ULP: f64 = 2.0;
    // `exp_m1` and `ln_1p` join two roundings where their parts cancel.
    const FOUR_ULP: f64 = 4.0;

    #[test]
    fn elementary_functions_agree_with_the_standard_library() {
        assert!(worst(exp::<true>, f64::exp, -708.0, 709.7) <= TWO_ULP);
        assert!(worst(exp::<false>, f64::exp, -708.0, 709.7) <= TWO_ULP);
        assert!(worst(exp::<true>, f64::exp, -1.0, 1.0) <= TWO_ULP);
        assert!(worst(ln::<true>, f64::ln, 1e-3, 50.0) <= TWO_ULP);
        assert!(worst(|x| ln::<false>(x.exp()), |x| x.exp().ln(), -707.0, 709.0) <= TWO_ULP);
        assert!(worst(exp_m1::<true>, f64::exp_m1, -50.0, 50.0) <= FOUR_ULP);
        assert!(worst(exp_m1::<true>, f64::exp_m1, -1e-3, 1e-3) <= FOUR_ULP);
        assert!(worst(ln_1p::<true>, f64::ln_1p, -0.999, 5.0) <= FOUR_ULP);
        assert!(worst(ln_1p::<true>, f64::ln_1p, -1e-9, 1e-9) <= FOUR_ULP);
    }

    #[test]
    fn edges_are_those_of_the_standard_library() {
        for x in [
            0.0,
            -0.0,
            f64::INFINITY,
            f64::NEG_INFINITY,
            f64::NAN,
            800.0,
            -800.0,
            5e-324,
            1e-310,
            -1.0,
            1e308,
        ] {
            assert_eq!(ulps(exp::<true>(x), f64::exp(x)), 0.0, "exp {x}");
            assert!(ulps(ln::<true>(x), f64::ln(x)) <= 1.0, "ln {x}");
            assert!(ulps(exp_m1::<true>(x), f64::exp_m1(x)) <= 1.0, "exp_m1 {x}");
            assert!(ulps(ln_1p::<true>(x), f64::ln_1p(x)) <= 1.0, "ln_1p {x}");
        }
    }
}
