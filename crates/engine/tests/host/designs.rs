//! Designs, data and measures that the tests share.
use std::sync::Arc;

use isostat_engine::host::{Block, Buffer, Design, Host, HostArray, SimdLevel, View};
use isostat_engine::{Engine, Formula, IrlsStats, Rows};
use isostat_number::Number;

/// Sums in another order: relative to the sum of magnitudes, which is what rounding is relative to.
pub const ROUNDING: f64 = 1e-12;

pub const LEVELS: [SimdLevel; 3] = [SimdLevel::Portable, SimdLevel::Avx2, SimdLevel::Avx512];

/// Random enough, the same everywhere: a linear congruential generator.
pub struct Random(pub u64);

impl Random {
    /// Between -1 and 1.
    pub fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }
    pub fn below(&mut self, n: usize) -> usize {
        (((self.next() + 1.0) / 2.0) * n as f64) as usize % n
    }
    pub fn vector(&mut self, n: usize) -> Vec<f64> {
        (0..n).map(|_| self.next()).collect()
    }
}

/// (y, w, η) → weight, residual, deviance of a Poisson regression.
pub struct Poisson;
impl Formula<3, 3> for Poisson {
    fn eval<N: Number>(&self, [y, w, eta]: [N; 3]) -> [N; 3] {
        let mu = eta.clone().exp();
        let residual = w.clone() * (y.clone() - mu.clone());
        [w.clone() * mu.clone(), residual, w * (mu - y * eta)]
    }
}

/// A design by name, with its dense values, row-major.
pub struct Case {
    pub name: String,
    pub n: usize,
    pub p: usize,
    pub x: HostArray,
    pub dense: Vec<f64>,
}

/// Kinds of blocks. Each draws its own memory and its dense values (row-major, n × width).
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    Ones,
    RowMajor(usize),
    ColumnMajor(usize),
    Strided(usize),
    Reversed(usize),
    Single(usize),
    SingleColumns(usize),
    Sparse(usize),
    Categorical(usize),
}

impl Kind {
    /// One of each.
    pub fn all(p: usize) -> Vec<Kind> {
        use Kind::*;
        let narrow = [RowMajor(p), ColumnMajor(p), Strided(p), Reversed(p), Single(p), SingleColumns(p)];
        [Ones].into_iter().chain(narrow).chain([Sparse(p), Categorical(p)]).collect()
    }

    fn draw(self, n: usize, random: &mut Random) -> (Block, Vec<f64>) {
        match self {
            Kind::Ones => (Block::Ones(n), vec![1.0; n]),
            Kind::RowMajor(p) => dense(n, p, 0, [p, 1], n * p, random),
            Kind::ColumnMajor(p) => dense(n, p, 0, [1, n], n * p, random),
            // Every second column of a wider matrix, from its third cell on.
            Kind::Strided(p) => dense(n, p, 2, [2 * p + 3, 2], n * (2 * p + 3) + 2, random),
            // Columns apart, rows every third: neither is contiguous.
            Kind::Reversed(p) => dense(n, p, 1, [3, 3 * n + 1], (3 * n + 1) * p + 1, random),
            Kind::Single(p) => single(n, p, [p, 1], random),
            Kind::SingleColumns(p) => single(n, p, [1, n], random),
            Kind::Sparse(p) => sparse(n, p, random),
            Kind::Categorical(p) => categorical(n, p, random),
        }
    }
}

fn dense(
    n: usize,
    p: usize,
    offset: usize,
    strides: [usize; 2],
    len: usize,
    random: &mut Random,
) -> (Block, Vec<f64>) {
    let values = random.vector(len);
    let flat = (0..n * p).map(|k| values[offset + k / p * strides[0] + k % p * strides[1]]).collect();
    let view = View::matrix(Arc::new(values), offset, [n, p], strides).expect("the view fits");
    (Block::Dense(view), flat)
}

fn single(n: usize, p: usize, strides: [usize; 2], random: &mut Random) -> (Block, Vec<f64>) {
    let values: Vec<f32> = random.vector(n * p).iter().map(|x| *x as f32).collect();
    let flat = (0..n * p).map(|k| f64::from(values[k / p * strides[0] + k % p * strides[1]])).collect();
    let buffer: Arc<dyn Buffer> = Arc::new(values);
    (Block::Dense(View::matrix(buffer, 0, [n, p], strides).expect("the view fits")), flat)
}

fn sparse(n: usize, p: usize, random: &mut Random) -> (Block, Vec<f64>) {
    let mut flat = vec![0.0; n * p];
    let (mut starts, mut rows, mut values) = (vec![0], Vec::new(), Vec::new());
    for j in 0..p {
        for i in 0..n {
            if random.next() > 0.6 {
                flat[i * p + j] = random.next();
                rows.push(i as u32);
                values.push(flat[i * p + j]);
            }
        }
        starts.push(rows.len());
    }
    (Block::sparse(n, p, starts, rows, values).expect("consistent columns"), flat)
}

fn categorical(n: usize, p: usize, random: &mut Random) -> (Block, Vec<f64>) {
    // Level 0 is the baseline.
    let codes: Vec<u32> = (0..n).map(|_| random.below(p + 1) as u32).collect();
    let mut flat = vec![0.0; n * p];
    codes.iter().enumerate().filter(|(_, c)| **c > 0).for_each(|(i, c)| flat[i * p + *c as usize - 1] = 1.0);
    let columns = (0..=p).map(|c| c.checked_sub(1)).collect();
    (Block::categorical(codes, p + 1, columns).expect("codes exist"), flat)
}

/// Blocks side by side.
pub fn case(n: usize, kinds: &[Kind], seed: u64) -> Case {
    let mut random = Random(seed);
    let drawn: Vec<(Block, Vec<f64>)> = kinds.iter().map(|k| k.draw(n, &mut random)).collect();
    let p = drawn.iter().map(|(b, _)| b.n_columns()).sum();
    let mut dense = Vec::with_capacity(n * p);
    for i in 0..n {
        for (block, values) in &drawn {
            let width = block.n_columns();
            dense.extend(&values[i * width..(i + 1) * width]);
        }
    }
    let design = Design::from_blocks(drawn.into_iter().map(|d| d.0).collect()).expect("rows agree");
    Case { name: format!("{kinds:?} n={n}"), n, p, x: HostArray::design(design), dense }
}

impl Case {
    pub fn rows(&self, seed: u64) -> Rows<HostArray> {
        let mut random = Random(seed);
        let y = (0..self.n).map(|_| random.below(5) as f64).collect();
        let weights = (0..self.n).map(|_| random.below(3) as f64 + random.next().abs()).collect();
        let offset = random.vector(self.n);
        Rows {
            y: HostArray::vector(y),
            weights: HostArray::vector(weights),
            offset: HostArray::vector(offset),
        }
    }

    pub fn beta(&self, seed: u64) -> Vec<f64> {
        let scale = 1.0 / (self.p as f64).sqrt();
        Random(seed).vector(self.p).iter().map(|b| b * scale).collect()
    }

    /// Gram, score and deviance by plain loops over the dense rows, with the sums of magnitudes beside them.
    pub fn truth(&self, rows: &Rows<HostArray>, beta: &[f64]) -> [Sums; 2] {
        let (y, w, offset) =
            (values(&rows.y, self.n), values(&rows.weights, self.n), values(&rows.offset, self.n));
        let mut out = [Sums::zero(self.p), Sums::zero(self.p)];
        for i in 0..self.n {
            let x = &self.dense[i * self.p..(i + 1) * self.p];
            let eta = offset[i] + x.iter().zip(beta).map(|(x, b)| x * b).sum::<f64>();
            let parts = Poisson.eval([y[i], w[i], eta]);
            out[0].add(x, parts);
            // The residual is a difference: its rounding is that of its parts.
            let size = [parts[0], w[i] * (y[i] + eta.exp()), w[i] * (eta.exp() + (y[i] * eta).abs())];
            out[1].add(&x.iter().map(|x| x.abs()).collect::<Vec<_>>(), size);
        }
        out
    }
}

fn values(v: &HostArray, n: usize) -> Vec<f64> {
    match v {
        HostArray::Scalar(value) => vec![*value; n],
        other => other.to_vec(),
    }
}

/// Gram, score and deviance.
#[derive(Clone, Debug, PartialEq)]
pub struct Sums {
    pub gram: Vec<f64>,
    pub score: Vec<f64>,
    pub deviance: f64,
}

impl Sums {
    fn zero(p: usize) -> Self {
        Sums { gram: vec![0.0; p * p], score: vec![0.0; p], deviance: 0.0 }
    }

    fn add(&mut self, x: &[f64], [weight, residual, deviance]: [f64; 3]) {
        let p = x.len();
        for i in 0..p {
            (0..p).for_each(|j| self.gram[i * p + j] += weight * x[i] * x[j]);
            self.score[i] += residual * x[i];
        }
        self.deviance += deviance;
    }

    pub fn of(stats: &IrlsStats<HostArray>) -> Self {
        let deviance = stats.deviance.scalar_value();
        Sums { gram: stats.gram.to_vec(), score: stats.score.to_vec(), deviance }
    }

    /// The largest difference in units of the magnitudes.
    pub fn distance(&self, truth: &Sums, size: &Sums) -> f64 {
        let all =
            |s: &Sums| -> Vec<f64> { s.gram.iter().chain(&s.score).chain([&s.deviance]).copied().collect() };
        distance(&all(self), &all(truth), &all(size))
    }
}

/// The largest difference in units of given sizes; infinite where a value is not a number or one is missing.
pub fn distance(a: &[f64], b: &[f64], size: &[f64]) -> f64 {
    if a.len() != b.len() {
        return f64::INFINITY;
    }
    let each = a.iter().zip(b).zip(size).map(|((a, b), s)| (a - b).abs() / s.max(f64::MIN_POSITIVE));
    each.fold(0.0, |worst, d| {
        if d <= worst {
            worst
        } else if d.is_nan() {
            f64::INFINITY
        } else {
            d
        }
    })
}

pub fn host(level: SimdLevel, threads: usize) -> Host {
    Host { threads: Some(threads), level, fused: true }
}

pub fn pass(host: &Host, case: &Case, rows: &Rows<HostArray>, beta: &[f64]) -> Sums {
    let beta = HostArray::vector(beta.to_vec());
    Sums::of(&host.irls_pass(&Poisson, &case.x, rows, Some(&beta)).expect("shapes agree"))
}
