//! From a frame and a formula to a model matrix, with R's columns and names.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`block`] | [`Block`]: dense columns, or the codes of a factor |
//! | [`contrast`] | how the levels of a factor become columns |
//! | [`variable`] | what training learnt of one variable |
//! | [`missing`] | missing and infinite values: refused, or their rows dropped |
//! | [`columns`] | terms to columns |
//! | [`spec`] | [`ModelSpec`]: everything that new data need |
pub mod block;
pub mod columns;
pub mod contrast;
pub mod missing;
pub mod spec;
pub mod variable;

use std::sync::Arc;

pub use block::Block;
pub use missing::NaPolicy;
pub use spec::ModelSpec;
pub use variable::{NewLevels, VariableKind};

/// The response.
#[derive(Clone, Debug, PartialEq)]
pub enum Response {
    /// One number per row.
    Vector {
        /// The values: logical values are 0 and 1; a factor is 0 for its first level and 1 for the others.
        values: Vec<f64>,
        /// The levels, where it is a factor. Families other than the binomial have no use for one.
        levels: Option<Vec<String>>,
    },
    /// `cbind(successes, failures)`.
    TwoColumn {
        /// The first column.
        successes: Vec<f64>,
        /// The second column.
        failures: Vec<f64>,
    },
}

/// How a design is learnt.
#[derive(Clone, Debug, Default)]
pub struct DesignOptions {
    /// What becomes of rows with missing values.
    pub na: NaPolicy,
    /// Further columns whose rows must be complete: weights, an offset, an exposure.
    pub extra_columns: Vec<String>,
    /// The same for values that are no column of the frame, with a name for errors.
    pub extra_values: Vec<(String, Arc<[f64]>)>,
}

/// How a design is built for new data.
#[derive(Clone, Debug, Default)]
pub struct BuildOptions {
    /// What becomes of rows with missing values.
    pub na: NaPolicy,
    /// What becomes of rows with a level that training has not seen.
    pub new_levels: NewLevels,
    /// Whether the response is wanted.
    pub with_response: bool,
    /// Further columns whose rows must be complete.
    pub extra_columns: Vec<String>,
    /// The same for values that are no column of the frame, with a name for errors.
    pub extra_values: Vec<(String, Arc<[f64]>)>,
}

/// A model matrix as blocks of columns.
#[derive(Clone, Debug, PartialEq)]
pub struct Design {
    /// The blocks: side by side they are the matrix.
    pub blocks: Vec<Block>,
    /// The names of the columns, as R writes them.
    pub coef_names: Vec<String>,
    /// The term of each column: 0 is the intercept, k the k-th of `term_names`.
    pub term_of_column: Vec<usize>,
    /// The names of the terms, without the intercept.
    pub term_names: Vec<String>,
    /// Whether the first column is an intercept.
    pub has_intercept: bool,
    /// The number of rows.
    pub n_rows: usize,
    /// The response, where the formula has one and it was asked for.
    pub response: Option<Response>,
    /// The sum of the `offset()` terms, where there is one.
    pub offset: Option<Vec<f64>>,
    /// The row of the frame that each row stands for.
    pub rows: Vec<usize>,
    /// The number of rows of the frame.
    pub n_source_rows: usize,
}

impl Design {
    /// The number of columns.
    pub fn n_columns(&self) -> usize {
        self.coef_names.len()
    }

    /// How many rows of the frame were left out.
    pub fn n_dropped(&self) -> usize {
        self.n_source_rows - self.rows.len()
    }

    /// The whole matrix, column-major: for small designs and tests.
    pub fn to_dense(&self) -> Vec<f64> {
        self.blocks.iter().flat_map(|block| block.to_dense(self.n_rows)).collect()
    }
}
