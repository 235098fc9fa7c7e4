//! The entrances of regression: builders over tables and over slices.
use std::sync::Arc;

use isostat_base::{Error, Evidence, Result};
use isostat_data::{Frame, NaPolicy};
use isostat_engine::host::{Block, Design, Host, HostArray, View};
use isostat_engine::{Engine, Rows};
use isostat_fit::extra::fit_any;
use isostat_fit::{Names, Options, WeightsKind};
use isostat_model::family::Gaussian;
use isostat_model::{row, AnyFamily, AnyLink, Family};

use crate::fit::GlmFit;
use crate::table::{self, Source, Sources};

/// What the model is fitted to.
#[derive(Clone, Debug)]
enum Data<'a> {
    Table {
        formula: String,
        frame: &'a Frame,
    },
    Slices {
        x: &'a [f64],
        y: &'a [f64],
        weights: Option<&'a [f64]>,
        offset: Option<&'a [f64]>,
        intercept: bool,
    },
}

/// A generalised linear model to be fitted: options by method, then [`Glm::fit`].
#[derive(Clone, Debug)]
pub struct Glm<'a> {
    data: Data<'a>,
    family: AnyFamily,
    link: Option<AnyLink>,
    sources: Sources,
    na: NaPolicy,
    weights_kind: WeightsKind,
    max_iter: usize,
    tol: f64,
    start: Option<Vec<f64>>,
    engine: Host,
}

/// A generalised linear model given by a formula over a table; Gaussian unless told otherwise.
///
/// The same as `glm(formula, family, data)` in R.
pub fn glm<'a>(formula: &str, frame: &'a Frame) -> Glm<'a> {
    Glm::new(Data::Table { formula: formula.into(), frame })
}

/// A generalised linear model of a response `y` on a row-major design `x` with `y.len()` rows; an intercept comes
/// first unless [`Glm::no_intercept`] is said.
///
/// ```
/// let x = [0.0, 1.0, 2.0, 3.0];
/// let y = [1.0, 3.0, 5.0, 7.0];
/// let fit = isostat::fit_glm(&x, &y).fit()?;
/// assert!((fit.coef()[1] - 2.0).abs() < 1e-12);
/// # Ok::<(), isostat::Error>(())
/// ```
pub fn fit_glm<'a>(x: &'a [f64], y: &'a [f64]) -> Glm<'a> {
    Glm::new(Data::Slices { x, y, weights: None, offset: None, intercept: true })
}

impl<'a> Glm<'a> {
    fn new(data: Data<'a>) -> Self {
        Glm {
            data,
            family: AnyFamily::Gaussian(Gaussian),
            link: None,
            sources: Sources::default(),
            na: NaPolicy::Raise,
            weights_kind: WeightsKind::Precision,
            max_iter: 100,
            tol: 1e-10,
            start: None,
            engine: Host::default(),
        }
    }

    /// The family by name.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for a name that is not in the list.
    pub fn family(mut self, name: &str) -> Result<Self> {
        self.family = AnyFamily::parse(name)?;
        Ok(self)
    }

    /// The family itself, parameters included.
    pub fn with_family(mut self, family: AnyFamily) -> Self {
        self.family = family;
        self
    }

    /// The link by name; the family's own unless said.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for a name that is not in the list.
    pub fn link(mut self, name: &str) -> Result<Self> {
        self.link = Some(AnyLink::parse(name)?);
        Ok(self)
    }

    /// Prior weights by column.
    pub fn weights(mut self, column: &str) -> Self {
        self.sources.weights = Some(Source::Column(column.into()));
        self
    }

    /// Prior weights by value, for slices.
    pub fn weights_of(mut self, values: &'a [f64]) -> Self {
        match &mut self.data {
            Data::Slices { weights, .. } => *weights = Some(values),
            Data::Table { .. } => self.sources.weights = Some(Source::Values(values.into())),
        }
        self
    }

    /// The offset by value.
    pub fn offset_of(mut self, values: &'a [f64]) -> Self {
        match &mut self.data {
            Data::Slices { offset, .. } => *offset = Some(values),
            Data::Table { .. } => self.sources.offset = Some(Source::Values(values.into())),
        }
        self
    }

    /// The offset by column.
    pub fn offset(mut self, column: &str) -> Self {
        self.sources.offset = Some(Source::Column(column.into()));
        self
    }

    /// The exposure by column: its logarithm joins the offset.
    pub fn exposure(mut self, column: &str) -> Self {
        self.sources.exposure = Some(Source::Column(column.into()));
        self
    }

    /// Leaves the intercept out, for slices; a formula says `- 1`.
    pub fn no_intercept(mut self) -> Self {
        if let Data::Slices { intercept, .. } = &mut self.data {
            *intercept = false;
        }
        self
    }

    /// What becomes of rows with missing values.
    pub fn na(mut self, policy: NaPolicy) -> Self {
        self.na = policy;
        self
    }

    /// What the weights count.
    pub fn weights_kind(mut self, kind: WeightsKind) -> Self {
        self.weights_kind = kind;
        self
    }

    /// Most iterations, and the Newton decrement in log-likelihood units that ends them.
    pub fn stop(mut self, max_iter: usize, tol: f64) -> Self {
        (self.max_iter, self.tol) = (max_iter, tol);
        self
    }

    /// Coefficients to start from.
    pub fn start(mut self, coef: &[f64]) -> Self {
        self.start = Some(coef.to_vec());
        self
    }

    /// The engine: threads, instruction set, fused or op by op.
    pub fn engine(mut self, engine: Host) -> Self {
        self.engine = engine;
        self
    }

    /// Fits.
    ///
    /// # Errors
    /// What data and options refuse. Not converging is a status of the fit.
    pub fn fit(self) -> Result<GlmFit> {
        let link = self.link.unwrap_or_else(|| self.family.default_link());
        let model = row::Glm { family: self.family.clone(), link };
        let (x, rows, names, spec, has_intercept) = match &self.data {
            Data::Table { formula, frame } => {
                let ready = table::prepare(formula, frame, &self.family, &self.sources, self.na)?;
                (ready.x, ready.rows, ready.names, Some(ready.spec), ready.has_intercept)
            }
            Data::Slices { x, y, weights, offset, intercept } => {
                let (x, rows, names) = slices(x, y, *weights, *offset, *intercept)?;
                (x, rows, names, None, *intercept)
            }
        };
        let mut options = Options::new(names);
        options.max_iter = self.max_iter;
        options.tol = self.tol;
        options.start = self.start;
        options.weights_kind = self.weights_kind;
        let mut evidence = Evidence::new(self.engine.name());
        let outcome = fit_any(&self.engine, &model, &x, &rows, &options, &mut evidence)?;
        Ok(GlmFit { engine: self.engine, outcome, rows, options, evidence, spec, has_intercept })
    }
}

/// Design, rows and names of slices.
fn slices(
    x: &[f64],
    y: &[f64],
    weights: Option<&[f64]>,
    offset: Option<&[f64]>,
    intercept: bool,
) -> Result<(HostArray, Rows<HostArray>, Names)> {
    let n = y.len();
    if n == 0 || !x.len().is_multiple_of(n) {
        let expected = format!("a length that is a multiple of the {n} values of `y`");
        return Err(Error::shape("fit_glm", "x", expected, format!("length {}", x.len())));
    }
    let p = x.len() / n;
    let view = View::matrix(Arc::new(x.to_vec()), 0, [n, p], [p, 1])?;
    let mut blocks = Vec::new();
    let mut columns = Vec::new();
    if intercept {
        blocks.push(Block::Ones(n));
        columns.push("(Intercept)".to_string());
    }
    if p > 0 {
        blocks.push(Block::Dense(view));
        columns.extend((0..p).map(|j| format!("x{j}")));
    }
    let or_scalar = |v: Option<&[f64]>, d| v.map_or(HostArray::Scalar(d), |v| HostArray::vector(v.to_vec()));
    let rows = Rows {
        y: HostArray::vector(y.to_vec()),
        weights: or_scalar(weights, 1.0),
        offset: or_scalar(offset, 0.0),
    };
    Ok((HostArray::design(Design::from_blocks(blocks)?), rows, Names::of_arrays(columns)))
}
