//! The operations one by one: the baseline, and what no pass fuses.
use std::sync::Arc;

use isostat_base::{Error, Result};
use isostat_linalg::qr_r;

use super::array::HostArray;
use super::buffer::{Dtype, View};
use super::design::{cross, Design};
use super::pass::{chunk_sum, read};
use super::simd::elementwise::{evaluate, CHUNK};
use super::{threads, Host};
use crate::engine::{IrlsStats, Rows};
use crate::program::{Formula, FormulaVisitor};

/// Rows of a piece that one thread works on at a time.
const PIECE: usize = 64 * CHUNK;

/// A formula, element by element.
pub(super) fn map<F, const I: usize, const O: usize>(
    host: &Host,
    formula: &F,
    inputs: [&HostArray; I],
) -> Result<[HostArray; O]>
where
    F: Formula<I, O>,
{
    let shape = common_shape(&inputs)?;
    if shape.is_empty() {
        let values = formula.eval(inputs.map(HostArray::scalar_value));
        return Ok(values.map(HostArray::Scalar));
    }
    let n: usize = shape.iter().product();
    let single = inputs.iter().any(|v| v.dtype() == Dtype::F32);
    let flat: [HostArray; I] = inputs.map(flattened);
    let mut outputs: [Vec<f64>; O] = std::array::from_fn(|_| vec![0.0; n]);
    formula.visit(Fill { host, inputs: &flat, outputs: &mut outputs, n });
    Ok(outputs.map(|values| match shape[..] {
        [rows, columns] => HostArray::Small { rows, columns, values: Arc::new(values) },
        _ => {
            let view = View::from_vec(values);
            HostArray::Vector(if single { view.labelled(Dtype::F32) } else { view })
        }
    }))
}

fn common_shape<const I: usize>(inputs: &[&HostArray; I]) -> Result<Vec<usize>> {
    let mut shape = Vec::new();
    for input in inputs {
        let next = input.shape();
        if next.is_empty() || next == shape {
            continue;
        }
        if !shape.is_empty() {
            return Err(Error::shape(
                "map",
                "inputs",
                format!("shape {shape:?} or no dimension"),
                format!("{next:?}"),
            ));
        }
        shape = next;
    }
    Ok(shape)
}

/// A matrix as the vector of its values.
fn flattened(v: &HostArray) -> HostArray {
    match v {
        HostArray::Small { .. } | HostArray::Design(_) => HostArray::vector(v.to_vec()),
        other => other.clone(),
    }
}

struct Fill<'a, const I: usize, const O: usize> {
    host: &'a Host,
    inputs: &'a [HostArray; I],
    outputs: &'a mut [Vec<f64>; O],
    n: usize,
}

impl<const I: usize, const O: usize> FormulaVisitor<I, O> for Fill<'_, I, O> {
    type Output = ();

    fn run<F: Formula<I, O>>(self, formula: &F) {
        let Fill { host, inputs, outputs, n } = self;
        let mut pieces: Vec<(usize, Vec<&mut [f64]>)> =
            (0..n.div_ceil(PIECE)).map(|i| (i * PIECE, Vec::with_capacity(O))).collect();
        for output in outputs.iter_mut() {
            output.chunks_mut(PIECE).zip(&mut pieces).for_each(|(part, piece)| piece.1.push(part));
        }
        let work = |(): &mut (), (start, mut parts): (usize, Vec<&mut [f64]>)| {
            let length = parts.first().map_or(0, |p| p.len());
            let mut x = [[0.0; CHUNK]; I];
            let mut out = [[0.0; CHUNK]; O];
            for from in (0..length).step_by(CHUNK) {
                let count = CHUNK.min(length - from);
                inputs.iter().zip(&mut x).for_each(|(v, x)| read(v, start + from, count, x));
                evaluate(host.simd(), formula, &x, &mut out);
                parts
                    .iter_mut()
                    .zip(&out)
                    .for_each(|(p, o)| p[from..from + count].copy_from_slice(&o[..count]));
            }
        };
        threads::for_each(host.threads_for(n), pieces, || (), work);
    }
}

/// Sums of a formula's values over all elements.
pub(super) fn sums<F, const I: usize, const O: usize>(
    host: &Host,
    formula: &F,
    inputs: [&HostArray; I],
) -> Result<[HostArray; O]>
where
    F: Formula<I, O>,
{
    let shape = common_shape(&inputs)?;
    if shape.is_empty() {
        return Ok(formula.eval(inputs.map(HostArray::scalar_value)).map(HostArray::Scalar));
    }
    let flat: [HostArray; I] = inputs.map(flattened);
    let totals = formula.visit(Total { host, inputs: &flat, n: shape.iter().product() });
    Ok(totals.map(HostArray::Scalar))
}

struct Total<'a, const I: usize> {
    host: &'a Host,
    inputs: &'a [HostArray; I],
    n: usize,
}

impl<const I: usize, const O: usize> FormulaVisitor<I, O> for Total<'_, I> {
    type Output = [f64; O];

    fn run<F: Formula<I, O>>(self, formula: &F) -> [f64; O] {
        let Total { host, inputs, n } = self;
        let leaf = |(): &mut (), i: usize| {
            let mut total = [0.0; O];
            let mut x = [[0.0; CHUNK]; I];
            let mut out = [[0.0; CHUNK]; O];
            for from in (i * PIECE..((i + 1) * PIECE).min(n)).step_by(CHUNK) {
                let count = CHUNK.min(n - from);
                inputs.iter().zip(&mut x).for_each(|(v, x)| read(v, from, count, x));
                evaluate(host.simd(), formula, &x, &mut out);
                total.iter_mut().zip(&out).for_each(|(t, o)| *t += chunk_sum(&o[..count]));
            }
            total
        };
        let merge = |a: &mut [f64; O], b: [f64; O]| a.iter_mut().zip(b).for_each(|(a, b)| *a += b);
        threads::fold(n.div_ceil(PIECE), host.threads_for(n), || (), leaf, merge).unwrap_or([0.0; O])
    }
}

struct Itself;
impl Formula<1, 1> for Itself {
    #[inline(always)]
    fn eval<N: isostat_number::Number>(&self, x: [N; 1]) -> [N; 1] {
        x
    }
}

/// The sum of all elements, by the fixed tree.
pub(super) fn sum(host: &Host, v: &HostArray) -> Result<f64> {
    let [total] = sums(host, &Itself, [v])?;
    Ok(total.scalar_value())
}

/// `X b`.
pub(super) fn matvec(host: &Host, x: &HostArray, b: &HostArray) -> Result<HostArray> {
    let design = x.as_design()?;
    let b = b.to_vec();
    expect(b.len(), design.n_columns(), "b")?;
    let panel: Vec<f64> = design.panel_columns.iter().map(|j| b[*j]).collect();
    let out = by_rows(host, &design, |row, at| {
        row.iter().zip(&panel).map(|(x, b)| x * b).sum::<f64>() + cross::dot(&design, at, &b)
    });
    Ok(vector_like(out, &design))
}

/// `Σ_j (X T)_ij²`.
pub(super) fn row_squares(host: &Host, x: &HostArray, t: &[f64], r: usize) -> Result<HostArray> {
    let design = x.as_design()?;
    let p = design.n_columns();
    expect(t.len(), p * r, "t")?;
    let out = by_rows(host, &design, |row, at| {
        (0..r)
            .map(|k| {
                let column = |j: usize| t[j * r + k];
                let panel: f64 = design.panel_columns.iter().zip(row).map(|(j, x)| x * column(*j)).sum();
                let factors: f64 =
                    design.factors.iter().filter_map(|(s, f)| f.column(at).map(|j| column(s + j))).sum();
                let sparse: f64 = design
                    .sparse
                    .iter()
                    .map(|(s, m)| m.row(at).map(|(j, v)| v * column(s + j)).sum::<f64>())
                    .sum();
                let ones: f64 = design.ones.iter().map(|j| column(*j)).sum();
                (panel + ones + factors + sparse).powi(2)
            })
            .sum()
    });
    Ok(vector_like(out, &design))
}

fn vector_like(values: Vec<f64>, design: &Design) -> HostArray {
    HostArray::Vector(View::from_vec(values).labelled(design.dtype()))
}

fn by_rows(host: &Host, design: &Design, value: impl Fn(&[f64], usize) -> f64 + Sync) -> Vec<f64> {
    let (n, width) = (design.n_rows(), design.panel_width());
    let mut out = vec![0.0; n];
    let pieces: Vec<(usize, &mut [f64])> =
        out.chunks_mut(PIECE).enumerate().map(|(i, c)| (i * PIECE, c)).collect();
    let scratch = || vec![0.0; CHUNK * width];
    threads::for_each(host.threads_for(n), pieces, scratch, |panel: &mut Vec<f64>, (start, piece)| {
        for (k, chunk) in piece.chunks_mut(CHUNK).enumerate() {
            let from = start + k * CHUNK;
            design.fill_panel(host.simd(), from, from + chunk.len(), panel, width.max(1));
            for (r, o) in chunk.iter_mut().enumerate() {
                *o = value(&panel[r * width..(r + 1) * width], design.first + from + r);
            }
        }
    });
    out
}

fn expect(found: usize, expected: usize, name: &str) -> Result<()> {
    if found == expected {
        return Ok(());
    }
    Err(Error::shape("product", name, format!("length {expected}"), format!("length {found}")))
}

/// `X' v`.
pub(super) fn xtv(host: &Host, x: &HostArray, v: &HostArray) -> Result<HostArray> {
    let design = x.as_design()?;
    let p = design.n_columns();
    let width = design.panel_width();
    let leaf = |panel: &mut Vec<f64>, from: usize, to: usize| {
        let mut out = vec![0.0; p];
        let mut values = [0.0; CHUNK];
        for start in (from..to).step_by(CHUNK) {
            let count = CHUNK.min(to - start);
            read(v, start, count, &mut values);
            design.fill_panel(host.simd(), start, start + count, panel, width.max(1));
            for r in 0..count {
                let row = &panel[r * width..(r + 1) * width];
                design.panel_columns.iter().zip(row).for_each(|(j, x)| out[*j] += x * values[r]);
                cross::scatter(&design, design.first + start + r, values[r], &mut out);
            }
        }
        out
    };
    let total = leaves(host, design.n_rows(), || vec![0.0; CHUNK * width], leaf);
    Ok(HostArray::vector(total.unwrap_or_else(|| vec![0.0; p])))
}

/// Leaves of fixed size, joined by the fixed tree.
fn leaves<S>(
    host: &Host,
    n: usize,
    scratch: impl Fn() -> S + Sync,
    leaf: impl Fn(&mut S, usize, usize) -> Vec<f64> + Sync,
) -> Option<Vec<f64>> {
    let merge = |a: &mut Vec<f64>, b: Vec<f64>| a.iter_mut().zip(b).for_each(|(a, b)| *a += b);
    let run = |s: &mut S, i: usize| leaf(s, i * PIECE, ((i + 1) * PIECE).min(n));
    threads::fold(n.div_ceil(PIECE), host.threads_for(n), scratch, run, merge)
}

/// (w) → the three outputs of a pass whose weight is w.
struct WeightOnly;
impl Formula<3, 3> for WeightOnly {
    #[inline(always)]
    fn eval<N: isostat_number::Number>(&self, [w, _, _]: [N; 3]) -> [N; 3] {
        [w, N::literal(0.0), N::literal(0.0)]
    }
}

/// `X' diag(w) X`.
pub(super) fn gram(host: &Host, x: &HostArray, w: &HostArray) -> Result<HostArray> {
    if host.fused {
        let zero = HostArray::Scalar(0.0);
        let rows = Rows { y: w.clone(), weights: zero.clone(), offset: zero };
        return Ok(super::pass::irls(host, &WeightOnly, x, &rows, None)?.gram);
    }
    plain_gram(host, x, w)
}

/// Row by row on dense rows: slow, and obviously right.
fn plain_gram(host: &Host, x: &HostArray, w: &HostArray) -> Result<HostArray> {
    let design = x.as_design()?;
    let p = design.n_columns();
    let leaf = |rows: &mut Vec<f64>, from: usize, to: usize| {
        let mut out = vec![0.0; p * p];
        let mut weights = [0.0; CHUNK];
        for start in (from..to).step_by(CHUNK) {
            let count = CHUNK.min(to - start);
            read(w, start, count, &mut weights);
            design.fill_dense(start, start + count, rows);
            for (row, w) in rows.chunks(p.max(1)).zip(&weights[..count]) {
                for (i, x) in row.iter().enumerate() {
                    let line = &mut out[i * p..(i + 1) * p];
                    line.iter_mut().zip(row).for_each(|(o, z)| *o += w * x * z);
                }
            }
        }
        out
    };
    let total =
        leaves(host, design.n_rows(), || vec![0.0; CHUNK * p], leaf).unwrap_or_else(|| vec![0.0; p * p]);
    Ok(HostArray::Small { rows: p, columns: p, values: Arc::new(total) })
}

/// The pass, operation by operation.
pub(super) fn irls<F: Formula<3, 3>>(
    host: &Host,
    formula: &F,
    x: &HostArray,
    rows: &Rows<HostArray>,
    beta: Option<&HostArray>,
) -> Result<IrlsStats<HostArray>> {
    let eta = match beta {
        None => rows.offset.clone(),
        Some(b) => {
            let [eta] = map(host, &Plus, [&matvec(host, x, b)?, &rows.offset])?;
            eta
        }
    };
    let [w, s, d] = map(host, formula, [&rows.y, &rows.weights, &eta])?;
    let deviance = HostArray::Scalar(sum(host, &d)?);
    Ok(IrlsStats { gram: plain_gram(host, x, &w)?, score: xtv(host, x, &s)?, deviance })
}

struct Plus;
impl Formula<2, 1> for Plus {
    #[inline(always)]
    fn eval<N: isostat_number::Number>(&self, [a, b]: [N; 2]) -> [N; 1] {
        [a + b]
    }
}

/// The solution of `H d = r` for a vector or the columns of a matrix.
pub(super) fn solve_spd(h: &HostArray, r: &HostArray) -> Result<HostArray> {
    let p = h.shape().first().copied().unwrap_or(0);
    let h = h.to_vec();
    if let HostArray::Small { rows, columns, values } = r {
        let mut out = vec![f64::NAN; values.len()];
        if let Some(factor) = isostat_linalg::Factor::new(&h, p) {
            for k in 0..*columns {
                let column: Vec<f64> = (0..*rows).map(|i| values[i * columns + k]).collect();
                factor.solve(&column).iter().enumerate().for_each(|(i, d)| out[i * columns + k] = *d);
            }
        }
        return Ok(HostArray::Small { rows: *rows, columns: *columns, values: Arc::new(out) });
    }
    Ok(HostArray::vector(isostat_linalg::solve_spd(&h, &r.to_vec(), p)))
}

/// R of `diag(√w) X` by reflections, leaf by leaf; factors of two leaves are stacked and factored again.
pub(super) fn triangular_factor(host: &Host, x: &HostArray, w: &HostArray) -> Result<Vec<f64>> {
    let design = x.as_design()?;
    let (n, p) = (design.n_rows(), design.n_columns());
    let block = (4 * p).max(256).next_multiple_of(CHUNK);
    let leaf = |(): &mut (), i: usize| {
        let (from, to) = (i * block, ((i + 1) * block).min(n));
        let mut rows = vec![0.0; (to - from) * p];
        design.fill_dense(from, to, &mut rows);
        let mut weights = [0.0; CHUNK];
        for start in (from..to).step_by(CHUNK) {
            let count = CHUNK.min(to - start);
            read(w, start, count, &mut weights);
            for (r, w) in weights[..count].iter().enumerate() {
                let row = &mut rows[(start - from + r) * p..(start - from + r + 1) * p];
                row.iter_mut().for_each(|x| *x *= w.sqrt());
            }
        }
        qr_r(&mut rows, to - from, p)
    };
    let merge = |a: &mut Vec<f64>, b: Vec<f64>| {
        let mut stacked = std::mem::take(a);
        stacked.extend(b);
        *a = qr_r(&mut stacked, 2 * p, p);
    };
    let factor = threads::fold(n.div_ceil(block), host.threads_for(n), || (), leaf, merge);
    Ok(factor.unwrap_or_else(|| vec![0.0; p * p]))
}
