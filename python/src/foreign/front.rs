//! What Python sees of the foreign engines.
use pyo3::prelude::*;
use pyo3::types::PyType;

use isostat_base::Error;
use isostat_number::{Elementary, Unary};

use super::array::Fa;
use super::quiet::Quiet;
use super::{dtype, registry, transfer};
use crate::error::{guard, ForeignError};

/// Engine, dtype and device of an array, by name; None if the object is no array.
#[pyfunction]
#[pyo3(name = "_describe_array")]
pub fn describe_array(
    py: Python<'_>,
    object: &Bound<'_, PyAny>,
) -> PyResult<Option<(String, String, String)>> {
    guard(py, || {
        let Some(namespace) = registry::namespace_of(object)? else { return Ok::<_, ForeignError>(None) };
        let dtype = dtype::name(&object.getattr("dtype")?)?;
        let device = transfer::device_name(object, namespace)?;
        Ok(Some((namespace.name().to_string(), dtype, device)))
    })
}

/// The module that acts on an array; None if the object is no array.
#[pyfunction]
#[pyo3(name = "_module_of")]
pub fn module_of<'py>(py: Python<'py>, object: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    guard(py, || Ok::<_, ForeignError>(registry::namespace_of(object)?.map(|n| n.module(py).clone())))
}

/// A NumPy array with the values of an array of any engine.
#[pyfunction]
#[pyo3(name = "_array_to_numpy")]
pub fn array_to_numpy<'py>(py: Python<'py>, object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    guard(py, || {
        let array = match registry::namespace_of(object)? {
            Some(namespace) => transfer::on_host(object, namespace)?,
            None => object.clone(),
        };
        Ok::<_, ForeignError>(py.import("numpy")?.call_method1("asarray", (array,))?)
    })
}

/// Registers an array type under an engine's name.
#[pyfunction]
#[pyo3(name = "_register_array_type")]
pub fn register_array_type(
    py: Python<'_>,
    array_type: &Bound<'_, PyType>,
    name: &str,
    namespace: &Bound<'_, PyAny>,
) -> PyResult<()> {
    guard(py, || registry::register(array_type, name, namespace))
}

/// An elementary function of the table, element by element, in the array's own namespace.
#[pyfunction]
#[pyo3(name = "_map_unary")]
pub fn map_unary<'py>(py: Python<'py>, name: &str, array: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    guard(py, || {
        let Some(op) = Unary::ALL.iter().copied().find(|op| op.name() == name) else {
            let known: Vec<&str> = Unary::ALL.iter().map(|op| op.name()).collect();
            return Err(
                Error::domain("special", "name", format!("be one of {}", known.join(", ")), name).into()
            );
        };
        // The type comes first: asking a tensor for its number is slow, and warns.
        if registry::is_plain(array) {
            if let Ok(number) = array.extract::<f64>() {
                return Ok(super::array::float(py, op.value(number)));
            }
        }
        let Some(namespace) = registry::namespace_of(array)? else {
            return Err(Error::Dtype {
                parameter: "x".into(),
                expected: "an array of a known engine, or a float".into(),
                found: array.get_type().name()?.to_string(),
                remedy: "register its type with isostat.register_array_type".into(),
            }
            .into());
        };
        let _quiet = Quiet::new(py, namespace)?;
        match Fa::Arr(array.clone(), namespace).unary(op).into_result(py)? {
            Fa::Arr(result, _) => Ok::<_, ForeignError>(result),
            _ => Err(Error::unsupported(format!("`{name}`"), "it has no array form", "use another function")
                .into()),
        }
    })
}
