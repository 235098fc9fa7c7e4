//! Arithmetic, comparisons and logic, row by row.
use isostat_base::Result;

use super::value::{at, FactorValue, Value, LOGICAL_MISSING};
use super::Evaluator;
use crate::formula::{BinaryOp, Expr};
use crate::frame::MISSING;

impl Evaluator<'_> {
    pub(super) fn binary(
        &mut self,
        op: BinaryOp,
        left: &Expr,
        right: &Expr,
        position: usize,
    ) -> Result<Value> {
        match op {
            BinaryOp::And | BinaryOp::AndAlso | BinaryOp::Or | BinaryOp::OrElse => {
                let (a, b) = (self.logical(left, op.symbol())?, self.logical(right, op.symbol())?);
                let joined = if matches!(op, BinaryOp::And | BinaryOp::AndAlso) { and } else { or };
                Ok(Value::Logical(zip(&a, &b, joined)))
            }
            BinaryOp::In => self.is_in(left, right, position),
            BinaryOp::Colon => self.fail(position, "`:` has no meaning inside an expression"),
            op if op.is_comparison() => self.compare(op, left, right, position),
            _ => {
                let (a, b) = (self.numbers(left, op.symbol())?, self.numbers(right, op.symbol())?);
                Ok(Value::Numeric(zip(&a, &b, arithmetic(op))))
            }
        }
    }

    fn compare(&mut self, op: BinaryOp, left: &Expr, right: &Expr, position: usize) -> Result<Value> {
        let (a, b) = (self.value(left)?, self.value(right)?);
        if let (Some(x), Some(y)) = (a.to_numbers(), b.to_numbers()) {
            return Ok(Value::Logical(zip(&x, &y, |x, y| match x.partial_cmp(&y) {
                Some(order) => u8::from(holds(op, order)),
                None => LOGICAL_MISSING,
            })));
        }
        let values = match (&a, &b) {
            (Value::Factor(f), Value::Text(t)) if t.len() == 1 => compare_level(op, f, &t[0]),
            (Value::Text(t), Value::Factor(f)) if t.len() == 1 => compare_level(mirrored(op), f, &t[0]),
            (Value::Factor(f), Value::Factor(g)) => compare_factors(op, f, g),
            _ => None,
        };
        match values {
            Some(values) => Ok(Value::Logical(values.into())),
            None => self.fail(
                position,
                format!(
                    "`{}` cannot compare {} (`{left}`) with {} (`{right}`)",
                    op.symbol(),
                    a.kind(),
                    b.kind()
                ),
            ),
        }
    }

    fn is_in(&mut self, left: &Expr, right: &Expr, position: usize) -> Result<Value> {
        let (a, b) = (self.value(left)?, self.value(right)?);
        match (&a, &b) {
            (Value::Factor(f), Value::Text(set)) => {
                let member: Vec<u8> = f.levels.iter().map(|l| u8::from(set.contains(l))).collect();
                let values = f.codes.iter().map(|&c| if c == MISSING { 0 } else { member[c as usize] });
                Ok(Value::Logical(values.collect()))
            }
            (Value::Numeric(x), Value::Numeric(set)) if set.len() < self.frame.n_rows().max(2) => {
                Ok(Value::Logical(x.iter().map(|v| u8::from(set.contains(v))).collect()))
            }
            _ => self.fail(position, format!("`%in%` cannot look for {} in {}", a.kind(), b.kind())),
        }
    }
}

/// Row by row; a single row stands for all.
pub(super) fn zip<T: Clone, U: Clone, V>(a: &[T], b: &[U], f: impl Fn(T, U) -> V) -> std::sync::Arc<[V]> {
    let n = if a.len() == 1 { b.len() } else { a.len() };
    (0..n).map(|row| f(at(a, row), at(b, row))).collect()
}

fn and(a: u8, b: u8) -> u8 {
    match (a, b) {
        (0, _) | (_, 0) => 0,
        (1, 1) => 1,
        _ => LOGICAL_MISSING,
    }
}

fn or(a: u8, b: u8) -> u8 {
    match (a, b) {
        (1, _) | (_, 1) => 1,
        (0, 0) => 0,
        _ => LOGICAL_MISSING,
    }
}

fn arithmetic(op: BinaryOp) -> fn(f64, f64) -> f64 {
    match op {
        BinaryOp::Plus => |a, b| a + b,
        BinaryOp::Minus => |a, b| a - b,
        BinaryOp::Times => |a, b| a * b,
        BinaryOp::Divide => |a, b| a / b,
        // A square is a product in R, too.
        BinaryOp::Power => |a: f64, b: f64| if b == 2.0 { a * a } else { a.powf(b) },
        BinaryOp::Quotient => |a: f64, b: f64| (a / b).floor(),
        // The remainder has the sign of the divisor.
        _ => |a: f64, b: f64| a - (a / b).floor() * b,
    }
}

fn holds(op: BinaryOp, order: std::cmp::Ordering) -> bool {
    match op {
        BinaryOp::Less => order.is_lt(),
        BinaryOp::Greater => order.is_gt(),
        BinaryOp::LessEqual => order.is_le(),
        BinaryOp::GreaterEqual => order.is_ge(),
        BinaryOp::NotEqual => order.is_ne(),
        _ => order.is_eq(),
    }
}

fn mirrored(op: BinaryOp) -> BinaryOp {
    match op {
        BinaryOp::Less => BinaryOp::Greater,
        BinaryOp::Greater => BinaryOp::Less,
        BinaryOp::LessEqual => BinaryOp::GreaterEqual,
        BinaryOp::GreaterEqual => BinaryOp::LessEqual,
        op => op,
    }
}

/// A factor against a label: equality for every factor, order for ordered ones (by level) and strings (by text).
fn compare_level(op: BinaryOp, factor: &FactorValue, label: &str) -> Option<Vec<u8>> {
    let is_equality = matches!(op, BinaryOp::Equal | BinaryOp::NotEqual);
    let place = factor.levels.iter().position(|l| l == label);
    let answer: Vec<u8> = factor
        .levels
        .iter()
        .enumerate()
        .map(|(code, level)| {
            let order = match (is_equality || factor.text, factor.ordered, place) {
                (true, _, _) => level.as_str().cmp(label),
                (false, true, Some(place)) => code.cmp(&place),
                _ => return None,
            };
            Some(u8::from(holds(op, order)))
        })
        .collect::<Option<_>>()?;
    Some(
        factor
            .codes
            .iter()
            .map(|&c| if c == MISSING { LOGICAL_MISSING } else { answer[c as usize] })
            .collect(),
    )
}

fn compare_factors(op: BinaryOp, f: &FactorValue, g: &FactorValue) -> Option<Vec<u8>> {
    if !matches!(op, BinaryOp::Equal | BinaryOp::NotEqual) {
        return None;
    }
    let equal = |a: u32, b: u32| match (a, b) {
        (MISSING, _) | (_, MISSING) => LOGICAL_MISSING,
        (a, b) => u8::from(holds(op, f.levels[a as usize].cmp(&g.levels[b as usize]))),
    };
    Some(zip(&f.codes, &g.codes, equal).to_vec())
}
