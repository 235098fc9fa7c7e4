//! Iteratively reweighted least squares: loop bodies without arrays of their own, so that a tracing engine can
//! compile the whole run.
use isostat_engine::{tree, Engine, Formula, IrlsStats, Program, Rows};
use isostat_model::row::{Curvature, Fisher, Glm, Observed};
use isostat_model::{Family, Link};
use isostat_number::Number;

/// Which information matrix the steps use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Information {
    /// Expected.
    Expected,
    /// Observed, kept above a quarter of the expected.
    Observed,
    /// Observed as it is.
    Exact,
}

/// One pass at `beta` with the information asked for.
pub fn pass<E: Engine, F: Family, L: Link>(
    engine: &E,
    glm: &Glm<F, L>,
    information: Information,
    x: &E::Array,
    rows: &Rows<E::Array>,
    beta: &E::Array,
) -> Result<IrlsStats<E::Array>, E::Error> {
    match information {
        Information::Expected => engine.irls_pass(&Fisher(glm.clone()), x, rows, Some(beta)),
        Information::Observed => engine.irls_pass(&Observed(glm.clone()), x, rows, Some(beta)),
        Information::Exact => engine.irls_pass(&Curvature(glm.clone()), x, rows, Some(beta)),
    }
}

tree! {
    /// What stays the same in all iterations.
    Data {
        /// Design.
        x,
        /// Response.
        y,
        /// Prior weights.
        weights,
        /// Offset.
        offset,
        /// Number of rows with weight: the deviance over it is the dispersion that scales the decrement.
        count,
        /// The least dispersion that is not rounding.
        floor,
    }
}

impl<A: Clone> Data<A> {
    /// The rows of the data.
    pub fn rows(&self) -> Rows<A> {
        Rows { y: self.y.clone(), weights: self.weights.clone(), offset: self.offset.clone() }
    }
}

tree! {
    /// What each iteration renews.
    State {
        /// Coefficients.
        beta,
        /// The Newton step from them.
        delta,
        /// Information at them.
        gram,
        /// Deviance at them.
        deviance,
        /// `score' H⁻¹ score / 2` at them.
        decrement,
        /// Iterations done.
        iteration,
        /// 1 where no shortened step lowered the deviance, or rounding stops the decrement.
        stalled,
    }
}

/// What rounding leaves of deviances and decrements in a dtype.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Resolution {
    /// Relative rise of a deviance that may be rounding.
    pub slack: f64,
    /// A decrement, in log-likelihood units, that may be rounding: where it no longer shrinks, the loop ends.
    pub decrement: f64,
}

impl Resolution {
    /// Of a dtype with this distance between 1 and the next number: sums over rows lose some five bits.
    pub fn of(eps: f64) -> Self {
        Resolution { slack: (32.0 * eps).max(1e-8), decrement: 100.0 * eps }
    }
}

/// The loop of a GLM.
#[derive(Clone, Debug)]
pub struct Irls<F, L> {
    /// Family and link.
    pub glm: Glm<F, L>,
    /// Information matrix.
    pub information: Information,
    /// Most iterations, counted over all loops of the fit.
    pub max_iter: usize,
    /// Newton decrement, in log-likelihood units, at which the loop ends.
    pub tol: f64,
    /// What the dtype resolves.
    pub resolution: Resolution,
    /// Whether a step that raises the deviance is shortened; off where the loop must not depend on data.
    pub is_guarded: bool,
}

struct Go {
    max_iter: f64,
    tol: f64,
    is_scaled: bool,
}

impl Formula<6, 1> for Go {
    fn eval<N: Number>(&self, [decrement, deviance, iteration, stalled, count, floor]: [N; 6]) -> [N; 1] {
        let scale = if self.is_scaled { (deviance / count).maximum(floor) } else { N::literal(1.0) };
        let is_far = (scale * N::literal(self.tol)).less(&decrement);
        let may_try = N::and(&iteration.less(&N::literal(self.max_iter)), &stalled.less(&N::literal(0.5)));
        [N::select(&N::and(&is_far, &may_try), N::literal(1.0), N::literal(0.0))]
    }
}

impl<F: Family, L: Link> Program for Irls<F, L> {
    type Data<A: Clone> = Data<A>;
    type State<A: Clone> = State<A>;

    fn go<E: Engine>(&self, e: &E, d: &Data<E::Array>, s: &State<E::Array>) -> Result<E::Array, E::Error> {
        let go = Go {
            max_iter: self.max_iter as f64,
            tol: self.tol,
            is_scaled: self.glm.family.dispersion().is_free(),
        };
        let [answer] =
            e.map(&go, [&s.decrement, &s.deviance, &s.iteration, &s.stalled, &d.count, &d.floor])?;
        Ok(answer)
    }

    fn step<E: Engine>(
        &self,
        e: &E,
        d: &Data<E::Array>,
        s: &State<E::Array>,
    ) -> Result<State<E::Array>, E::Error> {
        let [beta] = e.map(&Along, [&s.beta, &s.delta, &e.scalar(1.0)])?;
        let full = pass(e, &self.glm, self.information, &d.x, &d.rows(), &beta)?;
        if !self.is_guarded {
            let [count] = e.map(&Next, [&s.iteration])?;
            return Ok(State { iteration: count, ..state(e, beta, full)? });
        }
        let halving =
            Halving { glm: self.glm.clone(), information: self.information, slack: self.resolution.slack };
        let data = HalvingData {
            x: d.x.clone(),
            y: d.y.clone(),
            weights: d.weights.clone(),
            offset: d.offset.clone(),
            beta: s.beta.clone(),
            delta: s.delta.clone(),
            deviance: s.deviance.clone(),
        };
        let start = HalvingState {
            length: e.scalar(1.0),
            gram: full.gram,
            score: full.score,
            deviance: e.peek(&full.deviance)?,
        };
        let done = e.while_loop(&halving, &data, start)?;
        let [beta] = e.map(&Along, [&s.beta, &s.delta, &done.length])?;
        let [count] = e.map(&Next, [&s.iteration])?;
        let stats = IrlsStats { gram: done.gram, score: done.score, deviance: done.deviance };
        let mut next = state(e, beta, stats)?;
        next.iteration = e.peek(&count)?;
        let ended =
            Ended { floor: self.resolution.decrement, is_scaled: self.glm.family.dispersion().is_free() };
        let inputs = [&done.length, &s.decrement, &next.decrement, &next.deviance, &d.count];
        let [stalled] = e.map(&ended, inputs)?;
        next.stalled = e.peek(&stalled)?;
        Ok(next)
    }
}

/// A state at `beta`, with the Newton step from it.
pub fn state<E: Engine>(
    e: &E,
    beta: E::Array,
    stats: IrlsStats<E::Array>,
) -> Result<State<E::Array>, E::Error> {
    let delta = e.solve_spd(&stats.gram, &stats.score)?;
    let [product] = e.map(&HalfProduct, [&stats.score, &delta])?;
    let decrement = e.peek(&e.sum(&product)?)?;
    Ok(State {
        beta,
        delta,
        gram: stats.gram,
        deviance: e.peek(&stats.deviance)?,
        decrement,
        iteration: e.scalar(0.0),
        stalled: e.scalar(0.0),
    })
}

tree! {
    /// What stays the same while a step is shortened.
    HalvingData {
        /// Design.
        x,
        /// Response.
        y,
        /// Prior weights.
        weights,
        /// Offset.
        offset,
        /// Where the step starts.
        beta,
        /// The whole step.
        delta,
        /// Deviance at the start.
        deviance,
    }
}

tree! {
    /// A step of a certain length, and the pass at its end.
    HalvingState {
        /// Length, 1 for the whole step.
        length,
        /// Information there.
        gram,
        /// Score there.
        score,
        /// Deviance there.
        deviance,
    }
}

/// Halves a step until the deviance does not rise and the means stay in their range.
#[derive(Clone, Debug)]
struct Halving<F, L> {
    glm: Glm<F, L>,
    information: Information,
    slack: f64,
}

/// The shortest step tried: 2^-40 of the whole.
const SHORTEST: f64 = 1e-12;

/// 1 while the deviance is above where it started by more than rounding, or is not a number.
struct Rises {
    slack: f64,
}
impl Formula<3, 1> for Rises {
    fn eval<N: Number>(&self, [new, old, length]: [N; 3]) -> [N; 1] {
        let slack = old.clone().abs() * N::literal(self.slack) + N::literal(self.slack);
        // `<` is false for NaN on every number type, while the default `<=` is the negation of `>`.
        let is_fine = new.less(&(old + slack));
        let may_halve = N::literal(SHORTEST).less(&length);
        [N::select(&N::and(&N::not(&is_fine), &may_halve), N::literal(1.0), N::literal(0.0))]
    }
}

/// (length, decrement before, decrement now, deviance, rows) → 1 where nothing more can be won.
struct Ended {
    floor: f64,
    is_scaled: bool,
}
impl Formula<5, 1> for Ended {
    fn eval<N: Number>(&self, [length, before, now, deviance, count]: [N; 5]) -> [N; 1] {
        let (zero, one) = (N::literal(0.0), N::literal(1.0));
        let scale = if self.is_scaled { deviance / count } else { one.clone() };
        let is_small = now.less(&(scale * N::literal(self.floor)));
        let is_rounding = N::and(&is_small, &before.less(&(now * N::literal(2.0))));
        let is_exhausted = length.less_equal(&N::literal(SHORTEST));
        let other = N::select(&is_rounding, one.clone(), zero);
        [N::select(&is_exhausted, one, other)]
    }
}

impl<F: Family, L: Link> Program for Halving<F, L> {
    type Data<A: Clone> = HalvingData<A>;
    type State<A: Clone> = HalvingState<A>;

    fn go<E: Engine>(
        &self,
        e: &E,
        d: &HalvingData<E::Array>,
        s: &HalvingState<E::Array>,
    ) -> Result<E::Array, E::Error> {
        let [answer] = e.map(&Rises { slack: self.slack }, [&s.deviance, &d.deviance, &s.length])?;
        Ok(answer)
    }

    fn step<E: Engine>(
        &self,
        e: &E,
        d: &HalvingData<E::Array>,
        s: &HalvingState<E::Array>,
    ) -> Result<HalvingState<E::Array>, E::Error> {
        let [length] = e.map(&Half, [&s.length])?;
        let [beta] = e.map(&Along, [&d.beta, &d.delta, &length])?;
        let rows = Rows { y: d.y.clone(), weights: d.weights.clone(), offset: d.offset.clone() };
        let stats = pass(e, &self.glm, self.information, &d.x, &rows, &beta)?;
        Ok(HalvingState {
            length: e.peek(&length)?,
            gram: stats.gram,
            score: stats.score,
            deviance: e.peek(&stats.deviance)?,
        })
    }
}

struct Along;
impl Formula<3, 1> for Along {
    fn eval<N: Number>(&self, [from, step, length]: [N; 3]) -> [N; 1] {
        [from + step * length]
    }
}

struct HalfProduct;
impl Formula<2, 1> for HalfProduct {
    fn eval<N: Number>(&self, [a, b]: [N; 2]) -> [N; 1] {
        [a * b * N::literal(0.5)]
    }
}

struct Half;
impl Formula<1, 1> for Half {
    fn eval<N: Number>(&self, [a]: [N; 1]) -> [N; 1] {
        [a * N::literal(0.5)]
    }
}

struct Next;
impl Formula<1, 1> for Next {
    fn eval<N: Number>(&self, [a]: [N; 1]) -> [N; 1] {
        [a + N::literal(1.0)]
    }
}
