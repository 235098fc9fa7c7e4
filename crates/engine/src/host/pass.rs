//! The fused pass: rows are read once, in chunks that stay in the first cache, and leave sums behind.
use std::sync::Arc;

use isostat_base::{Error, Result};

use super::array::HostArray;
use super::design::cross::{self, Weighted};
use super::design::Design;
use super::simd::elementwise::{evaluate, Chunk, CHUNK};
use super::simd::panel;
use super::simd::tile::{self, Panels, PANEL};
use super::{threads, Host};
use crate::engine::{IrlsStats, Rows};
use crate::program::{Formula, FormulaVisitor};

/// Rows of a leaf of the reduction tree: a function of n alone, so that no number of threads changes a bit.
fn leaf_rows(n: usize) -> usize {
    const LEAST: usize = 2048;
    const MOST_LEAVES: usize = 512;
    n.div_ceil(MOST_LEAVES).max(LEAST).next_multiple_of(CHUNK)
}

/// What a worker reuses from leaf to leaf.
pub(super) struct Scratch {
    a: Vec<f64>,
    b: Vec<f64>,
    inputs: [Chunk; 3],
}

/// Sums over rows.
struct Sums {
    /// The product of tiles, row-major (b_stride × a_stride).
    tiles: Vec<f64>,
    /// What factors and sparse blocks add, p × p.
    gram: Vec<f64>,
    score: Vec<f64>,
    deviance: f64,
}

impl Sums {
    fn add(&mut self, other: Sums) {
        let add = |a: &mut [f64], b: &[f64]| a.iter_mut().zip(b).for_each(|(a, b)| *a += b);
        add(&mut self.tiles, &other.tiles);
        add(&mut self.gram, &other.gram);
        add(&mut self.score, &other.score);
        self.deviance += other.deviance;
    }
}

/// A pass over a design: shapes of its panels, and where its inputs come from.
pub(super) struct Plan<'a> {
    design: &'a Design,
    rows: &'a Rows<HostArray>,
    /// Coefficients of the panel, padded; of the whole design.
    panel_beta: Option<Vec<f64>>,
    beta: Option<Vec<f64>>,
    width: usize,
    a_stride: usize,
    b_stride: usize,
}

impl<'a> Plan<'a> {
    pub(super) fn new(design: &'a Design, rows: &'a Rows<HostArray>, beta: Option<&HostArray>) -> Result<Self> {
        let width = design.panel_width();
        let a_stride = width.max(1).next_multiple_of(PANEL);
        let beta = beta.map(HostArray::to_vec);
        if beta.as_ref().is_some_and(|b| b.len() != design.n_columns()) {
            let found = format!("{} values", beta.map_or(0, |b| b.len()));
            return Err(Error::shape("pass", "beta", format!("length {}", design.n_columns()), found));
        }
        let panel_beta = beta.as_ref().map(|beta| {
            let mut padded = vec![0.0; a_stride];
            design.panel_columns.iter().zip(&mut padded).for_each(|(j, b)| *b = beta[*j]);
            padded
        });
        Ok(Plan { design, rows, panel_beta, beta, width, a_stride, b_stride: (width + 2).next_multiple_of(PANEL) })
    }

    pub(super) fn scratch(&self) -> Scratch {
        Scratch {
            a: vec![0.0; CHUNK * self.a_stride],
            b: vec![0.0; CHUNK * self.b_stride],
            inputs: [[0.0; CHUNK]; 3],
        }
    }

    /// Panel, response, weight and linear predictor of a chunk; rows beyond its end repeat the last.
    fn load(&self, host: &Host, from: usize, count: usize, s: &mut Scratch) {
        let [y, w, eta] = &mut s.inputs;
        read(&self.rows.y, from, count, y);
        read(&self.rows.weights, from, count, w);
        read(&self.rows.offset, from, count, eta);
        let needs_panel = self.width > 0;
        if needs_panel {
            self.design.fill_panel(from, from + count, &mut s.a, self.a_stride);
        }
        if let (Some(panel_beta), Some(beta)) = (&self.panel_beta, &self.beta) {
            if needs_panel {
                panel::dots(host.simd(), count, &s.a, self.a_stride, panel_beta, eta);
            }
            if !self.design.is_panel() {
                for (r, e) in eta.iter_mut().take(count).enumerate() {
                    *e += cross::dot(self.design, self.design.first + from + r, beta);
                }
            }
            let last = eta[count - 1];
            eta[count..].fill(last);
        }
    }
}

fn read(v: &HostArray, from: usize, count: usize, out: &mut Chunk) {
    match v {
        HostArray::Vector(view) => {
            view.read(from, from + count, &mut out[..count]);
            let last = out[count - 1];
            out[count..].fill(last);
        }
        other => out.fill(other.scalar_value()),
    }
}

/// Gram, score and deviance in one pass.
pub(super) fn irls<F: Formula<3, 3>>(
    host: &Host,
    formula: &F,
    x: &HostArray,
    rows: &Rows<HostArray>,
    beta: Option<&HostArray>,
) -> Result<IrlsStats<HostArray>> {
    let design = x.as_design()?;
    let plan = Plan::new(&design, rows, beta)?;
    Ok(formula.visit(Run { host, plan: &plan }))
}

struct Run<'a> {
    host: &'a Host,
    plan: &'a Plan<'a>,
}

impl FormulaVisitor<3, 3> for Run<'_> {
    type Output = IrlsStats<HostArray>;

    fn run<F: Formula<3, 3>>(self, formula: &F) -> IrlsStats<HostArray> {
        let Run { host, plan } = self;
        let n = plan.design.n_rows();
        let leaf = leaf_rows(n);
        let sums = threads::fold(
            n.div_ceil(leaf),
            host.threads_for(n),
            || plan.scratch(),
            |scratch, i| leaf_sums(host, plan, formula, i * leaf, ((i + 1) * leaf).min(n), scratch),
            |a, b| a.add(b),
        );
        plan.finish(sums)
    }
}

fn leaf_sums<F: Formula<3, 3>>(
    host: &Host,
    plan: &Plan<'_>,
    formula: &F,
    from: usize,
    to: usize,
    s: &mut Scratch,
) -> Sums {
    let p = if plan.design.is_panel() { 0 } else { plan.design.n_columns() };
    let mut sums = Sums {
        tiles: vec![0.0; plan.b_stride * plan.a_stride],
        gram: vec![0.0; p * p],
        score: vec![0.0; p],
        deviance: 0.0,
    };
    let level = host.simd();
    let mut out = [[0.0; CHUNK]; 3];
    for start in (from..to).step_by(CHUNK) {
        let count = CHUNK.min(to - start);
        plan.load(host, start, count, s);
        evaluate(level, formula, &s.inputs, &mut out);
        let [weight, residual, deviance] = &out;
        sums.deviance += chunk_sum(&deviance[..count]);
        panel::weigh(level, count, &s.a, plan.a_stride, weight, &mut s.b, plan.b_stride);
        for r in 0..count {
            s.b[r * plan.b_stride + plan.width] = residual[r];
            s.b[r * plan.b_stride + plan.width + 1] = weight[r];
        }
        let panels =
            Panels { rows: count, a: &s.a, a_stride: plan.a_stride, b: &s.b, b_stride: plan.b_stride };
        if plan.width > 0 {
            tile::accumulate(level, &panels, &mut sums.tiles);
        }
        let weighted = Weighted { rows: count, values: &s.b, stride: plan.b_stride, residual: plan.width };
        cross::accumulate(plan.design, start, &weighted, &mut sums.gram, &mut sums.score);
    }
    sums
}

/// Pairwise, so that the error does not grow with the number of rows of a chunk.
fn chunk_sum(v: &[f64]) -> f64 {
    if v.len() <= 8 {
        return v.iter().sum();
    }
    let (a, b) = v.split_at(v.len() / 2);
    chunk_sum(a) + chunk_sum(b)
}

impl Plan<'_> {
    fn finish(&self, sums: Option<Sums>) -> IrlsStats<HostArray> {
        let p = self.design.n_columns();
        let (mut gram, mut score, mut deviance) = (vec![0.0; p * p], vec![0.0; p], 0.0);
        if let Some(sums) = sums {
            deviance = sums.deviance;
            if !self.design.is_panel() {
                score = sums.score;
                mirror(&sums.gram, p, &mut gram);
            }
            for (i, gi) in self.design.panel_columns.iter().enumerate() {
                for (j, gj) in self.design.panel_columns[..=i].iter().enumerate() {
                    let value = sums.tiles[i * self.a_stride + j];
                    gram[gi * p + gj] = value;
                    gram[gj * p + gi] = value;
                }
                score[*gi] = sums.tiles[self.width * self.a_stride + i];
            }
        }
        IrlsStats {
            gram: HostArray::Small { rows: p, columns: p, values: Arc::new(gram) },
            score: HostArray::vector(score),
            deviance: HostArray::Scalar(deviance),
        }
    }
}

/// Each pair was added on one side of the diagonal: joins both sides.
fn mirror(half: &[f64], p: usize, out: &mut [f64]) {
    for i in 0..p {
        for j in 0..i {
            let value = half[i * p + j] + half[j * p + i];
            out[i * p + j] = value;
            out[j * p + i] = value;
        }
        out[i * p + i] = half[i * p + i];
    }
}

/// Sums of a formula of (y, weight, η).
pub(super) fn row_sums<F: Formula<3, O>, const O: usize>(
    host: &Host,
    formula: &F,
    x: &HostArray,
    rows: &Rows<HostArray>,
    beta: Option<&HostArray>,
) -> Result<[HostArray; O]> {
    let design = x.as_design()?;
    let plan = Plan::new(&design, rows, beta)?;
    let sums = formula.visit(Totals { host, plan: &plan });
    Ok(sums.map(HostArray::Scalar))
}

struct Totals<'a> {
    host: &'a Host,
    plan: &'a Plan<'a>,
}

impl<const O: usize> FormulaVisitor<3, O> for Totals<'_> {
    type Output = [f64; O];

    fn run<F: Formula<3, O>>(self, formula: &F) -> [f64; O] {
        let Totals { host, plan } = self;
        let n = plan.design.n_rows();
        let leaf = leaf_rows(n);
        let leaf_totals = |scratch: &mut Scratch, i: usize| {
            let mut total = [0.0; O];
            let mut out = [[0.0; CHUNK]; O];
            let to = ((i + 1) * leaf).min(n);
            for start in (i * leaf..to).step_by(CHUNK) {
                let count = CHUNK.min(to - start);
                plan.load(host, start, count, scratch);
                evaluate(host.simd(), formula, &scratch.inputs, &mut out);
                total.iter_mut().zip(&out).for_each(|(t, o)| *t += chunk_sum(&o[..count]));
            }
            total
        };
        let merge = |a: &mut [f64; O], b: [f64; O]| a.iter_mut().zip(b).for_each(|(a, b)| *a += b);
        threads::fold(n.div_ceil(leaf), host.threads_for(n), || plan.scratch(), leaf_totals, merge)
            .unwrap_or([0.0; O])
    }
}
