//! The fused pass: rows are read once, in chunks that stay in the first cache, and leave sums behind.
use std::sync::Arc;

use isostat_base::{Error, Result};

use super::array::HostArray;
use super::buffer::View;
use super::design::cross::{self, Weighted};
use super::design::Design;
use super::simd::elementwise::{evaluate, Chunk, CHUNK};
use super::simd::panel;
use super::simd::tile::{self, Ahead, Panel, PANEL};
use super::{threads, Host, SimdLevel};
use crate::engine::{IrlsStats, Rows};
use crate::program::{Formula, FormulaVisitor};

/// Rows of a leaf of the reduction tree: a function of n alone, so that no number of threads changes a bit.
fn leaf_rows(n: usize) -> usize {
    const LEAST: usize = 1024;
    const MOST_LEAVES: usize = 256;
    n.div_ceil(MOST_LEAVES).max(LEAST).next_multiple_of(CHUNK)
}

/// What a worker reuses from leaf to leaf.
pub(super) struct Scratch {
    packed: Vec<f64>,
    /// Where `packed` begins a line of the cache.
    aligned: usize,
    inputs: [Chunk; 3],
}

/// Sums over rows.
struct Sums {
    /// Those of the panel, see [`tile::sums_len`].
    panel: Vec<f64>,
    /// What factors and sparse blocks add, p × p.
    gram: Vec<f64>,
    score: Vec<f64>,
    weight: f64,
    residual: f64,
    deviance: f64,
}

impl Sums {
    fn add(&mut self, other: Sums) {
        let add = |a: &mut [f64], b: &[f64]| a.iter_mut().zip(b).for_each(|(a, b)| *a += b);
        add(&mut self.panel, &other.panel);
        add(&mut self.gram, &other.gram);
        add(&mut self.score, &other.score);
        self.weight += other.weight;
        self.residual += other.residual;
        self.deviance += other.deviance;
    }
}

/// A pass over a design: the shape of its panel, and where its inputs come from.
pub(super) struct Plan<'a> {
    design: &'a Design,
    rows: &'a Rows<HostArray>,
    /// Coefficients of the panel, padded; of the whole design.
    panel_beta: Option<Vec<f64>>,
    beta: Option<Vec<f64>>,
    width: usize,
    padded: usize,
    /// The panel in the caller's own memory.
    in_place: Option<&'a View>,
    /// Distances in bytes from the start of the next chunk to the lines that it touches.
    hints: Vec<usize>,
}

impl<'a> Plan<'a> {
    pub(super) fn new(
        design: &'a Design,
        rows: &'a Rows<HostArray>,
        beta: Option<&HostArray>,
    ) -> Result<Self> {
        let width = design.panel_width();
        let padded = width.next_multiple_of(PANEL);
        let beta = beta.map(HostArray::to_vec);
        if beta.as_ref().is_some_and(|b| b.len() != design.n_columns()) {
            let found = format!("{} values", beta.map_or(0, |b| b.len()));
            return Err(Error::shape("pass", "beta", format!("length {}", design.n_columns()), found));
        }
        let panel_beta = beta.as_ref().map(|beta| {
            let mut padded = vec![0.0; padded];
            design.panel_columns.iter().zip(&mut padded).for_each(|(j, b)| *b = beta[*j]);
            padded
        });
        // Rows far apart would share few sets of the first cache: those are packed.
        let is_dense = |view: &&View| view.by_rows(0, 1).is_some_and(|(_, stride)| stride <= 2 * width);
        let in_place = design.single_view().filter(is_dense);
        Ok(Plan { design, rows, panel_beta, beta, width, padded, in_place, hints: hints(design) })
    }

    pub(super) fn scratch(&self) -> Scratch {
        let cells = if self.in_place.is_some() { 0 } else { CHUNK * self.padded };
        let packed = vec![0.0; cells + PANEL];
        // Misaligned by whole numbers, or not at all where the platform cannot say.
        let aligned = packed.as_ptr().align_offset(64).min(PANEL);
        Scratch { packed, aligned, inputs: [[0.0; CHUNK]; 3] }
    }

    /// The panel of a chunk.
    fn panel<'s>(
        &'s self,
        level: SimdLevel,
        from: usize,
        rows: usize,
        s: &'s mut Scratch,
    ) -> (Panel<'s>, &'s mut [Chunk; 3]) {
        let width = self.width;
        if let Some((cells, stride)) = self.in_place.and_then(|v| v.by_rows(from, from + rows)) {
            return (Panel { rows, width, cells, stride }, &mut s.inputs);
        }
        let cells = &mut s.packed[s.aligned..];
        self.design.fill_panel(level, from, from + rows, cells, self.padded);
        (Panel { rows, width, cells, stride: self.padded }, &mut s.inputs)
    }

    /// Reads response, weight and offset of a chunk, and adds its linear predictor; rows beyond its end repeat the
    /// last.
    fn load<'s>(
        &'s self,
        level: SimdLevel,
        from: usize,
        rows: usize,
        s: &'s mut Scratch,
    ) -> (Panel<'s>, &'s [Chunk; 3]) {
        let (panel, inputs) = self.panel(level, from, rows, s);
        let [y, w, eta] = inputs;
        read(&self.rows.y, from, rows, y);
        read(&self.rows.weights, from, rows, w);
        read(&self.rows.offset, from, rows, eta);
        if let (Some(panel_beta), Some(beta)) = (&self.panel_beta, &self.beta) {
            panel::dots(level, &panel, panel_beta, eta);
            if self.design.is_panel() {
                let constant: f64 = self.design.ones.iter().map(|j| beta[*j]).sum();
                eta.iter_mut().for_each(|e| *e += constant);
            } else {
                for (r, e) in eta.iter_mut().take(rows).enumerate() {
                    *e += cross::dot(self.design, self.design.first + from + r, beta);
                }
            }
            let last = eta[rows - 1];
            eta[rows..].fill(last);
        }
        (panel, inputs)
    }

    /// Where the chunk after `from` begins.
    fn ahead(&self, from: usize) -> Ahead<'_> {
        let next = from + CHUNK;
        let base = self.design.widest_view().and_then(|view| {
            let cells = view.by_rows(next, next + 1).or_else(|| view.by_columns(next, next + 1));
            cells.map(|(cells, _)| cells.as_ptr())
        });
        base.map_or(Ahead::NOTHING, |base| Ahead { base, offsets: &self.hints })
    }
}

/// The lines of the cache that a chunk of the widest dense block touches, one for each step of the tiles.
fn hints(design: &Design) -> Vec<usize> {
    const LINE: usize = 64;
    const CELL: usize = size_of::<f64>();
    let Some(view) = design.widest_view() else { return Vec::new() };
    let lines: Vec<usize> = if let Some((_, stride)) = view.by_rows(0, 1) {
        let row = (view.n_columns() * CELL).div_ceil(LINE) * LINE;
        if stride * CELL <= 2 * row {
            (0..CHUNK * stride * CELL).step_by(LINE).collect()
        } else {
            (0..CHUNK).flat_map(|r| (0..row).step_by(LINE).map(move |l| r * stride * CELL + l)).collect()
        }
    } else if let Some((_, stride)) = view.by_columns(0, 1) {
        let lines = CHUNK * CELL / LINE;
        (0..view.n_columns() * lines).map(|i| (i / lines) * stride * CELL + (i % lines) * LINE).collect()
    } else {
        return Vec::new();
    };
    let slots = tile::slots(design.panel_width(), CHUNK);
    (0..slots).map(|s| lines[s * lines.len() / slots]).collect()
}

pub(super) fn read(v: &HostArray, from: usize, count: usize, out: &mut Chunk) {
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
        panel: vec![0.0; tile::sums_len(plan.width)],
        gram: vec![0.0; p * p],
        score: vec![0.0; p],
        weight: 0.0,
        residual: 0.0,
        deviance: 0.0,
    };
    let level = host.simd();
    let mut out = [[0.0; CHUNK]; 3];
    for start in (from..to).step_by(CHUNK) {
        let count = CHUNK.min(to - start);
        let ahead = plan.ahead(start);
        let (panel, inputs) = plan.load(level, start, count, s);
        evaluate(level, formula, inputs, &mut out);
        let [weight, residual, deviance] = &out;
        sums.weight += chunk_sum(&weight[..count]);
        sums.residual += chunk_sum(&residual[..count]);
        sums.deviance += chunk_sum(&deviance[..count]);
        tile::accumulate(level, &panel, weight, residual, &ahead, &mut sums.panel);
        cross::accumulate(
            plan.design,
            start,
            &Weighted { panel, weight, residual },
            &mut sums.gram,
            &mut sums.score,
        );
    }
    sums
}

/// In eight lanes, so that it is fast and the error is that of a short sum.
pub(super) fn chunk_sum(v: &[f64]) -> f64 {
    let mut lanes = [0.0; 8];
    let whole = v.chunks_exact(8);
    lanes.iter_mut().zip(whole.remainder()).for_each(|(l, x)| *l += x);
    whole.for_each(|x| lanes.iter_mut().zip(x).for_each(|(l, x)| *l += x));
    let pairs = [lanes[0] + lanes[4], lanes[1] + lanes[5], lanes[2] + lanes[6], lanes[3] + lanes[7]];
    (pairs[0] + pairs[2]) + (pairs[1] + pairs[3])
}

impl Plan<'_> {
    fn finish(&self, sums: Option<Sums>) -> IrlsStats<HostArray> {
        let p = self.design.n_columns();
        let (mut gram, mut score, mut deviance) = (vec![0.0; p * p], vec![0.0; p], 0.0);
        if let Some(sums) = sums {
            deviance = sums.deviance;
            if self.design.is_panel() {
                self.ones(&sums, &mut gram, &mut score);
            } else {
                score.copy_from_slice(&sums.score);
                mirror(&sums.gram, p, &mut gram);
            }
            for (i, gi) in self.design.panel_columns.iter().enumerate() {
                for (j, gj) in self.design.panel_columns[..=i].iter().enumerate() {
                    let value = sums.panel[i * self.padded + j];
                    gram[gi * p + gj] = value;
                    gram[gj * p + gi] = value;
                }
                score[*gi] = sums.panel[self.padded * self.padded + i];
            }
        }
        IrlsStats {
            gram: HostArray::Small { rows: p, columns: p, values: Arc::new(gram) },
            score: HostArray::vector(score),
            deviance: HostArray::Scalar(deviance),
        }
    }

    /// Products with the columns of ones: sums of weights and residuals.
    fn ones(&self, sums: &Sums, gram: &mut [f64], score: &mut [f64]) {
        let p = self.design.n_columns();
        let weighted = &sums.panel[(self.padded + 1) * self.padded..];
        for one in &self.design.ones {
            self.design.ones.iter().for_each(|other| gram[one * p + other] = sums.weight);
            for (j, w) in self.design.panel_columns.iter().zip(weighted) {
                gram[one * p + j] = *w;
                gram[j * p + one] = *w;
            }
            score[*one] = sums.residual;
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
        let level = host.simd();
        let leaf_totals = |scratch: &mut Scratch, i: usize| {
            let mut total = [0.0; O];
            let mut out = [[0.0; CHUNK]; O];
            let to = ((i + 1) * leaf).min(n);
            for start in (i * leaf..to).step_by(CHUNK) {
                let count = CHUNK.min(to - start);
                let (_, inputs) = plan.load(level, start, count, scratch);
                evaluate(level, formula, inputs, &mut out);
                total.iter_mut().zip(&out).for_each(|(t, o)| *t += chunk_sum(&o[..count]));
            }
            total
        };
        let merge = |a: &mut [f64; O], b: [f64; O]| a.iter_mut().zip(b).for_each(|(a, b)| *a += b);
        threads::fold(n.div_ceil(leaf), host.threads_for(n), || plan.scratch(), leaf_totals, merge)
            .unwrap_or([0.0; O])
    }
}
