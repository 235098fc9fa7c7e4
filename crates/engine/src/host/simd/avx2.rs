//! Kernels for AVX2: tiles of at most 4 rows by 8 columns in registers, columns weighted on the way.
use std::arch::x86_64::*;

use super::elementwise::Chunk;
use super::tile::{Panel, PANEL};

/// The eight columns of a row from `from` on; those beyond the panel are 0.
///
/// # Safety
/// The processor has AVX2; where `EDGE` is not set all eight columns exist, else those of the masks.
#[inline]
#[target_feature(enable = "avx2,fma")]
unsafe fn columns<const EDGE: bool>(from: *const f64, masks: [__m256i; 2]) -> [__m256d; 2] {
    // SAFETY: the caller's promise.
    unsafe {
        if EDGE {
            [_mm256_maskload_pd(from, masks[0]), _mm256_maskload_pd(from.wrapping_add(4), masks[1])]
        } else {
            [_mm256_loadu_pd(from), _mm256_loadu_pd(from.add(4))]
        }
    }
}

#[inline]
#[target_feature(enable = "avx2,fma")]
fn masks(count: usize) -> [__m256i; 2] {
    let lane = |k: usize| if k < count { -1_i64 } else { 0 };
    let four = |k: usize| _mm256_setr_epi64x(lane(k), lane(k + 1), lane(k + 2), lane(k + 3));
    [four(0), four(4)]
}

/// # Safety
/// As for [`columns`]; `panel` is sound and holds row `i0 + R - 1` of the triangle; `out` has padded rows.
#[inline]
#[target_feature(enable = "avx2,fma")]
unsafe fn tile<const R: usize, const EDGE: bool>(
    panel: &Panel<'_>,
    i0: usize,
    j0: usize,
    w: &Chunk,
    out: *mut f64,
) {
    let padded = panel.width.next_multiple_of(PANEL);
    let masks = masks(panel.width - j0);
    let mut sum = [[_mm256_setzero_pd(); 2]; R];
    let mut row = panel.cells.as_ptr();
    // SAFETY: the caller's promise.
    unsafe {
        for weight in &w[..panel.rows] {
            let weight = _mm256_set1_pd(*weight);
            let cells = columns::<EDGE>(row.add(j0), masks).map(|c| _mm256_mul_pd(c, weight));
            for (i, line) in sum.iter_mut().enumerate() {
                let left = _mm256_set1_pd(*row.add(i0 + i));
                for (s, c) in line.iter_mut().zip(cells) {
                    *s = _mm256_fmadd_pd(left, c, *s);
                }
            }
            row = row.wrapping_add(panel.stride);
        }
        store(&sum, out.add(i0 * padded + j0), padded);
    }
}

/// # Safety
/// `R` rows of eight cells can be written.
#[inline]
#[target_feature(enable = "avx2,fma")]
unsafe fn store<const R: usize>(sum: &[[__m256d; 2]; R], out: *mut f64, padded: usize) {
    for (i, line) in sum.iter().enumerate() {
        for (k, s) in line.iter().enumerate() {
            // SAFETY: the caller's promise.
            unsafe {
                let at = out.add(i * padded + 4 * k);
                _mm256_storeu_pd(at, _mm256_add_pd(_mm256_loadu_pd(at), *s));
            }
        }
    }
}

/// # Safety
/// As for [`tile`].
#[inline]
#[target_feature(enable = "avx2,fma")]
unsafe fn vectors<const EDGE: bool>(panel: &Panel<'_>, j0: usize, w: &Chunk, r: &Chunk, out: *mut f64) {
    let padded = panel.width.next_multiple_of(PANEL);
    let masks = masks(panel.width - j0);
    let mut sum = [[_mm256_setzero_pd(); 2]; 2];
    let mut row = panel.cells.as_ptr();
    // SAFETY: the caller's promise.
    unsafe {
        for (weight, residual) in w[..panel.rows].iter().zip(r) {
            let cells = columns::<EDGE>(row.add(j0), masks);
            for (line, left) in sum.iter_mut().zip([*residual, *weight]) {
                for (s, c) in line.iter_mut().zip(cells) {
                    *s = _mm256_fmadd_pd(_mm256_set1_pd(left), c, *s);
                }
            }
            row = row.wrapping_add(panel.stride);
        }
        store(&sum, out.add(padded * padded + j0), padded);
    }
}

/// All tiles of the lower triangle, then the vectors.
///
/// # Safety
/// The processor has AVX2; `panel` is sound, has at most as many rows as a chunk, and `sums` the length of
/// `sums_len`.
#[target_feature(enable = "avx2,fma")]
pub unsafe fn accumulate(panel: &Panel<'_>, w: &Chunk, r: &Chunk, sums: &mut [f64]) {
    let out = sums.as_mut_ptr();
    for i0 in (0..panel.width).step_by(4) {
        let height = 4.min(panel.width - i0);
        for j0 in (0..i0 + height).step_by(PANEL) {
            let is_edge = j0 + PANEL > panel.width;
            // SAFETY: rows and columns are those of the panel; masks are used where eight columns do not exist.
            unsafe {
                match (height, is_edge) {
                    (1, false) => tile::<1, false>(panel, i0, j0, w, out),
                    (2, false) => tile::<2, false>(panel, i0, j0, w, out),
                    (3, false) => tile::<3, false>(panel, i0, j0, w, out),
                    (_, false) => tile::<4, false>(panel, i0, j0, w, out),
                    (1, true) => tile::<1, true>(panel, i0, j0, w, out),
                    (2, true) => tile::<2, true>(panel, i0, j0, w, out),
                    (3, true) => tile::<3, true>(panel, i0, j0, w, out),
                    (_, true) => tile::<4, true>(panel, i0, j0, w, out),
                }
            }
        }
    }
    for j0 in (0..panel.width).step_by(PANEL) {
        // SAFETY: as above.
        unsafe {
            if j0 + PANEL > panel.width {
                vectors::<true>(panel, j0, w, r, out);
            } else {
                vectors::<false>(panel, j0, w, r, out);
            }
        }
    }
}
