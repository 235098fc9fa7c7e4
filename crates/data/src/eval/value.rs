//! What an expression evaluates to.
use std::sync::Arc;

use crate::design::contrast::Coding;

/// Logical values as R has them: 0 is false, 1 true, 2 missing.
pub const LOGICAL_MISSING: u8 = 2;

/// A factor with how it is coded.
#[derive(Clone, Debug)]
pub struct FactorValue {
    /// A level per row, or [`crate::MISSING`].
    pub codes: Arc<[u32]>,
    /// The labels.
    pub levels: Arc<[String]>,
    /// Whether the order of levels means something.
    pub ordered: bool,
    /// Whether it stands for strings, which have no codes of their own.
    pub text: bool,
    /// How many of the levels training knew; those after are new.
    pub n_known: usize,
    /// The coding that `C()` asked for.
    pub coding: Option<Coding>,
}

/// A matrix, column by column.
#[derive(Clone, Debug)]
pub struct MatrixValue {
    /// The values, column-major.
    pub values: Arc<[f64]>,
    /// The columns' names; a column without one has an empty name.
    pub names: Vec<String>,
}

/// The value of an expression. Vectors have one row or as many as the frame; one row stands for all.
#[derive(Clone, Debug)]
pub enum Value {
    /// Numbers; missing is NaN.
    Numeric(Arc<[f64]>),
    /// Logical values: see [`LOGICAL_MISSING`].
    Logical(Arc<[u8]>),
    /// Literal strings.
    Text(Arc<[String]>),
    /// A factor.
    Factor(FactorValue),
    /// Several columns.
    Matrix(MatrixValue),
    /// `NULL`.
    Null,
}

impl Value {
    /// One number.
    pub fn number(value: f64) -> Self {
        Value::Numeric(Arc::from([value]))
    }

    /// One logical value.
    pub fn logical(value: bool) -> Self {
        Value::Logical(Arc::from([u8::from(value)]))
    }

    /// What it is, in a word.
    pub fn kind(&self) -> &'static str {
        match self {
            Value::Numeric(_) => "numbers",
            Value::Logical(_) => "logical values",
            Value::Text(_) => "a string",
            Value::Factor(factor) if factor.text => "a column of strings",
            Value::Factor(_) => "a factor",
            Value::Matrix(_) => "a matrix",
            Value::Null => "NULL",
        }
    }

    /// As numbers, where it is numbers or logical values.
    pub fn to_numbers(&self) -> Option<Arc<[f64]>> {
        match self {
            Value::Numeric(values) => Some(values.clone()),
            Value::Logical(values) => Some(values.iter().map(|&v| logical_number(v)).collect()),
            _ => None,
        }
    }

    /// As logical values, where it is numbers or logical values.
    pub fn to_logical(&self) -> Option<Arc<[u8]>> {
        match self {
            Value::Logical(values) => Some(values.clone()),
            Value::Numeric(values) => Some(
                values
                    .iter()
                    .map(|v| if v.is_nan() { LOGICAL_MISSING } else { u8::from(*v != 0.0) })
                    .collect(),
            ),
            _ => None,
        }
    }
}

fn logical_number(value: u8) -> f64 {
    if value == LOGICAL_MISSING {
        f64::NAN
    } else {
        f64::from(value)
    }
}

/// The element of a vector that has one row for all or one per row.
pub fn at<T: Clone>(values: &[T], row: usize) -> T {
    values[if values.len() == 1 { 0 } else { row }].clone()
}

/// A single row repeated for all; anything else as it is.
pub(crate) fn spread<T: Clone>(values: Arc<[T]>, n_rows: usize) -> Arc<[T]> {
    if values.len() == 1 && n_rows != 1 {
        vec![values[0].clone(); n_rows].into()
    } else {
        values
    }
}
