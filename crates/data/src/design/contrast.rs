//! How the levels of a factor become columns.
use std::fmt;

use isostat_base::{Error, Place, Result};
use serde::{Deserialize, Serialize};

use crate::eval::transform::PolyState;

/// A level, by place or name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Base {
    /// The first level.
    First,
    /// The last level.
    Last,
    /// The level of this index, from 0.
    Index(usize),
    /// The level of this name.
    Level(String),
}

impl Base {
    /// Its index among the levels, if it is one of them.
    pub fn resolve(&self, levels: &[String]) -> Option<usize> {
        match self {
            Base::First => (!levels.is_empty()).then_some(0),
            Base::Last => levels.len().checked_sub(1),
            Base::Index(index) => (*index < levels.len()).then_some(*index),
            Base::Level(name) => levels.iter().position(|l| l == name),
        }
    }
}

impl fmt::Display for Base {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Base::First => f.write_str("first"),
            Base::Last => f.write_str("last"),
            Base::Index(index) => write!(f, "{}", index + 1),
            Base::Level(name) => write!(f, "\"{name}\""),
        }
    }
}

/// A kind of contrast.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Contrast {
    /// One column per level but the base.
    Treatment(Base),
    /// Each level against the mean of all; the last is minus the others.
    Sum,
    /// Each level against the mean of those before it.
    Helmert,
    /// Orthogonal polynomials in the place of the level.
    Poly,
}

/// The coding of a factor.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Coding {
    /// The contrast.
    pub contrast: Contrast,
    /// Whether the columns of treatment contrasts are named by level; by number otherwise.
    pub names_by_level: bool,
    /// How many columns are kept, from the first.
    pub how_many: Option<usize>,
}

impl Coding {
    /// What a factor has that says nothing else: treatment contrasts, for ordered factors polynomials.
    pub fn default_for(ordered: bool) -> Self {
        let contrast = if ordered { Contrast::Poly } else { Contrast::Treatment(Base::First) };
        Coding { contrast, names_by_level: true, how_many: None }
    }
}

/// The columns of a factor: a row of numbers per level.
#[derive(Clone, Debug, PartialEq)]
pub struct CodingMatrix {
    /// What is appended to the factor's name, per column.
    pub suffixes: Vec<String>,
    /// The numbers, level by level; empty where `column_of_level` says it all.
    pub values: Vec<f64>,
    /// For a matrix of zeros and ones with at most one one per level: the column of each level.
    pub column_of_level: Option<Vec<Option<u32>>>,
    /// The level that a new one is taken for.
    pub baseline: usize,
}

impl CodingMatrix {
    /// The number of columns.
    pub fn n_columns(&self) -> usize {
        self.suffixes.len()
    }

    /// One column per level.
    pub fn all_levels(levels: &[String]) -> Self {
        let suffixes = levels.to_vec();
        let columns = (0..levels.len()).map(|l| Some(l as u32)).collect();
        Self::of_columns(suffixes, columns, 0)
    }

    /// The contrasts of a coding.
    ///
    /// # Errors
    /// [`Error::Domain`] for less than two levels, or a base that is not among the levels.
    pub fn contrasts(factor: &str, levels: &[String], coding: &Coding) -> Result<Self> {
        if levels.len() < 2 {
            let value = if levels.is_empty() { "none".into() } else { format!("\"{}\" alone", levels[0]) };
            let place = Place { row: None, column: Some(factor.into()) };
            return Err(Error::domain_at(
                "formula",
                factor,
                "have at least two levels in the rows used",
                value,
                place,
            ));
        }
        let full = match &coding.contrast {
            Contrast::Treatment(base) => Self::treatment(factor, levels, base, coding.names_by_level)?,
            Contrast::Sum => Self::from_rows(levels.len(), numbered(levels.len() - 1), sum_row),
            Contrast::Helmert => Self::from_rows(levels.len(), numbered(levels.len() - 1), helmert_row),
            Contrast::Poly => Self::polynomial(levels.len()),
        };
        Ok(match coding.how_many {
            Some(count) if count < full.n_columns() => full.first_columns(count, levels.len()),
            _ => full,
        })
    }

    fn treatment(factor: &str, levels: &[String], base: &Base, names_by_level: bool) -> Result<Self> {
        let Some(base) = base.resolve(levels) else {
            let rule = "have its base level in the rows used";
            return Err(Error::domain(
                "formula",
                factor,
                rule,
                format!("base {base} and levels {}", levels.join(", ")),
            ));
        };
        let name = |l: usize| if names_by_level { levels[l].clone() } else { (l + 1).to_string() };
        let column = |l: usize| (l != base).then_some((l - usize::from(l > base)) as u32);
        let suffixes = (0..levels.len()).filter(|&l| l != base).map(name).collect();
        Ok(Self::of_columns(suffixes, (0..levels.len()).map(column).collect(), base))
    }

    fn of_columns(suffixes: Vec<String>, columns: Vec<Option<u32>>, baseline: usize) -> Self {
        // A factor of many levels is never written out: its columns say it all.
        CodingMatrix { suffixes, values: Vec::new(), column_of_level: Some(columns), baseline }
    }

    fn from_rows(n_levels: usize, suffixes: Vec<String>, row: fn(usize, usize, usize) -> f64) -> Self {
        let m = suffixes.len();
        let values = (0..n_levels).flat_map(|l| (0..m).map(move |c| row(l, c, n_levels))).collect();
        CodingMatrix { suffixes, values, column_of_level: None, baseline: 0 }
    }

    fn polynomial(n_levels: usize) -> Self {
        let scores: Vec<f64> = (1..=n_levels).map(|l| l as f64).collect();
        let m = n_levels - 1;
        let columns = PolyState::learn(&scores, m).columns(&scores);
        let values =
            (0..n_levels).flat_map(|l| (0..m).map(move |c| (l, c))).map(|(l, c)| columns[c * n_levels + l]);
        let suffix = |power: usize| match power {
            1 => ".L".to_string(),
            2 => ".Q".to_string(),
            3 => ".C".to_string(),
            power => format!("^{power}"),
        };
        CodingMatrix {
            suffixes: (1..=m).map(suffix).collect(),
            values: values.collect(),
            column_of_level: None,
            baseline: 0,
        }
    }

    fn first_columns(self, count: usize, n_levels: usize) -> Self {
        let values =
            (0..n_levels).flat_map(|l| (0..count).map(move |c| (l, c))).map(|(l, c)| self.value(l, c));
        CodingMatrix {
            values: values.collect(),
            suffixes: self.suffixes[..count].to_vec(),
            column_of_level: None,
            baseline: self.baseline,
        }
    }

    /// The number of a level in a column.
    pub fn value(&self, level: usize, column: usize) -> f64 {
        match &self.column_of_level {
            Some(columns) => f64::from(u8::from(columns[level] == Some(column as u32))),
            None => self.values[level * self.suffixes.len() + column],
        }
    }
}

fn numbered(count: usize) -> Vec<String> {
    (1..=count).map(|c| c.to_string()).collect()
}

fn sum_row(level: usize, column: usize, n_levels: usize) -> f64 {
    match level {
        l if l == column => 1.0,
        l if l == n_levels - 1 => -1.0,
        _ => 0.0,
    }
}

fn helmert_row(level: usize, column: usize, _: usize) -> f64 {
    match level {
        l if l == column + 1 => l as f64,
        l if l <= column => -1.0,
        _ => 0.0,
    }
}
