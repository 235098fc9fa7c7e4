//! A table: named columns of one length.
#[cfg(feature = "arrow")]
pub mod arrow;
pub mod column;
#[cfg(feature = "arrow")]
pub mod ffi;

use std::collections::HashMap;
use std::sync::Arc;

use isostat_base::{Error, Result};

pub use column::{Column, ColumnKind, MISSING};

/// An ordered table of named columns. Cloning shares the columns.
#[derive(Clone, Debug, Default)]
pub struct Frame {
    names: Vec<String>,
    columns: Vec<Column>,
    index: HashMap<String, usize>,
    n_rows: usize,
}

impl Frame {
    /// A frame of the given columns, in this order.
    ///
    /// # Errors
    /// [`Error::Shape`] if the lengths differ, [`Error::Domain`] if a name stands twice.
    pub fn new(columns: Vec<(String, Column)>) -> Result<Self> {
        let n_rows = columns.first().map_or(0, |(_, column)| column.len());
        let mut frame = Frame { n_rows, ..Frame::default() };
        for (name, column) in columns {
            if column.len() != n_rows {
                let expected = format!("{n_rows} rows, as \"{}\" has", frame.names[0]);
                return Err(Error::shape("frame", name, expected, format!("{} rows", column.len())));
            }
            if frame.index.insert(name.clone(), frame.names.len()).is_some() {
                return Err(Error::domain(
                    "frame",
                    "columns",
                    "have names that differ",
                    format!("\"{name}\" twice"),
                ));
            }
            frame.names.push(name);
            frame.columns.push(column);
        }
        Ok(frame)
    }

    /// The number of rows.
    pub fn n_rows(&self) -> usize {
        self.n_rows
    }

    /// The names, in the order of the columns.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The columns with their names, in order.
    pub fn columns(&self) -> impl Iterator<Item = (&str, &Column)> {
        self.names.iter().map(String::as_str).zip(&self.columns)
    }

    /// Whether there is a column of this name.
    pub fn has(&self, name: &str) -> bool {
        self.index.contains_key(name)
    }

    /// The column of this name.
    ///
    /// # Errors
    /// [`Error::UnknownColumn`].
    pub fn column(&self, name: &str) -> Result<&Column> {
        match self.index.get(name) {
            Some(&at) => Ok(&self.columns[at]),
            None => Err(Error::UnknownColumn { name: name.into(), known: self.names.clone() }),
        }
    }

    /// The column of this name as numbers: booleans are 0 and 1, missing values NaN.
    ///
    /// # Errors
    /// [`Error::UnknownColumn`]; [`Error::Dtype`] for text and categories.
    pub fn numeric(&self, name: &str) -> Result<Arc<[f64]>> {
        let column = self.column(name)?;
        column.to_numeric().ok_or_else(|| column.refusal(name, "a number or bool"))
    }

    /// The given rows, in the given order.
    pub fn take(&self, rows: &[usize]) -> Frame {
        Frame {
            names: self.names.clone(),
            columns: self.columns.iter().map(|column| column.take(rows)).collect(),
            index: self.index.clone(),
            n_rows: rows.len(),
        }
    }
}
