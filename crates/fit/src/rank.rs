//! Aliased columns and ill-conditioned designs.
//!
//! A design whose scaled columns have a condition above [`WELL_CONDITIONED`] is factored by Householder
//! reflections; the rank is decided on the triangle, and the fit runs on `X R⁻¹`, whose columns are orthogonal.
use isostat_base::{Error, Evidence};
use isostat_engine::Engine;
use isostat_linalg::{alias, dd, qr_r, Alias, Factor};

/// Up to this condition of the scaled columns the Gram matrix itself carries the answer: its square costs six of
/// sixteen digits, which Newton steps on residuals win back.
pub const WELL_CONDITIONED: f64 = 1e3;

/// A column whose part orthogonal to the earlier ones is below this share of its length is aliased.
pub const RANK_TOLERANCE: f64 = 1e-11;

/// `β = T γ`: the fit's own coordinates γ, in which the design is `X T`.
#[derive(Clone, Debug)]
pub struct Basis {
    /// `T` rounded to double, row-major, shape (p, r).
    pub high: Vec<f64>,
    /// What rounding left.
    pub low: Vec<f64>,
    /// Number of columns r.
    pub rank: usize,
}

impl Basis {
    /// `T γ`, summed in double-double.
    pub fn coefficients(&self, gamma: &[f64]) -> Vec<f64> {
        self.high
            .chunks(self.rank)
            .zip(self.low.chunks(self.rank))
            .map(|(high, low)| {
                let sum = high
                    .iter()
                    .zip(low)
                    .zip(gamma)
                    .fold(dd::Dd::default(), |s, ((h, l), g)| s.add_product(*h, *g).add_product(*l, *g));
                sum.value()
            })
            .collect()
    }

    /// `T M` for a row-major M of shape (r, r).
    pub fn times(&self, m: &[f64]) -> Vec<f64> {
        let r = self.rank;
        let mut out = vec![0.0; self.high.len()];
        for (row, t) in out.chunks_mut(r).zip(self.high.chunks(r)) {
            for (k, t) in t.iter().enumerate() {
                row.iter_mut().zip(&m[k * r..(k + 1) * r]).for_each(|(o, m)| *o += t * m);
            }
        }
        out
    }
}

/// The design that the fit runs on.
#[derive(Clone, Debug)]
pub struct Prepared<A> {
    /// The design, transformed or not.
    pub x: A,
    /// The transformation; `None` where the fit runs on the design as it is.
    pub basis: Option<Basis>,
    /// Columns kept.
    pub kept: Vec<usize>,
    /// Columns aliased, with their relations.
    pub aliased: Vec<Alias>,
    /// Condition of the scaled columns, as far as it was needed.
    pub condition: f64,
    /// `R` of the kept columns, where the basis is its inverse.
    triangle: Option<Vec<f64>>,
}

impl<A> Prepared<A> {
    /// The fit's own coordinates of given coefficients; aliased ones count as 0.
    pub fn coordinates(&self, coef: &[f64]) -> Vec<f64> {
        let kept: Vec<f64> = self.kept.iter().map(|j| coef.get(*j).copied().unwrap_or(0.0)).collect();
        let Some(r) = &self.triangle else { return kept };
        let size = kept.len();
        (0..size).map(|i| (i..size).map(|k| r[i * size + k] * kept[k]).sum()).collect()
    }

    /// A step of the fit's own coordinates as a step of the coefficients.
    pub fn steps(&self, delta: &[f64]) -> Vec<f64> {
        match &self.basis {
            Some(basis) => basis.coefficients(delta),
            None => delta.to_vec(),
        }
    }
}

/// Decides rank and coordinates from the Gram matrix of the first pass.
///
/// # Errors
/// What the engine refuses.
pub fn prepare<E: Engine>(
    e: &E,
    x: &E::Array,
    weights: &E::Array,
    gram: &[f64],
    p: usize,
    evidence: &mut Evidence,
) -> Result<Prepared<E::Array>, E::Error> {
    let limit = WELL_CONDITIONED.min(0.1 / e.eps(x).sqrt());
    let condition = Factor::new(gram, p).map_or(f64::INFINITY, |f| f.condition());
    if condition <= limit {
        let (x, kept) = (x.clone(), (0..p).collect());
        return Ok(Prepared { x, basis: None, kept, aliased: Vec::new(), condition, triangle: None });
    }
    let r = e.triangular_factor(x, weights)?;
    let tolerance = RANK_TOLERANCE.max(16.0 * e.eps(x) * (p as f64).sqrt());
    let rank = alias(&r, p, tolerance);
    let kept = rank.kept.clone();
    let triangle = kept_triangle(&r, p, &kept);
    let size = kept.len();
    if size == 0 {
        let (what, why) = ("a design without a column of information", "every column is zero or aliased");
        return Err(Error::unsupported(what, why, "give at least one column that varies").into());
    }
    let gram_kept = times_itself(&triangle, size);
    let condition = Factor::new(&gram_kept, size).map_or(f64::INFINITY, |f| f.condition());
    if condition <= limit {
        let x = e.select_columns(x, &kept)?;
        let basis = Some(selection(p, &kept));
        return Ok(Prepared { x, basis, kept, aliased: rank.aliased, condition, triangle: None });
    }
    let (basis, condition) = orthogonal(&triangle, p, &kept, condition);
    evidence.note(format!(
        "the scaled columns have a condition of about {condition:.1e}: the fit ran on X R⁻¹, with R from Householder \
         reflections and the product in double-double where the engine has it; rank decided at {tolerance:.0e}"
    ));
    let x = e.transform(x, &basis.high, &basis.low, size)?;
    let (basis, triangle) = (Some(basis), Some(triangle));
    Ok(Prepared { x, basis, kept, aliased: rank.aliased, condition, triangle })
}

/// The basis `R⁻¹` of the kept columns. Where the Gram matrix is not definite any more, the triangle itself tells the
/// condition.
fn orthogonal(triangle: &[f64], p: usize, kept: &[usize], condition: f64) -> (Basis, f64) {
    let size = kept.len();
    let (high, low) = dd::upper_inverse(triangle, size);
    let condition = if condition.is_finite() { condition } else { triangle_condition(triangle, &high, size) };
    (Basis { high: spread(&high, p, kept), low: spread(&low, p, kept), rank: size }, condition)
}

fn kept_triangle(r: &[f64], p: usize, kept: &[usize]) -> Vec<f64> {
    let mut columns: Vec<f64> = (0..p).flat_map(|i| kept.iter().map(move |j| r[i * p + j])).collect();
    qr_r(&mut columns, p, kept.len())
}

/// The condition of a triangle with columns scaled to length 1, in Frobenius norms over its size.
fn triangle_condition(r: &[f64], inverse: &[f64], size: usize) -> f64 {
    let lengths: Vec<f64> =
        (0..size).map(|j| (0..size).map(|i| r[i * size + j].powi(2)).sum::<f64>().sqrt()).collect();
    let rows = inverse.chunks(size).zip(&lengths);
    let square: f64 = rows.map(|(row, length)| row.iter().map(|v| (v * length).powi(2)).sum::<f64>()).sum();
    // The scaled triangle itself has Frobenius norm √size.
    (square / size as f64).sqrt()
}

fn times_itself(r: &[f64], p: usize) -> Vec<f64> {
    let mut gram = vec![0.0; p * p];
    for k in 0..p {
        for i in 0..p {
            for j in 0..p {
                gram[i * p + j] += r[k * p + i] * r[k * p + j];
            }
        }
    }
    gram
}

fn selection(p: usize, kept: &[usize]) -> Basis {
    let rank = kept.len();
    let mut high = vec![0.0; p * rank];
    kept.iter().enumerate().for_each(|(k, j)| high[j * rank + k] = 1.0);
    Basis { high, low: vec![0.0; p * rank], rank }
}

fn spread(inverse: &[f64], p: usize, kept: &[usize]) -> Vec<f64> {
    let rank = kept.len();
    let mut out = vec![0.0; p * rank];
    for (k, j) in kept.iter().enumerate() {
        out[j * rank..(j + 1) * rank].copy_from_slice(&inverse[k * rank..(k + 1) * rank]);
    }
    out
}
