//! NumPy and SciPy memory as designs and vectors of the host engine, without a copy.
use std::sync::Arc;

use numpy::{Element, PyArray1, PyArrayDyn, PyArrayMethods, PyReadonlyArrayDyn, PyUntypedArrayMethods};
use pyo3::prelude::*;

use isostat_base::Error;
use isostat_engine::host::{Block, Buffer, Design, HostArray, Slice, View};

use crate::error::ForeignError;

/// NumPy memory: the read-only borrow keeps the array alive and lets nobody write while the fit reads it.
struct Borrowed<T: Element> {
    pointer: *const T,
    length: usize,
    // The array object that owns the memory.
    _owner: Py<PyAny>,
}

// SAFETY: the memory is only read, and the owner is only dropped through PyO3, which defers to the interpreter.
unsafe impl<T: Element> Send for Borrowed<T> {}
// SAFETY: as above; concurrent reads of floats are safe.
unsafe impl<T: Element> Sync for Borrowed<T> {}

impl Buffer for Borrowed<f64> {
    fn data(&self) -> Slice<'_> {
        // SAFETY: pointer and length were computed from the array's own shape and strides, and the owner lives.
        Slice::F64(unsafe { std::slice::from_raw_parts(self.pointer, self.length) })
    }
}

impl Buffer for Borrowed<f32> {
    fn data(&self) -> Slice<'_> {
        // SAFETY: as for f64.
        Slice::F32(unsafe { std::slice::from_raw_parts(self.pointer, self.length) })
    }
}

/// A buffer with shape and strides, in values.
type Memory = (Arc<dyn Buffer>, Vec<usize>, Vec<usize>);

fn borrowed<'py, T: Element + 'static>(array: &Bound<'py, PyArrayDyn<T>>) -> PyResult<Memory>
where
    Borrowed<T>: Buffer,
{
    let size = std::mem::size_of::<T>() as isize;
    let is_plain = array.strides().iter().all(|s| *s >= 0 && s % size == 0);
    let array = if is_plain && (array.data() as usize).is_multiple_of(std::mem::align_of::<T>()) {
        array.clone()
    } else {
        // Reversed or unaligned memory is copied once.
        array.call_method0("copy")?.cast_into::<PyArrayDyn<T>>()?
    };
    let shape: Vec<usize> = array.shape().to_vec();
    let strides: Vec<usize> = array.strides().iter().map(|s| (*s / size) as usize).collect();
    let length = match shape.contains(&0) {
        true => 0,
        false => shape.iter().zip(&strides).map(|(n, s)| (n - 1) * s).sum::<usize>() + 1,
    };
    let pointer: *const T = if length == 0 { std::ptr::NonNull::dangling().as_ptr() } else { array.data() };
    let buffer = Borrowed { pointer, length, _owner: array.into_any().unbind() };
    Ok((Arc::new(buffer), shape, strides))
}

/// Buffer, shape and strides of a float32 or float64 array; anything else is converted to float64 first.
fn memory(array: &Bound<'_, PyAny>) -> Result<Memory, ForeignError> {
    if let Ok(doubles) = array.cast::<PyArrayDyn<f64>>() {
        return Ok(borrowed(doubles)?);
    }
    if let Ok(singles) = array.cast::<PyArrayDyn<f32>>() {
        return Ok(borrowed(singles)?);
    }
    let doubles = array.call_method1("astype", ("float64",))?;
    Ok(borrowed(doubles.cast::<PyArrayDyn<f64>>().map_err(PyErr::from)?)?)
}

/// A vector of NumPy memory.
pub fn vector(name: &str, array: &Bound<'_, PyAny>) -> Result<HostArray, ForeignError> {
    let (buffer, shape, strides) = memory(array)?;
    match (&shape[..], &strides[..]) {
        ([n], [s]) => Ok(HostArray::Vector(View::vector(buffer, 0, *n, *s)?)),
        ([n, 1], [s, _]) => Ok(HostArray::Vector(View::vector(buffer, 0, *n, *s)?)),
        _ => Err(Error::shape("fit_glm", name, "one dimension", format!("shape {shape:?}")).into()),
    }
}

/// A dense block of NumPy memory.
pub fn dense(name: &str, array: &Bound<'_, PyAny>) -> Result<Block, ForeignError> {
    let (buffer, shape, strides) = memory(array)?;
    match (&shape[..], &strides[..]) {
        ([n, p], [r, c]) => Ok(Block::Dense(View::matrix(buffer, 0, [*n, *p], [*r, *c])?)),
        _ => {
            let expected = "two dimensions (rows, columns)";
            Err(Error::shape("fit_glm", name, expected, format!("shape {shape:?}")).into())
        }
    }
}

/// A sparse block of a SciPy matrix, which is brought to compressed columns.
pub fn sparse(matrix: &Bound<'_, PyAny>) -> Result<Block, ForeignError> {
    let columns = matrix.call_method0("tocsc")?;
    // Duplicate entries of a coordinate matrix are summed; indices are sorted.
    columns.call_method0("sum_duplicates")?;
    let (n, p): (usize, usize) = columns.getattr("shape")?.extract()?;
    let values: Vec<f64> = columns
        .getattr("data")?
        .call_method1("astype", ("float64",))?
        .extract::<PyReadonlyArrayDyn<'_, f64>>()?
        .as_array()
        .iter()
        .copied()
        .collect();
    let read = |name: &str| -> Result<Vec<i64>, ForeignError> {
        let array = columns.getattr(name)?.call_method1("astype", ("int64",))?;
        let array = array.cast::<PyArray1<i64>>().map_err(PyErr::from)?;
        Ok(array.readonly().as_array().to_vec())
    };
    let rows = read("indices")?.into_iter().map(|i| i as u32).collect();
    let starts = read("indptr")?.into_iter().map(|i| i as usize).collect();
    Ok(Block::sparse(n, p, starts, rows, values)?)
}

/// A design of blocks side by side.
pub fn design(blocks: Vec<Block>) -> Result<HostArray, ForeignError> {
    Ok(HostArray::Design(Arc::new(Design::from_blocks(blocks)?)))
}

/// A NumPy vector of host values, in the dtype that they carry.
pub fn to_numpy<'py>(py: Python<'py>, values: Vec<f64>, is_single: bool) -> Bound<'py, PyAny> {
    if is_single {
        let singles: Vec<f32> = values.iter().map(|v| *v as f32).collect();
        return PyArray1::from_vec(py, singles).into_any();
    }
    PyArray1::from_vec(py, values).into_any()
}
