//! Where the iteration starts: the family's start values, a constant mean where these leave the range, a
//! regression on a part of the rows where there are many.
use isostat_base::Evidence;
use isostat_engine::{Engine, Formula, IrlsStats, Rows};
use isostat_model::row::{Glm, Start};
use isostat_model::{Family, Link, Range};
use isostat_number::Number;

use crate::check::number;
use crate::irls::{pass, state, Data, Information, State};
use crate::options::Options;
use crate::rank::Prepared;

/// `w y²`.
pub(crate) struct WeightedSquare;
impl Formula<2, 1> for WeightedSquare {
    fn eval<N: Number>(&self, [y, w]: [N; 2]) -> [N; 1] {
        [w * y.square()]
    }
}

/// Times a fixed number.
pub(crate) struct Times(pub f64);
impl Formula<1, 1> for Times {
    fn eval<N: Number>(&self, [a]: [N; 1]) -> [N; 1] {
        [a * N::literal(self.0)]
    }
}

/// (y, w) → w · start value, w, w |y|.
struct Moments<F>(F);
impl<F: Family> Formula<2, 3> for Moments<F> {
    fn eval<N: Number>(&self, [y, w]: [N; 2]) -> [N; 3] {
        [w.clone() * self.0.start(y.clone(), w.clone()), w.clone(), w * y.abs()]
    }
}

/// The average start value, moved into the image of the link.
struct Feasible(Range);
impl Formula<3, 1> for Feasible {
    fn eval<N: Number>(&self, [sum, weight, size]: [N; 3]) -> [N; 1] {
        let mean = sum / weight.clone();
        let size = size / weight;
        [match self.0 {
            Range::Real => mean,
            Range::NonZero => {
                let is_tiny = mean.clone().abs().less(&(size.clone() * N::literal(0.1)));
                N::select(&is_tiny, size, mean)
            }
            Range::Positive => mean.maximum(size * N::literal(0.1)),
            Range::Unit => mean.maximum(N::literal(0.01)).minimum(N::literal(0.99)),
        }]
    }
}

/// The weighted regression at the family's start values, or at a constant where these leave the link's image.
pub fn regression<E: Engine, F: Family, L: Link>(
    e: &E,
    glm: &Glm<F, L>,
    x: &E::Array,
    rows: &Rows<E::Array>,
) -> Result<IrlsStats<E::Array>, E::Error> {
    if glm.link.image().contains(glm.family.mean_range()) {
        return e.irls_pass(&Start { glm: glm.clone(), is_mean: false }, x, rows, None);
    }
    constant(e, glm, x, rows)
}

/// The weighted regression of a constant mean.
fn constant<E: Engine, F: Family, L: Link>(
    e: &E,
    glm: &Glm<F, L>,
    x: &E::Array,
    rows: &Rows<E::Array>,
) -> Result<IrlsStats<E::Array>, E::Error> {
    let [start, weight, size] = e.map(&Moments(glm.family.clone()), [&rows.y, &rows.weights])?;
    let n = e.shape(&rows.y).first().copied().unwrap_or(1);
    let weight = if e.shape(&weight).is_empty() {
        let [total] = e.map(&Times(n as f64), [&weight])?;
        total
    } else {
        e.sum(&weight)?
    };
    let [mean] = e.map(&Feasible(glm.link.image()), [&e.sum(&start)?, &weight, &e.sum(&size)?])?;
    let at_mean = Rows { y: mean, ..rows.clone() };
    e.irls_pass(&Start { glm: glm.clone(), is_mean: true }, x, &at_mean, None)
}

/// Fewest rows of data of which a part is enough to come near, and fewest for each column.
const MANY_ROWS: usize = 50_000;
const MANY_ROWS_PER_COLUMN: usize = 200;
/// A part is one row in twenty, in so many ranges spread evenly: rows may be sorted.
const SHARE: usize = 20;
const RANGES: usize = 16;
/// Regressions on the part. They end near its own maximum; the rest is the difference between the part and the whole.
const ROUNDS: usize = 4;

/// Coefficients near the maximum, from a part of the rows; `None` where rows are few, ranges of them dear, the
/// start values outside the link's image, or the part has no finite answer.
pub fn warm<E: Engine, F: Family, L: Link>(
    e: &E,
    glm: &Glm<F, L>,
    x: &E::Array,
    rows: &Rows<E::Array>,
    options: &Options,
) -> Result<Option<E::Array>, E::Error> {
    let shape = e.shape(x);
    let (n, p) = (shape[0], shape[1]);
    let is_large = n >= MANY_ROWS && n >= MANY_ROWS_PER_COLUMN * p;
    if !is_large
        || !e.has_cheap_ranges()
        || options.start.is_some()
        || !glm.link.image().contains(glm.family.mean_range())
    {
        return Ok(None);
    }
    let (length, step) = (n / (SHARE * RANGES), n / RANGES);
    let mut parts = Vec::with_capacity(RANGES);
    for from in (0..RANGES).map(|i| i * step + (step - length) / 2) {
        let cut = |a: &E::Array| e.rows(a, from, from + length);
        let part = Rows { y: cut(&rows.y)?, weights: cut(&rows.weights)?, offset: cut(&rows.offset)? };
        parts.push((cut(x)?, part));
    }
    let start = Start { glm: glm.clone(), is_mean: false };
    let first = over_parts(e, &parts, |x, rows| e.irls_pass(&start, x, rows, None))?;
    let mut beta = e.solve_spd(&first.gram, &first.score)?;
    for _ in 0..ROUNDS {
        let stats = over_parts(e, &parts, |x, rows| pass(e, glm, Information::Expected, x, rows, &beta))?;
        let next = e.add(&beta, &e.solve_spd(&stats.gram, &stats.score)?)?;
        if !e.to_host(&next)?.iter().all(|b| b.is_finite()) || !number(e, &stats.deviance)?.is_finite() {
            return Ok(None);
        }
        beta = next;
    }
    Ok(Some(beta))
}

fn over_parts<E: Engine>(
    e: &E,
    parts: &[(E::Array, Rows<E::Array>)],
    one: impl Fn(&E::Array, &Rows<E::Array>) -> Result<IrlsStats<E::Array>, E::Error>,
) -> Result<IrlsStats<E::Array>, E::Error> {
    let (x, rows) = &parts[0];
    let mut total = one(x, rows)?;
    for (x, rows) in &parts[1..] {
        let part = one(x, rows)?;
        total = IrlsStats {
            gram: e.add(&total.gram, &part.gram)?,
            score: e.add(&total.score, &part.score)?,
            deviance: e.add(&total.deviance, &part.deviance)?,
        };
    }
    Ok(total)
}

/// The first state of a concrete fit.
pub fn concrete<E: Engine, F: Family, L: Link>(
    e: &E,
    glm: &Glm<F, L>,
    data: &Data<E::Array>,
    prepared: &Prepared<E::Array>,
    first: IrlsStats<E::Array>,
    options: &Options,
    evidence: &mut Evidence,
) -> Result<State<E::Array>, E::Error> {
    let rows = data.rows();
    if let Some(start) = &options.start {
        let gamma: Vec<f64> = prepared.coordinates(start);
        let beta = e.from_host(&gamma, &[gamma.len()], &data.x)?;
        let given = at(e, glm, data, beta)?;
        if number(e, &given.deviance)?.is_finite() {
            return Ok(given);
        }
        evidence.fall_back(
            "start",
            "the family's own start values",
            "the means at the given start leave their range",
        );
    }
    let regression_of = |stats: IrlsStats<E::Array>| e.solve_spd(&stats.gram, &stats.score);
    let first = if prepared.basis.is_some() { regression(e, glm, &data.x, &rows)? } else { first };
    let begin = at(e, glm, data, regression_of(first)?)?;
    if is_usable(e, &begin)? {
        return Ok(begin);
    }
    at(e, glm, data, regression_of(constant(e, glm, &data.x, &rows)?)?)
}

fn is_usable<E: Engine>(e: &E, s: &State<E::Array>) -> Result<bool, E::Error> {
    Ok(number(e, &s.deviance)?.is_finite() && number(e, &s.decrement)?.is_finite())
}

fn at<E: Engine, F: Family, L: Link>(
    e: &E,
    glm: &Glm<F, L>,
    data: &Data<E::Array>,
    beta: E::Array,
) -> Result<State<E::Array>, E::Error> {
    let stats = pass(e, glm, Information::Expected, &data.x, &data.rows(), &beta)?;
    state(e, beta, stats)
}

/// `a` where the flag is finite, else `b`: for traced arrays, which cannot be asked.
struct Choose;
impl Formula<3, 1> for Choose {
    fn eval<N: Number>(&self, [flag, a, b]: [N; 3]) -> [N; 1] {
        [N::select(&flag.less(&N::literal(f64::MAX)), a, b)]
    }
}

/// The first state of a traced fit: both starts, and the choice inside the graph.
pub fn traced<E: Engine, F: Family, L: Link>(
    e: &E,
    glm: &Glm<F, L>,
    data: &Data<E::Array>,
) -> Result<State<E::Array>, E::Error> {
    let rows = data.rows();
    let first = regression(e, glm, &data.x, &rows)?;
    let begin = at(e, glm, data, e.solve_spd(&first.gram, &first.score)?)?;
    if glm.is_range_safe() {
        return Ok(begin);
    }
    let flat = constant(e, glm, &data.x, &rows)?;
    let [beta] = e.map(&Choose, [&begin.deviance, &begin.beta, &e.solve_spd(&flat.gram, &flat.score)?])?;
    at(e, glm, data, beta)
}
