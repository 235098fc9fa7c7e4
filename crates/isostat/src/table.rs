//! From a formula and a table to what a fit needs: design, response, weights, offset.
use std::sync::Arc;

use isostat_base::{Error, Place, Result};
use isostat_data::{BuildOptions, DesignOptions, Formula, Frame, ModelSpec, NaPolicy, Response};
use isostat_engine::host::{Block, Design, HostArray, View};
use isostat_engine::Rows;
use isostat_fit::Names;
use isostat_model::{AnyFamily, Family, Support};

/// A column of the table, or values beside it.
#[derive(Clone, Debug)]
pub enum Source {
    /// The name of a column.
    Column(String),
    /// One value for each row of the table.
    Values(Arc<[f64]>),
}

/// Where weights, offset and exposure come from.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    /// Prior weights.
    pub weights: Option<Source>,
    /// Added to the linear predictor.
    pub offset: Option<Source>,
    /// Its logarithm joins the offset.
    pub exposure: Option<Source>,
}

/// A table made ready for a fit.
#[derive(Clone, Debug)]
pub struct Prepared {
    /// The design.
    pub x: HostArray,
    /// Response, weights, offset.
    pub rows: Rows<HostArray>,
    /// The rules that build the design of new data.
    pub spec: ModelSpec,
    /// Names for messages.
    pub names: Names,
    /// Whether the first column is an intercept.
    pub has_intercept: bool,
    /// The rows of the table that are used.
    pub kept: Vec<usize>,
    /// Rows of the table.
    pub n_source_rows: usize,
    /// The term of each column, 0 for the intercept.
    pub term_of_column: Vec<usize>,
    /// Names of the terms.
    pub term_names: Vec<String>,
}

/// Learns a formula over a table.
///
/// # Errors
/// What the formula, the table and the missing-value policy refuse; [`Error::Dtype`] and [`Error::Unsupported`] where
/// the response does not suit the family.
pub fn prepare(
    formula: &str,
    frame: &Frame,
    family: &AnyFamily,
    sources: &Sources,
    na: NaPolicy,
) -> Result<Prepared> {
    let formula = Formula::parse(formula)?;
    let mut learn = DesignOptions { na, ..DesignOptions::default() };
    let named = [("weights", &sources.weights), ("offset", &sources.offset), ("exposure", &sources.exposure)];
    for (name, source) in named {
        match source {
            Some(Source::Column(column)) => learn.extra_columns.push(column.clone()),
            Some(Source::Values(values)) => {
                expect_length(name, values.len(), frame.n_rows())?;
                learn.extra_values.push((name.into(), values.clone()));
            }
            None => {}
        }
    }
    let (spec, design) = ModelSpec::learn(&formula, frame, &learn)?;
    let pick = |source: &Option<Source>| -> Result<Option<Vec<f64>>> {
        let all = match source {
            None => return Ok(None),
            Some(Source::Column(column)) => frame.numeric(column)?,
            Some(Source::Values(values)) => values.clone(),
        };
        Ok(Some(design.rows.iter().map(|r| all[*r]).collect()))
    };
    let (y, weights) = response_of(design.response.clone(), family, pick(&sources.weights)?)?;
    let exposure = log_exposure(pick(&sources.exposure)?, &design.rows)?;
    let offset = sum_of([design.offset.clone(), pick(&sources.offset)?, exposure]);
    let or_scalar = |v: Option<Vec<f64>>, default| v.map_or(HostArray::Scalar(default), HostArray::vector);
    let names = Names {
        owner: "glm".into(),
        x: "data".into(),
        y: formula.response.as_ref().map_or_else(|| "y".into(), ToString::to_string),
        weights: source_name("weights", &sources.weights),
        offset: source_name("offset", &sources.offset),
        columns: design.coef_names.clone(),
    };
    Ok(Prepared {
        x: matrix(&design)?,
        rows: Rows {
            y: HostArray::vector(y),
            weights: or_scalar(weights, 1.0),
            offset: or_scalar(offset, 0.0),
        },
        spec,
        names,
        has_intercept: design.has_intercept,
        kept: design.rows,
        n_source_rows: design.n_source_rows,
        term_of_column: design.term_of_column,
        term_names: design.term_names,
    })
}

/// The design of new data, for the engine, and what goes with it.
///
/// # Errors
/// As [`ModelSpec::build`].
pub fn renew(
    spec: &ModelSpec,
    frame: &Frame,
    options: &BuildOptions,
) -> Result<(HostArray, isostat_data::Design)> {
    let design = spec.build(frame, options)?;
    Ok((matrix(&design)?, design))
}

fn source_name(argument: &str, source: &Option<Source>) -> String {
    match source {
        Some(Source::Column(column)) => column.clone(),
        _ => argument.into(),
    }
}

fn matrix(design: &isostat_data::Design) -> Result<HostArray> {
    let n = design.n_rows;
    let blocks = design.blocks.iter().map(|b| block_of(b, n)).collect::<Result<Vec<_>>>()?;
    Ok(HostArray::design(Design::from_blocks(blocks)?))
}

fn block_of(block: &isostat_data::Block, n: usize) -> Result<Block> {
    match block {
        isostat_data::Block::Dense { names, values } => {
            let view = View::matrix(Arc::new(values.clone()), 0, [n, names.len()], [1, n])?;
            Ok(Block::Dense(view))
        }
        isostat_data::Block::Categorical { codes, n_levels, column_of_level, .. } => {
            let columns = column_of_level.iter().map(|c| c.map(|c| c as usize)).collect();
            Block::categorical(codes.clone(), *n_levels, columns)
        }
    }
}

fn expect_length(name: &str, found: usize, n: usize) -> Result<()> {
    if found == n {
        return Ok(());
    }
    let expected = format!("length {n}, one value for each row of `data`");
    Err(Error::shape("glm", name, expected, format!("length {found}")))
}

/// The response with its weights: two columns become proportions, weighted by their sum.
fn response_of(
    response: Option<Response>,
    family: &AnyFamily,
    weights: Option<Vec<f64>>,
) -> Result<(Vec<f64>, Option<Vec<f64>>)> {
    let is_proportion = family.support() == Support::Unit;
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
        Some(Response::TwoColumn { successes, failures }) => proportions(&successes, &failures, weights),
    }
}

fn proportions(
    successes: &[f64],
    failures: &[f64],
    weights: Option<Vec<f64>>,
) -> Result<(Vec<f64>, Option<Vec<f64>>)> {
    let mut y = Vec::with_capacity(successes.len());
    let mut w = Vec::with_capacity(successes.len());
    for (row, (s, f)) in successes.iter().zip(failures).enumerate() {
        if *s < 0.0 || *f < 0.0 {
            return Err(Error::domain_at(
                "binomial",
                "y",
                "be counts of 0 or more",
                s.min(*f),
                Place::row(row),
            ));
        }
        let total = s + f;
        y.push(if total > 0.0 { s / total } else { 0.0 });
        w.push(total * weights.as_ref().map_or(1.0, |w| w[row]));
    }
    Ok((y, Some(w)))
}

fn log_exposure(exposure: Option<Vec<f64>>, rows: &[usize]) -> Result<Option<Vec<f64>>> {
    let Some(exposure) = exposure else { return Ok(None) };
    let bad = exposure.iter().zip(rows).find(|(e, _)| !(**e > 0.0 && e.is_finite()));
    if let Some((value, row)) = bad {
        return Err(Error::domain_at("glm", "exposure", "be positive and finite", *value, Place::row(*row)));
    }
    Ok(Some(exposure.iter().map(|e| e.ln()).collect()))
}

fn sum_of(parts: [Option<Vec<f64>>; 3]) -> Option<Vec<f64>> {
    parts.into_iter().flatten().reduce(|mut a, b| {
        a.iter_mut().zip(b).for_each(|(a, b)| *a += b);
        a
    })
}
