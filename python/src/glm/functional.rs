//! The pure form of a GLM: arrays in, arrays out, under jit, grad, vmap and autograd.
use pyo3::prelude::*;

use isostat_base::Error;
use isostat_engine::{Engine, Rows};
use isostat_fit::extra::check_parameters;
use isostat_fit::{functional, Names, Options};
use isostat_model::row::Glm;

use super::options::glm_of;
use crate::detect::{detect, Detected};
use crate::error::{guard, ForeignError};

type Four = (Py<PyAny>, Py<PyAny>, Py<PyAny>, Py<PyAny>);

/// (coef, vcov, loglik, deviance) without value checks.
#[pyfunction]
#[pyo3(name = "_functional_glm", signature = (x, y, family, link, weights, offset, n_iter, tol, max_iter))]
pub fn functional_glm(
    py: Python<'_>,
    x: &Bound<'_, PyAny>,
    y: &Bound<'_, PyAny>,
    family: &Bound<'_, PyAny>,
    link: Option<&Bound<'_, PyAny>>,
    weights: Option<&Bound<'_, PyAny>>,
    offset: Option<&Bound<'_, PyAny>>,
    n_iter: Option<usize>,
    tol: f64,
    max_iter: usize,
) -> PyResult<Four> {
    guard(py, || {
        let glm = glm_of(family, link)??;
        super::options::require_given(&glm)?;
        let names = Names { owner: "functional.glm".into(), ..Names::of_arrays(Vec::new()) };
        let options = Options { max_iter, tol, ..Options::new(names) };
        options.check()?;
        check_parameters(&glm.family, &options)?;
        if n_iter == Some(0) {
            return Err(Error::domain("functional.glm", "n_iter", "be at least 1", 0).into());
        }
        let Detected { engine, arrays } =
            detect(&[("X", Some(x)), ("y", Some(y)), ("weights", weights), ("offset", offset)])?;
        engine.require_solvable()?;
        let mut arrays = arrays.into_iter();
        let mut next = |default: f64| arrays.next().flatten().unwrap_or_else(|| engine.scalar(default));
        let x = next(f64::NAN);
        let rows = Rows { y: next(f64::NAN), weights: next(1.0), offset: next(0.0) };
        let pure = functional::glm(&engine, &glm, &x, &rows, n_iter, tol, max_iter)?;
        let give = |a| Ok::<_, ForeignError>(engine.object(a)?.unbind());
        Ok::<_, ForeignError>((
            give(&pure.coef)?,
            give(&pure.vcov)?,
            give(&pure.loglik)?,
            give(&pure.deviance)?,
        ))
    })
}

/// The log-likelihood at coefficients, differentiable on its engine; `phi` is the dispersion.
#[pyfunction]
#[pyo3(name = "_loglik_at", signature = (x, y, coef, family, link, weights, offset, phi))]
pub fn loglik_at(
    py: Python<'_>,
    x: &Bound<'_, PyAny>,
    y: &Bound<'_, PyAny>,
    coef: &Bound<'_, PyAny>,
    family: &Bound<'_, PyAny>,
    link: Option<&Bound<'_, PyAny>>,
    weights: Option<&Bound<'_, PyAny>>,
    offset: Option<&Bound<'_, PyAny>>,
    phi: f64,
) -> PyResult<Py<PyAny>> {
    guard(py, || {
        let glm: Glm<_, _> = glm_of(family, link)??;
        super::options::require_given(&glm)?;
        let arguments =
            [("X", Some(x)), ("y", Some(y)), ("coef", Some(coef)), ("weights", weights), ("offset", offset)];
        let Detected { engine, arrays } = detect(&arguments)?;
        let mut arrays = arrays.into_iter();
        let mut next = |default: f64| arrays.next().flatten().unwrap_or_else(|| engine.scalar(default));
        let (x, y, coef, weights, offset) = (next(0.0), next(0.0), next(0.0), next(1.0), next(0.0));
        let eta = engine.add(&engine.matvec(&x, &coef)?, &offset)?;
        let [density] = engine.map(&glm, [&y, &weights, &eta, &engine.scalar(phi)])?;
        Ok::<_, ForeignError>(engine.object(&engine.sum(&density)?)?.unbind())
    })
}
