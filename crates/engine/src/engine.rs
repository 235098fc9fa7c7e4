//! The trait [`Engine`]: who does array arithmetic, in which dtype, on which device. No statistics.
use isostat_base::Error;
use isostat_number::Number;

use crate::program::{Formula, Program};

/// The sums that one pass of iteratively reweighted least squares leaves behind.
#[derive(Clone, Debug)]
pub struct IrlsStats<A> {
    /// `X'WX`, shape (p, p).
    pub gram: A,
    /// `X'W(z - η)`, shape (p,): the score in units of the dispersion.
    pub score: A,
    /// The deviance, a scalar.
    pub deviance: A,
}

/// Response, prior weights and offset; each a vector of length n or a scalar.
#[derive(Clone, Debug)]
pub struct Rows<A> {
    /// Response.
    pub y: A,
    /// Prior weights.
    pub weights: A,
    /// Offset of the linear predictor.
    pub offset: A,
}

/// An engine. Arrays belong to it; scalars are arrays of no dimension.
///
/// Numerical failure (a singular matrix, an overflow) is NaN, never an error: statuses must not depend on the
/// manners of an engine. Errors are for what cannot run at all.
pub trait Engine: Sized {
    /// A scalar, a vector, a small matrix or a design of this engine.
    type Array: Clone;
    /// What a refused operation gives.
    type Error: From<Error>;

    /// Name, as evidence and `engine=` give it.
    fn name(&self) -> String;

    /// Applies a formula element by element; scalars broadcast.
    fn map<F, const I: usize, const O: usize>(
        &self,
        formula: &F,
        inputs: [&Self::Array; I],
    ) -> Result<[Self::Array; O], Self::Error>
    where
        F: Formula<I, O>;

    /// The sum of all elements.
    fn sum(&self, v: &Self::Array) -> Result<Self::Array, Self::Error>;

    /// `X b`, for a design or a small matrix.
    fn matvec(&self, x: &Self::Array, b: &Self::Array) -> Result<Self::Array, Self::Error>;

    /// `X' v`.
    fn xtv(&self, x: &Self::Array, v: &Self::Array) -> Result<Self::Array, Self::Error>;

    /// `X' diag(w) X`; `w` may be a scalar.
    fn gram(&self, x: &Self::Array, w: &Self::Array) -> Result<Self::Array, Self::Error>;

    /// `Σ_j (X T)_ij²` for each row: leverages and prediction variances. `t` is row-major, shape (p, r).
    fn row_squares(&self, x: &Self::Array, t: &[f64], r: usize) -> Result<Self::Array, Self::Error>;

    /// The solution of `H d = r` for a symmetric positive definite `H`, columns equilibrated; NaN on failure.
    /// `r` is a vector, or a matrix whose columns are solved for.
    fn solve_spd(&self, h: &Self::Array, r: &Self::Array) -> Result<Self::Array, Self::Error>;

    /// The upper triangular R of `diag(√w) X = QR` on the host, row-major, with backward error of order eps.
    fn triangular_factor(&self, x: &Self::Array, w: &Self::Array) -> Result<Vec<f64>, Self::Error>;

    /// The design `X T`, where `T = high + low` is row-major of shape (p, r): as accurate as the engine can.
    fn transform(
        &self,
        x: &Self::Array,
        high: &[f64],
        low: &[f64],
        r: usize,
    ) -> Result<Self::Array, Self::Error>;

    /// The design with the named columns only.
    fn select_columns(&self, x: &Self::Array, columns: &[usize]) -> Result<Self::Array, Self::Error> {
        let p = self.shape(x).get(1).copied().unwrap_or(0);
        let r = columns.len();
        let mut selection = vec![0.0; p * r];
        columns.iter().enumerate().for_each(|(k, j)| selection[j * r + k] = 1.0);
        self.transform(x, &selection, &vec![0.0; p * r], r)
    }

    /// Repeats `program.step` while `program.go` is not 0.
    fn while_loop<P: Program>(
        &self,
        program: &P,
        data: &P::Data<Self::Array>,
        state: P::State<Self::Array>,
    ) -> Result<P::State<Self::Array>, Self::Error>;

    /// Repeats `program.step` a fixed number of times: differentiable in reverse.
    fn repeat<P: Program>(
        &self,
        count: usize,
        program: &P,
        data: &P::Data<Self::Array>,
        state: P::State<Self::Array>,
    ) -> Result<P::State<Self::Array>, Self::Error>;

    /// The same values, cut from the derivative.
    fn detach(&self, a: &Self::Array) -> Self::Array;

    /// A concrete scalar as a host number inside an array; a traced one unchanged.
    fn peek(&self, a: &Self::Array) -> Result<Self::Array, Self::Error>;

    /// The number behind a scalar, if it is concrete.
    fn concrete(&self, a: &Self::Array) -> Option<f64>;

    /// A weak scalar: it takes the dtype of what it meets.
    fn scalar(&self, value: f64) -> Self::Array;

    /// Rows `from..to` of a vector or design; a scalar unchanged.
    fn rows(&self, a: &Self::Array, from: usize, to: usize) -> Result<Self::Array, Self::Error>;

    /// Dimensions: empty for a scalar.
    fn shape(&self, a: &Self::Array) -> Vec<usize>;

    /// The unit roundoff of the array's dtype.
    fn eps(&self, a: &Self::Array) -> f64;

    /// The elements in row-major order on the host; refused for a traced array.
    fn to_host(&self, a: &Self::Array) -> Result<Vec<f64>, Self::Error>;

    /// An array of the same namespace, dtype and device as `like`.
    fn from_host(
        &self,
        values: &[f64],
        shape: &[usize],
        like: &Self::Array,
    ) -> Result<Self::Array, Self::Error>;

    /// Position of the first element that is not 0; refused for a traced array.
    fn first_nonzero(&self, v: &Self::Array) -> Result<Option<usize>, Self::Error>;

    /// Whether the values may be read: false for tracers.
    fn is_concrete(&self, a: &Self::Array) -> bool;

    /// Rows that one block should have, of n.
    fn block_rows(&self, n: usize) -> usize {
        n
    }

    /// Whether a pass over a range of rows needs no copy and no compilation of its own.
    fn has_cheap_ranges(&self) -> bool {
        false
    }

    /// `a + b`, element by element.
    fn add(&self, a: &Self::Array, b: &Self::Array) -> Result<Self::Array, Self::Error> {
        let [c] = self.map(&Add, [a, b])?;
        Ok(c)
    }

    /// Sums over all elements of a formula's values; no temporary of length n on the host.
    fn sums<F, const I: usize, const O: usize>(
        &self,
        formula: &F,
        inputs: [&Self::Array; I],
    ) -> Result<[Self::Array; O], Self::Error>
    where
        F: Formula<I, O>,
    {
        let values = self.map(formula, inputs)?;
        let mut totals: [Self::Array; O] = std::array::from_fn(|_| self.scalar(0.0));
        for (total, value) in totals.iter_mut().zip(&values) {
            *total = self.sum(value)?;
        }
        Ok(totals)
    }

    /// One pass: gram, score and deviance of all rows.
    ///
    /// With `beta`, `formula` maps (y, weight, η) to (working weight, weight × working residual, deviance), where
    /// `η = Xβ + offset`. Without, its third argument is the offset itself: the start values.
    fn irls_pass<F: Formula<3, 3>>(
        &self,
        formula: &F,
        x: &Self::Array,
        rows: &Rows<Self::Array>,
        beta: Option<&Self::Array>,
    ) -> Result<IrlsStats<Self::Array>, Self::Error> {
        let mut total: Option<IrlsStats<Self::Array>> = None;
        for_blocks(self, x, rows, |xb, rb| {
            let eta = linear_predictor(self, xb, rb, beta)?;
            let [w, s, d] = self.map(formula, [&rb.y, &rb.weights, &eta])?;
            let part =
                IrlsStats { gram: self.gram(xb, &w)?, score: self.xtv(xb, &s)?, deviance: self.sum(&d)? };
            total = Some(match total.take() {
                None => part,
                Some(t) => IrlsStats {
                    gram: self.add(&t.gram, &part.gram)?,
                    score: self.add(&t.score, &part.score)?,
                    deviance: self.add(&t.deviance, &part.deviance)?,
                },
            });
            Ok(())
        })?;
        total.ok_or_else(|| Error::shape("pass", "X", "at least one row", "0 rows").into())
    }

    /// Sums over all rows of a formula of (y, weight, η): no gram, no temporary of length n on the host.
    fn row_sums<F: Formula<3, O>, const O: usize>(
        &self,
        formula: &F,
        x: &Self::Array,
        rows: &Rows<Self::Array>,
        beta: Option<&Self::Array>,
    ) -> Result<[Self::Array; O], Self::Error> {
        let mut total: [Self::Array; O] = std::array::from_fn(|_| self.scalar(0.0));
        for_blocks(self, x, rows, |xb, rb| {
            let eta = linear_predictor(self, xb, rb, beta)?;
            let parts = self.map(formula, [&rb.y, &rb.weights, &eta])?;
            for (t, part) in total.iter_mut().zip(&parts) {
                *t = self.add(t, &self.sum(part)?)?;
            }
            Ok(())
        })?;
        Ok(total)
    }
}

struct Add;
impl Formula<2, 1> for Add {
    fn eval<N: Number>(&self, [a, b]: [N; 2]) -> [N; 1] {
        [a + b]
    }
}

fn linear_predictor<E: Engine>(
    engine: &E,
    x: &E::Array,
    rows: &Rows<E::Array>,
    beta: Option<&E::Array>,
) -> Result<E::Array, E::Error> {
    match beta {
        None => Ok(rows.offset.clone()),
        Some(b) => engine.add(&engine.matvec(x, b)?, &rows.offset),
    }
}

fn for_blocks<E: Engine>(
    engine: &E,
    x: &E::Array,
    rows: &Rows<E::Array>,
    mut body: impl FnMut(&E::Array, &Rows<E::Array>) -> Result<(), E::Error>,
) -> Result<(), E::Error> {
    let n = engine.shape(x).first().copied().unwrap_or(0);
    let block = engine.block_rows(n).max(1);
    if block >= n {
        return body(x, rows);
    }
    for from in (0..n).step_by(block) {
        let to = (from + block).min(n);
        let part = Rows {
            y: engine.rows(&rows.y, from, to)?,
            weights: engine.rows(&rows.weights, from, to)?,
            offset: engine.rows(&rows.offset, from, to)?,
        };
        body(&engine.rows(x, from, to)?, &part)?;
    }
    Ok(())
}
