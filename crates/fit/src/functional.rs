//! The pure form of a fit that tracing engines compile and differentiate: arrays in, arrays out, no value checks.
//!
//! The loop runs on detached data; two live Newton steps from its end with the exact observed information then
//! carry first and second derivatives, as the derivative of a Newton step with respect to where it starts is zero
//! at the root.
use isostat_engine::{Engine, Formula, Rows};
use isostat_model::row::{Fit as FitRow, Glm};
use isostat_model::{Dispersion, Family, Link};
use isostat_number::Number;

use crate::check;
use crate::glm::aim;
use crate::irls::{pass, state, Data, Information, Irls, Resolution, State};
use crate::options::Names;
use crate::start;

/// What a functional fit gives.
#[derive(Clone, Debug)]
pub struct Pure<A> {
    /// Coefficients, shape (p,).
    pub coef: A,
    /// Covariance by the expected information, shape (p, p).
    pub vcov: A,
    /// Log-likelihood, a scalar; NaN for quasi families and Tweedie's.
    pub loglik: A,
    /// Deviance, a scalar.
    pub deviance: A,
}

struct Dispersed {
    n_columns: f64,
}
/// (Pearson, deviance, weighted rows, total weight) → dispersion, deviance per row, deviance per weight.
impl Formula<4, 3> for Dispersed {
    fn eval<N: Number>(&self, [pearson, deviance, rows, weight]: [N; 4]) -> [N; 3] {
        let left = rows.clone() - N::literal(self.n_columns);
        [pearson / left, deviance.clone() / rows, deviance / weight]
    }
}

struct Product;
impl Formula<2, 1> for Product {
    fn eval<N: Number>(&self, [a, b]: [N; 2]) -> [N; 1] {
        [a * b]
    }
}

/// Fits without checks; `n_iter` fixes the number of iterations.
///
/// # Errors
/// Shapes, and what the engine refuses.
pub fn glm<E: Engine, F: Family, L: Link>(
    e: &E,
    model: &Glm<F, L>,
    x: &E::Array,
    rows: &Rows<E::Array>,
    n_iter: Option<usize>,
    tol: f64,
    max_iter: usize,
) -> Result<Pure<E::Array>, E::Error> {
    let names = Names { owner: "functional.glm".into(), ..Names::of_arrays(Vec::new()) };
    let counts = check::shapes(e, x, rows, &names)?;
    let root = detached(e, model, x, rows, n_iter, aim(e, x, tol), max_iter, counts.rows)?;
    let information = if model.is_canonical() { Information::Expected } else { Information::Exact };
    let mut beta = root;
    for _ in 0..2 {
        let stats = pass(e, model, information, x, rows, &beta)?;
        beta = e.add(&beta, &e.solve_spd(&stats.gram, &stats.score)?)?;
    }
    outcome(e, model, x, rows, beta, counts)
}

#[allow(clippy::too_many_arguments)]
fn detached<E: Engine, F: Family, L: Link>(
    e: &E,
    model: &Glm<F, L>,
    x: &E::Array,
    rows: &Rows<E::Array>,
    n_iter: Option<usize>,
    tol: f64,
    max_iter: usize,
    n: usize,
) -> Result<E::Array, E::Error> {
    let data = Data {
        x: e.detach(x),
        y: e.detach(&rows.y),
        weights: e.detach(&rows.weights),
        offset: e.detach(&rows.offset),
        count: e.scalar(n as f64),
        floor: e.scalar((8.0 * e.eps(x)).powi(2)),
    };
    let begin = start::traced(e, model, &data)?;
    let program = |information, tol| Irls {
        glm: model.clone(),
        information,
        max_iter,
        tol,
        resolution: Resolution::of(e.eps(x)),
        is_guarded: n_iter.is_none(),
    };
    let near_optimum = if model.is_canonical() { Information::Expected } else { Information::Observed };
    let ended: State<E::Array> = match n_iter {
        Some(count) => e.repeat(count, &program(Information::Expected, tol), &data, begin)?,
        None if model.is_canonical() => e.while_loop(&program(Information::Expected, tol), &data, begin)?,
        None => {
            let near = e.while_loop(&program(Information::Expected, 1e-2), &data, begin)?;
            let stats = pass(e, model, near_optimum, &data.x, &data.rows(), &near.beta)?;
            let again = State { iteration: near.iteration, ..state(e, near.beta, stats)? };
            e.while_loop(&program(near_optimum, tol), &data, again)?
        }
    };
    Ok(e.detach(&e.add(&ended.beta, &ended.delta)?))
}

fn outcome<E: Engine, F: Family, L: Link>(
    e: &E,
    model: &Glm<F, L>,
    x: &E::Array,
    rows: &Rows<E::Array>,
    coef: E::Array,
    counts: check::Counts,
) -> Result<Pure<E::Array>, E::Error> {
    let p = counts.columns;
    let stats = pass(e, model, Information::Expected, x, rows, &coef)?;
    let eta = e.add(&e.matvec(x, &coef)?, &rows.offset)?;
    let [pearson, _, counted] = e.map(&FitRow(model.clone()), [&rows.y, &rows.weights, &eta])?;
    let total = match e.shape(&rows.weights).is_empty() {
        true => e.scalar(counts.rows as f64),
        false => e.sum(&rows.weights)?,
    };
    let dispersed = Dispersed { n_columns: p as f64 };
    let sums = [e.sum(&pearson)?, stats.deviance.clone(), e.sum(&counted)?, total];
    let [phi, per_row, per_weight] = e.map(&dispersed, [&sums[0], &sums[1], &sums[2], &sums[3]])?;
    let one = e.scalar(1.0);
    let likelihood_phi = match model.family.dispersion() {
        Dispersion::PerRow => Some(&per_row),
        Dispersion::PerWeight => Some(&per_weight),
        // The dispersion has a search of its own, and the density a series whose length depends on the data.
        Dispersion::Maximised => None,
        Dispersion::Fixed | Dispersion::Outside => Some(&one),
    };
    let loglik = match likelihood_phi {
        Some(phi) => {
            let [density] = e.map(model, [&rows.y, &rows.weights, &eta, phi])?;
            e.sum(&density)?
        }
        None => e.scalar(f64::NAN),
    };
    let mut identity = vec![0.0; p * p];
    (0..p).for_each(|j| identity[j * p + j] = 1.0);
    let inverse = e.solve_spd(&stats.gram, &e.from_host(&identity, &[p, p], x)?)?;
    let scale = if model.family.dispersion().is_free() { &phi } else { &one };
    let [vcov] = e.map(&Product, [&inverse, scale])?;
    Ok(Pure { coef, vcov, loglik, deviance: stats.deviance })
}
