//! What a caller asks of a fit, and what things are called in its messages.
use isostat_base::Error;

/// What the weights count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum WeightsKind {
    /// `Var(y) = phi V / w`: R's prior weights.
    #[default]
    Precision,
    /// Each row stands for `w` equal rows.
    Frequency,
    /// Rows were drawn with probability proportional to `1/w`: the covariance is the sandwich.
    Sampling,
}

impl WeightsKind {
    /// The name, as `weights_kind=` takes it.
    pub fn name(self) -> &'static str {
        match self {
            WeightsKind::Precision => "precision",
            WeightsKind::Frequency => "frequency",
            WeightsKind::Sampling => "sampling",
        }
    }

    /// The kind of a name.
    ///
    /// # Errors
    /// [`Error::Domain`] for another name.
    pub fn parse(name: &str) -> Result<Self, Error> {
        [WeightsKind::Precision, WeightsKind::Frequency, WeightsKind::Sampling]
            .into_iter()
            .find(|k| k.name() == name)
            .ok_or_else(|| {
                Error::domain(
                    "glm",
                    "weights_kind",
                    "be precision, frequency or sampling",
                    format!("\"{name}\""),
                )
            })
    }
}

/// What the user calls things, for messages.
#[derive(Clone, Debug)]
pub struct Names {
    /// The entrance: "fit_glm".
    pub owner: String,
    /// The design.
    pub x: String,
    /// The response.
    pub y: String,
    /// The weights.
    pub weights: String,
    /// The offset.
    pub offset: String,
    /// Columns of the design.
    pub columns: Vec<String>,
}

impl Names {
    /// Arguments of `fit_glm`, columns numbered.
    pub fn of_arrays(columns: Vec<String>) -> Self {
        Names {
            owner: "fit_glm".into(),
            x: "X".into(),
            y: "y".into(),
            weights: "weights".into(),
            offset: "offset".into(),
            columns,
        }
    }
}

/// Options of a fit.
#[derive(Clone, Debug)]
pub struct Options {
    /// Most iterations.
    pub max_iter: usize,
    /// Newton decrement, in log-likelihood units, that ends the iteration.
    pub tol: f64,
    /// Coefficients to start from.
    pub start: Option<Vec<f64>>,
    /// What the weights count.
    pub weights_kind: WeightsKind,
    /// Names for messages.
    pub names: Names,
}

impl Options {
    /// Defaults, for arrays.
    pub fn new(names: Names) -> Self {
        Options { max_iter: 100, tol: 1e-10, start: None, weights_kind: WeightsKind::default(), names }
    }

    /// Checks the options themselves.
    ///
    /// # Errors
    /// [`Error::Domain`], naming the option.
    pub fn check(&self) -> Result<(), Error> {
        if !(self.tol > 0.0 && self.tol.is_finite()) {
            return Err(Error::domain(&self.names.owner, "tol", "be positive and finite", self.tol));
        }
        if self.max_iter == 0 {
            return Err(Error::domain(&self.names.owner, "max_iter", "be at least 1", 0));
        }
        Ok(())
    }
}
