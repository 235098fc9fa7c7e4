//! The entrances of regression.
use pyo3::prelude::*;

use isostat::table::{self, Source, Sources};
use isostat_base::{Error, Evidence};
use isostat_data::{BuildOptions, ModelSpec, NaPolicy, NewLevels};
use isostat_engine::host::{Block, Host, HostArray};
use isostat_engine::{Engine, Rows};
use isostat_fit::extra::{fit_any, Outcome};
use isostat_fit::{Names, Options};
use isostat_model::row::Glm;
use isostat_model::{AnyFamily, AnyLink};

use super::fit::GlmFit;
use super::frame::PyFrame;
use super::held::{Held, Kept};
use super::options::{glm_of, Shared};
use super::{fit, host};
use crate::detect::{detect, Detected};
use crate::error::{guard, ForeignError};
use crate::foreign::Kind;

/// Fits arrays of any engine.
#[pyfunction]
#[pyo3(name = "_fit_glm", signature = (x, y, family, link, weights, offset, intercept, has_intercept, names, shared))]
pub fn fit_arrays(
    py: Python<'_>,
    x: &Bound<'_, PyAny>,
    y: &Bound<'_, PyAny>,
    family: &Bound<'_, PyAny>,
    link: Option<&Bound<'_, PyAny>>,
    weights: Option<&Bound<'_, PyAny>>,
    offset: Option<&Bound<'_, PyAny>>,
    intercept: bool,
    has_intercept: bool,
    names: Vec<String>,
    shared: Shared,
) -> PyResult<GlmFit> {
    guard(py, || {
        let glm = glm_of(family, link)??;
        let options = shared.options(Names::of_arrays(names))?;
        if x.hasattr("tocsc")? {
            let blocks = with_intercept(host::sparse(x)?, intercept);
            let rows = host_rows(y, weights, offset)?;
            return fit_host(
                py,
                host::design(blocks)?,
                rows,
                false,
                &glm,
                options,
                &shared,
                None,
                has_intercept,
            );
        }
        let found = detect(&[("X", Some(x)), ("y", Some(y)), ("weights", weights), ("offset", offset)])?;
        if found.engine.namespace().kind() != Kind::NumPy {
            return fit_foreign(found, &glm, options, has_intercept);
        }
        found.engine.require_solvable()?;
        let arrays: Vec<Option<Bound<'_, PyAny>>> = found
            .arrays
            .iter()
            .map(|a| a.as_ref().map(|a| found.engine.object(a)).transpose())
            .collect::<Result<_, _>>()?;
        let [Some(x), Some(y), weights, offset] = &arrays[..] else {
            return Err(Error::shape("fit_glm", "X", "two dimensions (rows, columns)", "nothing").into());
        };
        let blocks = with_intercept(host::dense("X", x)?, intercept);
        let rows = host_rows(y, weights.as_ref(), offset.as_ref())?;
        let is_single = found.engine.dtype_name() == "float32";
        fit_host(py, host::design(blocks)?, rows, is_single, &glm, options, &shared, None, has_intercept)
    })
}

pub(super) fn with_intercept(block: Block, intercept: bool) -> Vec<Block> {
    match intercept {
        true => vec![Block::Ones(block.n_rows()), block],
        false => vec![block],
    }
}

fn host_rows(
    y: &Bound<'_, PyAny>,
    weights: Option<&Bound<'_, PyAny>>,
    offset: Option<&Bound<'_, PyAny>>,
) -> Result<Rows<HostArray>, ForeignError> {
    let or_scalar = |name: &str, v: Option<&Bound<'_, PyAny>>, default: f64| match v {
        None => Ok(HostArray::Scalar(default)),
        Some(v) => match v.extract::<f64>() {
            Ok(value) if !v.hasattr("shape")? => Ok(HostArray::Scalar(value)),
            _ => host::vector(name, v),
        },
    };
    Ok(Rows {
        y: host::vector("y", y)?,
        weights: or_scalar("weights", weights, 1.0)?,
        offset: or_scalar("offset", offset, 0.0)?,
    })
}

/// The host engine that the options ask for.
fn host_engine(shared: &Shared) -> Host {
    Host { threads: shared.threads, fused: shared.host != "numpy", ..Host::default() }
}

fn fit_host(
    py: Python<'_>,
    x: HostArray,
    rows: Rows<HostArray>,
    is_single: bool,
    glm: &Glm<AnyFamily, AnyLink>,
    options: Options,
    shared: &Shared,
    spec: Option<ModelSpec>,
    has_intercept: bool,
) -> Result<GlmFit, ForeignError> {
    let engine = host_engine(shared);
    let mut evidence = Evidence::new(engine.name());
    evidence.dtype = if is_single { "float32" } else { "float64" }.into();
    evidence.device = "cpu".into();
    evidence.precision = evidence.dtype.clone();
    evidence.backend = "local".into();
    evidence.workers = engine.threads_for(rows.y.shape().first().copied().unwrap_or(0));
    evidence.simd = engine.level.available().name().into();
    let outcome: Result<Outcome<HostArray>, Error> =
        py.detach(|| fit_any(&engine, glm, &x, &rows, &options, &mut evidence));
    let held = Held::Host { engine, outcome: Box::new(outcome?), rows, is_single };
    Ok(GlmFit::new(held, evidence, options, spec, has_intercept))
}

fn fit_foreign(
    found: Detected<'_>,
    glm: &Glm<AnyFamily, AnyLink>,
    options: Options,
    has_intercept: bool,
) -> Result<GlmFit, ForeignError> {
    let Detected { engine, arrays } = found;
    if engine.is_traced() {
        return Err(Error::unsupported(
            "fit_glm on traced arrays",
            "its checks and its status need values",
            "use isostat.functional.glm under jit, grad and vmap",
        )
        .into());
    }
    engine.require_solvable()?;
    let mut arrays = arrays.into_iter();
    let mut next =
        |default: f64| arrays.next().flatten().map_or(engine.scalar(default), |a| engine.detach(&a));
    let x = next(f64::NAN);
    let rows = Rows { y: next(f64::NAN), weights: next(1.0), offset: next(0.0) };
    let mut evidence = Evidence::new(engine.name());
    evidence.dtype = engine.dtype_name().into();
    evidence.device = engine.device_name().into();
    evidence.precision = evidence.dtype.clone();
    evidence.backend = "local".into();
    evidence.workers = 1;
    let outcome = fit_any(&engine, glm, &x, &rows, &options, &mut evidence)?;
    fit::merge(&mut evidence, engine.take_conversions());
    let kept = Kept::keep(&outcome.fitted.x, &engine)?;
    let held = Held::Foreign {
        namespace: engine.namespace(),
        outcome: Box::new(outcome.with_design(kept)),
        rows: Rows {
            y: Kept::keep(&rows.y, &engine)?,
            weights: Kept::keep(&rows.weights, &engine)?,
            offset: Kept::keep(&rows.offset, &engine)?,
        },
    };
    Ok(GlmFit::new(held, evidence, options, None, has_intercept))
}

/// A column by name, or values.
#[derive(FromPyObject)]
pub enum ColumnOrValues<'py> {
    /// The name of a column.
    Name(String),
    /// Values, one for each row of the table.
    Values(numpy::PyReadonlyArray1<'py, f64>),
}

impl ColumnOrValues<'_> {
    fn source(self) -> Source {
        match self {
            ColumnOrValues::Name(column) => Source::Column(column),
            ColumnOrValues::Values(values) => Source::Values(values.as_array().to_vec().into()),
        }
    }
}

/// Fits a formula over a table. Gives the fit and the table's rows that were used.
#[pyfunction]
#[pyo3(name = "_fit_glm_frame", signature = (formula, frame, family, link, weights, offset, exposure, na, shared))]
pub fn fit_frame(
    py: Python<'_>,
    formula: &str,
    frame: &PyFrame,
    family: &Bound<'_, PyAny>,
    link: Option<&Bound<'_, PyAny>>,
    weights: Option<ColumnOrValues<'_>>,
    offset: Option<ColumnOrValues<'_>>,
    exposure: Option<ColumnOrValues<'_>>,
    na: &str,
    shared: Shared,
) -> PyResult<GlmFit> {
    guard(py, || {
        let glm = glm_of(family, link)??;
        let sources = Sources {
            weights: weights.map(ColumnOrValues::source),
            offset: offset.map(ColumnOrValues::source),
            exposure: exposure.map(ColumnOrValues::source),
        };
        let ready = table::prepare(formula, &frame.0, &glm.family, &sources, na_policy(na)?)?;
        let options = shared.options(ready.names)?;
        let (x, rows, spec) = (ready.x, ready.rows, Some(ready.spec));
        let mut fit = fit_host(py, x, rows, false, &glm, options, &shared, spec, ready.has_intercept)?;
        fit.set_rows(ready.kept, ready.n_source_rows, ready.term_of_column, ready.term_names);
        Ok::<_, ForeignError>(fit)
    })
}

/// `na=` as Python writes it.
pub fn na_policy(na: &str) -> Result<NaPolicy, Error> {
    match na {
        "raise" => Ok(NaPolicy::Raise),
        "drop" => Ok(NaPolicy::Drop),
        other => Err(Error::domain("glm", "na", "be \"raise\" or \"drop\"", format!("\"{other}\""))),
    }
}

/// `new_levels=` as Python writes it.
pub fn new_levels(policy: &str) -> Result<NewLevels, Error> {
    match policy {
        "error" => Ok(NewLevels::Error),
        "na" => Ok(NewLevels::Na),
        "baseline" => Ok(NewLevels::Baseline),
        other => Err(Error::domain(
            "predict",
            "new_levels",
            "be \"error\", \"na\" or \"baseline\"",
            format!("\"{other}\""),
        )),
    }
}

/// What becomes of the rows of new data that cannot be predicted, as Python writes it.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct NewRows {
    /// Levels that the fit has not seen: "error", "na" or "baseline".
    new_levels: String,
    /// Missing values: "raise" or "keep".
    na: String,
}

impl Default for NewRows {
    fn default() -> Self {
        NewRows { new_levels: "error".into(), na: "raise".into() }
    }
}

/// The design of new data; rows that are left out are missing in `rows` of the design.
pub fn design_of(
    spec: &ModelSpec,
    frame: &PyFrame,
    policy: &NewRows,
) -> Result<(HostArray, isostat_data::Design), ForeignError> {
    let na = match policy.na.as_str() {
        "raise" => NaPolicy::Raise,
        "keep" => NaPolicy::Drop,
        other => {
            let rule = "be \"raise\" or \"keep\"";
            return Err(Error::domain("predict", "na", rule, format!("\"{other}\"")).into());
        }
    };
    let build = BuildOptions { na, new_levels: new_levels(&policy.new_levels)?, ..BuildOptions::default() };
    let keep = "pass na=\"keep\" for NaN in the places of such rows, or fill them";
    Ok(table::renew(spec, &frame.0, &build).map_err(|error| error.or_else_missing(keep))?)
}
