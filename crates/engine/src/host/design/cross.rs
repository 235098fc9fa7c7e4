//! Cross-products of blocks over a chunk of rows. The panel's own part is a product of tiles; a factor adds
//! weighted rows of the panel to those of its levels, two factors fill a table, a sparse block goes over its entries.
use super::Design;
use crate::host::simd::elementwise::Chunk;
use crate::host::simd::tile::Panel;

/// A chunk of the panel, with the working weight and the weighted residual of each row.
pub(in crate::host) struct Weighted<'a> {
    pub panel: Panel<'a>,
    pub weight: &'a Chunk,
    pub residual: &'a Chunk,
}

/// Adds what factors and sparse blocks contribute: `gram` (p × p) on and below the diagonal or above it, each pair
/// once, and `score` (p).
pub(in crate::host) fn accumulate(
    design: &Design,
    from: usize,
    w: &Weighted<'_>,
    gram: &mut [f64],
    score: &mut [f64],
) {
    if design.is_panel() {
        return;
    }
    let p = design.n_columns();
    let mut entries: Vec<(usize, f64)> = Vec::new();
    for r in 0..w.panel.rows {
        let row = &w.panel.cells[r * w.panel.stride..][..w.panel.width];
        let (residual, weight) = (w.residual[r], w.weight[r]);
        let at = design.first + from + r;
        entries.clear();
        entries.extend(design.ones.iter().map(|j| (*j, 1.0)));
        entries.extend(design.factors.iter().filter_map(|(start, f)| f.column(at).map(|j| (start + j, 1.0))));
        for (start, sparse) in &design.sparse {
            entries.extend(sparse.row(at).map(|(j, v)| (start + j, v)));
        }
        for (k, (i, v)) in entries.iter().enumerate() {
            score[*i] += v * residual;
            let line = &mut gram[i * p..(i + 1) * p];
            for (x, j) in row.iter().zip(&design.panel_columns) {
                line[*j] += v * weight * x;
            }
            for (j, u) in &entries[..=k] {
                line[*j] += v * u * weight;
            }
        }
    }
}

/// `Σ entries · b` for one row, beyond the panel.
#[inline]
pub(in crate::host) fn dot(design: &Design, at: usize, b: &[f64]) -> f64 {
    let factors: f64 = design.factors.iter().filter_map(|(s, f)| f.column(at).map(|j| b[s + j])).sum();
    let sparse: f64 =
        design.sparse.iter().map(|(s, x)| x.row(at).map(|(j, v)| v * b[s + j]).sum::<f64>()).sum();
    let ones: f64 = design.ones.iter().map(|j| b[*j]).sum();
    ones + factors + sparse
}

/// Adds `v` times one row's entries beyond the panel to `out`.
#[inline]
pub(in crate::host) fn scatter(design: &Design, at: usize, v: f64, out: &mut [f64]) {
    design.ones.iter().for_each(|j| out[*j] += v);
    for (start, factor) in &design.factors {
        if let Some(j) = factor.column(at) {
            out[start + j] += v;
        }
    }
    for (start, sparse) in &design.sparse {
        sparse.row(at).for_each(|(j, x)| out[start + j] += v * x);
    }
}
