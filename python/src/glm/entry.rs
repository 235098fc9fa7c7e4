//! The entrances of regression.
use pyo3::prelude::*;

use isostat_base::{Error, Evidence};
use isostat_data::{BuildOptions, DesignOptions, Formula, ModelSpec, NaPolicy, NewLevels, Response};
use isostat_engine::host::{Block, Host, HostArray, View};
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
            return fit_host(py, blocks, rows, false, &glm, options, &shared, None, has_intercept);
        }
        let found = detect(&[("X", Some(x)), ("y", Some(y)), ("weights", weights), ("offset", offset)])?;
        if found.engine.namespace().kind() != Kind::NumPy {
            return fit_foreign(found, &glm, options, has_intercept);
        }
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
        fit_host(py, blocks, rows, is_single, &glm, options, &shared, None, has_intercept)
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
    blocks: Vec<Block>,
    rows: Rows<HostArray>,
    is_single: bool,
    glm: &Glm<AnyFamily, AnyLink>,
    options: Options,
    shared: &Shared,
    spec: Option<ModelSpec>,
    has_intercept: bool,
) -> Result<GlmFit, ForeignError> {
    let engine = host_engine(shared);
    let x = host::design(blocks)?;
    let mut evidence = Evidence::new(engine.name());
    evidence.dtype = if is_single { "float32" } else { "float64" }.into();
    evidence.device = "cpu".into();
    evidence.precision = evidence.dtype.clone();
    evidence.backend = "local".into();
    evidence.workers = engine.threads_for(rows.y.shape().first().copied().unwrap_or(0));
    evidence.simd = engine.level.available().name().into();
    let outcome: Result<Outcome<HostArray>, Error> =
        py.detach(|| fit_any(&engine, glm, &x, &rows, &options, &mut evidence));
    let held = Held::Host { engine, outcome: outcome?, rows, is_single };
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
    let mut next = |default: f64| arrays.next().flatten().map_or(engine.scalar(default), |a| engine.detach(&a));
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
        let formula = Formula::parse(formula)?;
        let named = [("weights", &weights), ("offset", &offset), ("exposure", &exposure)];
        let mut learn = DesignOptions { na: na_policy(na)?, ..DesignOptions::default() };
        for (name, source) in named {
            match source {
                Some(ColumnOrValues::Name(column)) => learn.extra_columns.push(column.clone()),
                Some(ColumnOrValues::Values(values)) => {
                    let values: Vec<f64> = values.as_array().to_vec();
                    expect_length(name, values.len(), frame.0.n_rows())?;
                    learn.extra_values.push((name.into(), values.into()));
                }
                None => {}
            }
        }
        let (spec, design) = ModelSpec::learn(&formula, &frame.0, &learn)?;
        let pick = |source: &Option<ColumnOrValues<'_>>| -> Result<Option<Vec<f64>>, Error> {
            let all = match source {
                None => return Ok(None),
                Some(ColumnOrValues::Name(column)) => frame.0.numeric(column)?.to_vec(),
                Some(ColumnOrValues::Values(values)) => values.as_array().to_vec(),
            };
            Ok(Some(design.rows.iter().map(|r| all[*r]).collect()))
        };
        let response = response_of(design.response.clone(), &glm, pick(&weights)?)?;
        let parts = [design.offset.clone(), pick(&offset)?, log_exposure(pick(&exposure)?)?];
        let rows = Rows {
            y: HostArray::Vector(View::from_vec(response.0)),
            weights: response.1.map_or(HostArray::Scalar(1.0), |w| HostArray::Vector(View::from_vec(w))),
            offset: sum_of(parts).map_or(HostArray::Scalar(0.0), |o| HostArray::Vector(View::from_vec(o))),
        };
        let names = Names {
            owner: "glm".into(),
            x: "data".into(),
            y: formula_response(&spec),
            columns: design.coef_names.clone(),
            ..Names::of_arrays(Vec::new())
        };
        let options = shared.options(names)?;
        let has_intercept = design.has_intercept;
        let blocks = design.blocks.into_iter().map(|b| block_of(b, design.n_rows)).collect::<Result<Vec<_>, _>>()?;
        let mut fit = fit_host(py, blocks, rows, false, &glm, options, &shared, Some(spec), has_intercept)?;
        fit.set_rows(design.rows, design.n_source_rows, design.term_of_column, design.term_names);
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
        other => {
            Err(Error::domain("predict", "new_levels", "be \"error\", \"na\" or \"baseline\"", format!("\"{other}\"")))
        }
    }
}

/// The design of new data.
pub fn design_of(spec: &ModelSpec, frame: &PyFrame, policy: &str) -> Result<(HostArray, isostat_data::Design), ForeignError> {
    let build = BuildOptions { new_levels: new_levels(policy)?, ..BuildOptions::default() };
    let design = spec.build(&frame.0, &build)?;
    let blocks = design.blocks.iter().cloned().map(|b| block_of(b, design.n_rows)).collect::<Result<Vec<_>, _>>()?;
    Ok((host::design(blocks)?, design))
}

fn block_of(block: isostat_data::Block, n: usize) -> Result<Block, Error> {
    match block {
        isostat_data::Block::Dense { names, values } => {
            Ok(Block::Dense(View::matrix(std::sync::Arc::new(values), 0, [n, names.len()], [1, n])?))
        }
        isostat_data::Block::Categorical { codes, n_levels, column_of_level, .. } => {
            Block::categorical(codes, n_levels, column_of_level.into_iter().map(|c| c.map(|c| c as usize)).collect())
        }
    }
}

fn expect_length(name: &str, found: usize, n: usize) -> Result<(), Error> {
    if found == n {
        return Ok(());
    }
    Err(Error::shape("glm", name, format!("length {n}, one value for each row of `data`"), format!("length {found}")))
}

fn formula_response(spec: &ModelSpec) -> String {
    spec.formula().response.as_ref().map_or_else(|| "y".into(), ToString::to_string)
}

/// The response with its weights: two columns become proportions, weighted by their sum.
fn response_of(
    response: Option<Response>,
    glm: &Glm<AnyFamily, AnyLink>,
    weights: Option<Vec<f64>>,
) -> Result<(Vec<f64>, Option<Vec<f64>>), Error> {
    let is_proportion = isostat_model::Family::support(&glm.family) == isostat_model::Support::Unit;
    match response {
        None => Err(Error::formula("", 0, "the formula has no response on the left of ~")),
        Some(Response::Vector { values, levels }) => match levels {
            Some(levels) if !is_proportion => Err(Error::Dtype {
                parameter: "y".into(),
                expected: "numbers".into(),
                found: format!("a factor with levels {}", levels.join(", ")),
                remedy: "use family=\"binomial\", or a numeric response".into(),
            }),
            _ => Ok((values, weights)),
        },
        Some(Response::TwoColumn { .. }) if !is_proportion => Err(Error::unsupported(
            "a response of two columns",
            "it counts successes and failures",
            "use family=\"binomial\" or \"quasibinomial\"",
        )),
        Some(Response::TwoColumn { successes, failures }) => {
            let mut y = Vec::with_capacity(successes.len());
            let mut w = Vec::with_capacity(successes.len());
            for (row, (s, f)) in successes.iter().zip(&failures).enumerate() {
                if *s < 0.0 || *f < 0.0 {
                    let value = s.min(*f);
                    return Err(Error::domain_at(
                        "binomial",
                        "y",
                        "be counts of 0 or more",
                        value,
                        isostat_base::Place::row(row),
                    ));
                }
                let total = s + f;
                y.push(if total > 0.0 { s / total } else { 0.0 });
                w.push(total * weights.as_ref().map_or(1.0, |w| w[row]));
            }
            Ok((y, Some(w)))
        }
    }
}

fn log_exposure(exposure: Option<Vec<f64>>) -> Result<Option<Vec<f64>>, Error> {
    let Some(exposure) = exposure else { return Ok(None) };
    if let Some((row, value)) = exposure.iter().enumerate().find(|(_, e)| !(**e > 0.0 && e.is_finite())) {
        let place = isostat_base::Place::row(row);
        return Err(Error::domain_at("glm", "exposure", "be positive and finite", *value, place));
    }
    Ok(Some(exposure.iter().map(|e| e.ln()).collect()))
}

fn sum_of(parts: [Option<Vec<f64>>; 3]) -> Option<Vec<f64>> {
    parts.into_iter().flatten().reduce(|mut a, b| {
        a.iter_mut().zip(b).for_each(|(a, b)| *a += b);
        a
    })
}
