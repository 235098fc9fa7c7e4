//! Exact derivatives, by the rows of the table and the rules of arithmetic.
use std::collections::HashMap;

use super::node::{Kind, Variable};
use super::{order, Symbol};
use crate::number::Number;
use crate::ops::Elementary;

/// The derivatives of nodes; a node that does not depend on the variable has none.
type Slopes = HashMap<usize, Symbol>;

impl Symbol {
    /// The derivative with respect to a variable. The variable may be any; apply again for higher orders.
    ///
    /// Cost: one visit of each node. Parts that the derivative shares with the formula stay shared.
    pub fn derivative(&self, variable: &str) -> Symbol {
        self.derivative_by(&Variable { name: variable.into(), index: None })
    }

    /// The derivative with respect to one element of an indexed variable.
    pub fn derivative_by_element(&self, variable: &str, index: usize) -> Symbol {
        self.derivative_by(&Variable { name: variable.into(), index: Some(index) })
    }

    /// The derivative with respect to a variable, as [`Symbol::variables`] gives it.
    pub fn derivative_by(&self, variable: &Variable) -> Symbol {
        let mut slopes = Slopes::new();
        for node in order(std::slice::from_ref(self)) {
            if let Some(slope) = slope(&node, variable, &slopes) {
                slopes.insert(node.address(), slope);
            }
        }
        slopes.remove(&self.address()).unwrap_or_else(|| Symbol::literal(0.0))
    }
}

fn sum(a: Option<Symbol>, b: Option<Symbol>) -> Option<Symbol> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a + b),
        (a, b) => a.or(b),
    }
}

fn slope(node: &Symbol, variable: &Variable, slopes: &Slopes) -> Option<Symbol> {
    let of = |operand: &Symbol| slopes.get(&operand.address()).cloned();
    match node.kind() {
        Kind::Variable(name) => (name == variable).then(|| Symbol::literal(1.0)),
        Kind::Unary(op, a) => of(a).map(|da| da * op.derivative(a.clone(), node.clone())),
        Kind::Neg(a) => of(a).map(|da| -da),
        Kind::Add(a, b) => sum(of(a), of(b)),
        Kind::Sub(a, b) => match (of(a), of(b)) {
            (Some(da), Some(db)) => Some(da - db),
            (da, db) => da.or(db.map(|db| -db)),
        },
        Kind::Mul(a, b) => sum(of(a).map(|da| da * b.clone()), of(b).map(|db| a.clone() * db)),
        Kind::Div(a, b) => quotient(b, of(a), of(b), node),
        Kind::Pow(a, b) => power(a, b, of(a), of(b), node),
        Kind::Xlogy(a, b) => {
            let by_a = of(a).map(|da| da * b.clone().ln());
            sum(by_a, of(b).map(|db| a.clone() / b.clone() * db))
        }
        Kind::LogAddExp(a, b) => {
            let weight = |x: &Symbol, y: &Symbol| (x.clone() - y.clone()).sigmoid();
            sum(of(a).map(|da| da * weight(a, b)), of(b).map(|db| db * weight(b, a)))
        }
        Kind::Select(condition, a, b) => {
            let (da, db) = (of(a), of(b));
            if da.is_none() && db.is_none() {
                return None;
            }
            let zero = || Symbol::literal(0.0);
            Some(super::simplify::select(condition, da.unwrap_or_else(zero), db.unwrap_or_else(zero)))
        }
        _ => None,
    }
}

/// `(da - v db)/b`: no square of the denominator.
fn quotient(b: &Symbol, da: Option<Symbol>, db: Option<Symbol>, v: &Symbol) -> Option<Symbol> {
    match (da, db) {
        (Some(da), Some(db)) => Some((da - v.clone() * db) / b.clone()),
        (Some(da), None) => Some(da / b.clone()),
        (None, Some(db)) => Some(-(v.clone() * db / b.clone())),
        (None, None) => None,
    }
}

/// `b x^(b-1) dx + x^b ln x db`, the second 0 where `x^b` is 0.
fn power(a: &Symbol, b: &Symbol, da: Option<Symbol>, db: Option<Symbol>, v: &Symbol) -> Option<Symbol> {
    let below = || a.clone().pow(b.clone() - Symbol::literal(1.0));
    sum(da.map(|da| b.clone() * below() * da), db.map(|db| v.clone().xlogy(a.clone()) * db))
}
