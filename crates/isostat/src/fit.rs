//! What a regression tells, in Rust.
use isostat_base::{Error, Evidence, Result, Status};
use isostat_data::{BuildOptions, Frame, ModelSpec};
use isostat_engine::host::{Host, HostArray};
use isostat_engine::{Engine, Rows};
use isostat_fit::extra::Outcome;
use isostat_fit::inference::{Residual, Sandwich, Told};
use isostat_fit::predict::{self, MeanRow};
use isostat_fit::Options;

use crate::table;

/// A fitted generalised linear model.
#[derive(Clone, Debug)]
pub struct GlmFit {
    pub(crate) engine: Host,
    pub(crate) outcome: Outcome<HostArray>,
    pub(crate) rows: Rows<HostArray>,
    pub(crate) options: Options,
    pub(crate) evidence: Evidence,
    pub(crate) spec: Option<ModelSpec>,
    pub(crate) has_intercept: bool,
}

impl GlmFit {
    fn told(&self) -> Told<'_, Host> {
        Told {
            engine: &self.engine,
            outcome: &self.outcome,
            rows: &self.rows,
            weights_kind: self.options.weights_kind,
        }
    }

    /// Coefficients; NaN where aliased.
    pub fn coef(&self) -> &[f64] {
        &self.outcome.fitted.coef
    }

    /// Names of the coefficients, as R writes them.
    pub fn coef_names(&self) -> &[String] {
        &self.options.names.columns
    }

    /// Covariance of the coefficients, row-major; `None` gives the one of the summary.
    ///
    /// # Errors
    /// What the engine refuses.
    pub fn covariance(&self, kind: Option<Sandwich>) -> Result<Vec<f64>> {
        self.told().covariance(kind)
    }

    /// Standard errors of the summary.
    ///
    /// # Errors
    /// What the engine refuses.
    pub fn stderr(&self) -> Result<Vec<f64>> {
        let p = self.coef().len();
        Ok(self.covariance(None)?.iter().step_by(p + 1).map(|v| v.sqrt()).collect())
    }

    /// Residual deviance.
    pub fn deviance(&self) -> f64 {
        self.outcome.fitted.deviance
    }

    /// Deviance of the intercept alone, offset kept.
    ///
    /// # Errors
    /// What the engine refuses.
    pub fn null_deviance(&self) -> Result<f64> {
        Ok(self.told().null_deviance(self.has_intercept)?.0)
    }

    /// Pearson's dispersion; 1 where it is known.
    pub fn dispersion(&self) -> f64 {
        self.outcome.fitted.dispersion
    }

    /// Log-likelihood, and the parameters that it counts.
    ///
    /// # Errors
    /// What the engine refuses.
    pub fn log_likelihood(&self) -> Result<(f64, f64)> {
        self.told().log_likelihood()
    }

    /// Akaike's criterion.
    ///
    /// # Errors
    /// What the engine refuses.
    pub fn aic(&self) -> Result<f64> {
        let (value, parameters) = self.log_likelihood()?;
        Ok(2.0 * (parameters - value))
    }

    /// Residual degrees of freedom.
    pub fn dof_residual(&self) -> f64 {
        self.outcome.fitted.dof_residual
    }

    /// Estimated parameters of the family: name, value, standard error.
    pub fn estimated(&self) -> &[(&'static str, f64, f64)] {
        &self.outcome.extras
    }

    /// How it ended.
    pub fn status(&self) -> Status {
        self.outcome.fitted.status
    }

    /// Whether the estimate may be used as a maximum.
    pub fn is_converged(&self) -> bool {
        self.status().is_converged()
    }

    /// Iterations.
    pub fn n_iter(&self) -> usize {
        self.outcome.fitted.n_iter
    }

    /// What a user must be told.
    pub fn warnings(&self) -> &[String] {
        &self.outcome.fitted.warnings
    }

    /// What ran.
    pub fn evidence(&self) -> &Evidence {
        &self.evidence
    }

    /// Fitted means.
    ///
    /// # Errors
    /// What the engine refuses.
    pub fn fitted(&self) -> Result<Vec<f64>> {
        Ok(self.told().means()?.to_vec())
    }

    /// Residuals of a kind.
    ///
    /// # Errors
    /// What the engine refuses.
    pub fn residuals(&self, kind: Residual) -> Result<Vec<f64>> {
        Ok(self.told().residuals(kind)?.to_vec())
    }

    /// Diagonal of the hat matrix.
    ///
    /// # Errors
    /// What the engine refuses.
    pub fn leverage(&self) -> Result<Vec<f64>> {
        Ok(self.told().leverage()?.to_vec())
    }

    /// Means at the rows of a table, its `offset()` terms included.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for a fit of slices; what the table refuses.
    pub fn predict(&self, frame: &Frame) -> Result<Vec<f64>> {
        let Some(spec) = &self.spec else {
            return Err(Error::unsupported(
                "predict on a table",
                "the fit was made from slices",
                "fit a formula over a table with isostat::glm",
            ));
        };
        let (x, design) = table::renew(spec, frame, &BuildOptions::default())?;
        let at = predict::at(&self.engine, &self.outcome.fitted, &x, None)?;
        let eta = match design.offset {
            Some(offset) => self.engine.add(&at.eta, &HostArray::vector(offset))?,
            None => at.eta,
        };
        let [mean, _] = self.engine.map(&MeanRow(self.outcome.glm.clone()), [&eta])?;
        Ok(mean.to_vec())
    }
}
