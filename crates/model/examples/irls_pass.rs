//! Times one fused pass: `cargo run --release -p isostat-model --example irls_pass -- [filter] [repetitions]`.
//!
//! Useful arithmetic is that of the lower triangle, the score and the linear predictor. It is shown beside a matrix
//! product and a sum over memory, measured in the same process.
use std::sync::Arc;
use std::time::Instant;

use faer::{linalg::matmul::matmul, Accum, Mat, Par};
use isostat_engine::host::{Block, Design, Host, HostArray, SimdLevel, View};
use isostat_engine::{Engine, Formula, Rows};
use isostat_model::family::{Binomial, Poisson};
use isostat_model::link::{Log, Logit};
use isostat_model::row::{Fisher, Glm};

struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }
}

fn design(n: usize, p: usize, layout: &str) -> HostArray {
    let mut random = Random(1);
    let values: Vec<f64> = (0..n * p).map(|_| random.next()).collect();
    let strides = if layout == "row" { [p, 1] } else { [1, n] };
    let view = View::matrix(Arc::new(values), 0, [n, p], strides).expect("the view fits");
    HostArray::design(Design::from_blocks(vec![Block::Dense(view)]).expect("one block"))
}

/// Least and median seconds of `repetitions` runs.
fn time(repetitions: usize, mut run: impl FnMut()) -> [f64; 2] {
    run();
    let mut seconds: Vec<f64> = (0..repetitions)
        .map(|_| {
            let start = Instant::now();
            run();
            start.elapsed().as_secs_f64()
        })
        .collect();
    seconds.sort_by(f64::total_cmp);
    [seconds[0], seconds[repetitions / 2]]
}

fn matrix_product(threads: usize) -> f64 {
    const SIZE: usize = 1024;
    let a = Mat::<f64>::from_fn(SIZE, SIZE, |i, j| ((i * 7 + j) % 13) as f64);
    let mut c = Mat::<f64>::zeros(SIZE, SIZE);
    let [least, _] = time(7, || {
        let par = if threads == 1 { Par::Seq } else { Par::rayon(threads) };
        matmul(c.as_mut(), Accum::Replace, a.as_ref(), a.as_ref(), 1.0, par);
    });
    2.0 * (SIZE as f64).powi(3) / least / 1e9
}

fn memory(threads: usize) -> f64 {
    const LEN: usize = 1 << 25;
    let values = vec![1.0_f64; LEN];
    let sum = |part: &[f64]| {
        let mut lanes = [0.0; 32];
        part.chunks_exact(32).for_each(|c| lanes.iter_mut().zip(c).for_each(|(l, x)| *l += x));
        lanes.iter().sum::<f64>()
    };
    let [least, _] = time(7, || {
        std::thread::scope(|scope| {
            let parts: Vec<_> =
                values.chunks(LEN / threads).map(|part| scope.spawn(move || sum(part))).collect();
            let total: f64 = parts.into_iter().map(|p| p.join().unwrap_or(0.0)).sum();
            std::hint::black_box(total);
        });
    });
    (LEN * 8) as f64 / least / 1e9
}

struct Sheet<'a> {
    filter: &'a str,
    repetitions: usize,
    /// By threads: GFLOP/s of a matrix product, GB/s of a sum.
    limits: [[f64; 2]; 2],
}

impl Sheet<'_> {
    fn pass<F: Formula<3, 3>>(&self, name: &str, formula: &F, n: usize, p: usize, layout: &str) {
        let label = format!("{name} n={n} p={p} {layout}");
        if !label.contains(self.filter) {
            return;
        }
        let x = design(n, p, layout);
        let mut random = Random(2);
        let y = (0..n).map(|_| f64::from(random.next() > 0.0)).collect();
        let rows =
            Rows { y: HostArray::vector(y), weights: HostArray::Scalar(1.0), offset: HostArray::Scalar(0.0) };
        let beta = HostArray::vector((0..p).map(|_| 0.3 * random.next()).collect());
        for threads in [1, 2] {
            let host = Host { threads: Some(threads), ..Host::default() };
            let repetitions = (self.repetitions * 1_000_000 / n).min(2000);
            let [least, median] = time(repetitions, || {
                std::hint::black_box(host.irls_pass(formula, &x, &rows, Some(&beta)).expect("shapes agree"));
            });
            let operations = (n * p * (p + 1) + 4 * n * p) as f64;
            let bytes = (n * (p + 1) * 8) as f64;
            let [product, read] = self.limits[threads - 1];
            println!(
                "{label:34} threads {threads}: min {:9.4} ms  median {:9.4} ms  {:6.2} ns/row  {:6.1} GFLOP/s = {:3.0} % of dgemm  {:5.1} GB/s = {:3.0} % of reading",
                least * 1e3,
                median * 1e3,
                least / n as f64 * 1e9,
                operations / least / 1e9,
                operations / least / 1e7 / product,
                bytes / least / 1e9,
                bytes / least / 1e7 / read,
            );
        }
    }

    fn formula<F: Formula<3, 3>>(&self, name: &str, formula: &F) {
        if !format!("formula {name}").contains(self.filter) {
            return;
        }
        const ROWS: usize = 8192;
        let mut random = Random(3);
        let y = HostArray::vector((0..ROWS).map(|_| f64::from(random.next() > 0.0)).collect());
        let eta = HostArray::vector((0..ROWS).map(|_| 2.0 * random.next()).collect());
        let host = Host { threads: Some(1), ..Host::default() };
        let [least, median] = time(500, || {
            std::hint::black_box(
                host.sums(formula, [&y, &HostArray::Scalar(1.0), &eta]).expect("shapes agree"),
            );
        });
        let per_row = |s: f64| s / ROWS as f64 * 1e9;
        println!(
            "formula {name:26} min {:6.2} ns/row  median {:6.2} ns/row",
            per_row(least),
            per_row(median)
        );
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let filter = arguments.get(1).map_or("", String::as_str);
    let repetitions = arguments.get(2).and_then(|r| r.parse().ok()).unwrap_or(21);
    let limits = [1, 2].map(|threads| [matrix_product(threads), memory(threads)]);
    println!(
        "{}: dgemm {:.0} / {:.0} GFLOP/s, reading {:.0} / {:.0} GB/s with 1 / 2 threads",
        SimdLevel::detect().name(),
        limits[0][0],
        limits[1][0],
        limits[0][1],
        limits[1][1]
    );
    let sheet = Sheet { filter, repetitions, limits };
    let poisson = Fisher(Glm { family: Poisson, link: Log });
    let logistic = Fisher(Glm { family: Binomial, link: Logit });
    sheet.formula("poisson", &poisson);
    sheet.formula("logistic", &logistic);
    for (n, p) in [(1_000_000, 50), (1_000_000, 20), (100_000, 20), (2_000, 50), (100, 3)] {
        for layout in ["row", "column"] {
            sheet.pass("poisson", &poisson, n, p, layout);
            sheet.pass("logistic", &logistic, n, p, layout);
        }
    }
}
