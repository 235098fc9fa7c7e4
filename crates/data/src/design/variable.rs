//! One variable of the model: its values in these rows, and what training learnt of it.
use std::collections::HashMap;
use std::sync::Arc;

use isostat_base::{Error, Result};
use serde::{Deserialize, Serialize};

use super::contrast::{Coding, CodingMatrix};
use crate::eval::factors::{logical_factor, used_levels};
use crate::eval::value::spread;
use crate::eval::{FactorValue, MatrixValue, Value};
use crate::frame::MISSING;

/// What becomes of a row of new data with a level that training has not seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NewLevels {
    /// It is refused.
    #[default]
    Error,
    /// The row is left out: its prediction is missing.
    Na,
    /// It is taken for the baseline of the factor.
    Baseline,
}

/// What training learnt of a variable.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VariableKind {
    /// One column of numbers.
    Numeric,
    /// Several columns, with their names.
    Matrix(Vec<String>),
    /// Logical values: a factor with the levels FALSE and TRUE.
    Logical,
    /// A factor.
    Factor {
        /// The levels that training used.
        levels: Vec<String>,
        /// How they are coded.
        coding: Coding,
    },
}

impl VariableKind {
    /// Learn from the values of the rows that the fit uses.
    pub(crate) fn learn(variable: &Variable) -> Self {
        match variable {
            Variable::Numeric(_) => VariableKind::Numeric,
            Variable::Matrix(matrix) => VariableKind::Matrix(matrix.names.clone()),
            Variable::Factor { is_logical: true, .. } => VariableKind::Logical,
            Variable::Factor { factor, .. } => VariableKind::Factor {
                levels: used_levels(&factor.codes, &factor.levels),
                coding: factor.coding.clone().unwrap_or_else(|| Coding::default_for(factor.ordered)),
            },
        }
    }

    /// The levels, for a factor or logical values.
    pub fn levels(&self) -> Option<Vec<String>> {
        match self {
            VariableKind::Factor { levels, .. } => Some(levels.clone()),
            VariableKind::Logical => Some(vec!["FALSE".into(), "TRUE".into()]),
            _ => None,
        }
    }

    /// The columns that stand for the levels; nothing for numbers.
    pub(crate) fn coding_matrix(&self, name: &str, all_levels: bool) -> Result<Option<CodingMatrix>> {
        let Some(levels) = self.levels() else { return Ok(None) };
        let coding = match self {
            VariableKind::Factor { coding, .. } => coding.clone(),
            _ => Coding::default_for(false),
        };
        // A factor of one level is refused in both codings, as R does: it cannot be told from the intercept.
        let contrasts = CodingMatrix::contrasts(name, &levels, &coding)?;
        Ok(Some(if all_levels { CodingMatrix::all_levels(&levels) } else { contrasts }))
    }
}

/// A variable's values, one per row of the frame.
#[derive(Clone, Debug)]
pub(crate) enum Variable {
    Numeric(Arc<[f64]>),
    Matrix(MatrixValue),
    Factor { factor: FactorValue, is_logical: bool },
}

impl Variable {
    /// A value spread over the rows; nothing for what cannot stand in a model matrix.
    pub(crate) fn of(value: Value, n_rows: usize) -> Option<Self> {
        Some(match value {
            Value::Numeric(values) => Variable::Numeric(spread(values, n_rows)),
            Value::Logical(values) => {
                Variable::Factor { factor: logical_factor(&spread(values, n_rows)), is_logical: true }
            }
            Value::Factor(factor) => {
                let codes = spread(factor.codes.clone(), n_rows);
                Variable::Factor { factor: FactorValue { codes, ..factor }, is_logical: false }
            }
            Value::Matrix(matrix) => Variable::Matrix(matrix),
            Value::Text(_) | Value::Null => return None,
        })
    }

    /// Refuse a variable that is not of the kind that training knew.
    pub(crate) fn expect_kind(&self, name: &str, kind: &VariableKind) -> Result<()> {
        let is_same = match (self, kind) {
            (Variable::Numeric(_), VariableKind::Numeric) => true,
            (Variable::Matrix(matrix), VariableKind::Matrix(names)) => matrix.names == *names,
            (Variable::Factor { is_logical, .. }, VariableKind::Logical) => *is_logical,
            (Variable::Factor { is_logical, .. }, VariableKind::Factor { .. }) => !is_logical,
            _ => false,
        };
        if is_same {
            return Ok(());
        }
        let word = |is_factor: bool| if is_factor { "a factor" } else { "numbers" }.to_string();
        Err(Error::Dtype {
            parameter: name.into(),
            expected: word(kind.levels().is_some()),
            found: word(matches!(self, Variable::Factor { .. })),
            remedy: "give the column the type that it had in training".into(),
        })
    }

    /// The given rows.
    pub(crate) fn take(&self, rows: &[usize], n_rows: usize) -> Variable {
        match self {
            Variable::Numeric(values) => Variable::Numeric(rows.iter().map(|&r| values[r]).collect()),
            Variable::Matrix(matrix) => Variable::Matrix(MatrixValue {
                values: (0..matrix.names.len())
                    .flat_map(|c| rows.iter().map(move |&r| (c, r)))
                    .map(|(c, r)| matrix.values[c * n_rows + r])
                    .collect(),
                names: matrix.names.clone(),
            }),
            Variable::Factor { factor, is_logical } => Variable::Factor {
                factor: FactorValue {
                    codes: rows.iter().map(|&r| factor.codes[r]).collect(),
                    ..factor.clone()
                },
                is_logical: *is_logical,
            },
        }
    }

    /// Refuse levels that training has not seen.
    pub(crate) fn refuse_unseen(&self, name: &str, kind: &VariableKind) -> Result<()> {
        let (Variable::Factor { factor, .. }, Some(known)) = (self, kind.levels()) else { return Ok(()) };
        let is_unseen: Vec<bool> = factor.levels.iter().map(|level| !known.contains(level)).collect();
        let mut first = None;
        let mut levels: Vec<String> = Vec::new();
        for (row, &code) in factor.codes.iter().enumerate() {
            if code == MISSING || !is_unseen[code as usize] {
                continue;
            }
            first.get_or_insert(row);
            let level = &factor.levels[code as usize];
            if !levels.contains(level) {
                levels.push(level.clone());
            }
        }
        match first {
            Some(row) => Err(Error::UnseenLevel { column: name.into(), levels, row, known }),
            None => Ok(()),
        }
    }

    /// Codes by the levels of training. A level outside of them is missing, or the baseline.
    pub(crate) fn recode(&mut self, name: &str, kind: &VariableKind, policy: NewLevels) -> Result<()> {
        let (Variable::Factor { factor, .. }, Some(known)) = (self, kind.levels()) else { return Ok(()) };
        let place: HashMap<&str, u32> =
            known.iter().enumerate().map(|(i, l)| (l.as_str(), i as u32)).collect();
        let map: Vec<Option<u32>> = factor.levels.iter().map(|l| place.get(l.as_str()).copied()).collect();
        let substitute = match policy {
            NewLevels::Baseline => {
                kind.coding_matrix(name, false)?.map_or(0, |matrix| matrix.baseline as u32)
            }
            _ => MISSING,
        };
        let mut codes = Vec::with_capacity(factor.codes.len());
        for &code in factor.codes.iter() {
            codes.push(if code == MISSING { MISSING } else { map[code as usize].unwrap_or(substitute) });
        }
        factor.codes = codes.into();
        factor.n_known = known.len();
        factor.levels = known.into();
        Ok(())
    }

    /// Whether no value is missing or infinite.
    pub(crate) fn is_sound(&self) -> bool {
        match self {
            Variable::Numeric(values) => values.iter().all(|v| v.is_finite()),
            Variable::Matrix(matrix) => matrix.values.iter().all(|v| v.is_finite()),
            Variable::Factor { factor, .. } => !factor.codes.contains(&MISSING),
        }
    }

    /// What is wrong with the value of a row, or nothing.
    pub(crate) fn fault(&self, row: usize, n_rows: usize) -> Option<&'static str> {
        match self {
            Variable::Numeric(values) => crate::frame::column::number_fault(values[row]),
            Variable::Matrix(matrix) => (0..matrix.names.len())
                .find_map(|c| crate::frame::column::number_fault(matrix.values[c * n_rows + row])),
            Variable::Factor { factor, .. } => (factor.codes[row] == MISSING).then_some("null"),
        }
    }
}
