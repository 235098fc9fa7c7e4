//! `f64` and `f32` as numbers.
use crate::number::{Constant, Number};
use crate::ops::{Elementary, Unary};

impl Elementary for f64 {
    #[inline(always)]
    fn unary(self, op: Unary) -> f64 {
        op.value(self)
    }
    #[inline(always)]
    fn exp(self) -> f64 {
        f64::exp(self)
    }
    #[inline(always)]
    fn ln(self) -> f64 {
        f64::ln(self)
    }
    #[inline(always)]
    fn sqrt(self) -> f64 {
        f64::sqrt(self)
    }
    #[inline(always)]
    fn square(self) -> f64 {
        self * self
    }
    #[inline(always)]
    fn abs(self) -> f64 {
        f64::abs(self)
    }
}

impl Elementary for f32 {
    #[inline]
    fn unary(self, op: Unary) -> f32 {
        // Evaluated in f64 and rounded once: correctly rounded but for ties, on every function of the table.
        op.value(f64::from(self)) as f32
    }
    #[inline(always)]
    fn square(self) -> f32 {
        self * self
    }
    #[inline(always)]
    fn sqrt(self) -> f32 {
        f32::sqrt(self)
    }
    #[inline(always)]
    fn abs(self) -> f32 {
        f32::abs(self)
    }
}

macro_rules! float {
    ($t:ty) => {
        impl Number for $t {
            type Mask = bool;
            #[inline(always)]
            fn literal(x: f64) -> $t {
                x as $t
            }
            #[inline(always)]
            fn constant(c: Constant) -> $t {
                c.value() as $t
            }
            #[inline(always)]
            fn less(&self, other: &$t) -> bool {
                self < other
            }
            #[inline(always)]
            fn less_equal(&self, other: &$t) -> bool {
                self <= other
            }
            #[inline(always)]
            fn and(a: &bool, b: &bool) -> bool {
                *a && *b
            }
            #[inline(always)]
            fn not(a: &bool) -> bool {
                !*a
            }
            #[inline(always)]
            fn select(mask: &bool, a: $t, b: $t) -> $t {
                if *mask {
                    a
                } else {
                    b
                }
            }
            #[inline(always)]
            fn pow(self, power: $t) -> $t {
                <$t>::powf(self, power)
            }
            #[inline(always)]
            fn xlogy(self, y: $t) -> $t {
                if self == 0.0 && !y.is_nan() {
                    0.0
                } else {
                    self * Elementary::ln(y)
                }
            }
            #[inline(always)]
            fn log_add_exp(self, other: $t) -> $t {
                if self == other && self.is_infinite() {
                    return self;
                }
                let high = self.max(other);
                high + ((self.min(other) - high) as f64).exp().ln_1p() as $t
            }
        }
    };
}

float!(f64);
float!(f32);
