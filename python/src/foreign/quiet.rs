//! NumPy's floating-point warnings, switched off while isostat computes.
//!
//! Branches of a formula are evaluated everywhere and then selected, and failure is NaN that a status reports: a
//! warning of NumPy would name neither.
use pyo3::prelude::*;

use super::namespace::{Kind, Namespace};

/// While it lives, NumPy is quiet in this context.
pub struct Quiet(Option<Py<PyAny>>);

impl Quiet {
    /// Quiet for namespaces that compute by NumPy.
    pub fn new(py: Python<'_>, namespace: &Namespace) -> PyResult<Quiet> {
        if !matches!(namespace.kind(), Kind::NumPy | Kind::Standard) {
            return Ok(Quiet(None));
        }
        let all =
            super::namespace::keywords(py, &[("all", pyo3::types::PyString::new(py, "ignore").as_any())])?;
        let state = py.import("numpy")?.getattr("errstate")?.call((), Some(&all))?;
        state.call_method0("__enter__")?;
        Ok(Quiet(Some(state.unbind())))
    }
}

impl Drop for Quiet {
    fn drop(&mut self) {
        let Some(state) = self.0.take() else { return };
        Python::attach(|py| {
            let none = py.None();
            // Nothing can be raised from here; the state was entered in this same context.
            let _ = state.bind(py).call_method1("__exit__", (&none, &none, &none));
        });
    }
}
