//! Theta and power, estimated beside the coefficients.
use isostat_base::{Error, Evidence, Status};
use isostat_engine::{Engine, Formula, Rows};
use isostat_model::family::{NegativeBinomial, Poisson, Tweedie};
use isostat_model::row::{Fit as FitRow, Glm};
use isostat_model::{AnyFamily, AnyLink, Family, Link};
use isostat_number::{Dual, Elementary, Number};

use crate::check::number;
use crate::glm::{fit, Fitted};
use crate::options::Options;

/// A fit with the family that it ended on.
#[derive(Clone, Debug)]
pub struct Outcome<A> {
    /// The coefficients and what goes with them.
    pub fitted: Fitted<A>,
    /// Family, with estimated parameters filled in, and link.
    pub glm: Glm<AnyFamily, AnyLink>,
    /// Estimated parameters by name: value and standard error.
    pub extras: Vec<(&'static str, f64, f64)>,
}

impl<A> Outcome<A> {
    /// The same outcome with another handle of its design.
    pub fn with_design<B>(&self, x: B) -> Outcome<B> {
        Outcome { fitted: self.fitted.with_design(x), glm: self.glm.clone(), extras: self.extras.clone() }
    }
}

/// Fits any family of the list, estimating the parameters that it leaves open.
///
/// # Errors
/// As [`fit`].
pub fn fit_any<E: Engine>(
    e: &E,
    glm: &Glm<AnyFamily, AnyLink>,
    x: &E::Array,
    rows: &Rows<E::Array>,
    options: &Options,
    evidence: &mut Evidence,
) -> Result<Outcome<E::Array>, E::Error> {
    glm.family.check_link(&glm.link)?;
    match &glm.family {
        AnyFamily::NegativeBinomial(f) if f.is_estimated => {
            negative_binomial(e, &glm.link, x, rows, options, evidence)
        }
        AnyFamily::Tweedie(f) if f.is_estimated => tweedie(e, &glm.link, x, rows, options, evidence),
        family => {
            check_parameters(family, options)?;
            let fitted = fit(e, glm, x, rows, options, evidence)?;
            Ok(Outcome { fitted, glm: glm.clone(), extras: Vec::new() })
        }
    }
}

/// Given parameters within their range.
///
/// # Errors
/// [`Error::Domain`], naming the parameter.
pub fn check_parameters(family: &AnyFamily, options: &Options) -> Result<(), Error> {
    match family {
        AnyFamily::NegativeBinomial(f) if !(f.theta > 0.0 && f.theta.is_finite()) => {
            Err(Error::domain(&options.names.owner, "theta", "be positive and finite", f.theta))
        }
        AnyFamily::Tweedie(f) if !(f.power > 1.0 && f.power < 2.0) => {
            Err(Error::domain(&options.names.owner, "power", "lie strictly between 1 and 2", f.power))
        }
        _ => Ok(()),
    }
}

/// (y, w, η) → first and second derivative of the log-likelihood in `ln theta`.
struct ThetaRow<L> {
    link: L,
    theta: f64,
}

impl<L: Link> Formula<3, 2> for ThetaRow<L> {
    fn eval<N: Number>(&self, [y, w, eta]: [N; 3]) -> [N; 2] {
        type Second<N> = Dual<Dual<N, 1>, 1>;
        let fixed = |v: N| Second::fixed(Dual::fixed(v));
        let mu = self.link.inverse(eta);
        let log_theta = Second::variable(Dual::variable(N::literal(self.theta.ln()), 0), 0);
        let density = NegativeBinomial::log_density_at(fixed(y), fixed(mu), log_theta.exp());
        let [first] = density.slope;
        let [second] = first.slope;
        [w.clone() * first.value, w * second]
    }
}

/// (y, w, η) → the score of `1/theta` at 0, `w ((y - mu)² - y)/2`, and the moment estimate's two sums.
struct Overdispersion<L>(L);
impl<L: Link> Formula<3, 2> for Overdispersion<L> {
    fn eval<N: Number>(&self, [y, w, eta]: [N; 3]) -> [N; 2] {
        let mu = self.0.inverse(eta);
        let excess = (y.clone() - mu.clone()).square() - y;
        [w.clone() * excess, w * mu.square()]
    }
}

fn negative_binomial<E: Engine>(
    e: &E,
    link: &AnyLink,
    x: &E::Array,
    rows: &Rows<E::Array>,
    options: &Options,
    evidence: &mut Evidence,
) -> Result<Outcome<E::Array>, E::Error> {
    let poisson = Glm { family: AnyFamily::Poisson(Poisson), link: *link };
    let mut fitted = fit(e, &poisson, x, rows, options, evidence)?;
    let gamma = e.from_host(&fitted.gamma, &[fitted.gamma.len()], &fitted.x)?;
    let [excess, square] = e.row_sums(&Overdispersion(*link), &fitted.x, rows, Some(&gamma))?;
    let (excess, square) = (number(e, &excess)?, number(e, &square)?);
    if !fitted.status.is_converged() {
        return Ok(Outcome { fitted, glm: poisson, extras: vec![("theta", f64::NAN, f64::NAN)] });
    }
    if excess <= 0.0 {
        fitted.status = Status::Boundary;
        let pearson = pearson_of(e, &poisson, &fitted, rows)?;
        fitted.warnings.push(format!(
            "the counts are underdispersed (Pearson chi2/df {:.3}; score of 1/theta at 0 is {:.3}): the maximum lies at \
             theta = inf, the Poisson fit",
            pearson / fitted.dof_residual,
            excess / 2.0
        ));
        evidence.status = Status::Boundary.name().into();
        return Ok(Outcome { fitted, glm: poisson, extras: vec![("theta", f64::INFINITY, f64::NAN)] });
    }
    let mut theta = square / excess;
    let mut total_iterations = fitted.n_iter;
    let mut options = options.clone();
    for _ in 0..50 {
        options.start = Some(start_of(&fitted));
        let family = NegativeBinomial { theta, is_estimated: true };
        let glm = Glm { family: AnyFamily::NegativeBinomial(family), link: *link };
        fitted = fit(e, &glm, x, rows, &options, evidence)?;
        total_iterations += fitted.n_iter;
        let (next, information) = maximise_theta(e, link, &fitted, rows, theta)?;
        let change = (next / theta).ln();
        if change.powi(2) * information <= 1e-18_f64.max(1e6 * e.eps(x).powi(2)) || !next.is_finite() {
            fitted.n_iter = total_iterations;
            let stderr = theta / information.sqrt();
            return Ok(Outcome { fitted, glm, extras: vec![("theta", theta, stderr)] });
        }
        theta = next;
    }
    fitted.status = Status::IterationLimit;
    let family = NegativeBinomial { theta, is_estimated: true };
    let glm = Glm { family: AnyFamily::NegativeBinomial(family), link: *link };
    Ok(Outcome { fitted, glm, extras: vec![("theta", theta, f64::NAN)] })
}

/// Pearson's statistic of a fit.
fn pearson_of<E: Engine>(
    e: &E,
    glm: &Glm<AnyFamily, AnyLink>,
    fitted: &Fitted<E::Array>,
    rows: &Rows<E::Array>,
) -> Result<f64, E::Error> {
    let gamma = e.from_host(&fitted.gamma, &[fitted.gamma.len()], &fitted.x)?;
    let [pearson, _, _] = e.row_sums(&FitRow(glm.clone()), &fitted.x, rows, Some(&gamma))?;
    number(e, &pearson)
}

fn start_of<A>(fitted: &Fitted<A>) -> Vec<f64> {
    fitted.coef.iter().map(|c| if c.is_finite() { *c } else { 0.0 }).collect()
}

/// Newton in `ln theta` at fixed means; gives theta and the observed information in `ln theta`.
fn maximise_theta<E: Engine>(
    e: &E,
    link: &AnyLink,
    fitted: &Fitted<E::Array>,
    rows: &Rows<E::Array>,
    start: f64,
) -> Result<(f64, f64), E::Error> {
    let gamma = e.from_host(&fitted.gamma, &[fitted.gamma.len()], &fitted.x)?;
    let mut theta = start;
    let mut information = f64::NAN;
    for _ in 0..50 {
        let [score, curvature] =
            e.row_sums(&ThetaRow { link: *link, theta }, &fitted.x, rows, Some(&gamma))?;
        let (score, curvature) = (number(e, &score)?, number(e, &curvature)?);
        information = -curvature;
        // Away from the maximum the curvature may have the wrong sign: a step of bounded length uphill instead.
        let step = if curvature < 0.0 { -score / curvature } else { score.signum() };
        let step = step.clamp(-2.0, 2.0);
        theta *= step.exp();
        if step.powi(2) * information.abs() <= 1e-22_f64.max(1e4 * e.eps(&fitted.x).powi(2)) {
            break;
        }
    }
    Ok((theta, information))
}

/// (y, w, η) → log-likelihood and its first two derivatives in `ln phi`.
struct PhiRow<F, L> {
    glm: Glm<F, L>,
    phi: f64,
}

impl<F: Family, L: Link> Formula<3, 3> for PhiRow<F, L> {
    fn eval<N: Number>(&self, [y, w, eta]: [N; 3]) -> [N; 3] {
        type Second<N> = Dual<Dual<N, 1>, 1>;
        let fixed = |v: N| Second::fixed(Dual::fixed(v));
        let m = self.glm.mean(eta);
        let m = isostat_model::Mean { mu: fixed(m.mu), complement: fixed(m.complement) };
        let log_phi = Second::variable(Dual::variable(N::literal(self.phi.ln()), 0), 0);
        let density = self.glm.family.log_density(fixed(y), &m, fixed(w), log_phi.exp());
        let [first] = density.slope;
        let [second] = first.slope;
        [density.value.value, first.value, second]
    }
}

/// (y, w) → 16th powers of the series' peak at phi = 1 and of its inverse, 0 where y is 0.
struct Peaks(f64);
impl Formula<2, 2> for Peaks {
    fn eval<N: Number>(&self, [y, w]: [N; 2]) -> [N; 2] {
        let zero = N::literal(0.0);
        let is_positive = N::and(&zero.less(&y), &zero.less(&w));
        let safe = N::select(&is_positive, y, N::literal(1.0));
        let weight = N::select(&is_positive, w, N::literal(1.0));
        let peak = weight * safe.powf(2.0 - self.0) * N::literal(1.0 / (2.0 - self.0));
        let power = |v: N| v.square().square().square().square();
        [
            N::select(&is_positive, power(peak.clone()), zero.clone()),
            N::select(&is_positive, power(peak.recip()), zero),
        ]
    }
}

/// The least and the greatest peak of the density's series at phi = 1.
fn peaks<E: Engine>(e: &E, family: Tweedie, rows: &Rows<E::Array>) -> Result<(f64, f64), E::Error> {
    let [high, low] = e.map(&Peaks(family.power), [&rows.y, &rows.weights])?;
    let high = number(e, &e.sum(&high)?)?.powf(1.0 / 16.0);
    let low = number(e, &e.sum(&low)?)?.powf(-1.0 / 16.0);
    Ok((low, high))
}

/// The family with the terms that the density of these responses needs at a dispersion.
///
/// # Errors
/// What the engine refuses.
pub fn covering<E: Engine>(
    e: &E,
    family: Tweedie,
    rows: &Rows<E::Array>,
    phi: f64,
) -> Result<Tweedie, E::Error> {
    let (low, high) = peaks(e, family, rows)?;
    Ok(family.covering(low / phi, high / phi))
}

/// Tweedie's log-likelihood at its own maximum over the dispersion: (log-likelihood, dispersion).
///
/// # Errors
/// What the engine refuses.
pub fn tweedie_likelihood<E: Engine>(
    e: &E,
    family: Tweedie,
    link: &AnyLink,
    fitted: &Fitted<E::Array>,
    rows: &Rows<E::Array>,
) -> Result<(f64, f64), E::Error> {
    let (low, high) = peaks(e, family, rows)?;
    let gamma = e.from_host(&fitted.gamma, &[fitted.gamma.len()], &fitted.x)?;
    let mut phi = fitted.dispersion.max(1e-8);
    let mut best = (f64::NEG_INFINITY, phi);
    for _ in 0..60 {
        let covering = family.covering(low / phi, high / phi);
        let row = PhiRow { glm: Glm { family: covering, link: *link }, phi };
        let sums = e.row_sums(&row, &fitted.x, rows, Some(&gamma))?;
        let value = number(e, &sums[0])?;
        let (score, curvature) = (number(e, &sums[1])?, number(e, &sums[2])?);
        if value > best.0 {
            best = (value, phi);
        }
        let step = if curvature < 0.0 { -score / curvature } else { score.signum() };
        let step = step.clamp(-1.0, 1.0);
        if !step.is_finite()
            || step.powi(2) * curvature.abs() <= 1e-20_f64.max(1e4 * e.eps(&fitted.x).powi(2))
        {
            break;
        }
        phi *= step.exp();
    }
    Ok(best)
}

fn tweedie<E: Engine>(
    e: &E,
    link: &AnyLink,
    x: &E::Array,
    rows: &Rows<E::Array>,
    options: &Options,
    evidence: &mut Evidence,
) -> Result<Outcome<E::Array>, E::Error> {
    let mut options = options.clone();
    let mut best: Option<(f64, Outcome<E::Array>)> = None;
    let mut failure = None;
    let mut profile = |power: f64| -> f64 {
        let family = Tweedie { power, is_estimated: true, terms: (1, 60) };
        let glm = Glm { family: AnyFamily::Tweedie(family), link: *link };
        let mut trial = Evidence::new("");
        let value = fit(e, &glm, x, rows, &options, &mut trial).and_then(|fitted| {
            let (value, _) = tweedie_likelihood(e, family, link, &fitted, rows)?;
            Ok((value, fitted))
        });
        match value {
            Ok((value, fitted)) => {
                options.start = Some(start_of(&fitted));
                if best.as_ref().is_none_or(|b| value > b.0) {
                    *evidence =
                        Evidence { certificate: trial.certificate, status: trial.status, ..evidence.clone() };
                    best = Some((value, Outcome { fitted, glm, extras: vec![("power", power, f64::NAN)] }));
                }
                value
            }
            Err(error) => {
                failure.get_or_insert(error);
                f64::NEG_INFINITY
            }
        }
    };
    let power = golden(&mut profile, 1.01, 1.99);
    // The curvature of the profile gives the standard error of the power.
    let h = 1e-3_f64.min((power - 1.0) / 4.0).min((2.0 - power) / 4.0);
    let (low, middle, high) = (profile(power - h), profile(power), profile(power + h));
    let curvature = (low - 2.0 * middle + high) / (h * h);
    let Some((_, mut outcome)) = best else {
        return Err(failure.unwrap_or_else(|| {
            Error::unsupported(
                "tweedie power",
                "no power between 1.01 and 1.99 gives a likelihood",
                "give power=",
            )
            .into()
        }));
    };
    settle(&mut outcome, curvature);
    Ok(outcome)
}

/// The standard error of an estimated power by the curvature of its profile; a power at the end of its range is said.
fn settle<A>(outcome: &mut Outcome<A>, curvature: f64) {
    let Some(extra) = outcome.extras.first_mut() else { return };
    extra.2 = if curvature < 0.0 { (-1.0 / curvature).sqrt() } else { f64::NAN };
    if !(1.011..=1.989).contains(&extra.1) && outcome.fitted.status.is_converged() {
        outcome.fitted.status = Status::Boundary;
        let text = format!("the estimated Tweedie power {:.4} lies at the end of its range", extra.1);
        outcome.fitted.warnings.push(text);
    }
}

/// Brent's maximiser without derivatives: golden section with parabolic steps.
fn golden(f: &mut impl FnMut(f64) -> f64, mut a: f64, mut b: f64) -> f64 {
    const GOLD: f64 = 0.381_966_011_250_105_1;
    let mut x = a + GOLD * (b - a);
    let (mut w, mut v) = (x, x);
    let mut fx = -f(x);
    let (mut fw, mut fv) = (fx, fx);
    let (mut d, mut previous) = (0.0_f64, 0.0_f64);
    for _ in 0..60 {
        let middle = 0.5 * (a + b);
        let tolerance = 1e-7;
        if (x - middle).abs() <= 2.0 * tolerance - 0.5 * (b - a) {
            break;
        }
        let r = (x - w) * (fx - fv);
        let q = (x - v) * (fx - fw);
        let mut p = (x - v) * q - (x - w) * r;
        let mut q = 2.0 * (q - r);
        if q > 0.0 {
            p = -p;
        }
        q = q.abs();
        let usable = previous.abs() > tolerance
            && p.abs() < (0.5 * q * previous).abs()
            && p > q * (a - x)
            && p < q * (b - x);
        previous = d;
        if usable {
            d = p / q;
        } else {
            previous = if x >= middle { a - x } else { b - x };
            d = GOLD * previous;
        }
        let u = if d.abs() >= tolerance { x + d } else { x + tolerance.copysign(d) };
        let fu = -f(u);
        if fu <= fx {
            if u >= x {
                a = x
            } else {
                b = x
            }
            (v, fv, w, fw, x, fx) = (w, fw, x, fx, u, fu);
        } else {
            if u < x {
                a = u
            } else {
                b = u
            }
            if fu <= fw || w == x {
                (v, fv, w, fw) = (w, fw, u, fu);
            } else if fu <= fv || v == x || v == w {
                (v, fv) = (u, fu);
            }
        }
    }
    x
}
