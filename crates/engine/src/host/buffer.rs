//! Memory that an engine reads in place, and strided views of it.
use std::fmt;
use std::sync::Arc;

use isostat_base::{Error, Result};

/// The floating-point type that stored values have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dtype {
    /// Single precision.
    F32,
    /// Double precision.
    F64,
}

/// Values in memory.
#[derive(Clone, Copy, Debug)]
pub enum Slice<'a> {
    /// Doubles.
    F64(&'a [f64]),
    /// Singles.
    F32(&'a [f32]),
}

impl Slice<'_> {
    /// Number of values.
    pub fn len(&self) -> usize {
        match self {
            Slice::F64(x) => x.len(),
            Slice::F32(x) => x.len(),
        }
    }
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// The stored type.
    pub fn dtype(&self) -> Dtype {
        match self {
            Slice::F64(_) => Dtype::F64,
            Slice::F32(_) => Dtype::F32,
        }
    }
}

/// Whoever owns memory that views read. The slice must stay the same for the life of the buffer.
pub trait Buffer: Send + Sync {
    /// All values.
    fn data(&self) -> Slice<'_>;
}

impl Buffer for Vec<f64> {
    fn data(&self) -> Slice<'_> {
        Slice::F64(self)
    }
}

impl Buffer for Vec<f32> {
    fn data(&self) -> Slice<'_> {
        Slice::F32(self)
    }
}

/// A strided view of a buffer, as a matrix of `rows × columns`; a vector has one column.
#[derive(Clone)]
pub struct View {
    buffer: Arc<dyn Buffer>,
    offset: usize,
    rows: usize,
    columns: usize,
    row_stride: usize,
    column_stride: usize,
    dtype: Dtype,
}

impl fmt::Debug for View {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "View({} × {}, {:?})", self.rows, self.columns, self.dtype)
    }
}

impl View {
    /// A matrix in `buffer`; strides and offset count values.
    ///
    /// # Errors
    /// [`Error::Shape`] where the buffer is too short.
    pub fn matrix(
        buffer: Arc<dyn Buffer>,
        offset: usize,
        shape: [usize; 2],
        strides: [usize; 2],
    ) -> Result<View> {
        let [rows, columns] = shape;
        let data = buffer.data();
        let (len, dtype) = (data.len(), data.dtype());
        let last = |count: usize, stride: usize| (count - 1).checked_mul(stride);
        let fits = rows == 0
            || columns == 0
            || last(rows, strides[0])
                .zip(last(columns, strides[1]))
                .and_then(|(a, b)| a.checked_add(b)?.checked_add(offset))
                .is_some_and(|end| end < len);
        if !fits {
            let expected = format!("a buffer that holds {rows} × {columns} values at strides {strides:?}");
            return Err(Error::shape("view", "buffer", expected, format!("{len} values")));
        }
        Ok(View { buffer, offset, rows, columns, row_stride: strides[0], column_stride: strides[1], dtype })
    }

    /// A vector in `buffer`.
    ///
    /// # Errors
    /// [`Error::Shape`] where the buffer is too short.
    pub fn vector(buffer: Arc<dyn Buffer>, offset: usize, len: usize, stride: usize) -> Result<View> {
        View::matrix(buffer, offset, [len, 1], [stride, 1])
    }

    /// A vector of its own memory.
    pub fn from_vec(values: Vec<f64>) -> View {
        let rows = values.len();
        View {
            buffer: Arc::new(values),
            offset: 0,
            rows,
            columns: 1,
            row_stride: 1,
            column_stride: 1,
            dtype: Dtype::F64,
        }
    }

    /// The same values, labelled as results of `dtype`: computed in doubles, to be narrowed when handed out.
    pub fn labelled(mut self, dtype: Dtype) -> View {
        self.dtype = dtype;
        self
    }

    /// The dtype that the caller sees.
    pub fn dtype(&self) -> Dtype {
        self.dtype
    }
    /// Number of rows.
    pub fn n_rows(&self) -> usize {
        self.rows
    }
    /// Number of columns.
    pub fn n_columns(&self) -> usize {
        self.columns
    }

    /// Rows `from..to`, clipped to those that exist.
    pub fn rows(&self, from: usize, to: usize) -> View {
        let to = to.min(self.rows);
        let from = from.min(to);
        View { offset: self.offset + from * self.row_stride, rows: to - from, ..self.clone() }
    }

    /// One of its columns.
    pub fn one_column(&self, column: usize) -> View {
        View { offset: self.offset + column * self.column_stride, columns: 1, ..self.clone() }
    }

    /// Rows `from..to` and the row stride, where these are doubles in rows whose cells are neighbours.
    pub(crate) fn by_rows(&self, from: usize, to: usize) -> Option<(&[f64], usize)> {
        let Slice::F64(data) = self.buffer.data() else { return None };
        if (self.column_stride != 1 && self.columns != 1) || self.row_stride < self.columns || to <= from {
            return None;
        }
        let start = self.offset + from * self.row_stride;
        let end = self.offset + (to - 1) * self.row_stride + self.columns;
        data.get(start..end).map(|rows| (rows, self.row_stride))
    }

    /// Rows `from..to` and the column stride, where these are doubles in columns whose cells are neighbours.
    pub(crate) fn by_columns(&self, from: usize, to: usize) -> Option<(&[f64], usize)> {
        let Slice::F64(data) = self.buffer.data() else { return None };
        if self.row_stride != 1 || self.columns == 0 || to <= from {
            return None;
        }
        let start = self.offset + from;
        let end = self.offset + (self.columns - 1) * self.column_stride + to;
        data.get(start..end).map(|cells| (cells, self.column_stride))
    }

    /// Copies rows `from..to` of the first column.
    pub(crate) fn read(&self, from: usize, to: usize, out: &mut [f64]) {
        if let (Slice::F64(data), 1) = (self.buffer.data(), self.row_stride) {
            return out.copy_from_slice(&data[self.offset + from..self.offset + to]);
        }
        self.fill(from, to, out, 1);
    }

    /// Copies rows `from..to` into `out`, row-major with `stride` values from row to row.
    pub(crate) fn fill(&self, from: usize, to: usize, out: &mut [f64], stride: usize) {
        match self.buffer.data() {
            Slice::F64(data) => self.copy(data, from, to, out, stride, |x| x),
            Slice::F32(data) => self.copy(data, from, to, out, stride, f64::from),
        }
    }

    fn copy<T: Copy>(
        &self,
        data: &[T],
        from: usize,
        to: usize,
        out: &mut [f64],
        stride: usize,
        widen: impl Fn(T) -> f64,
    ) {
        let start = self.offset + from * self.row_stride;
        if self.column_stride == 1 && self.columns > 1 {
            for r in 0..to - from {
                let row = &data[start + r * self.row_stride..][..self.columns];
                out[r * stride..].iter_mut().zip(row).for_each(|(o, x)| *o = widen(*x));
            }
        } else {
            for c in 0..self.columns {
                let column = data[start + c * self.column_stride..].iter().step_by(self.row_stride.max(1));
                if self.row_stride == 0 {
                    let x = widen(data[start + c * self.column_stride]);
                    out[c..].iter_mut().step_by(stride).take(to - from).for_each(|o| *o = x);
                } else {
                    let cells = out[c..].iter_mut().step_by(stride).take(to - from);
                    cells.zip(column).for_each(|(o, x)| *o = widen(*x));
                }
            }
        }
    }

    /// All values, row-major.
    pub fn to_vec(&self) -> Vec<f64> {
        let mut out = vec![0.0; self.rows * self.columns];
        if !out.is_empty() {
            self.fill(0, self.rows, &mut out, self.columns);
        }
        out
    }
}
