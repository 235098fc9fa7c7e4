//! Double-double arithmetic, only what the deviance needs.
//!
//! A value is the unevaluated sum of two floats, about 32 digits (Dekker 1971; Hida, Li and Bailey 2001).
use std::ops::{Add, Div, Mul, Neg, Sub};

/// `hi + lo` with `|lo|` at most half a unit in the last place of `hi`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Double {
    pub hi: f64,
    pub lo: f64,
}

impl Double {
    /// The exact sum of two floats.
    #[inline]
    pub fn sum(a: f64, b: f64) -> Double {
        let hi = a + b;
        let bb = hi - a;
        Double { hi, lo: (a - (hi - bb)) + (b - bb) }
    }

    /// The exact product of two floats.
    #[inline]
    pub fn product(a: f64, b: f64) -> Double {
        let hi = a * b;
        Double { hi, lo: a.mul_add(b, -hi) }
    }

    /// The quotient of two floats.
    #[inline]
    pub fn quotient(a: f64, b: f64) -> Double {
        let hi = a / b;
        Double { hi, lo: (-hi).mul_add(b, a) / b }
    }

    /// Renormalises a pair whose first member dominates.
    #[inline]
    fn fast(a: f64, b: f64) -> Double {
        let hi = a + b;
        Double { hi, lo: b - (hi - a) }
    }

    /// `e^-self`; zero where it underflows.
    #[inline]
    pub fn exp_minus(self) -> f64 {
        let value = (-self.hi).exp();
        value - value * self.lo
    }
}

impl From<f64> for Double {
    #[inline]
    fn from(hi: f64) -> Double {
        Double { hi, lo: 0.0 }
    }
}

impl Neg for Double {
    type Output = Double;
    #[inline]
    fn neg(self) -> Double {
        Double { hi: -self.hi, lo: -self.lo }
    }
}

impl Add for Double {
    type Output = Double;
    #[inline]
    fn add(self, other: Double) -> Double {
        let s = Double::sum(self.hi, other.hi);
        let t = Double::sum(self.lo, other.lo);
        let u = Double::fast(s.hi, s.lo + t.hi);
        Double::fast(u.hi, u.lo + t.lo)
    }
}

impl Sub for Double {
    type Output = Double;
    #[inline]
    fn sub(self, other: Double) -> Double {
        self + -other
    }
}

impl Mul<f64> for Double {
    type Output = Double;
    #[inline]
    fn mul(self, other: f64) -> Double {
        let p = Double::product(self.hi, other);
        Double::fast(p.hi, p.lo + self.lo * other)
    }
}

impl Mul for Double {
    type Output = Double;
    #[inline]
    fn mul(self, other: Double) -> Double {
        let p = Double::product(self.hi, other.hi);
        Double::fast(p.hi, p.lo + (self.hi * other.lo + self.lo * other.hi))
    }
}

impl Div<f64> for Double {
    type Output = Double;
    #[inline]
    fn div(self, other: f64) -> Double {
        self / Double::from(other)
    }
}

impl Div for Double {
    type Output = Double;
    #[inline]
    fn div(self, other: Double) -> Double {
        let first = self.hi / other.hi;
        let rest = self - other * first;
        let second = rest.hi / other.hi;
        let rest = rest - other * second;
        let q = Double::fast(first, second);
        Double::fast(q.hi, q.lo + rest.hi / other.hi)
    }
}
