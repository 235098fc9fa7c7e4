//! Names and casts of dtypes.
use pyo3::prelude::*;

use super::namespace::{Function, Kind, Namespace};

/// What a dtype can be used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// A real floating dtype.
    Float,
    /// An integer or bool dtype: counts, cast to the dtype of the design.
    Integral,
    /// Anything else.
    Other,
}

/// The bare name of a dtype object: `float32` for NumPy's, torch's and any namespace's.
pub fn name(dtype: &Bound<'_, PyAny>) -> PyResult<String> {
    // NumPy's dtypes print as their names too, but void ones do not.
    let text = match dtype.getattr_opt("name")? {
        Some(name) => name.str()?.to_string(),
        None => dtype.str()?.to_string(),
    };
    let bare = text.rsplit('.').next().unwrap_or(&text);
    Ok(bare.trim_end_matches(['\'', '>']).to_string())
}

/// The class of a dtype, by name.
pub fn class(name: &str) -> Class {
    if name == "bool" || name.starts_with("int") || name.starts_with("uint") {
        Class::Integral
    } else if name.starts_with("float") || name == "bfloat16" || name.starts_with("longdouble") {
        Class::Float
    } else {
        Class::Other
    }
}

/// The distance from 1 to the next number of a dtype.
pub fn eps(name: &str) -> f64 {
    match name {
        "float32" => f64::from(f32::EPSILON),
        "float16" => 9.765_625e-4,
        "bfloat16" => 7.8125e-3,
        _ => f64::EPSILON,
    }
}

/// Bytes of one element, by the digits of its name.
pub fn bytes(name: &str) -> usize {
    let digits: String = name.chars().filter(char::is_ascii_digit).collect();
    digits.parse::<usize>().map_or(1, |bits| bits.div_ceil(8).max(1))
}

/// Whether factorisations exist for it everywhere.
pub fn is_solvable(name: &str) -> bool {
    matches!(name, "float32" | "float64")
}

/// An array in another dtype of its namespace.
pub fn cast<'py>(
    array: &Bound<'py, PyAny>,
    dtype: &Bound<'py, PyAny>,
    namespace: &Namespace,
) -> PyResult<Bound<'py, PyAny>> {
    match namespace.kind() {
        Kind::Torch => array.call_method1("to", (dtype,)),
        Kind::NumPy | Kind::Jax | Kind::CuPy => array.call_method1("astype", (dtype,)),
        Kind::Standard => namespace.function(array.py(), Function::AsType)?.call1((array, dtype)),
    }
}

/// The dtype object of a name.
pub fn by_name<'py>(
    py: Python<'py>,
    name: &str,
    namespace: &Namespace,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    match namespace.kind() {
        Kind::NumPy | Kind::Jax | Kind::CuPy => match namespace.lookup(py, "dtype")? {
            Some(constructor) => Ok(Some(constructor.call1((name,))?)),
            None => Ok(None),
        },
        _ => namespace.lookup(py, name),
    }
}

/// The dtype that integers are cast to: float64 where the namespace and the device have it.
pub fn default_float<'py>(
    array: &Bound<'py, PyAny>,
    namespace: &Namespace,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let py = array.py();
    let on_mps =
        namespace.kind() == Kind::Torch && array.getattr("device")?.str()?.to_str()?.starts_with("mps");
    let wide = match namespace.kind() {
        // JAX has float64 only where the user switched it on.
        Kind::Jax => {
            name(&py.import("jax.numpy")?.call_method1("zeros", (0,))?.getattr("dtype")?)? == "float64"
        }
        Kind::Torch => !on_mps,
        _ => namespace.lookup(py, "float64")?.is_some(),
    };
    by_name(py, if wide { "float64" } else { "float32" }, namespace)
}
