//! The value of an expression over a frame.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`value`] | [`Value`]: numbers, logical values, factors, matrices |
//! | [`operators`] | arithmetic, comparisons, logic |
//! | [`functions`] | calls: the table of functions and the binding of arguments |
//! | [`factors`] | `factor ordered relevel C unclass` |
//! | [`transform`] | `poly scale` and what else remembers its training data |
//! | [`spline`] | `bs` and `ns` |
pub mod factors;
pub mod functions;
pub mod operators;
pub mod spline;
pub mod transform;
pub mod value;

use std::collections::BTreeMap;
use std::sync::Arc;

use isostat_base::{Error, Result};
use serde::{Deserialize, Serialize};

use crate::formula::{Expr, UnaryOp};
use crate::frame::{Column, ColumnKind, Frame, MISSING};
pub use value::{FactorValue, MatrixValue, Value};

/// What a call remembers of its training data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// The levels of `factor()` and `ordered()`.
    Levels(Vec<String>),
    /// One number: `mean(x)`, `sd(x)`, …
    Number(f64),
    /// `(x - center) / scale`.
    Scale {
        /// What is subtracted.
        center: f64,
        /// What it is divided by.
        scale: f64,
    },
    /// Orthogonal polynomials by their recurrence.
    Poly(transform::PolyState),
    /// A spline basis.
    Spline(spline::SplineState),
}

/// What a column was in training.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ColumnRecord {
    /// Its kind.
    pub kind: ColumnKind,
    /// The levels of a factor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub levels: Option<Vec<String>>,
    /// Whether these are ordered.
    #[serde(default)]
    pub ordered: bool,
}

/// Everything that evaluation learns: columns by name, states by the text of the call.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Memory {
    /// The columns that were used.
    pub columns: BTreeMap<String, ColumnRecord>,
    /// The calls that remember.
    pub states: BTreeMap<String, State>,
}

impl Memory {
    /// Whether every state has the numbers that its use needs: what is read from a file may not.
    pub(crate) fn is_consistent(&self) -> bool {
        self.states.values().all(|state| match state {
            State::Poly(poly) => poly.norm2.len() == poly.alpha.len() + 1,
            State::Spline(spline) => spline.is_consistent(),
            _ => true,
        })
    }
}

/// Evaluates expressions over a frame, either learning from it or applying what was learnt.
pub struct Evaluator<'a> {
    /// The formula's text, for errors.
    pub text: &'a str,
    /// The data.
    pub frame: &'a Frame,
    /// What is learnt or applied.
    pub memory: &'a mut Memory,
    /// Whether this is training.
    pub is_learning: bool,
}

impl Evaluator<'_> {
    /// The value of an expression.
    ///
    /// # Errors
    /// [`Error::UnknownColumn`], [`Error::Formula`] for a value that an operator or function cannot take,
    /// [`Error::Unsupported`] for functions that do not exist.
    pub fn value(&mut self, expr: &Expr) -> Result<Value> {
        match expr {
            Expr::Number(value, _) => Ok(Value::number(*value)),
            Expr::Bool(value) => Ok(Value::logical(*value)),
            Expr::Null => Ok(Value::Null),
            Expr::Text(text, _) => Ok(Value::Text(Arc::from([text.clone()]))),
            Expr::Name(name, _) => self.name(name),
            Expr::Paren(inner) => self.value(inner),
            Expr::Unary(op, inner, _) => self.unary(*op, inner),
            Expr::Binary(op, left, right, position) => self.binary(*op, left, right, position.0),
            Expr::Call { function, arguments, position } => self.call(expr, function, arguments, position.0),
        }
    }

    /// An [`Error::Formula`] at a position.
    pub(crate) fn fail<T>(&self, position: usize, reason: impl Into<String>) -> Result<T> {
        Err(Error::formula(self.text, position, reason))
    }

    /// The value of an expression as numbers.
    pub(crate) fn numbers(&mut self, expr: &Expr, asker: &str) -> Result<Arc<[f64]>> {
        let value = self.value(expr)?;
        match value.to_numbers() {
            Some(values) => Ok(values),
            None => self
                .fail(expr.position(), format!("`{asker}` needs numbers, but `{expr}` is {}", value.kind())),
        }
    }

    /// The value of an expression as one number.
    pub(crate) fn number(&mut self, expr: &Expr, asker: &str) -> Result<f64> {
        match *self.numbers(expr, asker)? {
            [value] => Ok(value),
            _ => self.fail(expr.position(), format!("`{asker}` needs one number, but `{expr}` has many")),
        }
    }

    fn unary(&mut self, op: UnaryOp, inner: &Expr) -> Result<Value> {
        match op {
            UnaryOp::Plus => Ok(Value::Numeric(self.numbers(inner, "+")?)),
            UnaryOp::Minus => Ok(Value::Numeric(self.numbers(inner, "-")?.iter().map(|v| -v).collect())),
            UnaryOp::Not => {
                let values = self.logical(inner, "!")?;
                Ok(Value::Logical(
                    values.iter().map(|&v| if v == value::LOGICAL_MISSING { v } else { 1 - v }).collect(),
                ))
            }
        }
    }

    /// The value of an expression as logical values.
    pub(crate) fn logical(&mut self, expr: &Expr, asker: &str) -> Result<Arc<[u8]>> {
        let value = self.value(expr)?;
        match value.to_logical() {
            Some(values) => Ok(values),
            None => {
                let reason = format!("`{asker}` needs logical values, but `{expr}` is {}", value.kind());
                self.fail(expr.position(), reason)
            }
        }
    }

    fn name(&mut self, name: &str) -> Result<Value> {
        if !self.frame.has(name) && !self.memory.columns.contains_key(name) {
            match name {
                "pi" => return Ok(Value::number(std::f64::consts::PI)),
                "T" => return Ok(Value::logical(true)),
                "F" => return Ok(Value::logical(false)),
                _ => {}
            }
        }
        let column = self.frame.column(name)?;
        if let Column::Opaque { .. } = column {
            return Err(column.refusal(name, "number, bool, string or category"));
        }
        if self.is_learning {
            self.memory.columns.insert(name.into(), record(column));
            return Ok(column_value(column));
        }
        match self.memory.columns.get(name) {
            Some(record) => as_recorded(name, column, record),
            None => Ok(column_value(column)),
        }
    }
}

fn record(column: &Column) -> ColumnRecord {
    let (levels, ordered) = match column {
        Column::Factor { levels, ordered, .. } => (Some(levels.to_vec()), *ordered),
        _ => (None, false),
    };
    ColumnRecord { kind: column.kind(), levels, ordered }
}

fn column_value(column: &Column) -> Value {
    match column {
        Column::Numeric { values, .. } => Value::Numeric(values.clone()),
        Column::Boolean { values, nulls } => Value::Logical(
            values
                .iter()
                .enumerate()
                .map(|(row, &v)| match nulls {
                    Some(n) if n[row] => value::LOGICAL_MISSING,
                    _ => u8::from(v),
                })
                .collect(),
        ),
        Column::Factor { codes, levels, ordered, text } => Value::Factor(FactorValue {
            codes: codes.clone(),
            levels: levels.clone(),
            ordered: *ordered,
            text: *text,
            n_known: levels.len(),
            coding: None,
        }),
        // Refused before; a column without values is missing everywhere.
        Column::Opaque { n_rows, .. } => Value::Numeric(vec![f64::NAN; *n_rows].into()),
    }
}

/// A column of new data in the shape that training knew: levels in the order of training, new ones after them.
fn as_recorded(name: &str, column: &Column, record: &ColumnRecord) -> Result<Value> {
    let n = column.len();
    let is_all_missing = (0..n).all(|row| matches!(column.fault(row), Some("null" | "NaN")));
    match (&record.levels, column) {
        (Some(known), Column::Factor { codes, levels, .. }) => {
            let (codes, levels) = factors::recode(codes, levels, known);
            Ok(Value::Factor(FactorValue {
                codes,
                levels,
                ordered: record.ordered,
                text: record.kind == ColumnKind::Text,
                n_known: known.len(),
                coding: None,
            }))
        }
        (Some(known), _) if is_all_missing => Ok(Value::Factor(FactorValue {
            codes: vec![MISSING; n].into(),
            levels: known.clone().into(),
            ordered: record.ordered,
            text: record.kind == ColumnKind::Text,
            n_known: known.len(),
            coding: None,
        })),
        (None, Column::Factor { .. }) if is_all_missing => Ok(Value::Numeric(vec![f64::NAN; n].into())),
        (None, Column::Numeric { .. }) if record.kind != ColumnKind::Boolean => Ok(column_value(column)),
        (None, Column::Boolean { .. }) => Ok(match record.kind {
            ColumnKind::Boolean => column_value(column),
            _ => Value::Numeric(column.to_numeric().unwrap_or_default()),
        }),
        _ => Err(Error::Dtype {
            parameter: name.into(),
            expected: format!("{}, as in the data of the fit", record.kind),
            found: column.kind().to_string(),
            remedy: "give the column the type that it had in training".into(),
        }),
    }
}
