//! Tables: columns of arrays, or an Arrow stream.
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyCapsuleMethods};

use isostat_base::Error;
use isostat_data::{Column, Frame};

use crate::error::{guard, ForeignError};

/// A table of named columns.
#[pyclass(name = "Frame", module = "isostat._core", frozen)]
pub struct PyFrame(pub Frame);

/// One column, as the Python front hands it over: ("float", values), ("bool", values, missing),
/// ("text", strings or None), ("categorical", codes, levels, ordered).
fn column(parts: &Bound<'_, PyAny>) -> Result<Column, ForeignError> {
    let kind: String = parts.get_item(0)?.extract()?;
    let values = parts.get_item(1)?;
    Ok(match kind.as_str() {
        "float" => Column::float(values.extract::<PyReadonlyArray1<'_, f64>>()?.as_array().to_vec()),
        "integer" => {
            let array = values.extract::<PyReadonlyArray1<'_, i64>>()?;
            Column::integer(array.as_array().iter().copied())
        }
        "bool" => {
            let array = values.extract::<PyReadonlyArray1<'_, bool>>()?;
            Column::boolean(array.as_array().to_vec())
        }
        "bool_optional" => Column::boolean_optional(&values.extract::<Vec<Option<bool>>>()?),
        "text" => Column::text_optional(&values.extract::<Vec<Option<String>>>()?),
        "categorical" => {
            let codes = values.extract::<PyReadonlyArray1<'_, i64>>()?;
            let codes: Vec<u32> =
                codes.as_array().iter().map(|c| u32::try_from(*c).unwrap_or(isostat_data::MISSING)).collect();
            let levels: Vec<String> = parts.get_item(2)?.extract()?;
            let ordered: bool = parts.get_item(3)?.extract()?;
            Column::categorical(codes, levels, ordered)?
        }
        other => return Err(Error::domain("frame", "column", "be of a known kind", other).into()),
    })
}

#[pymethods]
impl PyFrame {
    /// A table of columns given one by one.
    #[staticmethod]
    fn from_columns(py: Python<'_>, columns: Vec<(String, Bound<'_, PyAny>)>) -> PyResult<PyFrame> {
        guard(py, || {
            let mut named = Vec::with_capacity(columns.len());
            for (name, parts) in &columns {
                named.push((name.clone(), column(parts)?));
            }
            Ok::<_, ForeignError>(PyFrame(Frame::new(named)?))
        })
    }

    /// A table of an Arrow stream, given as the capsule of `__arrow_c_stream__`; only the wanted columns if named.
    #[staticmethod]
    fn from_arrow(
        py: Python<'_>,
        capsule: &Bound<'_, PyCapsule>,
        wanted: Option<Vec<String>>,
    ) -> PyResult<PyFrame> {
        guard(py, || {
            let pointer = capsule.pointer_checked(Some(c"arrow_array_stream"))?;
            let is_wanted = |name: &str| wanted.as_ref().is_none_or(|w| w.iter().any(|n| n == name));
            // SAFETY: the capsule's name vouches for its type; the producer gave it to us alone.
            let frame = unsafe {
                isostat_data::frame::ffi::frame_of_stream(pointer.as_ptr().cast(), Some(&is_wanted))
            }?;
            Ok::<_, ForeignError>(PyFrame(frame))
        })
    }

    /// The given rows.
    fn take(&self, rows: Vec<usize>) -> PyFrame {
        PyFrame(self.0.take(&rows))
    }

    #[getter]
    fn n_rows(&self) -> usize {
        self.0.n_rows()
    }

    #[getter]
    fn names(&self) -> Vec<String> {
        self.0.names().to_vec()
    }

    /// A column as numbers.
    fn numeric<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        guard(py, || {
            let values = self.0.numeric(name)?;
            Ok::<_, ForeignError>(super::host::to_numpy(py, values.to_vec(), false))
        })
    }
}

/// The columns that a formula names; None where it says `.`.
#[pyfunction]
#[pyo3(name = "_formula_columns")]
pub fn formula_columns(py: Python<'_>, formula: &str) -> PyResult<Option<Vec<String>>> {
    guard(py, || Ok::<_, ForeignError>(isostat_data::Formula::parse(formula)?.column_names()))
}
