//! Terms to columns.
use isostat_base::Result;

use super::block::{Block, CATEGORICAL_FROM};
use super::contrast::CodingMatrix;
use super::variable::{Variable, VariableKind};
use crate::formula::{Term, Terms};

/// The columns of all terms.
pub(crate) struct Columns {
    pub blocks: Vec<Block>,
    pub names: Vec<String>,
    pub term_of_column: Vec<usize>,
}

/// A variable as it stands in one term.
enum Part<'a> {
    /// Columns of numbers, column-major, with what is appended to the name.
    Dense { values: &'a [f64], suffixes: Vec<String> },
    /// A factor.
    Coded { codes: &'a [u32], matrix: CodingMatrix },
}

impl Part<'_> {
    fn n_columns(&self) -> usize {
        match self {
            Part::Dense { suffixes, .. } => suffixes.len(),
            Part::Coded { matrix, .. } => matrix.n_columns(),
        }
    }

    fn suffix(&self, column: usize) -> &str {
        match self {
            Part::Dense { suffixes, .. } => &suffixes[column],
            Part::Coded { matrix, .. } => &matrix.suffixes[column],
        }
    }

    /// Append a column to `out`.
    fn append(&self, column: usize, n: usize, out: &mut Vec<f64>) {
        match self {
            Part::Dense { values, .. } => out.extend_from_slice(&values[column * n..(column + 1) * n]),
            Part::Coded { codes, matrix } => {
                let of_level = of_level(codes, matrix, column);
                out.extend(codes.iter().map(|&c| of_level[c as usize]));
            }
        }
    }

    /// Multiply a column into `out`.
    fn multiply_into(&self, column: usize, out: &mut [f64]) {
        let n = out.len();
        match self {
            Part::Dense { values, .. } => {
                out.iter_mut().zip(&values[column * n..(column + 1) * n]).for_each(|(o, v)| *o *= v);
            }
            Part::Coded { codes, matrix } => {
                let of_level = of_level(codes, matrix, column);
                out.iter_mut().zip(*codes).for_each(|(o, &c)| *o *= of_level[c as usize]);
            }
        }
    }
}

/// The numbers of one column by level, for the levels that the rows have.
fn of_level(codes: &[u32], matrix: &CodingMatrix, column: usize) -> Vec<f64> {
    let n_levels = codes.iter().max().map_or(0, |&c| c as usize + 1);
    (0..n_levels).map(|level| matrix.value(level, column)).collect()
}

/// Gathers columns, joining dense neighbours into one block.
struct Builder {
    columns: Columns,
    /// The dense columns since the last block of another kind.
    dense_names: Vec<String>,
    dense_values: Vec<f64>,
    n_rows: usize,
}

impl Builder {
    /// The values that the next dense column is appended to.
    fn start_dense(&mut self, term: usize, name: String) -> &mut Vec<f64> {
        self.columns.names.push(name.clone());
        self.columns.term_of_column.push(term);
        self.dense_names.push(name);
        &mut self.dense_values
    }

    fn end_dense(&mut self) {
        if self.dense_names.is_empty() {
            return;
        }
        let (names, values) = (std::mem::take(&mut self.dense_names), std::mem::take(&mut self.dense_values));
        self.columns.blocks.push(Block::Dense { names, values });
    }

    fn push_categorical(
        &mut self,
        term: usize,
        names: Vec<String>,
        codes: &[u32],
        column_of_level: Vec<Option<u32>>,
    ) {
        self.end_dense();
        self.columns.term_of_column.extend(std::iter::repeat_n(term, names.len()));
        self.columns.names.extend(names.iter().cloned());
        let n_levels = column_of_level.len();
        self.columns.blocks.push(Block::Categorical {
            names,
            codes: codes.to_vec(),
            n_levels,
            column_of_level,
        });
    }

    /// A column for each choice of a column per part; the first part varies fastest, as in R.
    fn push_product(&mut self, term: usize, parts: &[(&str, Part<'_>)]) {
        let total: usize = parts.iter().map(|(_, part)| part.n_columns()).product();
        for index in 0..total {
            let mut rest = index;
            let mut choices = Vec::with_capacity(parts.len());
            for (_, part) in parts {
                choices.push(rest % part.n_columns());
                rest /= part.n_columns();
            }
            let chosen = parts.iter().zip(&choices);
            let names: Vec<String> = chosen
                .clone()
                .map(|((name, part), &choice)| format!("{name}{}", part.suffix(choice)))
                .collect();
            let n = self.n_rows;
            let values = self.start_dense(term, names.join(":"));
            let start = values.len();
            for (place, ((_, part), &choice)) in chosen.enumerate() {
                match place {
                    0 => part.append(choice, n, values),
                    _ => part.multiply_into(choice, &mut values[start..]),
                }
            }
        }
    }
}

/// The model matrix of terms. `variables` and `kinds` are by variable, the response's may be absent.
///
/// # Errors
/// [`isostat_base::Error::Domain`] for a factor of less than two levels.
pub(crate) fn columns(
    terms: &Terms,
    kinds: &[VariableKind],
    variables: &[Option<Variable>],
    n_rows: usize,
) -> Result<Columns> {
    let empty = Columns { blocks: Vec::new(), names: Vec::new(), term_of_column: Vec::new() };
    let mut builder = Builder { columns: empty, dense_names: Vec::new(), dense_values: Vec::new(), n_rows };
    if terms.has_intercept {
        builder.start_dense(0, "(Intercept)".into()).resize(n_rows, 1.0);
    }
    let spans_constant = first_factor(terms, kinds);
    for (t, term) in terms.terms.iter().enumerate() {
        let full = spans_constant.filter(|(first, _)| *first == t).map(|(_, place)| place);
        let parts = parts(terms, term, full, kinds, variables)?;
        match parts.as_slice() {
            [(
                name,
                Part::Coded { codes, matrix: CodingMatrix { suffixes, column_of_level: Some(columns), .. } },
            )] if columns.len() >= CATEGORICAL_FROM => {
                let names = suffixes.iter().map(|suffix| format!("{name}{suffix}")).collect();
                builder.push_categorical(t + 1, names, codes, columns.clone());
            }
            parts => builder.push_product(t + 1, parts),
        }
    }
    builder.end_dense();
    Ok(builder.columns)
}

/// Without an intercept the first factor of the first term that has one gets all its levels: the term, and the
/// factor's place in it.
fn first_factor(terms: &Terms, kinds: &[VariableKind]) -> Option<(usize, usize)> {
    if terms.has_intercept {
        return None;
    }
    let is_factor = |v: usize| matches!(kinds[v], VariableKind::Factor { .. } | VariableKind::Logical);
    terms
        .terms
        .iter()
        .enumerate()
        .find_map(|(t, term)| term.variables.iter().position(|&v| is_factor(v)).map(|place| (t, place)))
}

fn parts<'a>(
    terms: &'a Terms,
    term: &Term,
    full: Option<usize>,
    kinds: &[VariableKind],
    variables: &'a [Option<Variable>],
) -> Result<Vec<(&'a str, Part<'a>)>> {
    let mut found = Vec::with_capacity(term.variables.len());
    for (place, &v) in term.variables.iter().enumerate() {
        let name = terms.names[v].as_str();
        let (kind, Some(variable)) = (&kinds[v], &variables[v]) else { continue };
        let part = match variable {
            Variable::Numeric(values) => Part::Dense { values, suffixes: vec![String::new()] },
            // R appends nothing to the name of a single column.
            Variable::Matrix(matrix) if matrix.names.len() == 1 => {
                Part::Dense { values: &matrix.values, suffixes: vec![String::new()] }
            }
            Variable::Matrix(matrix) => {
                Part::Dense { values: &matrix.values, suffixes: matrix.names.clone() }
            }
            Variable::Factor { factor, .. } => {
                let all_levels = term.all_levels[place] || full == Some(place);
                let Some(matrix) = kind.coding_matrix(name, all_levels)? else { continue };
                Part::Coded { codes: &factor.codes, matrix }
            }
        };
        found.push((name, part));
    }
    Ok(found)
}
