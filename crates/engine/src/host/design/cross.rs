//! Cross-products of blocks over a chunk of rows. The panel's own part is a product of tiles; a factor adds rows of
//! the weighted panel to those of its levels, two factors fill a table, a sparse block goes over its entries.
use super::Design;

/// The weighted panel of a chunk: for each row its columns times the working weight, then the weighted residual,
/// then the working weight itself.
pub(in crate::host) struct Weighted<'a> {
    pub rows: usize,
    pub values: &'a [f64],
    pub stride: usize,
    /// Position of the weighted residual in a row; the weight follows it.
    pub residual: usize,
}

/// Adds what factors and sparse blocks contribute: `gram` (p × p) on and below the diagonal or above it, each pair
/// once, and `score` (p).
pub(in crate::host) fn accumulate(design: &Design, from: usize, w: &Weighted<'_>, gram: &mut [f64], score: &mut [f64]) {
    if design.is_panel() {
        return;
    }
    let p = design.n_columns();
    let mut entries: Vec<(usize, f64)> = Vec::new();
    for r in 0..w.rows {
        let row = &w.values[r * w.stride..(r + 1) * w.stride];
        let (residual, weight) = (row[w.residual], row[w.residual + 1]);
        let at = design.first + from + r;
        entries.clear();
        entries.extend(design.factors.iter().filter_map(|(start, f)| f.column(at).map(|j| (start + j, 1.0))));
        for (start, sparse) in &design.sparse {
            entries.extend(sparse.row(at).map(|(j, v)| (start + j, v)));
        }
        for (k, (i, v)) in entries.iter().enumerate() {
            score[*i] += v * residual;
            let line = &mut gram[i * p..(i + 1) * p];
            for (c, j) in design.panel_columns.iter().enumerate() {
                line[*j] += v * row[c];
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
    let sparse: f64 = design.sparse.iter().map(|(s, x)| x.row(at).map(|(j, v)| v * b[s + j]).sum::<f64>()).sum();
    factors + sparse
}

/// Adds `v` times one row's entries beyond the panel to `out`.
#[inline]
pub(in crate::host) fn scatter(design: &Design, at: usize, v: f64, out: &mut [f64]) {
    for (start, factor) in &design.factors {
        if let Some(j) = factor.column(at) {
            out[start + j] += v;
        }
    }
    for (start, sparse) in &design.sparse {
        sparse.row(at).for_each(|(j, x)| out[start + j] += v * x);
    }
}
