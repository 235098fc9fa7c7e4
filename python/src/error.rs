//! Errors on their way to Python: the one file that makes exceptions of them.
use std::panic::{catch_unwind, AssertUnwindSafe};

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;

use isostat_base::Error;

/// Why a call on a foreign engine failed.
#[derive(Debug)]
pub enum ForeignError {
    /// An exception of the namespace or of the caller's code, unchanged.
    Python(PyErr),
    /// A refusal of isostat.
    Isostat(Box<Error>),
}

impl From<Error> for ForeignError {
    fn from(error: Error) -> Self {
        ForeignError::Isostat(Box::new(error))
    }
}

impl From<PyErr> for ForeignError {
    fn from(error: PyErr) -> Self {
        ForeignError::Python(error)
    }
}

impl From<ForeignError> for PyErr {
    fn from(error: ForeignError) -> PyErr {
        match error {
            ForeignError::Python(error) => error,
            ForeignError::Isostat(error) => Python::attach(|py| to_python(py, &error)),
        }
    }
}

/// The class of a kind, in `isostat.errors`.
fn class_name(error: &Error) -> &'static str {
    match error {
        Error::Domain { .. } => "DomainError",
        Error::Shape { .. } => "ShapeError",
        Error::MissingValue { .. } => "MissingValueError",
        Error::UnknownColumn { .. } => "UnknownColumnError",
        Error::UnseenLevel { .. } => "UnseenLevelError",
        Error::MixedEngine { .. } => "MixedEngineError",
        Error::Dtype { .. } => "DtypeError",
        Error::Unsupported { .. } => "UnsupportedError",
        Error::MissingDependency { .. } => "MissingDependencyError",
        Error::DegenerateWeights { .. } => "DegenerateWeightsError",
        Error::Formula { .. } => "FormulaError",
    }
}

/// The exception of an error: the class of its kind, its message, its `remedy`.
pub fn to_python(py: Python<'_>, error: &Error) -> PyErr {
    match build(py, class_name(error), error.to_string(), Some(error.remedy())) {
        Ok(exception) => exception,
        Err(failure) => failure,
    }
}

fn build(py: Python<'_>, class: &str, message: String, remedy: Option<String>) -> PyResult<PyErr> {
    let exception = py.import("isostat.errors")?.getattr(class)?.call1((message,))?;
    if let Some(remedy) = remedy {
        exception.setattr("remedy", remedy)?;
    }
    Ok(PyErr::from_value(exception))
}

/// Runs an entry point: refusals become exceptions, and so does a panic, which is a defect of isostat.
pub fn guard<T, E: Into<PyErr>>(py: Python<'_>, body: impl FnOnce() -> Result<T, E>) -> PyResult<T> {
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(result) => result.map_err(Into::into),
        Err(payload) => {
            let reason = payload
                .downcast_ref::<&str>()
                .map(|s| (*s).to_string())
                .or_else(|| payload.downcast_ref::<String>().cloned())
                .unwrap_or_else(|| "unknown".into());
            let message =
                format!("[internal] isostat: a step that must not fail did: {reason}; please report it");
            Err(build(py, "InternalError", message, None).unwrap_or_else(|failure| failure))
        }
    }
}

/// The class of a warning or error in `isostat.errors`.
pub fn class<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyType>> {
    Ok(py.import("isostat.errors")?.getattr(name)?.cast_into::<PyType>()?)
}

/// Emits `isostat.errors.ConvergenceWarning`.
pub fn warn_convergence(py: Python<'_>, message: &str) -> PyResult<()> {
    static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    let class = CLASS.import(py, "isostat.errors", "ConvergenceWarning")?;
    let text = std::ffi::CString::new(message.replace('\0', " ")).unwrap_or_default();
    PyErr::warn(py, class, &text, 2)
}
