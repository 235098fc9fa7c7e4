//! One column: numbers, booleans or a factor.
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use isostat_base::{Error, Result};

/// The code of a missing value in a factor.
pub const MISSING: u32 = u32::MAX;

/// What a column was where it came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum ColumnKind {
    /// Floating point.
    Float,
    /// Integers, kept as `f64`.
    Integer,
    /// Booleans.
    Boolean,
    /// Strings: a factor with sorted levels.
    Text,
    /// Categories: a factor with the order of levels that it was given.
    Categorical,
    /// What no formula can use: dates, decimals, nested values.
    Opaque,
}

impl fmt::Display for ColumnKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ColumnKind::Float => "float",
            ColumnKind::Integer => "integer",
            ColumnKind::Boolean => "bool",
            ColumnKind::Text => "text",
            ColumnKind::Categorical => "categorical",
            ColumnKind::Opaque => "opaque",
        })
    }
}

/// One column. Cloning shares the values.
#[derive(Clone, Debug)]
pub enum Column {
    /// Numbers. A null is NaN in `values`; `nulls` tells it from a NaN of the data.
    Numeric {
        /// The values.
        values: Arc<[f64]>,
        /// Which rows are null, where any is.
        nulls: Option<Arc<[bool]>>,
        /// Whether they were integers.
        integer: bool,
    },
    /// Booleans.
    Boolean {
        /// The values; `false` where null.
        values: Arc<[bool]>,
        /// Which rows are null, where any is.
        nulls: Option<Arc<[bool]>>,
    },
    /// A factor.
    Factor {
        /// A level per row, or [`MISSING`].
        codes: Arc<[u32]>,
        /// The labels.
        levels: Arc<[String]>,
        /// Whether the order of the levels means something.
        ordered: bool,
        /// Whether it was a column of strings.
        text: bool,
    },
    /// A column that is there by name alone: it is refused when it is used.
    Opaque {
        /// The number of rows.
        n_rows: usize,
        /// Its type, in words.
        dtype: String,
        /// How it can be made of use.
        remedy: String,
    },
}

impl Column {
    /// Numbers.
    pub fn float(values: impl Into<Arc<[f64]>>) -> Self {
        Column::Numeric { values: values.into(), nulls: None, integer: false }
    }

    /// Integers.
    pub fn integer(values: impl IntoIterator<Item = i64>) -> Self {
        Column::Numeric { values: values.into_iter().map(|v| v as f64).collect(), nulls: None, integer: true }
    }

    /// Numbers with nulls, which become NaN.
    pub fn float_optional(values: &[Option<f64>]) -> Self {
        Column::Numeric {
            values: values.iter().map(|v| v.unwrap_or(f64::NAN)).collect(),
            nulls: nulls_of(values),
            integer: false,
        }
    }

    /// Booleans.
    pub fn boolean(values: impl Into<Arc<[bool]>>) -> Self {
        Column::Boolean { values: values.into(), nulls: None }
    }

    /// Booleans with nulls.
    pub fn boolean_optional(values: &[Option<bool>]) -> Self {
        Column::Boolean {
            values: values.iter().map(|v| v.unwrap_or(false)).collect(),
            nulls: nulls_of(values),
        }
    }

    /// Strings: a factor whose levels are sorted by code point, as R's `factor()` does in the C locale
    /// (capitals before small letters; numbers that are text sort as text: "10" before "9").
    pub fn text<S: AsRef<str>>(values: &[S]) -> Self {
        Self::text_from(values.iter().map(|v| Some(v.as_ref())))
    }

    /// Strings with nulls.
    pub fn text_optional<S: AsRef<str>>(values: &[Option<S>]) -> Self {
        Self::text_from(values.iter().map(|v| v.as_ref().map(AsRef::as_ref)))
    }

    /// Strings from an iterator: see [`Column::text`].
    pub fn text_from<'a>(values: impl Iterator<Item = Option<&'a str>>) -> Self {
        let mut seen: HashMap<&str, u32> = HashMap::new();
        let mut labels: Vec<&str> = Vec::new();
        let first_codes: Vec<u32> = values
            .map(|value| match value {
                None => MISSING,
                Some(label) => *seen.entry(label).or_insert_with(|| {
                    labels.push(label);
                    labels.len() as u32 - 1
                }),
            })
            .collect();
        let (levels, rank) = sorted(&labels);
        let codes =
            first_codes.iter().map(|&c| if c == MISSING { MISSING } else { rank[c as usize] }).collect();
        Column::Factor { codes, levels, ordered: false, text: true }
    }

    /// Categories: the levels keep the order that they are given in.
    ///
    /// # Errors
    /// [`Error::Domain`] for a code without a level or a level that stands twice.
    pub fn categorical(codes: impl Into<Arc<[u32]>>, levels: Vec<String>, ordered: bool) -> Result<Self> {
        let codes: Arc<[u32]> = codes.into();
        if let Some(code) = codes.iter().find(|&&c| c != MISSING && c as usize >= levels.len()) {
            return Err(Error::domain("frame", "codes", format!("be below {}", levels.len()), code));
        }
        let mut seen = std::collections::HashSet::new();
        if let Some(level) = levels.iter().find(|level| !seen.insert(level.as_str())) {
            return Err(Error::domain("frame", "levels", "differ", format!("\"{level}\" twice")));
        }
        Ok(Column::Factor { codes, levels: levels.into(), ordered, text: false })
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        match self {
            Column::Numeric { values, .. } => values.len(),
            Column::Boolean { values, .. } => values.len(),
            Column::Factor { codes, .. } => codes.len(),
            Column::Opaque { n_rows, .. } => *n_rows,
        }
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What it was where it came from.
    pub fn kind(&self) -> ColumnKind {
        match self {
            Column::Numeric { integer: true, .. } => ColumnKind::Integer,
            Column::Numeric { .. } => ColumnKind::Float,
            Column::Boolean { .. } => ColumnKind::Boolean,
            Column::Factor { text: true, .. } => ColumnKind::Text,
            Column::Factor { .. } => ColumnKind::Categorical,
            Column::Opaque { .. } => ColumnKind::Opaque,
        }
    }

    /// As numbers (booleans are 0 and 1, missing values NaN), or nothing for a factor.
    pub fn to_numeric(&self) -> Option<Arc<[f64]>> {
        match self {
            Column::Numeric { values, .. } => Some(values.clone()),
            Column::Boolean { values, nulls } => Some(
                values
                    .iter()
                    .enumerate()
                    .map(|(row, &v)| if is_null(nulls, row) { f64::NAN } else { f64::from(u8::from(v)) })
                    .collect(),
            ),
            Column::Factor { .. } | Column::Opaque { .. } => None,
        }
    }

    /// The error of a use that this column does not allow.
    pub fn refusal(&self, name: &str, expected: &str) -> Error {
        let (found, remedy) = match self {
            Column::Opaque { dtype, remedy, .. } => (dtype.clone(), remedy.clone()),
            column => (column.kind().to_string(), "convert the column to numbers first".to_string()),
        };
        Error::Dtype { parameter: name.into(), expected: expected.into(), found, remedy }
    }

    /// What is wrong with the value of a row: "null", "NaN", "inf", "-inf", or nothing.
    pub fn fault(&self, row: usize) -> Option<&'static str> {
        match self {
            Column::Numeric { nulls, .. } | Column::Boolean { nulls, .. } if is_null(nulls, row) => {
                Some("null")
            }
            Column::Numeric { values, .. } => number_fault(values[row]),
            Column::Boolean { .. } | Column::Opaque { .. } => None,
            Column::Factor { codes, .. } => (codes[row] == MISSING).then_some("null"),
        }
    }

    /// The given rows, in the given order.
    pub fn take(&self, rows: &[usize]) -> Column {
        let pick = |nulls: &Option<Arc<[bool]>>| nulls.as_ref().map(|n| rows.iter().map(|&r| n[r]).collect());
        match self {
            Column::Numeric { values, nulls, integer } => Column::Numeric {
                values: rows.iter().map(|&r| values[r]).collect(),
                nulls: pick(nulls),
                integer: *integer,
            },
            Column::Boolean { values, nulls } => {
                Column::Boolean { values: rows.iter().map(|&r| values[r]).collect(), nulls: pick(nulls) }
            }
            Column::Factor { codes, levels, ordered, text } => Column::Factor {
                codes: rows.iter().map(|&r| codes[r]).collect(),
                levels: levels.clone(),
                ordered: *ordered,
                text: *text,
            },
            Column::Opaque { dtype, remedy, .. } => {
                Column::Opaque { n_rows: rows.len(), dtype: dtype.clone(), remedy: remedy.clone() }
            }
        }
    }
}

/// "NaN", "inf", "-inf", or nothing for a finite number.
pub(crate) fn number_fault(value: f64) -> Option<&'static str> {
    match value {
        v if v.is_finite() => None,
        v if v.is_nan() => Some("NaN"),
        v if v > 0.0 => Some("inf"),
        _ => Some("-inf"),
    }
}

fn is_null(nulls: &Option<Arc<[bool]>>, row: usize) -> bool {
    nulls.as_ref().is_some_and(|n| n[row])
}

fn nulls_of<T>(values: &[Option<T>]) -> Option<Arc<[bool]>> {
    values.iter().any(Option::is_none).then(|| values.iter().map(Option::is_none).collect())
}

/// The labels by code point, and the rank of each in that order.
fn sorted(labels: &[&str]) -> (Arc<[String]>, Vec<u32>) {
    let mut order: Vec<usize> = (0..labels.len()).collect();
    order.sort_unstable_by_key(|&i| labels[i]);
    let mut rank = vec![0; labels.len()];
    for (position, &i) in order.iter().enumerate() {
        rank[i] = position as u32;
    }
    (order.iter().map(|&i| labels[i].to_string()).collect(), rank)
}
