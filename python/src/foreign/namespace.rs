//! A namespace: the module whose functions act on an array, and what is peculiar about it.
use pyo3::exceptions::PyAttributeError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyTuple, PyType};

use isostat_number::Unary;

use super::elementary::{self, Lowering};

/// The families of namespaces that isostat treats by name; all others go by the array-API standard.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// NumPy.
    NumPy,
    /// PyTorch.
    Torch,
    /// JAX, its tracers included.
    Jax,
    /// CuPy.
    CuPy,
    /// Any namespace of the array-API standard.
    Standard,
}

impl Kind {
    /// The kind of a module, by its name: `array_api_compat.torch` counts as torch.
    pub fn of_module(name: &str) -> Kind {
        let name = name.strip_prefix("array_api_compat.").unwrap_or(name);
        match name.split('.').next().unwrap_or(name) {
            "numpy" => Kind::NumPy,
            "torch" => Kind::Torch,
            "jax" => Kind::Jax,
            "cupy" => Kind::CuPy,
            _ => Kind::Standard,
        }
    }

    /// Whether a Python float may stand beside an array in `where`.
    pub fn takes_scalars(self) -> bool {
        matches!(self, Kind::NumPy | Kind::Torch | Kind::Jax)
    }
}

/// Functions of a namespace beyond the elementary ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub enum Function {
    /// `where(mask, a, b)`.
    Where,
    /// `full(shape, value)`.
    Full,
    /// `broadcast_to(a, shape)`.
    BroadcastTo,
    /// `reshape(a, shape)`.
    Reshape,
    /// `concat(arrays, axis=)`.
    Concat,
    /// `sum(a)`.
    Sum,
    /// `any(a)`.
    Any,
    /// `argmax(a)`.
    ArgMax,
    /// `asarray(a)`.
    AsArray,
    /// `astype(a, dtype)`.
    AsType,
    /// `logaddexp(a, b)`.
    LogAddExp,
    /// `take(a, indices, axis=)`.
    Take,
    /// `linalg.diagonal(a)`.
    Diagonal,
    /// `linalg.solve(a, b)`, `b` of shape (p, r).
    Solve,
    /// Cholesky factor.
    Cholesky,
    /// QR decomposition.
    Qr,
    /// The solution from a Cholesky factor, where the namespace has one.
    CholeskySolve,
}

const FUNCTIONS: usize = Function::CholeskySolve as usize + 1;

impl Function {
    /// Paths to try, in order; `module:attribute` imports the module first.
    fn paths(self, kind: Kind) -> &'static [&'static str] {
        match (self, kind) {
            (Function::Where, _) => &["where"],
            (Function::Full, _) => &["full"],
            (Function::BroadcastTo, _) => &["broadcast_to"],
            (Function::Reshape, _) => &["reshape"],
            (Function::Concat, _) => &["concat", "concatenate"],
            (Function::Sum, _) => &["sum"],
            (Function::Any, _) => &["any"],
            (Function::ArgMax, _) => &["argmax"],
            (Function::AsArray, _) => &["asarray"],
            (Function::AsType, _) => &["astype"],
            (Function::LogAddExp, _) => &["logaddexp"],
            (Function::Take, _) => &["take"],
            (Function::Diagonal, Kind::Standard) => &["linalg.diagonal"],
            (Function::Diagonal, _) => &["diagonal"],
            (Function::Solve, _) => &["linalg.solve"],
            (Function::Cholesky, Kind::Torch) => &["linalg.cholesky_ex"],
            (Function::Cholesky, _) => &["linalg.cholesky"],
            (Function::Qr, _) => &["linalg.qr"],
            (Function::CholeskySolve, Kind::Torch) => &["cholesky_solve"],
            (Function::CholeskySolve, Kind::Jax) => &["jax.scipy.linalg:cho_solve"],
            (Function::CholeskySolve, _) => &[],
        }
    }
}

/// A namespace with its functions, looked up once each. Namespaces live as long as the process and are compared by
/// address.
pub struct Namespace {
    name: String,
    kind: Kind,
    module: Py<PyAny>,
    functions: [PyOnceLock<Option<Py<PyAny>>>; FUNCTIONS],
    unary: Vec<PyOnceLock<Lowering>>,
    tracer: PyOnceLock<Option<Py<PyType>>>,
}

impl Namespace {
    /// A namespace of this name over this module.
    pub fn new(name: String, kind: Kind, module: Py<PyAny>) -> Self {
        Namespace {
            name,
            kind,
            module,
            functions: [const { PyOnceLock::new() }; FUNCTIONS],
            unary: Unary::ALL.iter().map(|_| PyOnceLock::new()).collect(),
            tracer: PyOnceLock::new(),
        }
    }

    /// The name, as messages and evidence give it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The kind.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// The module.
    pub fn module<'py>(&self, py: Python<'py>) -> &Bound<'py, PyAny> {
        self.module.bind(py)
    }

    /// A function, if the namespace has it.
    pub fn find<'a, 'py>(
        &'a self,
        py: Python<'py>,
        function: Function,
    ) -> PyResult<Option<&'a Bound<'py, PyAny>>> {
        let cached = self.functions[function as usize].get_or_try_init(py, || {
            for path in function.paths(self.kind) {
                if let Some(found) = self.lookup(py, path)? {
                    return Ok::<_, PyErr>(Some(found.unbind()));
                }
            }
            Ok(None)
        })?;
        Ok(cached.as_ref().map(|f| f.bind(py)))
    }

    /// A function, or an AttributeError that names it.
    pub fn function<'a, 'py>(
        &'a self,
        py: Python<'py>,
        function: Function,
    ) -> PyResult<&'a Bound<'py, PyAny>> {
        self.find(py, function)?.ok_or_else(|| {
            let path = function.paths(self.kind).first().copied().unwrap_or("this operation");
            PyAttributeError::new_err(format!("the array namespace {} has no `{path}`", self.name))
        })
    }

    /// How an elementary function runs here.
    pub fn lowering<'py>(&self, py: Python<'py>, op: Unary) -> PyResult<&Lowering> {
        self.unary[op as usize].get_or_try_init(py, || elementary::lower(py, self, op))
    }

    /// The object at a dotted path below the module, or below another one with `module:path`.
    pub fn lookup<'py>(&self, py: Python<'py>, path: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
        let (mut object, attributes) = match path.split_once(':') {
            Some((module, rest)) => (py.import(module)?.into_any(), rest),
            None => (self.module.bind(py).clone(), path),
        };
        for attribute in attributes.split('.') {
            object = match object.getattr_opt(attribute)? {
                Some(next) => next,
                None => return Ok(None),
            };
        }
        Ok(Some(object))
    }

    /// Whether the values of an array may be read: false for JAX tracers, torch meta and fake tensors and tensors
    /// under `torch.func.vmap`.
    pub fn is_concrete(&self, array: &Bound<'_, PyAny>) -> bool {
        match self.kind {
            Kind::Jax => !self.is_tracer(array).unwrap_or(true),
            Kind::Torch => torch_is_concrete(array).unwrap_or(true),
            _ => true,
        }
    }

    fn is_tracer(&self, array: &Bound<'_, PyAny>) -> PyResult<bool> {
        let py = array.py();
        let class = self.tracer.get_or_try_init(py, || {
            let class = py.import("jax.core")?.getattr("Tracer")?;
            Ok::<_, PyErr>(Some(class.cast_into::<PyType>()?.unbind()))
        })?;
        match class {
            Some(class) => array.is_instance(class.bind(py)),
            None => Ok(false),
        }
    }
}

/// Gradient wrappers of `torch.func` read through; batched ones do not.
fn torch_is_concrete(array: &Bound<'_, PyAny>) -> PyResult<bool> {
    let py = array.py();
    if array.getattr("is_meta")?.extract::<bool>()? || array.get_type().name()?.to_str()? == "FakeTensor" {
        return Ok(false);
    }
    let functorch = py.import("torch._C._functorch")?;
    let mut inner = array.clone();
    while functorch.call_method1("is_functorch_wrapped_tensor", (&inner,))?.extract::<bool>()? {
        if functorch.call_method1("is_batchedtensor", (&inner,))?.extract::<bool>()? {
            return Ok(false);
        }
        inner = functorch.call_method1("get_unwrapped", (&inner,))?;
    }
    Ok(true)
}

/// Keyword arguments from pairs.
pub fn keywords<'py>(py: Python<'py>, pairs: &[(&str, &Bound<'py, PyAny>)]) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    for (key, value) in pairs {
        dict.set_item(key, value)?;
    }
    Ok(dict)
}

/// A shape as a tuple.
pub fn shape_tuple<'py>(py: Python<'py>, shape: &[usize]) -> PyResult<Bound<'py, PyTuple>> {
    PyTuple::new(py, shape)
}

/// The device that new arrays beside this one must name; `None` where the namespace places them itself (NumPy, JAX
/// under tracing or on its default device) or the array has no device.
pub fn device_of<'py>(array: &Bound<'py, PyAny>, namespace: &Namespace) -> Option<Bound<'py, PyAny>> {
    match namespace.kind() {
        Kind::NumPy | Kind::CuPy => None,
        Kind::Jax => jax_device(array, namespace),
        Kind::Torch | Kind::Standard => array.getattr_opt("device").ok().flatten(),
    }
}

/// A JAX array names its device only if it was placed there on purpose: JAX moves others by itself.
fn jax_device<'py>(array: &Bound<'py, PyAny>, namespace: &Namespace) -> Option<Bound<'py, PyAny>> {
    if !namespace.is_concrete(array) {
        return None;
    }
    let committed = array.getattr_opt("committed").ok().flatten()?.extract::<bool>().ok()?;
    if !committed {
        return None;
    }
    array.getattr_opt("device").ok().flatten()
}
