//! The pure form of a GLM: arrays in, arrays out, under jit, grad, vmap and autograd.
use pyo3::prelude::*;

use isostat_base::Error;
use isostat_engine::{Engine, Formula, Rows};
use isostat_fit::extra::{check_parameters, covering};
use isostat_fit::{functional, Names, Options};
use isostat_model::row::Glm;
use isostat_model::AnyFamily;
use isostat_number::Number;

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

/// (w, density at weight 1) → the density of w equal rows.
struct Replicated;
impl Formula<2, 1> for Replicated {
    fn eval<N: Number>(&self, [w, density]: [N; 2]) -> [N; 1] {
        [w * density]
    }
}

/// The log-likelihood at coefficients, differentiable on its engine; `phi` is the dispersion.
#[pyfunction]
#[pyo3(name = "_loglik_at", signature = (x, y, coef, family, link, weights, offset, phi, is_replicated))]
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
    is_replicated: bool,
) -> PyResult<Py<PyAny>> {
    guard(py, || {
        let mut glm: Glm<_, _> = glm_of(family, link)??;
        super::options::require_given(&glm)?;
        let arguments =
            [("X", Some(x)), ("y", Some(y)), ("coef", Some(coef)), ("weights", weights), ("offset", offset)];
        let Detected { engine, arrays } = detect(&arguments)?;
        let mut arrays = arrays.into_iter();
        let mut next = |default: f64| arrays.next().flatten().unwrap_or_else(|| engine.scalar(default));
        let (x, y, coef, weights, offset) = (next(0.0), next(0.0), next(0.0), next(1.0), next(0.0));
        if let AnyFamily::Tweedie(tweedie) = glm.family {
            let rows = Rows { y: y.clone(), weights: weights.clone(), offset: offset.clone() };
            glm.family = AnyFamily::Tweedie(covering(&engine, tweedie, &rows, phi)?);
        }
        let eta = engine.add(&engine.matvec(&x, &coef)?, &offset)?;
        let phi = engine.scalar(phi);
        let inner = if is_replicated { engine.scalar(1.0) } else { weights.clone() };
        let [mut density] = engine.map(&glm, [&y, &inner, &eta, &phi])?;
        if is_replicated {
            [density] = engine.map(&Replicated, [&weights, &density])?;
        }
        Ok::<_, ForeignError>(engine.object(&engine.sum(&density)?)?.unbind())
    })
}
