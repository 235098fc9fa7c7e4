//! Arrays of the host.
use std::sync::Arc;

use isostat_base::{Error, Result};

use super::buffer::{Dtype, View};
use super::design::{Block, Design};

/// An array of the host engine.
#[derive(Clone, Debug)]
pub enum HostArray {
    /// A scalar; it broadcasts.
    Scalar(f64),
    /// A vector.
    Vector(View),
    /// A small matrix, row-major.
    Small {
        /// Rows.
        rows: usize,
        /// Columns.
        columns: usize,
        /// Values.
        values: Arc<Vec<f64>>,
    },
    /// A design.
    Design(Arc<Design>),
}

impl HostArray {
    /// A vector of its own memory.
    pub fn vector(values: Vec<f64>) -> Self {
        HostArray::Vector(View::from_vec(values))
    }

    /// A design.
    pub fn design(design: Design) -> Self {
        HostArray::Design(Arc::new(design))
    }

    /// Values in row-major order with a shape of at most two dimensions.
    ///
    /// # Errors
    /// [`Error::Shape`] where values and shape disagree.
    pub fn from_values(values: Vec<f64>, shape: &[usize]) -> Result<Self> {
        if values.len() != shape.iter().product::<usize>() {
            let found = format!("{} values for shape {shape:?}", values.len());
            return Err(Error::shape("array", "values", "as many values as the shape holds", found));
        }
        match shape {
            [] => Ok(HostArray::Scalar(values[0])),
            [_] => Ok(HostArray::vector(values)),
            [rows, columns] => {
                Ok(HostArray::Small { rows: *rows, columns: *columns, values: Arc::new(values) })
            }
            _ => Err(Error::shape("array", "shape", "at most two dimensions", format!("{shape:?}"))),
        }
    }

    /// Dimensions.
    pub fn shape(&self) -> Vec<usize> {
        match self {
            HostArray::Scalar(_) => Vec::new(),
            HostArray::Vector(v) => vec![v.n_rows()],
            HostArray::Small { rows, columns, .. } => vec![*rows, *columns],
            HostArray::Design(d) => vec![d.n_rows(), d.n_columns()],
        }
    }

    /// The dtype that the caller sees.
    pub fn dtype(&self) -> Dtype {
        match self {
            HostArray::Vector(v) => v.dtype(),
            HostArray::Design(d) => d.dtype(),
            _ => Dtype::F64,
        }
    }

    /// The values, row-major.
    pub fn to_vec(&self) -> Vec<f64> {
        match self {
            HostArray::Scalar(value) => vec![*value],
            HostArray::Vector(v) => v.to_vec(),
            HostArray::Small { values, .. } => values.to_vec(),
            HostArray::Design(d) => d.to_dense(),
        }
    }

    /// The value of a scalar, or the first of an array.
    pub fn scalar_value(&self) -> f64 {
        match self {
            HostArray::Scalar(value) => *value,
            other => other.to_vec().first().copied().unwrap_or(f64::NAN),
        }
    }

    /// The array as a design; a small matrix becomes a dense block.
    ///
    /// # Errors
    /// [`Error::Shape`] for scalars and vectors.
    pub fn as_design(&self) -> Result<Arc<Design>> {
        match self {
            HostArray::Design(d) => Ok(d.clone()),
            HostArray::Small { rows, columns, values } => {
                let view = View::matrix(values.clone(), 0, [*rows, *columns], [*columns, 1])?;
                Ok(Arc::new(Design::from_blocks(vec![Block::Dense(view)])?))
            }
            other => Err(Error::shape("design", "X", "two dimensions", format!("shape {:?}", other.shape()))),
        }
    }
}
