//! `X T`, row by row with products in double-double: for designs whose columns are nearly dependent.
use std::sync::Arc;

use isostat_linalg::dd::Dd;

use super::Design;

/// The columns `x T` of another design.
#[derive(Clone, Debug)]
pub struct Transformed {
    pub(super) inner: Arc<Design>,
    /// `T` rounded to double, row-major, shape (p, rank).
    pub(super) high: Vec<f64>,
    /// What rounding left.
    pub(super) low: Vec<f64>,
    pub(super) rank: usize,
}

impl Transformed {
    pub(super) fn rows(&self, from: usize, to: usize) -> Transformed {
        Transformed { inner: Arc::new(self.inner.rows(from, to)), ..self.clone() }
    }

    pub(super) fn selected(&self, columns: &[usize]) -> Transformed {
        let pick = |t: &[f64]| t.chunks(self.rank).flat_map(|row| columns.iter().map(|k| row[*k])).collect();
        Transformed {
            inner: self.inner.clone(),
            high: pick(&self.high),
            low: pick(&self.low),
            rank: columns.len(),
        }
    }

    pub(super) fn fill(&self, from: usize, to: usize, out: &mut [f64], stride: usize) {
        let p = self.inner.n_columns();
        let mut rows = vec![0.0; (to - from) * p];
        self.inner.fill_dense(from, to, &mut rows);
        for (r, x) in rows.chunks(p.max(1)).enumerate() {
            for k in 0..self.rank {
                let mut sum = Dd::default();
                for (j, x) in x.iter().enumerate() {
                    if *x != 0.0 {
                        sum = sum.add_product(*x, self.high[j * self.rank + k]);
                        sum = sum.add_product(*x, self.low[j * self.rank + k]);
                    }
                }
                out[r * stride + k] = sum.value();
            }
        }
    }
}
