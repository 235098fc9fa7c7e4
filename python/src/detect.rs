//! Detection: which engine the arguments of a call belong to. All must agree in engine, dtype and device.
use pyo3::prelude::*;

use isostat_base::Error;

use crate::error::ForeignError;
use crate::foreign::dtype::{self, Class};
use crate::foreign::namespace::{Kind, Namespace};
use crate::foreign::{registry, transfer, Fa, Foreign};

/// The engine of a call with its arguments, in the order given; absent ones stay absent.
pub struct Detected<'py> {
    /// The engine; casts are in its record of conversions.
    pub engine: Foreign<'py>,
    /// The arguments as arrays of the engine; Python numbers are weak scalars.
    pub arrays: Vec<Option<Fa<'py>>>,
}

/// One argument that is an array.
struct Seen<'a, 'py> {
    name: &'a str,
    array: Bound<'py, PyAny>,
    namespace: &'static Namespace,
    dtype: String,
    device: String,
}

/// Detects the engine of a call. The first argument, the design, rules: integer or bool arguments beside it are cast
/// to its dtype, and an integer design to the default float of its namespace (float64 where it has it). Python
/// lists and numbers have no engine and take that of the design.
pub fn detect<'py>(arguments: &[(&str, Option<&Bound<'py, PyAny>>)]) -> Result<Detected<'py>, ForeignError> {
    let Some((name, Some(design))) = arguments.first() else {
        return Err(Error::missing("X", "None", isostat_base::Place::default()).into());
    };
    let first = seen(name, design)?;
    let mut others = Vec::new();
    for (name, value) in &arguments[1..] {
        others.push(match value {
            Some(value) if !registry::is_plain(value) => Some(seen(name, value)?),
            _ => None,
        });
    }
    let everyone: Vec<&Seen<'_, 'py>> = std::iter::once(&first).chain(others.iter().flatten()).collect();
    agree(&everyone)?;
    let traced = everyone.iter().any(|s| !s.namespace.is_concrete(&s.array));
    let namespace = first.namespace;
    let target = match dtype::class(&first.dtype) {
        Class::Float => first.array.getattr("dtype")?,
        _ => dtype::default_float(&first.array, namespace)?.ok_or_else(|| no_float(&first))?,
    };
    let design = dtype_cast(&first, &target)?;
    let engine = Foreign::new(&design, namespace, traced)?;
    record_cast(&engine, &first);
    let mut arrays = vec![Some(engine.wrap(design))];
    for ((name, value), other) in arguments[1..].iter().zip(&others) {
        arrays.push(match (value, other) {
            (_, Some(other)) => {
                record_cast(&engine, other);
                Some(engine.wrap(dtype_cast(other, &target)?))
            }
            (Some(value), None) => Some(adopt(&engine, name, value, &target)?),
            (None, None) => None,
        });
    }
    Ok(Detected { engine, arrays })
}

/// Whether an object is an array of some namespace, a traced one included.
pub fn is_array(object: &Bound<'_, PyAny>) -> Result<bool, ForeignError> {
    Ok(registry::namespace_of(object)?.is_some())
}

fn seen<'a, 'py>(name: &'a str, value: &Bound<'py, PyAny>) -> Result<Seen<'a, 'py>, ForeignError> {
    let found = registry::namespace_of(value).map_err(|error| rename(error, name))?;
    let (array, namespace) = match found {
        Some(namespace) => (value.clone(), namespace),
        None => read_by_numpy(name, value)?,
    };
    let array = plain_array(array, namespace)?;
    let dtype = dtype::name(&array.getattr("dtype")?)?;
    if dtype::class(&dtype) == Class::Other {
        return Err(Error::Dtype {
            parameter: name.into(),
            expected: "float, integer or bool".into(),
            found: dtype,
            remedy: format!("convert `{name}` to a real floating dtype first"),
        }
        .into());
    }
    let device = transfer::device_name(&array, namespace)?;
    Ok(Seen { name, array, namespace, dtype, device })
}

/// The registry does not know what the argument is called.
fn rename(error: ForeignError, name: &str) -> ForeignError {
    match error {
        ForeignError::Isostat(refusal) => match *refusal {
            Error::Dtype { expected, found, remedy, .. } => {
                Error::Dtype { parameter: name.into(), expected, found, remedy }.into()
            }
            other => other.into(),
        },
        other => other,
    }
}

/// Lists, pandas objects and whatever else NumPy reads count as NumPy's.
fn read_by_numpy<'py>(
    name: &str,
    value: &Bound<'py, PyAny>,
) -> Result<(Bound<'py, PyAny>, &'static Namespace), ForeignError> {
    let numpy = value.py().import("numpy")?;
    let array = numpy.call_method1("asarray", (value,))?;
    match registry::namespace_of(&array)? {
        Some(namespace) => Ok((array, namespace)),
        None => Err(Error::Dtype {
            parameter: name.into(),
            expected: "an array".into(),
            found: value.get_type().name()?.to_string(),
            remedy: format!("give `{name}` as an array"),
        }
        .into()),
    }
}

/// Subclasses of ndarray that change what `*` means (`numpy.matrix`) become plain arrays.
fn plain_array<'py>(array: Bound<'py, PyAny>, namespace: &Namespace) -> PyResult<Bound<'py, PyAny>> {
    if namespace.kind() == Kind::NumPy {
        return array.py().import("numpy")?.call_method1("asarray", (array,));
    }
    Ok(array)
}

/// Every argument against the first in engine, and against the first float one in dtype; devices likewise.
fn agree(arguments: &[&Seen<'_, '_>]) -> Result<(), ForeignError> {
    for (index, one) in arguments.iter().enumerate() {
        for other in &arguments[..index] {
            if !std::ptr::eq(one.namespace, other.namespace) {
                return Err(mixed(other, one, other.namespace.name().into(), one.namespace.name().into()));
            }
            let both_float =
                dtype::class(&one.dtype) == Class::Float && dtype::class(&other.dtype) == Class::Float;
            let dtypes = both_float && one.dtype != other.dtype;
            // A tracer has no device of its own: its transformation places it.
            let devices = one.device != other.device && one.device != "traced" && other.device != "traced";
            if dtypes || devices {
                return Err(mixed(
                    other,
                    one,
                    describe(other, dtypes, devices),
                    describe(one, dtypes, devices),
                ));
            }
        }
    }
    Ok(())
}

fn describe(argument: &Seen<'_, '_>, dtype: bool, device: bool) -> String {
    let mut text = argument.namespace.name().to_string();
    if dtype {
        text = format!("{text} {}", argument.dtype);
    }
    if device {
        text = format!("{text} on {}", argument.device);
    }
    text
}

fn mixed(
    first: &Seen<'_, '_>,
    second: &Seen<'_, '_>,
    first_engine: String,
    second_engine: String,
) -> ForeignError {
    Error::MixedEngine { first: first.name.into(), first_engine, second: second.name.into(), second_engine }
        .into()
}

fn no_float(design: &Seen<'_, '_>) -> ForeignError {
    Error::Dtype {
        parameter: design.name.into(),
        expected: "a real floating dtype".into(),
        found: design.dtype.clone(),
        remedy: format!("convert `{}` to a floating dtype first", design.name),
    }
    .into()
}

fn dtype_cast<'py>(argument: &Seen<'_, 'py>, target: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    if dtype::class(&argument.dtype) == Class::Float {
        return Ok(argument.array.clone());
    }
    dtype::cast(&argument.array, target, argument.namespace)
}

fn record_cast(engine: &Foreign<'_>, argument: &Seen<'_, '_>) {
    if dtype::class(&argument.dtype) == Class::Float {
        return;
    }
    let elements: usize = argument
        .array
        .getattr("shape")
        .and_then(|s| s.extract::<Vec<usize>>())
        .unwrap_or_default()
        .iter()
        .product();
    let bytes = elements * dtype::bytes(engine.dtype_name());
    engine.record(argument.name, argument.dtype.clone(), engine.dtype_name(), bytes);
}

/// A Python number as a weak scalar; a list as an array of the engine.
fn adopt<'py>(
    engine: &Foreign<'py>,
    name: &str,
    value: &Bound<'py, PyAny>,
    target: &Bound<'py, PyAny>,
) -> Result<Fa<'py>, ForeignError> {
    if let Ok(number) = value.extract::<f64>() {
        return Ok(Fa::Lit(number));
    }
    let py = engine.py();
    let host = py.import("numpy")?.call_method1("asarray", (value, "float64"))?;
    let shape: Vec<usize> = host.getattr("shape")?.extract()?;
    let flat = host.call_method1("reshape", (-1,))?;
    let values: numpy::PyReadonlyArray1<'_, f64> = flat.extract()?;
    let values = values.as_array().to_vec();
    let array = transfer::array_of(engine, &values, &shape, target)?;
    if engine.namespace().kind() != Kind::NumPy {
        let to = format!("{} {}", engine.namespace().name(), engine.dtype_name());
        engine.record(name, "Python list", to, values.len() * dtype::bytes(engine.dtype_name()));
    }
    Ok(engine.wrap(array))
}
