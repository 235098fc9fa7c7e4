//! Blocks of columns as plain data.

/// A main effect of at least this many levels stays codes. Below it the dense columns are as fast and no larger
/// than the codes' bookkeeping.
pub const CATEGORICAL_FROM: usize = 5;

/// Neighbouring columns of a model matrix.
#[derive(Clone, Debug, PartialEq)]
pub enum Block {
    /// Columns of numbers.
    Dense {
        /// The columns' names.
        names: Vec<String>,
        /// The values, column-major.
        values: Vec<f64>,
    },
    /// The indicator columns of a factor, never written out.
    Categorical {
        /// The columns' names.
        names: Vec<String>,
        /// The level of each row.
        codes: Vec<u32>,
        /// The number of levels.
        n_levels: usize,
        /// The column within the block of each level; the baseline of treatment contrasts has none.
        column_of_level: Vec<Option<u32>>,
    },
}

impl Block {
    /// The columns' names.
    pub fn names(&self) -> &[String] {
        match self {
            Block::Dense { names, .. } | Block::Categorical { names, .. } => names,
        }
    }

    /// The number of columns.
    pub fn n_columns(&self) -> usize {
        self.names().len()
    }

    /// The columns written out, column-major.
    pub fn to_dense(&self, n_rows: usize) -> Vec<f64> {
        match self {
            Block::Dense { values, .. } => values.clone(),
            Block::Categorical { names, codes, column_of_level, .. } => {
                let mut out = vec![0.0; n_rows * names.len()];
                for (row, &code) in codes.iter().enumerate() {
                    if let Some(column) = column_of_level[code as usize] {
                        out[column as usize * n_rows + row] = 1.0;
                    }
                }
                out
            }
        }
    }
}
