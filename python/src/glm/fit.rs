//! The class `GlmFit`: a fit, told in Python's terms.
use pyo3::prelude::*;

use isostat_base::{Conversion, Error, Evidence};
use isostat_data::ModelSpec;
use isostat_engine::Engine;
use isostat_fit::inference::{Residual, Sandwich, Told};
use isostat_fit::Options;

use super::entry::{design_of, NewRows};
use super::frame::PyFrame;
use super::held::{Held, Question};
use super::options;
use super::predict::Predicted;
use crate::error::{guard, ForeignError};

/// A fitted GLM.
#[pyclass(name = "GlmFit", module = "isostat._core", frozen)]
pub struct GlmFit {
    held: Held,
    evidence: Evidence,
    options: Options,
    spec: Option<ModelSpec>,
    has_intercept: bool,
    rows: Vec<usize>,
    n_source_rows: usize,
    term_of_column: Vec<usize>,
    term_names: Vec<String>,
}

/// Adds conversions to a record, alike ones once.
pub fn merge(evidence: &mut Evidence, conversions: Vec<Conversion>) {
    for conversion in conversions {
        if !evidence.conversions.contains(&conversion) {
            evidence.conversions.push(conversion);
        }
    }
}

/// The small part of a fit, whatever the engine.
macro_rules! fitted {
    ($self:expr, $fitted:ident => $body:expr) => {
        match &$self.held {
            Held::Host { outcome, .. } => {
                let $fitted = &outcome.fitted;
                $body
            }
            Held::Foreign { outcome, .. } => {
                let $fitted = &outcome.fitted;
                $body
            }
        }
    };
}

impl GlmFit {
    /// A fit with what belongs to it.
    pub fn new(
        held: Held,
        evidence: Evidence,
        options: Options,
        spec: Option<ModelSpec>,
        has_intercept: bool,
    ) -> Self {
        GlmFit {
            held,
            evidence,
            options,
            spec,
            has_intercept,
            rows: Vec::new(),
            n_source_rows: 0,
            term_of_column: Vec::new(),
            term_names: Vec::new(),
        }
    }

    /// The rows of the table that were used, and the terms of the columns.
    pub fn set_rows(
        &mut self,
        rows: Vec<usize>,
        n_source_rows: usize,
        terms: Vec<usize>,
        names: Vec<String>,
    ) {
        self.rows = rows;
        self.n_source_rows = n_source_rows;
        self.term_of_column = terms;
        self.term_names = names;
    }

    fn ask<Q: Question>(&self, py: Python<'_>, question: Q) -> PyResult<Q::Answer> {
        guard(py, || self.held.ask(py, self.options.weights_kind, question))
    }

    fn extras(&self) -> &[(&'static str, f64, f64)] {
        match &self.held {
            Held::Host { outcome, .. } => &outcome.extras,
            Held::Foreign { outcome, .. } => &outcome.extras,
        }
    }
}

/// Vectors of length n.
enum Vector {
    Eta,
    Mean,
    Residuals(Residual),
    Leverage,
    Cook,
    Standardised,
    Studentised,
    Response,
    Weights,
}

impl Question for Vector {
    type Answer = Py<PyAny>;
    fn ask<E: Engine>(
        self,
        told: &Told<'_, E>,
        give: &dyn Fn(E::Array) -> Result<Py<PyAny>, E::Error>,
    ) -> Result<Py<PyAny>, E::Error> {
        give(match self {
            Vector::Eta => told.linear_predictor()?,
            Vector::Mean => told.means()?,
            Vector::Residuals(kind) => told.residuals(kind)?,
            Vector::Leverage => told.leverage()?,
            Vector::Cook => told.cooks_distance()?,
            Vector::Standardised => told.standardised()?,
            Vector::Studentised => told.studentised()?,
            Vector::Response => told.rows.y.clone(),
            Vector::Weights => told.rows.weights.clone(),
        })
    }
}

struct Covariance(Option<Sandwich>);
impl Question for Covariance {
    type Answer = Vec<f64>;
    fn ask<E: Engine>(
        self,
        told: &Told<'_, E>,
        _: &dyn Fn(E::Array) -> Result<Py<PyAny>, E::Error>,
    ) -> Result<Vec<f64>, E::Error> {
        told.covariance(self.0)
    }
}

struct LogLikelihood;
impl Question for LogLikelihood {
    type Answer = (f64, f64);
    fn ask<E: Engine>(
        self,
        told: &Told<'_, E>,
        _: &dyn Fn(E::Array) -> Result<Py<PyAny>, E::Error>,
    ) -> Result<(f64, f64), E::Error> {
        told.log_likelihood()
    }
}

struct LikelihoodDispersion;
impl Question for LikelihoodDispersion {
    type Answer = f64;
    fn ask<E: Engine>(
        self,
        told: &Told<'_, E>,
        _: &dyn Fn(E::Array) -> Result<Py<PyAny>, E::Error>,
    ) -> Result<f64, E::Error> {
        told.likelihood_dispersion()
    }
}

struct Null(bool);
impl Question for Null {
    type Answer = (f64, f64);
    fn ask<E: Engine>(
        self,
        told: &Told<'_, E>,
        _: &dyn Fn(E::Array) -> Result<Py<PyAny>, E::Error>,
    ) -> Result<(f64, f64), E::Error> {
        told.null_deviance(self.0)
    }
}

struct NullLikelihood(bool);
impl Question for NullLikelihood {
    type Answer = f64;
    fn ask<E: Engine>(
        self,
        told: &Told<'_, E>,
        _: &dyn Fn(E::Array) -> Result<Py<PyAny>, E::Error>,
    ) -> Result<f64, E::Error> {
        told.null_log_likelihood(self.0)
    }
}

#[pymethods]
impl GlmFit {
    #[getter]
    fn coef(&self) -> Vec<f64> {
        fitted!(self, f => f.coef.clone())
    }
    #[getter]
    fn coef_names(&self) -> Vec<String> {
        self.options.names.columns.clone()
    }
    #[getter]
    fn status(&self) -> &'static str {
        fitted!(self, f => f.status.name())
    }
    #[getter]
    fn remedy(&self) -> &'static str {
        fitted!(self, f => f.status.remedy())
    }
    #[getter]
    fn is_converged(&self) -> bool {
        fitted!(self, f => f.status.is_converged())
    }
    #[getter]
    fn n_iter(&self) -> usize {
        fitted!(self, f => f.n_iter)
    }
    #[getter]
    fn deviance(&self) -> f64 {
        fitted!(self, f => f.deviance)
    }
    #[getter]
    fn dispersion(&self) -> f64 {
        fitted!(self, f => f.dispersion)
    }
    #[getter]
    fn rank(&self) -> usize {
        fitted!(self, f => f.rank())
    }
    #[getter]
    fn dof_residual(&self) -> f64 {
        fitted!(self, f => f.dof_residual)
    }
    /// (rows, rows with weight, total weight).
    #[getter]
    fn counts(&self) -> (usize, f64, f64) {
        fitted!(self, f => (f.counts.rows, f.counts.weighted, f.counts.total_weight))
    }
    #[getter]
    fn warnings(&self) -> Vec<String> {
        fitted!(self, f => f.warnings.clone())
    }
    /// Aliased columns with their relations: [(column, [(column, coefficient)])].
    #[getter]
    fn aliased(&self) -> Vec<(usize, Vec<(usize, f64)>)> {
        fitted!(self, f => f.aliased.iter().map(|a| (a.column, a.relation.clone())).collect())
    }
    /// Columns whose coefficient is infinite, with the sign.
    #[getter]
    fn infinite(&self) -> Vec<(usize, f64)> {
        fitted!(self, f => f.infinite.clone())
    }
    #[getter]
    fn has_intercept(&self) -> bool {
        self.has_intercept
    }
    #[getter]
    fn weights_kind(&self) -> &'static str {
        self.options.weights_kind.name()
    }
    /// (family, link, whether the dispersion is estimated).
    #[getter]
    fn family(&self) -> (String, String, bool) {
        let glm = match &self.held {
            Held::Host { outcome, .. } => &outcome.glm,
            Held::Foreign { outcome, .. } => &outcome.glm,
        };
        let (family, link) = options::named(glm);
        (family, link, isostat_model::Family::dispersion(&glm.family).is_free())
    }
    /// The family with its parameters: (name, theta, power, variance).
    #[getter]
    fn family_given(&self) -> (String, Option<f64>, Option<f64>, Option<&'static str>) {
        let glm = match &self.held {
            Held::Host { outcome, .. } => &outcome.glm,
            Held::Foreign { outcome, .. } => &outcome.glm,
        };
        options::given(glm)
    }
    /// Log-likelihood of the null model.
    fn loglik_null(&self, py: Python<'_>) -> PyResult<f64> {
        self.ask(py, NullLikelihood(self.has_intercept))
    }
    /// Estimated parameters: (name, value, standard error).
    #[getter]
    fn estimated(&self) -> Vec<(&'static str, f64, f64)> {
        self.extras().to_vec()
    }
    #[getter]
    fn rows(&self) -> (Vec<usize>, usize) {
        (self.rows.clone(), self.n_source_rows)
    }
    #[getter]
    fn terms(&self) -> (Vec<usize>, Vec<String>) {
        (self.term_of_column.clone(), self.term_names.clone())
    }
    #[getter]
    fn evidence_json(&self) -> String {
        self.evidence.to_json()
    }
    #[getter]
    fn spec_json(&self, py: Python<'_>) -> PyResult<Option<String>> {
        guard(py, || self.spec.as_ref().map(ModelSpec::to_json).transpose().map_err(ForeignError::from))
    }
    fn linear_predictor(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.ask(py, Vector::Eta)
    }
    fn fitted(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.ask(py, Vector::Mean)
    }
    fn residuals(&self, py: Python<'_>, kind: &str) -> PyResult<Py<PyAny>> {
        let kind = guard(py, || residual(kind).map_err(ForeignError::from))?;
        self.ask(py, Vector::Residuals(kind))
    }
    fn leverage(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.ask(py, Vector::Leverage)
    }
    fn cooks_distance(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.ask(py, Vector::Cook)
    }
    fn rstandard(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.ask(py, Vector::Standardised)
    }
    fn rstudent(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.ask(py, Vector::Studentised)
    }
    /// The response, shape (n,).
    fn response(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.ask(py, Vector::Response)
    }
    /// Prior weights, shape (n,) or ().
    fn weights(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.ask(py, Vector::Weights)
    }
    /// Covariance of the coefficients, row by row; None gives the one of the summary.
    #[pyo3(signature = (kind=None))]
    fn vcov(&self, py: Python<'_>, kind: Option<&str>) -> PyResult<Vec<f64>> {
        let kind = guard(py, || kind.map(Sandwich::parse).transpose().map_err(ForeignError::from))?;
        self.ask(py, Covariance(kind))
    }
    /// (log-likelihood, number of parameters).
    fn loglik(&self, py: Python<'_>) -> PyResult<(f64, f64)> {
        self.ask(py, LogLikelihood)
    }
    /// The dispersion that the log-likelihood is taken at.
    fn likelihood_dispersion(&self, py: Python<'_>) -> PyResult<f64> {
        self.ask(py, LikelihoodDispersion)
    }
    /// (null deviance, its intercept).
    fn null_deviance(&self, py: Python<'_>) -> PyResult<(f64, f64)> {
        self.ask(py, Null(self.has_intercept))
    }
    /// Prediction on the rows of a table: (eta, unscaled variance, estimable); `root` is a root of the covariance of the
    /// coefficients, None for the fit's own.
    #[pyo3(signature = (frame, policy, root=None))]
    fn predict_frame(
        &self,
        py: Python<'_>,
        frame: &PyFrame,
        policy: NewRows,
        root: Option<Vec<f64>>,
    ) -> PyResult<Predicted> {
        guard(py, || {
            let (Some(spec), Held::Host { engine, outcome, .. }) = (&self.spec, &self.held) else {
                return Err(ForeignError::from(Error::unsupported(
                    "predict on a table",
                    "the fit was made from arrays",
                    "give an array with the columns of X",
                )));
            };
            super::predict::table(py, engine, &outcome.fitted, spec, frame, &policy, root.as_deref())
        })
    }
    /// Prediction on new rows of an array of the fit's own engine.
    #[pyo3(signature = (x, intercept, root=None))]
    fn predict_arrays(
        &self,
        py: Python<'_>,
        x: &Bound<'_, PyAny>,
        intercept: bool,
        root: Option<Vec<f64>>,
    ) -> PyResult<Predicted> {
        guard(py, || super::predict::arrays(py, &self.held, x, intercept, root.as_deref()))
    }
    /// The design matrix of a table, dense, row by row, with its shape.
    fn model_matrix(&self, py: Python<'_>, frame: &PyFrame) -> PyResult<(Vec<f64>, usize, usize)> {
        guard(py, || {
            let Some(spec) = &self.spec else {
                return Err(ForeignError::from(Error::unsupported(
                    "model_matrix",
                    "the fit was made from arrays",
                    "X is the model matrix",
                )));
            };
            let (_, design) = design_of(spec, frame, &NewRows::default())?;
            let (n, p) = (design.n_rows, design.n_columns());
            let columns = design.to_dense();
            let rows = (0..n * p).map(|k| columns[(k % p) * n + k / p]).collect();
            Ok((rows, n, p))
        })
    }
    /// Means and absolute slopes at linear predictors of any namespace.
    fn mean_at(&self, py: Python<'_>, eta: &Bound<'_, PyAny>) -> PyResult<(Py<PyAny>, Py<PyAny>)> {
        guard(py, || {
            let glm = match &self.held {
                Held::Host { outcome, .. } => &outcome.glm,
                Held::Foreign { outcome, .. } => &outcome.glm,
            };
            super::predict::means(py, glm, eta)
        })
    }
}

fn residual(kind: &str) -> Result<Residual, Error> {
    Ok(match kind {
        "deviance" => Residual::Deviance,
        "pearson" => Residual::Pearson,
        "response" => Residual::Response,
        "working" => Residual::Working,
        other => {
            let rule = "be deviance, pearson, response, working or quantile";
            return Err(Error::domain("residuals", "kind", rule, format!("\"{other}\"")));
        }
    })
}
