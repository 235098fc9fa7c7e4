//! Dual numbers: a value with its first derivatives in `K` directions. Duals of duals give higher orders.
use std::ops::{Add, Div, Mul, Neg, Sub};

use crate::number::{Constant, Number};
use crate::ops::{Elementary, Unary};

/// `value + Σ_k slope[k] ε_k`, with `ε_i ε_j = 0`.
#[derive(Clone, Debug)]
pub struct Dual<N, const K: usize> {
    /// The value.
    pub value: N,
    /// The derivatives.
    pub slope: [N; K],
}

impl<N: Number, const K: usize> Dual<N, K> {
    /// The `k`-th independent variable at `value`.
    #[inline(always)]
    pub fn variable(value: N, k: usize) -> Self {
        Dual { value, slope: std::array::from_fn(|j| N::literal(f64::from(u8::from(j == k)))) }
    }

    /// A value that depends on no variable.
    #[inline(always)]
    pub fn fixed(value: N) -> Self {
        Dual { value, slope: std::array::from_fn(|_| N::literal(0.0)) }
    }

    #[inline(always)]
    fn chain(self, value: N, derivative: N) -> Self {
        Dual { value, slope: self.slope.map(|s| s * derivative.clone()) }
    }

    #[inline(always)]
    fn zip(a: [N; K], b: [N; K], f: impl Fn(N, N) -> N) -> [N; K] {
        let mut b = b.into_iter();
        a.map(|x| match b.next() {
            Some(y) => f(x, y),
            None => x,
        })
    }
}

impl<N: Number, const K: usize> Neg for Dual<N, K> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Dual { value: -self.value, slope: self.slope.map(|s| -s) }
    }
}

impl<N: Number, const K: usize> Add for Dual<N, K> {
    type Output = Self;
    #[inline(always)]
    fn add(self, o: Self) -> Self {
        Dual { value: self.value + o.value, slope: Self::zip(self.slope, o.slope, |a, b| a + b) }
    }
}

impl<N: Number, const K: usize> Sub for Dual<N, K> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, o: Self) -> Self {
        Dual { value: self.value - o.value, slope: Self::zip(self.slope, o.slope, |a, b| a - b) }
    }
}

impl<N: Number, const K: usize> Mul for Dual<N, K> {
    type Output = Self;
    // The rule of the derivative has other operations than its name.
    #[allow(clippy::suspicious_arithmetic_impl)]
    #[inline(always)]
    fn mul(self, o: Self) -> Self {
        let (x, y) = (self.value, o.value);
        let slope = Self::zip(self.slope, o.slope, |a, b| a * y.clone() + b * x.clone());
        Dual { value: x * y, slope }
    }
}

impl<N: Number, const K: usize> Div for Dual<N, K> {
    type Output = Self;
    // The rule of the derivative has other operations than its name.
    #[allow(clippy::suspicious_arithmetic_impl)]
    #[inline(always)]
    fn div(self, o: Self) -> Self {
        let value = self.value / o.value.clone();
        let slope = Self::zip(self.slope, o.slope, |a, b| (a - b * value.clone()) / o.value.clone());
        Dual { value, slope }
    }
}

impl<N: Number, const K: usize> Elementary for Dual<N, K> {
    #[inline(always)]
    fn unary(self, op: Unary) -> Self {
        let value = op.apply(self.value.clone());
        let derivative = op.derivative(self.value.clone(), value.clone());
        self.chain(value, derivative)
    }
}

impl<N: Number, const K: usize> Number for Dual<N, K> {
    type Mask = N::Mask;
    #[inline(always)]
    fn literal(x: f64) -> Self {
        Self::fixed(N::literal(x))
    }
    #[inline(always)]
    fn constant(c: Constant) -> Self {
        Self::fixed(N::constant(c))
    }
    #[inline(always)]
    fn less(&self, other: &Self) -> N::Mask {
        self.value.less(&other.value)
    }
    #[inline(always)]
    fn less_equal(&self, other: &Self) -> N::Mask {
        self.value.less_equal(&other.value)
    }
    #[inline(always)]
    fn and(a: &N::Mask, b: &N::Mask) -> N::Mask {
        N::and(a, b)
    }
    #[inline(always)]
    fn not(a: &N::Mask) -> N::Mask {
        N::not(a)
    }
    #[inline(always)]
    fn select(mask: &N::Mask, a: Self, b: Self) -> Self {
        let value = N::select(mask, a.value, b.value);
        Dual { value, slope: Self::zip(a.slope, b.slope, |x, y| N::select(mask, x, y)) }
    }
    #[inline(always)]
    fn pow(self, power: Self) -> Self {
        // d(x^p) = p x^(p-1) dx + x^p ln x dp; where x is not positive the power counts as fixed.
        let value = self.value.clone().pow(power.value.clone());
        let below = self.value.clone().pow(power.value.clone() - N::literal(1.0));
        let zero = N::literal(0.0);
        let is_positive = zero.less(&self.value);
        let by_power = N::select(&is_positive, value.clone().xlogy(self.value), zero.clone());
        // x^0 is 1 at 0 too, where p x^(p-1) would be 0·∞.
        let is_flat = N::and(&power.value.less_equal(&zero), &zero.less_equal(&power.value));
        let by_base = N::select(&is_flat, zero.clone(), power.value * below);
        let slope = Self::zip(self.slope, power.slope, |a, b| a * by_base.clone() + b * by_power.clone());
        Dual { value, slope }
    }
    #[inline(always)]
    fn powf(self, power: f64) -> Self {
        if power == 0.0 {
            return Self::literal(1.0);
        }
        let value = self.value.clone().powf(power);
        let derivative = self.value.clone().powf(power - 1.0) * N::literal(power);
        self.chain(value, derivative)
    }
    #[inline(always)]
    fn xlogy(self, y: Self) -> Self {
        let value = self.value.clone().xlogy(y.value.clone());
        let zero = N::literal(0.0);
        let outside = N::not(&zero.less(&y.value));
        let log = y.value.clone().ln();
        // A zero factor must not meet the infinite logarithm or reciprocal of a zero.
        let guarded =
            |factor: &N| N::and(&outside, &N::and(&factor.less_equal(&zero), &zero.less_equal(factor)));
        let ratio = self.value.clone() / N::select(&guarded(&self.value), N::literal(1.0), y.value);
        let slope = Self::zip(self.slope, y.slope, |a, b| {
            let log = N::select(&guarded(&a), N::literal(0.0), log.clone());
            a * log + b * ratio.clone()
        });
        Dual { value, slope }
    }
}
