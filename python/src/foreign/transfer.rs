//! Values to and from the host. Every array that leaves its namespace is recorded.
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::exceptions::PyTypeError;
use pyo3::intern;
use pyo3::prelude::*;

use isostat_base::Error;
use isostat_engine::Engine;

use super::array::Fa;
use super::dtype;
use super::engine::Foreign;
use super::namespace::{keywords, shape_tuple, Function, Kind, Namespace};
use crate::error::ForeignError;

/// The number behind a concrete scalar array.
pub fn scalar_value(array: &Bound<'_, PyAny>, namespace: &Namespace) -> PyResult<f64> {
    let py = array.py();
    if namespace.kind() == Kind::Torch {
        // torch warns where a number is read from a tensor that still has its derivative.
        return array.call_method0(intern!(py, "detach"))?.call_method0(intern!(py, "item"))?.extract();
    }
    array.call_method0(intern!(py, "__float__"))?.extract()
}

/// Name of an array's device: `cpu`, `cuda:0`; `traced` where it has none yet.
pub fn device_name(array: &Bound<'_, PyAny>, namespace: &Namespace) -> PyResult<String> {
    match namespace.kind() {
        Kind::NumPy => Ok("cpu".into()),
        Kind::Jax if !namespace.is_concrete(array) => Ok("traced".into()),
        Kind::Jax => jax_device_name(array),
        _ => match array.getattr_opt("device")? {
            Some(device) => Ok(device.str()?.to_string()),
            None => Ok("unknown".into()),
        },
    }
}

/// `cpu:0` for one device; platform and count for a sharded array.
fn jax_device_name(array: &Bound<'_, PyAny>) -> PyResult<String> {
    let mut first: Option<Bound<'_, PyAny>> = None;
    let mut count = 0;
    for device in array.call_method0("devices")?.try_iter()? {
        count += 1;
        first.get_or_insert(device?);
    }
    let Some(first) = first else { return Ok("unknown".into()) };
    let platform = first.getattr("platform")?.str()?.to_string();
    if count == 1 {
        Ok(format!("{platform}:{}", first.getattr("id")?.extract::<usize>()?))
    } else {
        Ok(format!("{platform} x {count}"))
    }
}

fn refuse_traced(engine: &Foreign<'_>, a: &Fa<'_>) -> Result<(), ForeignError> {
    if engine.is_concrete(a) {
        return Ok(());
    }
    Err(Error::unsupported(
        "reading values of a traced array",
        "under jax.jit, jax.vmap or torch.func.vmap there are none yet",
        "use isostat.functional, or call outside the transformation",
    )
    .into())
}

/// The elements in row-major order.
pub fn to_host(engine: &Foreign<'_>, a: &Fa<'_>) -> Result<Vec<f64>, ForeignError> {
    let array = match a {
        Fa::Lit(value) => return Ok(vec![*value]),
        Fa::Bad(error) => return Err(error.clone_ref(engine.py()).into()),
        Fa::Arr(array, _) => array,
    };
    refuse_traced(engine, a)?;
    let shape = a.shape()?;
    let values = host_values(engine.py(), array, engine.namespace())?;
    let bytes = values.len() * dtype::bytes(engine.dtype_name());
    if engine.namespace().kind() != Kind::NumPy {
        let from = format!("{} {} {}", engine.name(), engine.dtype_name(), engine.device_name());
        engine.record(format!("array of shape {shape:?}"), from, "host float64", bytes);
    }
    Ok(values)
}

fn host_values(py: Python<'_>, array: &Bound<'_, PyAny>, namespace: &Namespace) -> PyResult<Vec<f64>> {
    let numpy = py.import("numpy")?;
    let array = on_host(array, namespace)?;
    let flat = numpy.call_method1("asarray", (array,))?.call_method1("astype", ("float64",))?;
    let flat = flat.call_method1("reshape", (-1,))?;
    let values: PyReadonlyArray1<'_, f64> = flat.extract()?;
    Ok(values.as_array().to_vec())
}

/// An array that NumPy can read.
pub fn on_host<'py>(array: &Bound<'py, PyAny>, namespace: &Namespace) -> PyResult<Bound<'py, PyAny>> {
    let py = array.py();
    match namespace.kind() {
        Kind::Torch => {
            let host = array.call_method0("detach")?.call_method1("to", ("cpu",))?;
            let host = host.call_method0("resolve_conj")?.call_method0("resolve_neg")?;
            // NumPy has no bfloat16: its values are exact in float32.
            if dtype::name(&host.getattr("dtype")?)? == "bfloat16" {
                return host.call_method0("float")?.call_method0("numpy");
            }
            host.call_method0("numpy")
        }
        Kind::CuPy => namespace.module(py).call_method1("asnumpy", (array,)),
        Kind::NumPy | Kind::Jax => Ok(array.clone()),
        Kind::Standard => match standard_on_host(array) {
            Ok(host) => Ok(host),
            // Arrays that export nothing, or lie on another device, still give their elements.
            Err(error) => by_elements(array, namespace).map_err(|_| error),
        },
    }
}

/// By DLPack, or by the buffer protocol.
fn standard_on_host<'py>(array: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let numpy = array.py().import("numpy")?;
    if let Ok(host) = numpy.call_method1("from_dlpack", (array,)) {
        return Ok(host);
    }
    let host = numpy.call_method1("asarray", (array,))?;
    // NumPy wraps what it cannot read into an array of one object.
    if host.getattr("dtype")?.getattr("kind")?.extract::<String>()? == "O" {
        return Err(PyTypeError::new_err("the array exports neither DLPack nor a buffer"));
    }
    Ok(host)
}

/// Element by element: the standard has `float(a)` for arrays of no dimension on any device.
fn by_elements<'py>(array: &Bound<'py, PyAny>, namespace: &Namespace) -> PyResult<Bound<'py, PyAny>> {
    let py = array.py();
    let shape: Vec<usize> = array.getattr("shape")?.extract()?;
    let name = dtype::name(&array.getattr("dtype")?)?;
    let read = match dtype::class(&name) {
        dtype::Class::Float => "__float__",
        _ if name == "bool" => "__bool__",
        _ => "__int__",
    };
    let flat = namespace.function(py, Function::Reshape)?.call1((array, (-1,)))?;
    let count: usize = shape.iter().product();
    let values = (0..count).map(|i| flat.get_item(i)?.call_method0(read)).collect::<PyResult<Vec<_>>>()?;
    let host = py.import("numpy")?.call_method1("array", (values, name))?;
    host.call_method1("reshape", (shape_tuple(py, &shape)?,))
}

/// An array of the engine's dtype and device.
pub fn from_host<'py>(
    engine: &Foreign<'py>,
    values: &[f64],
    shape: &[usize],
) -> Result<Fa<'py>, ForeignError> {
    let dtype = engine.spec.dtype.bind(engine.py()).clone();
    Ok(engine.wrap(array_of(engine, values, shape, &dtype)?))
}

/// An array of a given dtype on the engine's device.
pub fn array_of<'py>(
    engine: &Foreign<'py>,
    values: &[f64],
    shape: &[usize],
    dtype: &Bound<'py, PyAny>,
) -> Result<Bound<'py, PyAny>, ForeignError> {
    let py = engine.py();
    let expected: usize = shape.iter().product();
    if values.len() != expected {
        let found = format!("{} values", values.len());
        return Err(Error::shape(engine.name(), "values", format!("{expected} values"), found).into());
    }
    let host = PyArray1::from_slice(py, values).into_any();
    let host = host.call_method1("reshape", (shape_tuple(py, shape)?,))?;
    let mut pairs: Vec<(&str, &Bound<'py, PyAny>)> = vec![("dtype", dtype)];
    let device = engine.spec.device.as_ref().map(|d| d.bind(py));
    if let Some(device) = device {
        pairs.push(("device", device));
    }
    let keywords = keywords(py, &pairs)?;
    Ok(engine.namespace().function(py, Function::AsArray)?.call((host,), Some(&keywords))?)
}

/// Position of the first element that is not 0; NaN is not 0.
pub fn first_nonzero(engine: &Foreign<'_>, v: &Fa<'_>) -> Result<Option<usize>, ForeignError> {
    let array = match v {
        Fa::Lit(value) => return Ok((*value != 0.0).then_some(0)),
        Fa::Bad(error) => return Err(error.clone_ref(engine.py()).into()),
        Fa::Arr(array, _) => array,
    };
    refuse_traced(engine, v)?;
    let py = engine.py();
    let namespace = engine.namespace();
    let mask = array.rich_compare(0.0, pyo3::basic::CompareOp::Ne)?;
    if !namespace.function(py, Function::Any)?.call1((&mask,))?.is_truthy()? {
        return Ok(None);
    }
    if v.shape()?.is_empty() {
        return Ok(Some(0));
    }
    // Truth values have no argmax in the standard.
    let Some(small) = dtype::by_name(py, "int8", namespace)? else {
        return Err(Error::unsupported(
            "an array namespace without int8",
            "the standard has it",
            "report it there",
        )
        .into());
    };
    let counted = dtype::cast(&mask, &small, namespace)?;
    let index = namespace.function(py, Function::ArgMax)?.call1((counted,))?;
    Ok(Some(index.call_method0("__int__")?.extract()?))
}
