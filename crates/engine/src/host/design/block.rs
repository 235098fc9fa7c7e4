//! Kinds of blocks.
use std::sync::Arc;

use isostat_base::{Error, Result};

use crate::host::buffer::View;

/// Neighbouring columns of a design.
#[derive(Clone, Debug)]
pub enum Block {
    /// A column of ones, for so many rows.
    Ones(usize),
    /// Columns of numbers, in any layout.
    Dense(View),
    /// The indicator columns of a factor, as codes.
    Categorical(Arc<Categorical>),
    /// Columns with few entries.
    Sparse(Arc<Sparse>),
}

/// Codes of a factor: never one-hot in memory.
#[derive(Clone, Debug)]
pub struct Categorical {
    codes: Arc<Vec<u32>>,
    /// The column of each level; the baseline has none.
    column_of_level: Vec<Option<usize>>,
    columns: usize,
}

/// Entries by row: a pass goes over rows. A matrix that comes by columns is turned once, which doubles its memory.
#[derive(Clone, Debug)]
pub struct Sparse {
    columns: usize,
    starts: Arc<Vec<usize>>,
    entries: Arc<Vec<(u32, f64)>>,
}

impl Block {
    /// A factor: the code of each row, the number of levels, the column of each level.
    ///
    /// # Errors
    /// [`Error::Shape`] or [`Error::Domain`] where a code or a level's column does not exist.
    pub fn categorical(
        codes: Vec<u32>,
        n_levels: usize,
        column_of_level: Vec<Option<usize>>,
    ) -> Result<Block> {
        if column_of_level.len() != n_levels {
            let found = format!("length {}", column_of_level.len());
            return Err(Error::shape("design", "column_of_level", format!("length {n_levels}"), found));
        }
        if let Some(row) = codes.iter().position(|c| *c as usize >= n_levels) {
            let place = isostat_base::Place::row(row);
            let rule = format!("be below the number of levels, {n_levels}");
            return Err(Error::domain_at("design", "codes", rule, codes[row], place));
        }
        let columns = column_of_level.iter().flatten().max().map_or(0, |c| c + 1);
        Ok(Block::Categorical(Arc::new(Categorical { codes: Arc::new(codes), column_of_level, columns })))
    }

    /// A sparse block from compressed columns: `starts` (p + 1), `rows` and `values` by entry.
    ///
    /// # Errors
    /// [`Error::Shape`] where the three disagree, [`Error::Domain`] for a row that does not exist.
    pub fn sparse(n: usize, p: usize, starts: Vec<usize>, rows: Vec<u32>, values: Vec<f64>) -> Result<Block> {
        let is_consistent = starts.len() == p + 1
            && starts.windows(2).all(|w| w[0] <= w[1])
            && starts.last() == Some(&rows.len())
            && rows.len() == values.len();
        if !is_consistent {
            let found = format!("{} starts, {} rows, {} values", starts.len(), rows.len(), values.len());
            return Err(Error::shape("design", "X", format!("compressed columns of {n} × {p}"), found));
        }
        if let Some(bad) = rows.iter().find(|r| **r as usize >= n) {
            return Err(Error::domain("design", "X", format!("have row indices below {n}"), bad));
        }
        let mut counts = vec![0_usize; n + 1];
        rows.iter().for_each(|r| counts[*r as usize + 1] += 1);
        for i in 0..n {
            counts[i + 1] += counts[i];
        }
        let mut next = counts.clone();
        let mut entries = vec![(0_u32, 0.0); rows.len()];
        for j in 0..p {
            for k in starts[j]..starts[j + 1] {
                let at = &mut next[rows[k] as usize];
                entries[*at] = (j as u32, values[k]);
                *at += 1;
            }
        }
        Ok(Block::Sparse(Arc::new(Sparse {
            columns: p,
            starts: Arc::new(counts),
            entries: Arc::new(entries),
        })))
    }

    /// Number of rows.
    pub fn n_rows(&self) -> usize {
        match self {
            Block::Ones(n) => *n,
            Block::Dense(view) => view.n_rows(),
            Block::Categorical(c) => c.codes.len(),
            Block::Sparse(s) => s.starts.len() - 1,
        }
    }

    /// Number of columns.
    pub fn n_columns(&self) -> usize {
        match self {
            Block::Ones(_) => 1,
            Block::Dense(view) => view.n_columns(),
            Block::Categorical(c) => c.columns,
            Block::Sparse(s) => s.columns,
        }
    }
}

impl Categorical {
    /// The column of a row's level.
    #[inline]
    pub fn column(&self, row: usize) -> Option<usize> {
        self.column_of_level[self.codes[row] as usize]
    }

    /// The same factor with other columns for its levels.
    pub(super) fn mapped(&self, map: impl Fn(usize) -> Option<usize>) -> Categorical {
        let column_of_level = self.column_of_level.iter().map(|c| c.and_then(&map)).collect();
        Categorical { codes: self.codes.clone(), column_of_level, columns: self.columns }
    }
}

impl Sparse {
    /// The entries of a row: (column, value).
    #[inline]
    pub fn row(&self, row: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        self.entries[self.starts[row]..self.starts[row + 1]].iter().map(|(j, v)| (*j as usize, *v))
    }

    /// The same entries in other columns; those without one are dropped.
    pub(super) fn mapped(&self, map: impl Fn(usize) -> Option<usize>) -> Sparse {
        let mut starts = vec![0];
        let mut entries = Vec::new();
        for row in 0..self.starts.len() - 1 {
            entries.extend(self.row(row).filter_map(|(j, v)| map(j).map(|j| (j as u32, v))));
            starts.push(entries.len());
        }
        Sparse { columns: self.columns, starts: Arc::new(starts), entries: Arc::new(entries) }
    }
}
