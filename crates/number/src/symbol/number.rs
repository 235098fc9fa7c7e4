//! [`Symbol`] as a number: running a formula on symbols records it.
use std::ops::{Add, Div, Mul, Neg, Sub};

use super::node::{intern, Kind};
use super::{simplify, Symbol};
use crate::number::{Constant, Number};
use crate::ops::{Elementary, Unary};

/// The answer of a comparison of symbols: a node that is a condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition(pub(super) Symbol);

macro_rules! arithmetic {
    ($($trait:ident $method:ident;)*) => {$(
        impl $trait for Symbol {
            type Output = Symbol;
            fn $method(self, other: Symbol) -> Symbol {
                simplify::$method(self, other)
            }
        }
    )*};
}
arithmetic! { Add add; Sub sub; Mul mul; Div div; }

impl Neg for Symbol {
    type Output = Symbol;
    fn neg(self) -> Symbol {
        simplify::neg(self)
    }
}

impl Elementary for Symbol {
    fn unary(self, op: Unary) -> Symbol {
        simplify::unary(op, self)
    }
}

impl Number for Symbol {
    type Mask = Condition;
    fn literal(x: f64) -> Symbol {
        simplify::literal(x)
    }
    fn constant(c: Constant) -> Symbol {
        intern(Kind::Constant(c))
    }
    fn ratio(p: i32, q: i32) -> Symbol {
        simplify::ratio(p, q)
    }
    fn less(&self, other: &Symbol) -> Condition {
        Condition(simplify::less(self, other))
    }
    fn less_equal(&self, other: &Symbol) -> Condition {
        Condition(simplify::less_equal(self, other))
    }
    fn and(a: &Condition, b: &Condition) -> Condition {
        Condition(simplify::and(&a.0, &b.0))
    }
    fn not(a: &Condition) -> Condition {
        Condition(simplify::not(&a.0))
    }
    fn select(mask: &Condition, a: Symbol, b: Symbol) -> Symbol {
        simplify::select(&mask.0, a, b)
    }
    fn pow(self, power: Symbol) -> Symbol {
        simplify::pow(self, power)
    }
    fn xlogy(self, y: Symbol) -> Symbol {
        simplify::xlogy(self, y)
    }
    fn log_add_exp(self, other: Symbol) -> Symbol {
        simplify::log_add_exp(self, other)
    }
}
