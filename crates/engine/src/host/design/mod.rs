//! A matrix as blocks of columns, read by chunks of rows.
//!
//! Narrow blocks (dense, transformed) fill a panel, or are read where they lie; a column of ones needs no memory, the indicator columns of a factor stay codes, sparse
//! columns stay their entries. Each pair of kinds has its own cross-product, see [`cross`].
pub mod block;
pub mod cross;
pub mod transformed;

use std::sync::Arc;

use isostat_base::{Error, Result};

pub use block::{Block, Categorical, Sparse};
use transformed::Transformed;

use super::buffer::{Dtype, View};
use super::simd::panel::turn;
use super::simd::SimdLevel;

/// A design: blocks side by side, restricted to a range of rows.
#[derive(Clone, Debug)]
pub struct Design {
    pub(super) narrow: Vec<Narrow>,
    /// Columns of ones.
    pub(super) ones: Vec<usize>,
    pub(super) factors: Vec<(usize, Arc<Categorical>)>,
    pub(super) sparse: Vec<(usize, Arc<Sparse>)>,
    /// First row of the range, in the blocks that are stored whole.
    pub(super) first: usize,
    rows: usize,
    columns: usize,
    /// For each column of the panel its column of the design.
    pub(super) panel_columns: Vec<usize>,
    dtype: Dtype,
}

/// A block that fills columns of a panel.
#[derive(Clone, Debug)]
pub(super) enum Narrow {
    /// Columns of numbers.
    Dense(View),
    /// Columns `x T` of another design.
    Transformed(Arc<Transformed>),
}

impl Narrow {
    pub(super) fn width(&self) -> usize {
        match self {
            Narrow::Dense(view) => view.n_columns(),
            Narrow::Transformed(t) => t.rank,
        }
    }
}

impl Design {
    /// Blocks side by side.
    ///
    /// # Errors
    /// [`Error::Shape`] where their rows differ, or there is none.
    pub fn from_blocks(blocks: Vec<Block>) -> Result<Design> {
        let Some(rows) = blocks.first().map(Block::n_rows) else {
            return Err(Error::shape("design", "X", "at least one column", "none"));
        };
        let mut design = Design {
            narrow: Vec::new(),
            ones: Vec::new(),
            factors: Vec::new(),
            sparse: Vec::new(),
            first: 0,
            rows,
            columns: 0,
            panel_columns: Vec::new(),
            dtype: Dtype::F64,
        };
        for block in blocks {
            if block.n_rows() != rows {
                let found = format!("{} rows", block.n_rows());
                return Err(Error::shape("design", "X", format!("blocks of {rows} rows"), found));
            }
            design.push(block);
        }
        Ok(design)
    }

    fn push(&mut self, block: Block) {
        let (start, width) = (self.columns, block.n_columns());
        self.columns += width;
        match block {
            Block::Ones(_) => self.ones.push(start),
            Block::Dense(view) => {
                self.dtype = view.dtype();
                self.push_narrow(Narrow::Dense(view), start);
            }
            Block::Categorical(factor) => self.factors.push((start, factor)),
            Block::Sparse(sparse) => self.sparse.push((start, sparse)),
        }
    }

    fn push_narrow(&mut self, narrow: Narrow, start: usize) {
        self.panel_columns.extend(start..start + narrow.width());
        self.narrow.push(narrow);
    }

    /// Number of rows.
    pub fn n_rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    pub fn n_columns(&self) -> usize {
        self.columns
    }

    /// The dtype of its numbers.
    pub fn dtype(&self) -> Dtype {
        self.dtype
    }

    /// Columns of the panel.
    pub(super) fn panel_width(&self) -> usize {
        self.panel_columns.len()
    }

    /// Whether all columns are ones or in the panel.
    pub(super) fn is_panel(&self) -> bool {
        self.factors.is_empty() && self.sparse.is_empty()
    }

    /// Rows `from..to`, without a copy.
    pub fn rows(&self, from: usize, to: usize) -> Design {
        let to = to.min(self.rows);
        let from = from.min(to);
        let narrow = self
            .narrow
            .iter()
            .map(|n| match n {
                Narrow::Dense(view) => Narrow::Dense(view.rows(from, to)),
                Narrow::Transformed(t) => Narrow::Transformed(Arc::new(t.rows(from, to))),
            })
            .collect();
        Design { narrow, first: self.first + from, rows: to - from, ..self.clone() }
    }

    /// The design `X T`, computed chunk by chunk with products in double-double.
    pub fn transformed(&self, high: &[f64], low: &[f64], rank: usize) -> Design {
        let inner = Arc::new(self.clone());
        let transformed = Transformed { inner, high: high.to_vec(), low: low.to_vec(), rank };
        Design {
            narrow: vec![Narrow::Transformed(Arc::new(transformed))],
            ones: Vec::new(),
            factors: Vec::new(),
            sparse: Vec::new(),
            first: 0,
            rows: self.rows,
            columns: rank,
            panel_columns: (0..rank).collect(),
            dtype: self.dtype,
        }
    }

    /// The named columns, in ascending order, without a copy: factors lose levels, sparse blocks columns.
    pub fn selected(&self, columns: &[usize]) -> Design {
        let position = |j: usize| columns.iter().position(|c| *c == j);
        let mut out = Design {
            narrow: Vec::new(),
            factors: Vec::new(),
            sparse: Vec::new(),
            ones: self.ones.iter().filter_map(|j| position(*j)).collect(),
            panel_columns: Vec::new(),
            columns: columns.len(),
            ..self.clone()
        };
        let mut start = 0;
        for narrow in &self.narrow {
            let old = &self.panel_columns[start..start + narrow.width()];
            start += narrow.width();
            let kept: Vec<(usize, usize)> =
                old.iter().enumerate().filter_map(|(k, j)| position(*j).map(|p| (k, p))).collect();
            out.push_selected(narrow, &kept);
        }
        for (start, factor) in &self.factors {
            out.factors.push((0, Arc::new(factor.mapped(|k| position(start + k)))));
        }
        for (start, sparse) in &self.sparse {
            out.sparse.push((0, Arc::new(sparse.mapped(|k| position(start + k)))));
        }
        out
    }

    fn push_selected(&mut self, narrow: &Narrow, kept: &[(usize, usize)]) {
        if kept.is_empty() {
            return;
        }
        if kept.len() == narrow.width() {
            self.panel_columns.extend(kept.iter().map(|(_, p)| *p));
            return self.narrow.push(narrow.clone());
        }
        match narrow {
            Narrow::Dense(view) => {
                for (k, p) in kept {
                    self.panel_columns.push(*p);
                    self.narrow.push(Narrow::Dense(view.one_column(*k)));
                }
            }
            Narrow::Transformed(t) => {
                let columns: Vec<usize> = kept.iter().map(|(k, _)| *k).collect();
                self.panel_columns.extend(kept.iter().map(|(_, p)| *p));
                self.narrow.push(Narrow::Transformed(Arc::new(t.selected(&columns))));
            }
        }
    }

    /// The one dense block that the panel consists of, if it does.
    pub(super) fn single_view(&self) -> Option<&View> {
        match &self.narrow[..] {
            [Narrow::Dense(view)] => Some(view),
            _ => None,
        }
    }

    /// The dense block with most columns.
    pub(super) fn widest_view(&self) -> Option<&View> {
        let views = self.narrow.iter().filter_map(|n| match n {
            Narrow::Dense(view) => Some(view),
            Narrow::Transformed(_) => None,
        });
        views.max_by_key(|view| view.n_columns())
    }

    /// Fills rows `from..to` of the panel, row-major with `stride` values from row to row.
    pub(super) fn fill_panel(
        &self,
        level: SimdLevel,
        from: usize,
        to: usize,
        out: &mut [f64],
        stride: usize,
    ) {
        let mut column = 0;
        for narrow in &self.narrow {
            match narrow {
                Narrow::Dense(view) => match view.by_columns(from, to) {
                    Some((cells, apart)) if view.n_columns() > 1 => {
                        turn(level, [to - from, view.n_columns()], cells, apart, &mut out[column..], stride);
                    }
                    _ => view.fill(from, to, &mut out[column..], stride),
                },
                Narrow::Transformed(t) => t.fill(from, to, &mut out[column..], stride),
            }
            column += narrow.width();
        }
    }

    /// Rows `from..to` written out with all columns, row-major.
    pub(super) fn fill_dense(&self, from: usize, to: usize, out: &mut [f64]) {
        let p = self.columns;
        out[..(to - from) * p].fill(0.0);
        let width = self.panel_width();
        let mut panel = vec![0.0; (to - from) * width];
        self.fill_panel(SimdLevel::Portable, from, to, &mut panel, width.max(1));
        for r in 0..to - from {
            let row = &mut out[r * p..(r + 1) * p];
            for (k, j) in self.panel_columns.iter().enumerate() {
                row[*j] = panel[r * width + k];
            }
            self.ones.iter().for_each(|j| row[*j] = 1.0);
            let at = self.first + from + r;
            for (start, factor) in &self.factors {
                if let Some(j) = factor.column(at) {
                    row[start + j] += 1.0;
                }
            }
            for (start, sparse) in &self.sparse {
                sparse.row(at).for_each(|(j, v)| row[start + j] += v);
            }
        }
    }

    /// The whole matrix, row-major.
    pub fn to_dense(&self) -> Vec<f64> {
        let mut out = vec![0.0; self.rows * self.columns];
        self.fill_dense(0, self.rows, &mut out);
        out
    }
}
