//! The trait [`Number`]: what a formula may ask of its values.
use std::ops::{Add, Div, Mul, Neg, Sub};

use crate::ops::Elementary;

/// A constant that a number type makes to its own precision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Constant {
    /// π.
    Pi,
    /// `ln 2`.
    Ln2,
    /// `ln(2π)/2`.
    HalfLn2Pi,
    /// `√(2π)`.
    Sqrt2Pi,
    /// `1/√(2π)`.
    OneOverSqrt2Pi,
    /// `√(2/π)`.
    SqrtTwoOverPi,
    /// `2/√π`.
    TwoOverSqrtPi,
    /// `1/√2`.
    OneOverSqrt2,
}

impl Constant {
    /// The nearest `f64`.
    pub const fn value(self) -> f64 {
        match self {
            Constant::Pi => std::f64::consts::PI,
            Constant::Ln2 => std::f64::consts::LN_2,
            Constant::HalfLn2Pi => 0.918_938_533_204_672_741_78,
            Constant::Sqrt2Pi => 2.506_628_274_631_000_502_4,
            Constant::OneOverSqrt2Pi => 0.398_942_280_401_432_677_94,
            Constant::SqrtTwoOverPi => 0.797_884_560_802_865_355_88,
            Constant::TwoOverSqrtPi => std::f64::consts::FRAC_2_SQRT_PI,
            Constant::OneOverSqrt2 => std::f64::consts::FRAC_1_SQRT_2,
        }
    }

    /// SymPy text.
    pub const fn sympy(self) -> &'static str {
        match self {
            Constant::Pi => "sympy.pi",
            Constant::Ln2 => "sympy.log(2)",
            Constant::HalfLn2Pi => "(sympy.log(2*sympy.pi)/2)",
            Constant::Sqrt2Pi => "sympy.sqrt(2*sympy.pi)",
            Constant::OneOverSqrt2Pi => "(1/sympy.sqrt(2*sympy.pi))",
            Constant::SqrtTwoOverPi => "sympy.sqrt(2/sympy.pi)",
            Constant::TwoOverSqrtPi => "(2/sympy.sqrt(sympy.pi))",
            Constant::OneOverSqrt2 => "(1/sympy.sqrt(2))",
        }
    }

    /// LaTeX.
    pub const fn latex(self) -> &'static str {
        match self {
            Constant::Pi => r"\pi",
            Constant::Ln2 => r"\log 2",
            Constant::HalfLn2Pi => r"\frac{1}{2} \log(2\pi)",
            Constant::Sqrt2Pi => r"\sqrt{2\pi}",
            Constant::OneOverSqrt2Pi => r"\frac{1}{\sqrt{2\pi}}",
            Constant::SqrtTwoOverPi => r"\sqrt{\frac{2}{\pi}}",
            Constant::TwoOverSqrtPi => r"\frac{2}{\sqrt{\pi}}",
            Constant::OneOverSqrt2 => r"\frac{1}{\sqrt{2}}",
        }
    }
}

/// A value that a formula can be evaluated on: a float, a SIMD lane, a dual number, a jet, a symbol, an array.
///
/// There is no ordering: a symbol cannot answer yes or no, so formulas branch with [`Number::select`].
/// Literals are weak: `literal` never widens the type that it meets.
///
/// ```
/// use isostat_number::{Elementary, Number};
/// fn gaussian_log_density<N: Number>(x: N, mean: N, sd: N) -> N {
///     let z = (x - mean) / sd.clone();
///     -(z.square() * N::ratio(1, 2)) - sd.ln() - N::constant(isostat_number::Constant::HalfLn2Pi)
/// }
/// assert!((gaussian_log_density(0.0, 0.0, 1.0_f64) + 0.9189385332046727).abs() < 1e-15);
/// ```
pub trait Number:
    Clone
    + Elementary
    + Neg<Output = Self>
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
{
    /// The answer of a comparison.
    type Mask: Clone;

    /// A literal, exact where the type can hold it.
    fn literal(x: f64) -> Self;

    /// A constant, to the type's own precision.
    fn constant(c: Constant) -> Self;

    /// `p/q`, rounded once in the type's own precision.
    #[inline(always)]
    fn ratio(p: i32, q: i32) -> Self {
        Self::literal(f64::from(p)) / Self::literal(f64::from(q))
    }

    /// `self < other`, element by element.
    fn less(&self, other: &Self) -> Self::Mask;

    /// `self <= other`.
    #[inline(always)]
    fn less_equal(&self, other: &Self) -> Self::Mask {
        Self::not(&other.less(self))
    }

    /// Both.
    fn and(a: &Self::Mask, b: &Self::Mask) -> Self::Mask;

    /// Not.
    fn not(a: &Self::Mask) -> Self::Mask;

    /// Either.
    #[inline(always)]
    fn or(a: &Self::Mask, b: &Self::Mask) -> Self::Mask {
        Self::not(&Self::and(&Self::not(a), &Self::not(b)))
    }

    /// `a` where the mask holds, else `b`. Both are evaluated.
    fn select(mask: &Self::Mask, a: Self, b: Self) -> Self;

    /// `self` to a power that is itself a number; `self` must be positive unless the power is an integer.
    fn pow(self, power: Self) -> Self;

    /// `self` to a fixed power.
    #[inline(always)]
    fn powf(self, power: f64) -> Self {
        self.pow(Self::literal(power))
    }

    /// `x ln y`, 0 where `x` is 0 whatever `y`.
    #[inline(always)]
    fn xlogy(self, y: Self) -> Self {
        let zero = Self::literal(0.0);
        let is_zero = Self::and(&self.less_equal(&zero), &zero.less_equal(&self));
        let safe = Self::select(&is_zero, Self::literal(1.0), y);
        self * safe.ln()
    }

    /// `ln(e^a + e^b)` without overflow.
    #[inline(always)]
    fn log_add_exp(self, other: Self) -> Self {
        let swap = self.less(&other);
        let high = Self::select(&swap, other.clone(), self.clone());
        let low = Self::select(&swap, self, other);
        high.clone() + (low - high).softplus()
    }

    /// `self * a + b`, fused where the type can.
    #[inline(always)]
    fn mul_add(self, a: Self, b: Self) -> Self {
        self * a + b
    }

    /// `1/self`.
    #[inline(always)]
    fn recip(self) -> Self {
        Self::literal(1.0) / self
    }

    /// The larger of two.
    #[inline(always)]
    fn maximum(self, other: Self) -> Self {
        Self::select(&self.less(&other), other, self)
    }

    /// The smaller of two.
    #[inline(always)]
    fn minimum(self, other: Self) -> Self {
        Self::select(&other.less(&self), other, self)
    }
}
