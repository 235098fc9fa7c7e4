//! Which namespace an object belongs to: by its exact type first, without importing what it does not come from.
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use pyo3::prelude::*;
use pyo3::types::{PyModule, PyTuple, PyType};

use isostat_base::Error;

use super::namespace::{Kind, Namespace};
use crate::error::ForeignError;

/// The namespaces of the process. Types are kept alive, so that an address never means two of them.
#[derive(Default)]
struct Registry {
    by_type: HashMap<usize, (Py<PyType>, Option<&'static Namespace>)>,
    by_name: HashMap<String, &'static Namespace>,
    registered: Vec<(Py<PyType>, &'static Namespace)>,
}

fn registry() -> MutexGuard<'static, Registry> {
    static REGISTRY: OnceLock<Mutex<Registry>> = OnceLock::new();
    // No Python code runs under the lock, and a panic under it leaves whole entries: poison says nothing here.
    REGISTRY.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner)
}

/// The namespace of an object; `None` if it is no array.
pub fn namespace_of(object: &Bound<'_, PyAny>) -> Result<Option<&'static Namespace>, ForeignError> {
    let class = object.get_type();
    let address = class.as_ptr() as usize;
    let known = registry().by_type.get(&address).map(|(_, namespace)| *namespace);
    if let Some(namespace) = known {
        return Ok(namespace);
    }
    let found = resolve(object, &class)?;
    registry().by_type.insert(address, (class.unbind(), found));
    Ok(found)
}

fn resolve(
    object: &Bound<'_, PyAny>,
    class: &Bound<'_, PyType>,
) -> Result<Option<&'static Namespace>, ForeignError> {
    let py = object.py();
    let mut registered: Vec<(Py<PyType>, &'static Namespace)> = Vec::new();
    registry().registered.iter().for_each(|(t, n)| registered.push((t.clone_ref(py), n)));
    for (registered_type, namespace) in &registered {
        if object.is_instance(registered_type.bind(py))? {
            return Ok(Some(namespace));
        }
    }
    for ancestor in class.mro().iter() {
        let ancestor = ancestor.cast_into::<PyType>().map_err(PyErr::from)?;
        if let Some(namespace) = known_class(py, &ancestor)? {
            return Ok(Some(namespace));
        }
    }
    match object.getattr_opt("__array_namespace__")? {
        // A class that has the method (a type object passed by mistake) is no array.
        Some(method) if !object.is_instance_of::<PyType>() => Ok(Some(standard(&method.call0()?)?)),
        _ => Ok(None),
    }
}

/// The namespace of the array classes that are known by name.
fn known_class(
    py: Python<'_>,
    class: &Bound<'_, PyType>,
) -> Result<Option<&'static Namespace>, ForeignError> {
    let module = match class.getattr_opt("__module__")? {
        Some(module) => module.extract::<String>().unwrap_or_default(),
        None => String::new(),
    };
    let name = class.name()?;
    let root = module.split('.').next().unwrap_or("");
    Ok(match (root, name.to_str()?) {
        ("numpy", "MaskedArray") => {
            return Err(Error::Dtype {
                parameter: "array".into(),
                expected: "float, integer or bool without a mask".into(),
                found: "a masked array".into(),
                remedy: "drop or fill the masked values first, e.g. with .filled(nan)".into(),
            }
            .into())
        }
        ("numpy", "ndarray" | "generic") => Some(builtin(py, "numpy", Kind::NumPy, "numpy")?),
        ("torch", "Tensor" | "TensorBase") => Some(builtin(py, "torch", Kind::Torch, "torch")?),
        ("jax" | "jaxlib", "ArrayImpl" | "Array" | "Tracer") => {
            Some(builtin(py, "jax", Kind::Jax, "jax.numpy")?)
        }
        ("cupy", "ndarray") => Some(builtin(py, "cupy", Kind::CuPy, "cupy")?),
        _ => None,
    })
}

fn builtin(py: Python<'_>, name: &str, kind: Kind, module: &str) -> Result<&'static Namespace, ForeignError> {
    if let Some(namespace) = registry().by_name.get(name).copied() {
        return Ok(namespace);
    }
    Ok(insert(name, kind, py.import(module)?.into_any()))
}

/// The namespace over a module of the standard.
fn standard(module: &Bound<'_, PyAny>) -> Result<&'static Namespace, ForeignError> {
    let name = match module.getattr_opt("__name__")? {
        Some(name) => name.extract::<String>()?,
        None => module.get_type().name()?.to_string(),
    };
    of_module(&name, module)
}

/// The namespace of a module by name; `array_api_compat.torch` and torch are one.
pub fn of_module(name: &str, module: &Bound<'_, PyAny>) -> Result<&'static Namespace, ForeignError> {
    let py = module.py();
    match Kind::of_module(name) {
        Kind::NumPy => builtin(py, "numpy", Kind::NumPy, "numpy"),
        Kind::Torch => builtin(py, "torch", Kind::Torch, "torch"),
        Kind::Jax => builtin(py, "jax", Kind::Jax, "jax.numpy"),
        Kind::CuPy => builtin(py, "cupy", Kind::CuPy, "cupy"),
        Kind::Standard => {
            if let Some(namespace) = registry().by_name.get(name).copied() {
                return Ok(namespace);
            }
            Ok(insert(name, Kind::Standard, module.clone()))
        }
    }
}

/// The first insertion under a name wins.
fn insert(name: &str, kind: Kind, module: Bound<'_, PyAny>) -> &'static Namespace {
    // Namespaces are few and compared by address: they are never freed.
    let fresh: &'static Namespace =
        Box::leak(Box::new(Namespace::new(name.to_string(), kind, module.unbind())));
    registry().by_name.entry(name.to_string()).or_insert(fresh)
}

/// Registers an array type under the name of an engine, with the namespace that acts on it.
pub fn register(
    class: &Bound<'_, PyType>,
    name: &str,
    module: &Bound<'_, PyAny>,
) -> Result<(), ForeignError> {
    let py = class.py();
    let object_type = py.import("builtins")?.getattr("object")?;
    if class.is(&object_type) {
        return Err(Error::domain("register_array_type", "type", "be an array type", "object").into());
    }
    let kind = match module.cast::<PyModule>() {
        Ok(module) => Kind::of_module(&module.name()?.to_string()),
        Err(_) => Kind::Standard,
    };
    let existing = registry().by_name.get(name).copied();
    let namespace = match existing {
        Some(namespace) if namespace.module(py).is(module) => namespace,
        Some(namespace) if kind != Kind::Standard && namespace.kind() == kind => namespace,
        Some(_) => {
            return Err(Error::domain(
                "register_array_type",
                "name",
                "be free or belong to this namespace already",
                name,
            )
            .into())
        }
        None => insert(name, kind, module.clone()),
    };
    let mut registry = registry();
    registry.registered.push((class.clone().unbind(), namespace));
    // Types seen before may be subclasses of the new one.
    let stale = std::mem::take(&mut registry.by_type);
    drop(registry);
    drop(stale);
    Ok(())
}

/// Names of the Python sequences that take the engine of what stands beside them.
pub fn is_plain(object: &Bound<'_, PyAny>) -> bool {
    use pyo3::types::{PyBool, PyFloat, PyInt, PyList};
    object.is_instance_of::<PyList>()
        || object.is_instance_of::<PyTuple>()
        || object.is_instance_of::<PyFloat>()
        || object.is_instance_of::<PyInt>()
        || object.is_instance_of::<PyBool>()
}
