//! Prediction on arrays.
use pyo3::prelude::*;

use isostat_engine::host::{Host, HostArray};
use isostat_engine::Engine;
use isostat_fit::predict::{at, MeanRow};
use isostat_model::row::Glm;
use isostat_model::{AnyFamily, AnyLink};

use super::entry::NewRows;
use super::frame::PyFrame;
use super::held::{Held, Kept};
use super::host;
use crate::detect::detect;
use crate::error::{guard, ForeignError};
use crate::foreign::{Foreign, Kind};

/// Linear predictors, variances, and whether each row's prediction is the same for all solutions.
pub type Predicted = (Py<PyAny>, Py<PyAny>, Vec<bool>);

/// (eta, unscaled variance, estimable) at the rows of an array.
pub fn arrays(
    py: Python<'_>,
    held: &Held,
    x: &Bound<'_, PyAny>,
    intercept: bool,
    root: Option<&[f64]>,
) -> Result<Predicted, ForeignError> {
    match held {
        Held::Host { engine, outcome, is_single, .. } => {
            let block = if x.hasattr("tocsc")? { host::sparse(x)? } else { host::dense("X", x)? };
            let blocks = super::entry::with_intercept(block, intercept);
            let prediction = at(engine, &outcome.fitted, &host::design(blocks)?, root)?;
            let eta = engine.to_host(&prediction.eta)?;
            let estimable = prediction.estimable.unwrap_or_else(|| vec![true; eta.len()]);
            let variance = engine.to_host(&prediction.variance)?;
            let give = |v| host::to_numpy(py, v, *is_single).unbind();
            Ok((give(eta), give(variance), estimable))
        }
        Held::Foreign { namespace, outcome, .. } => {
            let Kept::Array(trained) = &outcome.fitted.x else {
                return Err(isostat_base::Error::shape("predict", "X", "two dimensions", "a scalar").into());
            };
            let found = detect(&[("X", Some(x)), ("the X of the fit", Some(trained.bind(py)))])?;
            let engine = Foreign::new(trained.bind(py), namespace, false)?;
            let fitted = outcome.fitted.with_design(engine.wrap(trained.bind(py).clone()));
            let x = found.arrays.into_iter().next().flatten().unwrap_or_else(|| engine.scalar(f64::NAN));
            let prediction = at(&engine, &fitted, &x, root)?;
            let n = engine.shape(&prediction.eta).first().copied().unwrap_or(0);
            let estimable = prediction.estimable.unwrap_or_else(|| vec![true; n]);
            Ok((
                engine.object(&prediction.eta)?.unbind(),
                engine.object(&prediction.variance)?.unbind(),
                estimable,
            ))
        }
    }
}

/// (eta, unscaled variance, estimable) at the rows of a table: one entry a row, NaN where a row is left out.
pub fn table(
    py: Python<'_>,
    engine: &Host,
    fitted: &isostat_fit::Fitted<HostArray>,
    spec: &isostat_data::ModelSpec,
    frame: &PyFrame,
    policy: &NewRows,
    root: Option<&[f64]>,
) -> Result<Predicted, ForeignError> {
    let (x, design) = super::entry::design_of(spec, frame, policy)?;
    let n = design.n_source_rows;
    let (mut eta, mut variance, mut estimable) = (vec![f64::NAN; n], vec![f64::NAN; n], vec![false; n]);
    if design.n_rows > 0 {
        let prediction = at(engine, fitted, &x, root)?;
        let (linear, square) = (engine.to_host(&prediction.eta)?, engine.to_host(&prediction.variance)?);
        for (k, &row) in design.rows.iter().enumerate() {
            eta[row] = linear[k] + design.offset.as_ref().map_or(0.0, |offset| offset[k]);
            variance[row] = square[k];
            estimable[row] = prediction.estimable.as_ref().is_none_or(|flags| flags[k]);
        }
    }
    Ok((host::to_numpy(py, eta, false).unbind(), host::to_numpy(py, variance, false).unbind(), estimable))
}

/// Means and absolute slopes at linear predictors of any namespace.
pub fn means(
    py: Python<'_>,
    glm: &Glm<AnyFamily, AnyLink>,
    eta: &Bound<'_, PyAny>,
) -> Result<(Py<PyAny>, Py<PyAny>), ForeignError> {
    let found = detect(&[("eta", Some(eta))])?;
    let row = MeanRow(glm.clone());
    if found.engine.namespace().kind() == Kind::NumPy {
        let engine = Host::default();
        let is_single = found.engine.dtype_name() == "float32";
        let eta: HostArray = host::vector("eta", eta)?;
        let [mu, slope] = engine.map(&row, [&eta])?;
        let give =
            |a: &HostArray| Ok::<_, ForeignError>(host::to_numpy(py, engine.to_host(a)?, is_single).unbind());
        return Ok((give(&mu)?, give(&slope)?));
    }
    let eta = found.engine.wrap(eta.clone());
    let [mu, slope] = found.engine.map(&row, [&eta])?;
    Ok((found.engine.object(&mu)?.unbind(), found.engine.object(&slope)?.unbind()))
}

/// Values row by row, columns, offset, rows of the table.
type SavedDesign = (Vec<f64>, usize, Vec<f64>, Vec<usize>);

/// The design of a saved specification on a table: (values row by row, columns, offset, rows of the table).
#[pyfunction]
#[pyo3(name = "_design_of_spec")]
pub fn design_of_spec(py: Python<'_>, spec: &str, frame: &PyFrame, policy: NewRows) -> PyResult<SavedDesign> {
    guard(py, || {
        let spec = isostat_data::ModelSpec::from_json(spec)?;
        let (_, design) = super::entry::design_of(&spec, frame, &policy)?;
        let (n, p) = (design.n_rows, design.n_columns());
        let columns = design.to_dense();
        let rows = (0..n * p).map(|k| columns[(k % p) * n + k / p]).collect();
        Ok::<_, ForeignError>((rows, p, design.offset.unwrap_or_else(|| vec![0.0; n]), design.rows))
    })
}

/// Means at linear predictors for a saved family and link.
#[pyfunction]
#[pyo3(name = "_mean_at", signature = (name, theta, power, variance, link, eta))]
pub fn mean_at(
    py: Python<'_>,
    name: &str,
    theta: Option<f64>,
    power: Option<f64>,
    variance: Option<&str>,
    link: &str,
    eta: &Bound<'_, PyAny>,
) -> PyResult<Py<PyAny>> {
    guard(py, || {
        let glm = super::options::glm_named(name, theta, power, variance, link)?;
        Ok::<_, ForeignError>(means(py, &glm, eta)?.0)
    })
}
