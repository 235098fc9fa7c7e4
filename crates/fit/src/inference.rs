//! Covariances, likelihood, residuals, leverage, prediction: what a fit tells, computed when it is asked for.
use isostat_base::Error;
use isostat_engine::{Engine, Formula, Rows};
use isostat_linalg::cholesky::times_transpose;
use isostat_model::row::{Fisher, Glm, Likelihood};
use isostat_model::{AnyFamily, AnyLink, Dispersion, Family, Link};
use isostat_number::Number;

use crate::check::number;
use crate::extra::{tweedie_likelihood, Outcome};
use crate::glm::Fitted;
use crate::options::WeightsKind;
use crate::predict::MeanRow;

/// Kinds of residuals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Residual {
    /// `sign(y - mu) √(w d)`.
    Deviance,
    /// `(y - mu) √(w / V)`.
    Pearson,
    /// `y - mu`.
    Response,
    /// `(y - mu) deta/dmu`.
    Working,
}

struct ResidualRow<F, L> {
    glm: Glm<F, L>,
    kind: Residual,
}

impl<F: Family, L: Link> Formula<3, 1> for ResidualRow<F, L> {
    fn eval<N: Number>(&self, [y, w, eta]: [N; 3]) -> [N; 1] {
        let (m, slope) = self.glm.mean_with_slope(eta);
        let residual = self.glm.family.residual(y.clone(), &m);
        let zero = N::literal(0.0);
        [match self.kind {
            Residual::Response => residual,
            Residual::Working => residual / slope,
            Residual::Pearson => residual * (w / self.glm.family.variance(&m)).sqrt(),
            Residual::Deviance => {
                // Rounding may leave a tiny negative deviance at y = mu.
                let size = (w * self.glm.family.unit_deviance(y, &m)).maximum(zero.clone()).sqrt();
                N::select(&residual.less(&zero), -size.clone(), size)
            }
        }]
    }
}

/// (W, Σ (xM)²) → leverage.
struct LeverageRow;
impl Formula<2, 1> for LeverageRow {
    fn eval<N: Number>(&self, [weight, square]: [N; 2]) -> [N; 1] {
        [weight * square]
    }
}

/// (Pearson residual, leverage) → Cook's distance.
struct CookRow {
    scale: f64,
}
impl Formula<2, 1> for CookRow {
    fn eval<N: Number>(&self, [residual, h]: [N; 2]) -> [N; 1] {
        let rest = N::literal(1.0) - h.clone();
        [(residual / rest.clone()).square() * h * N::literal(1.0 / self.scale)]
    }
}

/// (residual, leverage) → `r / √(phi (1 - h))`.
struct StandardRow(f64);
impl Formula<2, 1> for StandardRow {
    fn eval<N: Number>(&self, [residual, h]: [N; 2]) -> [N; 1] {
        [residual / ((N::literal(1.0) - h) * N::literal(self.0)).sqrt()]
    }
}

/// (deviance residual, Pearson residual, leverage) → R's likelihood residual, studentised by the deviance that the
/// other rows leave where the dispersion is free.
struct StudentRow {
    is_free: bool,
    deviance: f64,
    dof: f64,
}
impl Formula<3, 1> for StudentRow {
    fn eval<N: Number>(&self, [d, pearson, h]: [N; 3]) -> [N; 1] {
        let rest = N::literal(1.0) - h.clone();
        let size = (d.clone().square() + h * pearson.square() / rest.clone()).sqrt();
        let signed = N::select(&d.less(&N::literal(0.0)), -size.clone(), size);
        if !self.is_free {
            return [signed];
        }
        let left = (N::literal(self.deviance) - d.square() / rest) * N::literal(1.0 / (self.dof - 1.0));
        [signed / left.sqrt()]
    }
}

/// Which power of `1 - h` divides the squared score of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sandwich {
    /// No correction.
    Hc0,
    /// `n / (n - p)`.
    Hc1,
    /// `1 / (1 - h)`.
    Hc2,
    /// `1 / (1 - h)²`.
    Hc3,
    /// `n / (n - 1)`, as design-based standard errors of unequal sampling.
    Sampling,
}

impl Sandwich {
    /// The kind of a name.
    ///
    /// # Errors
    /// [`Error::Domain`] for another name.
    pub fn parse(name: &str) -> Result<Sandwich, Error> {
        Ok(match name.to_uppercase().as_str() {
            "HC0" => Sandwich::Hc0,
            "HC1" => Sandwich::Hc1,
            "HC2" => Sandwich::Hc2,
            "HC3" => Sandwich::Hc3,
            _ => {
                return Err(Error::domain("robust", "kind", "be HC0, HC1, HC2 or HC3", format!("\"{name}\"")))
            }
        })
    }
}

struct SquaredScore(Sandwich);
impl Formula<2, 1> for SquaredScore {
    fn eval<N: Number>(&self, [score, h]: [N; 2]) -> [N; 1] {
        let rest = N::literal(1.0) - h;
        [match self.0 {
            Sandwich::Hc2 => score.square() / rest,
            Sandwich::Hc3 => (score / rest).square(),
            _ => score.square(),
        }]
    }
}

/// A fit with its data: the lazy quantities.
pub struct Told<'a, E: Engine> {
    /// The engine.
    pub engine: &'a E,
    /// The fit.
    pub outcome: &'a Outcome<E::Array>,
    /// Response, weights, offset.
    pub rows: &'a Rows<E::Array>,
    /// What the weights count.
    pub weights_kind: WeightsKind,
}

impl<E: Engine> Told<'_, E> {
    fn fitted(&self) -> &Fitted<E::Array> {
        &self.outcome.fitted
    }
    fn glm(&self) -> &Glm<AnyFamily, AnyLink> {
        &self.outcome.glm
    }
    fn gamma(&self) -> Result<E::Array, E::Error> {
        let gamma = &self.fitted().gamma;
        self.engine.from_host(gamma, &[gamma.len()], &self.fitted().x)
    }

    /// The linear predictor, offset included.
    pub fn linear_predictor(&self) -> Result<E::Array, E::Error> {
        self.engine.add(&self.engine.matvec(&self.fitted().x, &self.gamma()?)?, &self.rows.offset)
    }

    /// Fitted means.
    pub fn means(&self) -> Result<E::Array, E::Error> {
        let [mu, _] = self.engine.map(&MeanRow(self.glm().clone()), [&self.linear_predictor()?])?;
        Ok(mu)
    }

    /// Residuals of a kind.
    pub fn residuals(&self, kind: Residual) -> Result<E::Array, E::Error> {
        let row = ResidualRow { glm: self.glm().clone(), kind };
        let eta = self.linear_predictor()?;
        let [r] = self.engine.map(&row, [&self.rows.y, &self.rows.weights, &eta])?;
        Ok(r)
    }

    /// Diagonal of the hat matrix.
    pub fn leverage(&self) -> Result<E::Array, E::Error> {
        let r = self.fitted().rank();
        let squares = self.engine.row_squares(&self.fitted().x, &self.fitted().root, r)?;
        let eta = self.linear_predictor()?;
        let [weight, _, _] =
            self.engine.map(&Fisher(self.glm().clone()), [&self.rows.y, &self.rows.weights, &eta])?;
        let [h] = self.engine.map(&LeverageRow, [&weight, &squares])?;
        Ok(h)
    }

    /// Cook's distance, as R: Pearson residuals, dispersion of the summary.
    pub fn cooks_distance(&self) -> Result<E::Array, E::Error> {
        let scale = self.fitted().dispersion * self.fitted().rank() as f64;
        let inputs = [&self.residuals(Residual::Pearson)?, &self.leverage()?];
        let [d] = self.engine.map(&CookRow { scale }, inputs)?;
        Ok(d)
    }

    /// Deviance residuals over their standard deviation.
    pub fn standardised(&self) -> Result<E::Array, E::Error> {
        let inputs = [&self.residuals(Residual::Deviance)?, &self.leverage()?];
        let [r] = self.engine.map(&StandardRow(self.fitted().dispersion), inputs)?;
        Ok(r)
    }

    /// Studentised residuals as R's `rstudent`.
    pub fn studentised(&self) -> Result<E::Array, E::Error> {
        // R divides by the deviance of the other rows for every family but these two.
        let is_known = matches!(self.glm().family, AnyFamily::Binomial(_) | AnyFamily::Poisson(_));
        let row = StudentRow {
            is_free: !is_known,
            deviance: self.fitted().deviance,
            dof: self.fitted().dof_residual,
        };
        let (d, p) = (self.residuals(Residual::Deviance)?, self.residuals(Residual::Pearson)?);
        let [r] = self.engine.map(&row, [&d, &p, &self.leverage()?])?;
        Ok(r)
    }

    /// Covariance of the coefficients, row-major (p, p); NaN where aliased or infinite.
    ///
    /// `None` gives the one of the summary: expected information, or the sandwich for sampling weights.
    pub fn covariance(&self, kind: Option<Sandwich>) -> Result<Vec<f64>, E::Error> {
        let kind = match (kind, self.weights_kind) {
            (None, WeightsKind::Sampling) => Some(Sandwich::Sampling),
            (kind, _) => kind,
        };
        let r = self.fitted().rank();
        let root = &self.fitted().root;
        let inner = match kind {
            None => scaled(times_transpose(root, r), self.fitted().dispersion),
            Some(kind) => {
                let bread = times_transpose(root, r);
                let meat = self.meat(kind)?;
                product(&product(&bread, &meat, r), &bread, r)
            }
        };
        Ok(self.spread(&inner))
    }

    fn meat(&self, kind: Sandwich) -> Result<Vec<f64>, E::Error> {
        let eta = self.linear_predictor()?;
        let fisher = Fisher(self.glm().clone());
        let [_, score, _] = self.engine.map(&fisher, [&self.rows.y, &self.rows.weights, &eta])?;
        let h = match kind {
            Sandwich::Hc2 | Sandwich::Hc3 => self.leverage()?,
            _ => self.engine.scalar(0.0),
        };
        let [square] = self.engine.map(&SquaredScore(kind), [&score, &h])?;
        let meat = self.engine.to_host(&self.engine.gram(&self.fitted().x, &square)?)?;
        let n = self.fitted().counts.weighted;
        let factor = match kind {
            Sandwich::Hc1 => n / (n - self.fitted().rank() as f64),
            Sandwich::Sampling => n / (n - 1.0),
            _ => 1.0,
        };
        Ok(scaled(meat, factor))
    }

    /// From the fit's own coordinates to coefficients.
    fn spread(&self, inner: &[f64]) -> Vec<f64> {
        let fitted = self.fitted();
        let (p, r) = (fitted.counts.columns, fitted.rank());
        let mut out = match &fitted.basis {
            None => inner.to_vec(),
            Some(basis) => {
                let left = basis.times(inner);
                let mut out = vec![0.0; p * p];
                for i in 0..p {
                    for j in 0..p {
                        let (a, t) = (&left[i * r..(i + 1) * r], &basis.high[j * r..(j + 1) * r]);
                        out[i * p + j] = a.iter().zip(t).map(|(a, t)| a * t).sum();
                    }
                }
                out
            }
        };
        let unknown = fitted.aliased.iter().map(|a| a.column).chain(fitted.infinite.iter().map(|i| i.0));
        for j in unknown {
            for i in 0..p {
                out[i * p + j] = f64::NAN;
                out[j * p + i] = f64::NAN;
            }
        }
        out
    }

    /// The log-likelihood with R's conventions, and the number of parameters that it counts.
    pub fn log_likelihood(&self) -> Result<(f64, f64), E::Error> {
        let fitted = self.fitted();
        let family = &self.glm().family;
        let extras = self.outcome.extras.iter().filter(|x| x.1.is_finite()).count() as f64;
        let mut counted = fitted.rank() as f64 + extras;
        if family.dispersion().counts() {
            counted += 1.0;
        }
        if let AnyFamily::Tweedie(tweedie) = family {
            let (value, _) = tweedie_likelihood(self.engine, *tweedie, &self.glm().link, fitted, self.rows)?;
            return Ok((value, counted));
        }
        let phi = self.likelihood_dispersion()?;
        let value = self.sum_of(&Likelihood { glm: self.glm().clone(), phi })?;
        Ok((value, counted))
    }

    /// The dispersion that the log-likelihood is taken at: by maximum likelihood, or as R's families take it.
    ///
    /// # Errors
    /// What the engine refuses.
    pub fn likelihood_dispersion(&self) -> Result<f64, E::Error> {
        let fitted = self.fitted();
        let family = &self.glm().family;
        if let AnyFamily::Tweedie(tweedie) = family {
            return Ok(tweedie_likelihood(self.engine, *tweedie, &self.glm().link, fitted, self.rows)?.1);
        }
        let n = match self.weights_kind {
            WeightsKind::Frequency => fitted.counts.total_weight,
            _ => fitted.counts.weighted,
        };
        Ok(match family.dispersion() {
            Dispersion::PerRow => fitted.deviance / n,
            Dispersion::PerWeight => fitted.deviance / fitted.counts.total_weight,
            _ => 1.0,
        })
    }

    /// Frequency weights multiply log-densities of weight 1; the others enter the density.
    fn sum_of<F: Formula<3, 1>>(&self, formula: &F) -> Result<f64, E::Error> {
        let (x, gamma) = (&self.fitted().x, self.gamma()?);
        let [value] = match self.weights_kind {
            WeightsKind::Frequency => {
                self.engine.row_sums(&Replicated(formula), x, self.rows, Some(&gamma))?
            }
            _ => self.engine.row_sums(formula, x, self.rows, Some(&gamma))?,
        };
        number(self.engine, &value)
    }

    /// Log-likelihood of the null model, its dispersion taken as the fit's is.
    pub fn null_log_likelihood(&self, has_intercept: bool) -> Result<f64, E::Error> {
        let e = self.engine;
        let (deviance, intercept) = self.null_deviance(has_intercept)?;
        let counts = self.fitted().counts;
        let n = match self.weights_kind {
            WeightsKind::Frequency => counts.total_weight,
            _ => counts.weighted,
        };
        let phi = match self.glm().family.dispersion() {
            Dispersion::PerRow => deviance / n,
            Dispersion::PerWeight => deviance / counts.total_weight,
            Dispersion::Maximised => return Ok(f64::NAN),
            _ => 1.0,
        };
        let eta = e.add(&self.rows.offset, &e.scalar(intercept))?;
        let row = Likelihood { glm: self.glm().clone(), phi };
        let inputs = [&self.rows.y, &self.rows.weights, &eta];
        let [density] = match self.weights_kind {
            WeightsKind::Frequency => e.map(&Replicated(&row), inputs)?,
            _ => e.map(&row, inputs)?,
        };
        self.total(&density)
    }

    /// Deviance of the model with an intercept alone (or with nothing, where the design has no intercept), offset
    /// kept, and its linear predictor.
    pub fn null_deviance(&self, has_intercept: bool) -> Result<(f64, f64), E::Error> {
        let e = self.engine;
        let fisher = Fisher(self.glm().clone());
        let mut intercept = if has_intercept { self.null_start()? } else { 0.0 };
        let mut deviance = f64::NAN;
        for _ in 0..100 {
            let eta = e.add(&self.rows.offset, &e.scalar(intercept))?;
            let [weight, score, d] = e.map(&fisher, [&self.rows.y, &self.rows.weights, &eta])?;
            let parts = [self.total(&weight)?, self.total(&score)?, self.total(&d)?];
            deviance = parts[2];
            let step = parts[1] / parts[0];
            if !has_intercept || !step.is_finite() || step * parts[1] <= 1e-22 * deviance.abs().max(1e-300) {
                break;
            }
            intercept += step;
        }
        Ok((deviance, intercept))
    }

    fn null_start(&self) -> Result<f64, E::Error> {
        let e = self.engine;
        let [sum] = e.map(&WeightedResponse, [&self.rows.y, &self.rows.weights])?;
        let mean = number(e, &e.sum(&sum)?)? / self.fitted().counts.total_weight;
        let [offset] = e.map(&LeverageRow, [&self.rows.offset, &self.rows.weights])?;
        let shift = self.total(&offset)? / self.fitted().counts.total_weight;
        Ok(self.glm().link.forward(&self.glm().mean_of(mean)) - shift)
    }

    /// The sum over all rows, also of what is the same for each row.
    fn total(&self, v: &E::Array) -> Result<f64, E::Error> {
        let n = if self.engine.shape(v).is_empty() { self.fitted().counts.rows as f64 } else { 1.0 };
        Ok(n * number(self.engine, &self.engine.sum(v)?)?)
    }
}

struct WeightedResponse;
impl Formula<2, 1> for WeightedResponse {
    fn eval<N: Number>(&self, [y, w]: [N; 2]) -> [N; 1] {
        [y * w]
    }
}

/// `w` times the value at weight 1.
struct Replicated<'a, F>(&'a F);
impl<F: Formula<3, 1>> Formula<3, 1> for Replicated<'_, F> {
    fn eval<N: Number>(&self, [y, w, eta]: [N; 3]) -> [N; 1] {
        let [value] = self.0.eval([y, N::literal(1.0), eta]);
        [w * value]
    }
}

fn scaled(mut a: Vec<f64>, factor: f64) -> Vec<f64> {
    a.iter_mut().for_each(|x| *x *= factor);
    a
}

fn product(a: &[f64], b: &[f64], p: usize) -> Vec<f64> {
    let mut out = vec![0.0; p * p];
    for i in 0..p {
        for k in 0..p {
            let x = a[i * p + k];
            let row = &b[k * p..(k + 1) * p];
            out[i * p..(i + 1) * p].iter_mut().zip(row).for_each(|(o, b)| *o += x * b);
        }
    }
    out
}
