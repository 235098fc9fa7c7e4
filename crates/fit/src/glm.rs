//! The fit of a GLM: check, start, rank, loop, certificate.
use std::time::Instant;

use isostat_base::{Evidence, Fingerprint, Status};
use isostat_engine::{Engine, Rows};
use isostat_linalg::{Alias, Factor};
use isostat_model::row::{Fit as FitRow, Glm};
use isostat_model::{Dispersion, Family, Link, Range};

use crate::check::{self, number, Counts};
use crate::irls::{pass, state, Data, Information, Irls, Resolution, State};
use crate::options::{Names, Options, WeightsKind};
use crate::rank::{self, Basis, Prepared};
use crate::separation::{self, Infinity};
use crate::start;

/// The p-sized outcome of a fit, on the host, with the design that it ran on.
#[derive(Clone, Debug)]
pub struct Fitted<A> {
    /// The design of the fit's own coordinates.
    pub x: A,
    /// From these coordinates to coefficients; `None` where they are the same.
    pub basis: Option<Basis>,
    /// The fit's own coordinates.
    pub gamma: Vec<f64>,
    /// Coefficients; NaN where aliased.
    pub coef: Vec<f64>,
    /// `M` (row-major, r × r) with `M M' = (X'WX)⁻¹` in the fit's own coordinates; NaN where singular.
    pub root: Vec<f64>,
    /// Columns kept.
    pub kept: Vec<usize>,
    /// Columns aliased, with their relations.
    pub aliased: Vec<Alias>,
    /// Columns whose coefficient is infinite, with the sign of infinity.
    pub infinite: Vec<(usize, f64)>,
    /// Deviance.
    pub deviance: f64,
    /// Pearson's statistic `Σ w (y - mu)² / V`; NaN where it was not needed.
    pub pearson: f64,
    /// The dispersion of standard errors.
    pub dispersion: f64,
    /// Rows, columns, rows with weight, total weight.
    pub counts: Counts,
    /// Residual degrees of freedom.
    pub dof_residual: f64,
    /// How it ended.
    pub status: Status,
    /// Iterations.
    pub n_iter: usize,
    /// What a user must be told: remarks on data and ending.
    pub warnings: Vec<String>,
}

impl<A> Fitted<A> {
    /// The number of coefficients that are not aliased.
    pub fn rank(&self) -> usize {
        self.kept.len()
    }

    /// The same fit with another handle of its design.
    pub fn with_design<B>(&self, x: B) -> Fitted<B> {
        Fitted {
            x,
            basis: self.basis.clone(),
            gamma: self.gamma.clone(),
            coef: self.coef.clone(),
            root: self.root.clone(),
            kept: self.kept.clone(),
            aliased: self.aliased.clone(),
            infinite: self.infinite.clone(),
            deviance: self.deviance,
            pearson: self.pearson,
            dispersion: self.dispersion,
            counts: self.counts,
            dof_residual: self.dof_residual,
            status: self.status,
            n_iter: self.n_iter,
            warnings: self.warnings.clone(),
        }
    }
}

/// Fits a GLM.
///
/// # Errors
/// What `check` refuses, and what the engine refuses. Not converging is a [`Status`], not an error.
pub fn fit<E: Engine, F: Family, L: Link>(
    e: &E,
    glm: &Glm<F, L>,
    x: &E::Array,
    rows: &Rows<E::Array>,
    options: &Options,
    evidence: &mut Evidence,
) -> Result<Fitted<E::Array>, E::Error> {
    options.check()?;
    let clock = Instant::now();
    let names = &options.names;
    let mut counts = check::shapes(e, x, rows, names)?;
    check::values(e, &glm.family, rows, names, &mut counts)?;
    let mut warnings = remarks(e, glm, rows, names)?;
    let warm = start::warm(e, glm, x, rows, options)?;
    let first = match &warm {
        Some(beta) => pass(e, glm, Information::Expected, x, rows, beta)?,
        None => start::regression(e, glm, x, rows)?,
    };
    let gram = e.to_host(&first.gram)?;
    if gram.iter().any(|g| !g.is_finite()) {
        check::design(e, x, names)?;
    }
    evidence.data = fingerprint(&counts, &gram, &e.to_host(&first.score)?, number(e, &first.deviance)?);
    let prepared = rank::prepare(e, x, &rows.weights, &gram, counts.columns, evidence)?;
    let data = data(e, glm, &prepared.x, rows, &counts, options.tol)?;
    let is_at_start = prepared.basis.is_none() && number(e, &first.deviance)?.is_finite();
    // The regression at the start and the first state; a warm start has one pass for both.
    let n_first = if warm.is_some() && is_at_start { 1 } else { 2 };
    let begin = match warm {
        Some(beta) if is_at_start => {
            evidence.note("the iteration started at the answer of one row in twenty");
            state(e, beta, first)?
        }
        Some(_) if prepared.basis.is_none() => {
            let first = start::regression(e, glm, x, rows)?;
            start::concrete(e, glm, &data, &prepared, first, options, evidence)?
        }
        _ => start::concrete(e, glm, &data, &prepared, first, options, evidence)?,
    };
    evidence.phase("start", n_first, clock.elapsed().as_secs_f64());
    let clock = Instant::now();
    let ended = iterate(e, glm, &data, begin, options)?;
    evidence.phase("iterate", number(e, &ended.iteration)? as usize, clock.elapsed().as_secs_f64());
    let scales = column_scales(&gram, counts.columns, counts.weighted);
    let n_last = match (is_exact(e, glm, &data, &ended)?, glm.is_canonical()) {
        (true, _) => 0,
        (_, true) => 1,
        _ => 2,
    };
    let clock = Instant::now();
    let fitted = conclude(e, glm, data, prepared, ended, &scales, counts, options, evidence, &mut warnings)?;
    evidence.phase("certify", n_last, clock.elapsed().as_secs_f64());
    Ok(fitted)
}

/// Rows, columns, and a hash of the bits of the first pass: of what the data come to, so that nothing of length n
/// moves for its sake. Equal data on one engine give equal hashes.
fn fingerprint(counts: &Counts, gram: &[f64], score: &[f64], deviance: f64) -> Fingerprint {
    const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x0000_0100_0000_01b3;
    let bits = gram.iter().chain(score).chain([&deviance]).map(|v| v.to_bits());
    let sizes = [counts.rows as u64, counts.columns as u64];
    // FNV-1a over words.
    let hash = sizes.into_iter().chain(bits).fold(OFFSET, |h, word| (h ^ word).wrapping_mul(PRIME));
    Fingerprint { rows: counts.rows, columns: counts.columns, hash: format!("{hash:016x}") }
}

fn remarks<E: Engine, F: Family, L: Link>(
    e: &E,
    glm: &Glm<F, L>,
    rows: &Rows<E::Array>,
    names: &Names,
) -> Result<Vec<String>, E::Error> {
    if !glm.family.is_discrete() {
        return Ok(Vec::new());
    }
    let is_proportion = glm.family.mean_range() == Range::Unit;
    let what = if is_proportion { "successes (response times weight)" } else { "counts" };
    Ok(check::first_fraction(e, rows, is_proportion)?
        .map(|row| {
            format!(
                "family \"{}\": `{}` holds non-integer {what}, first in row {row}",
                glm.family.name(),
                names.y
            )
        })
        .into_iter()
        .collect())
}

/// The fixed inputs of the loop.
pub(crate) fn data<E: Engine, F: Family, L: Link>(
    e: &E,
    glm: &Glm<F, L>,
    x: &E::Array,
    rows: &Rows<E::Array>,
    counts: &Counts,
    tol: f64,
) -> Result<Data<E::Array>, E::Error> {
    // A perfect fit leaves a deviance of rounding, and a decrement of rounding with it: the dispersion that scales the
    // tolerance is not taken below what makes their product that rounding of y².
    let rounding = (8.0 * e.eps(x)).powi(2) / aim(e, x, tol);
    let floor = if glm.family.mean_range() == Range::Real && glm.family.dispersion().is_free() {
        let [square] = e.map(&start::WeightedSquare, [&rows.y, &rows.weights])?;
        let [scaled] = e.map(&start::Times(rounding / counts.weighted), [&e.sum(&square)?])?;
        e.peek(&scaled)?
    } else {
        e.scalar(rounding)
    };
    Ok(Data {
        x: x.clone(),
        y: rows.y.clone(),
        weights: rows.weights.clone(),
        offset: rows.offset.clone(),
        count: e.scalar(counts.weighted),
        floor,
    })
}

/// The decrement at which the cheap information matrix gives way to the observed one.
const COARSE: f64 = 1e-2;

/// The Newton decrement at which the loop ends: a dtype gives the step, and so the root of the decrement, to a
/// thousand roundings.
pub(crate) fn aim<E: Engine>(e: &E, x: &E::Array, tol: f64) -> f64 {
    tol.max(1e6 * e.eps(x).powi(2))
}

/// The Newton decrement that the dtype can resolve in any case.
pub(crate) fn resolved<E: Engine>(e: &E, x: &E::Array, tol: f64) -> f64 {
    tol.max(100.0 * e.eps(x))
}

/// The loops: expected information throughout where it is the observed one, else observed near the end.
pub(crate) fn iterate<E: Engine, F: Family, L: Link>(
    e: &E,
    glm: &Glm<F, L>,
    data: &Data<E::Array>,
    begin: State<E::Array>,
    options: &Options,
) -> Result<State<E::Array>, E::Error> {
    let tol = aim(e, &data.x, options.tol);
    let program = |information, tol| Irls {
        glm: glm.clone(),
        information,
        max_iter: options.max_iter,
        tol,
        resolution: Resolution::of(e.eps(&data.x)),
        is_guarded: true,
    };
    if glm.is_canonical() {
        return e.while_loop(&program(Information::Expected, tol), data, begin);
    }
    let near = e.while_loop(&program(Information::Expected, COARSE), data, begin)?;
    let stats = pass(e, glm, Information::Observed, &data.x, &data.rows(), &near.beta)?;
    let mut again = state(e, near.beta, stats)?;
    again.iteration = near.iteration;
    e.while_loop(&program(Information::Observed, tol), data, again)
}

/// A typical length of each column, in units of the square root of the working weight.
fn column_scales(gram: &[f64], p: usize, weighted: f64) -> Vec<f64> {
    (0..p).map(|j| (gram[j * p + j] / weighted).sqrt()).collect()
}

/// One more step, the last pass, and what it proves.
fn conclude<E: Engine, F: Family, L: Link>(
    e: &E,
    glm: &Glm<F, L>,
    data: Data<E::Array>,
    prepared: Prepared<E::Array>,
    ended: State<E::Array>,
    scales: &[f64],
    counts: Counts,
    options: &Options,
    evidence: &mut Evidence,
    warnings: &mut Vec<String>,
) -> Result<Fitted<E::Array>, E::Error> {
    let last = polish(e, glm, &data, &ended)?;
    let gamma = e.to_host(&last.beta)?;
    let delta = e.to_host(&last.delta)?;
    let gram = e.to_host(&last.gram)?;
    let factor = Factor::new(&gram, gamma.len());
    let root = factor.as_ref().map_or(vec![f64::NAN; gram.len()], Factor::inverse_root);
    let numbers = Ending {
        decrement: number(e, &last.decrement)?,
        deviance: number(e, &last.deviance)?,
        scale: decrement_scale(e, glm, &data, &last)?,
        n_iter: number(e, &ended.iteration)? as usize + 1,
        is_stalled: number(e, &ended.stalled)? != 0.0,
        tol: resolved(e, &data.x, options.tol),
    };
    let infinity = separation::find(e, glm, &data, &prepared, &delta, scales, numbers.deviance)?;
    let status = numbers.status(factor.is_some(), infinity.as_ref(), options.max_iter);
    certify(evidence, &numbers, &prepared, e, &last)?;
    let coef = coefficients(&gamma, &prepared, counts.columns);
    if let Some(text) = infinity.as_ref().map(|i| i.describe(&options.names)) {
        warnings.push(text);
    }
    let mut fitted = Fitted {
        x: data.x.clone(),
        basis: prepared.basis,
        gamma,
        coef,
        root,
        kept: prepared.kept,
        aliased: prepared.aliased,
        infinite: infinity.map(|i| i.columns).unwrap_or_default(),
        deviance: numbers.deviance,
        pearson: f64::NAN,
        dispersion: 1.0,
        counts,
        dof_residual: 0.0,
        status,
        n_iter: numbers.n_iter,
        warnings: std::mem::take(warnings),
    };
    disperse(e, glm, &data, &mut fitted, options)?;
    evidence.status = status.name().into();
    Ok(fitted)
}

/// Nothing left to gain: the state is the answer, if its information is the expected one.
fn is_exact<E: Engine, F: Family, L: Link>(
    e: &E,
    glm: &Glm<F, L>,
    data: &Data<E::Array>,
    ended: &State<E::Array>,
) -> Result<bool, E::Error> {
    let limit = 1e-8 * 1e-10 * decrement_scale(e, glm, data, ended)?;
    Ok(glm.is_canonical() && number(e, &ended.decrement)? <= limit)
}

/// The step that the loop's last state proposes, and a pass with the expected information at its end.
fn polish<E: Engine, F: Family, L: Link>(
    e: &E,
    glm: &Glm<F, L>,
    data: &Data<E::Array>,
    ended: &State<E::Array>,
) -> Result<State<E::Array>, E::Error> {
    if is_exact(e, glm, data, ended)? {
        return Ok(ended.clone());
    }
    let decrement = number(e, &ended.decrement)?;
    let step = last_step(e, glm, data, ended)?;
    let beta = if decrement.is_finite() { e.add(&ended.beta, &step)? } else { ended.beta.clone() };
    let stats = pass(e, glm, Information::Expected, &data.x, &data.rows(), &beta)?;
    let mut last = state(e, beta, stats)?;
    let (new, old) = (number(e, &last.deviance)?, number(e, &ended.deviance)?);
    if !(new <= old + Resolution::of(e.eps(&data.x)).slack * (old.abs() + 1.0)) {
        let stats = pass(e, glm, Information::Expected, &data.x, &data.rows(), &ended.beta)?;
        last = state(e, ended.beta.clone(), stats)?;
    }
    Ok(last)
}

/// The step with the observed information as it is, where that differs from the one that the loop used: it converges
/// quadratically, while the loop's own may be linear.
fn last_step<E: Engine, F: Family, L: Link>(
    e: &E,
    glm: &Glm<F, L>,
    data: &Data<E::Array>,
    ended: &State<E::Array>,
) -> Result<E::Array, E::Error> {
    if glm.is_canonical() {
        return Ok(ended.delta.clone());
    }
    let stats = pass(e, glm, Information::Exact, &data.x, &data.rows(), &ended.beta)?;
    let exact = state(e, ended.beta.clone(), stats)?;
    let decrement = number(e, &exact.decrement)?;
    Ok(if decrement.is_finite() && decrement >= 0.0 { exact.delta } else { ended.delta.clone() })
}

fn decrement_scale<E: Engine, F: Family, L: Link>(
    e: &E,
    glm: &Glm<F, L>,
    data: &Data<E::Array>,
    s: &State<E::Array>,
) -> Result<f64, E::Error> {
    if !glm.family.dispersion().is_free() {
        return Ok(1.0);
    }
    let per_row = number(e, &s.deviance)? / number(e, &data.count)?;
    Ok(per_row.max(number(e, &data.floor)?))
}

/// The numbers that decide a status.
struct Ending {
    decrement: f64,
    deviance: f64,
    scale: f64,
    n_iter: usize,
    is_stalled: bool,
    tol: f64,
}

impl Ending {
    fn status(&self, is_definite: bool, infinity: Option<&Infinity>, max_iter: usize) -> Status {
        if let Some(found) = infinity {
            return found.status;
        }
        let is_near = self.decrement <= self.tol * self.scale;
        match (is_near && is_definite && self.deviance.is_finite(), is_definite) {
            (true, _) => Status::Converged,
            (_, false) => Status::Singular,
            _ if self.n_iter > max_iter => Status::IterationLimit,
            _ if self.is_stalled => Status::Stalled,
            _ => Status::IterationLimit,
        }
    }
}

fn certify<E: Engine>(
    evidence: &mut Evidence,
    numbers: &Ending,
    prepared: &Prepared<E::Array>,
    e: &E,
    last: &State<E::Array>,
) -> Result<(), E::Error> {
    let certificate = &mut evidence.certificate;
    certificate.insert("newton_decrement".into(), numbers.decrement / numbers.scale);
    certificate.insert("tolerance".into(), numbers.tol);
    // score' H⁻¹ score is the squared score in units of its standard errors.
    certificate.insert("score_norm".into(), (2.0 * numbers.decrement.max(0.0) / numbers.scale).sqrt());
    certificate.insert("condition".into(), prepared.condition);
    certificate.insert("rank".into(), prepared.kept.len() as f64);
    certificate.insert("deviance".into(), number(e, &last.deviance)?);
    Ok(())
}

fn coefficients<A>(gamma: &[f64], prepared: &Prepared<A>, p: usize) -> Vec<f64> {
    let mut coef = match &prepared.basis {
        Some(basis) => basis.coefficients(gamma),
        None => gamma.to_vec(),
    };
    coef.resize(p, f64::NAN);
    prepared.aliased.iter().for_each(|a| coef[a.column] = f64::NAN);
    coef
}

/// Dispersion and degrees of freedom.
fn disperse<E: Engine, F: Family, L: Link>(
    e: &E,
    glm: &Glm<F, L>,
    data: &Data<E::Array>,
    fitted: &mut Fitted<E::Array>,
    options: &Options,
) -> Result<(), E::Error> {
    let n = match options.weights_kind {
        WeightsKind::Frequency => fitted.counts.total_weight,
        _ => fitted.counts.weighted,
    };
    fitted.dof_residual = n - fitted.rank() as f64;
    if glm.family.dispersion() == Dispersion::Fixed {
        return Ok(());
    }
    let gamma = e.from_host(&fitted.gamma, &[fitted.gamma.len()], &data.x)?;
    let [pearson, _, _] = e.row_sums(&FitRow(glm.clone()), &data.x, &data.rows(), Some(&gamma))?;
    fitted.pearson = number(e, &pearson)?;
    fitted.dispersion =
        if fitted.dof_residual > 0.0 { fitted.pearson / fitted.dof_residual } else { f64::NAN };
    Ok(())
}
