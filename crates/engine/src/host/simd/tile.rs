//! Weighted Gram tiles: `G[i][j] += Σ_r b[r][i] a[r][j]` over a chunk of rows, on the lower triangle.
use super::SimdLevel;

/// Columns of a panel are padded to a multiple of this.
pub const PANEL: usize = 8;

/// A chunk of rows: `a` holds the columns, `b` the same columns times the working weight and further rows of the
/// product below them; both row-major.
pub struct Panels<'a> {
    /// Rows of the chunk.
    pub rows: usize,
    /// Columns, row-major with stride `a_stride`, a multiple of [`PANEL`].
    pub a: &'a [f64],
    /// Stride of `a`, and the number of padded columns.
    pub a_stride: usize,
    /// Left factors, row-major with stride `b_stride`, a multiple of [`PANEL`].
    pub b: &'a [f64],
    /// Stride of `b`, and the number of padded left factors.
    pub b_stride: usize,
}

/// Adds the product to `gram` (row-major, `b_stride` × `a_stride`): all tiles that touch the lower triangle.
///
/// `level` must be available on this processor.
pub fn accumulate(level: SimdLevel, panels: &Panels<'_>, gram: &mut [f64]) {
    let needed_a = panels.rows * panels.a_stride;
    let needed_b = panels.rows * panels.b_stride;
    assert!(panels.a.len() >= needed_a && panels.b.len() >= needed_b);
    assert!(gram.len() >= panels.b_stride * panels.a_stride);
    assert!(panels.a_stride % PANEL == 0 && panels.b_stride % PANEL == 0);
    #[cfg(target_arch = "x86_64")]
    match level {
        // SAFETY: the engine checked the processor; the assertions above bound every access.
        SimdLevel::Avx512 => return unsafe { x86::accumulate_512(panels, gram) },
        // SAFETY: as above.
        SimdLevel::Avx2 => return unsafe { x86::accumulate_256(panels, gram) },
        SimdLevel::Portable => {}
    }
    let _ = level;
    portable(panels, gram);
}

fn portable(p: &Panels<'_>, gram: &mut [f64]) {
    for i0 in (0..p.b_stride).step_by(4) {
        for j0 in (0..p.a_stride.min(i0 + PANEL)).step_by(PANEL) {
            let mut sum = [[0.0; PANEL]; 4];
            for r in 0..p.rows {
                let a = &p.a[r * p.a_stride + j0..][..PANEL];
                let b = &p.b[r * p.b_stride + i0..][..4];
                for (s, b) in sum.iter_mut().zip(b) {
                    s.iter_mut().zip(a).for_each(|(s, a)| *s += b * a);
                }
            }
            for (i, s) in sum.iter().enumerate() {
                let row = &mut gram[(i0 + i) * p.a_stride + j0..][..PANEL];
                row.iter_mut().zip(s).for_each(|(g, s)| *g += s);
            }
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{Panels, PANEL};
    use std::arch::x86_64::*;

    /// One tile of 8 left factors by `K` registers of 8 columns.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx2,fma")]
    unsafe fn tile_512<const K: usize>(p: &Panels<'_>, i0: usize, j0: usize, gram: *mut f64) {
        let mut sum = [[_mm512_setzero_pd(); K]; 8];
        // SAFETY: `accumulate` checked that i0 + 8 <= b_stride, j0 + 8K <= a_stride and the lengths.
        unsafe {
            let mut a = p.a.as_ptr().add(j0);
            let mut b = p.b.as_ptr().add(i0);
            for _ in 0..p.rows {
                let columns: [__m512d; K] = std::array::from_fn(|k| _mm512_loadu_pd(a.add(8 * k)));
                for (i, row) in sum.iter_mut().enumerate() {
                    let left = _mm512_set1_pd(*b.add(i));
                    for (s, c) in row.iter_mut().zip(columns) {
                        *s = _mm512_fmadd_pd(left, c, *s);
                    }
                }
                a = a.add(p.a_stride);
                b = b.add(p.b_stride);
            }
            for (i, row) in sum.iter().enumerate() {
                for (k, s) in row.iter().enumerate() {
                    let at = gram.add((i0 + i) * p.a_stride + j0 + 8 * k);
                    _mm512_storeu_pd(at, _mm512_add_pd(_mm512_loadu_pd(at), *s));
                }
            }
        }
    }

    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx2,fma")]
    pub unsafe fn accumulate_512(p: &Panels<'_>, gram: &mut [f64]) {
        let out = gram.as_mut_ptr();
        for i0 in (0..p.b_stride).step_by(8) {
            let last = p.a_stride.min(i0 + PANEL);
            let mut j0 = 0;
            while j0 < last {
                // SAFETY: j0 + 8 K <= last rounded to panels <= a_stride; i0 + 8 <= b_stride.
                unsafe {
                    match (last - j0).div_ceil(8) {
                        1 => tile_512::<1>(p, i0, j0, out),
                        2 => tile_512::<2>(p, i0, j0, out),
                        4 => tile_512::<2>(p, i0, j0, out),
                        _ => tile_512::<3>(p, i0, j0, out),
                    }
                }
                j0 += 8 * match (last - j0).div_ceil(8) {
                    1 => 1,
                    2 | 4 => 2,
                    _ => 3,
                };
            }
        }
    }

    #[inline]
    #[target_feature(enable = "avx2,fma")]
    unsafe fn tile_256(p: &Panels<'_>, i0: usize, j0: usize, gram: *mut f64) {
        let mut sum = [[_mm256_setzero_pd(); 2]; 4];
        // SAFETY: as for 512 bits, with i0 + 4 <= b_stride and j0 + 8 <= a_stride.
        unsafe {
            let mut a = p.a.as_ptr().add(j0);
            let mut b = p.b.as_ptr().add(i0);
            for _ in 0..p.rows {
                let columns = [_mm256_loadu_pd(a), _mm256_loadu_pd(a.add(4))];
                for (i, row) in sum.iter_mut().enumerate() {
                    let left = _mm256_set1_pd(*b.add(i));
                    for (s, c) in row.iter_mut().zip(columns) {
                        *s = _mm256_fmadd_pd(left, c, *s);
                    }
                }
                a = a.add(p.a_stride);
                b = b.add(p.b_stride);
            }
            for (i, row) in sum.iter().enumerate() {
                for (k, s) in row.iter().enumerate() {
                    let at = gram.add((i0 + i) * p.a_stride + j0 + 4 * k);
                    _mm256_storeu_pd(at, _mm256_add_pd(_mm256_loadu_pd(at), *s));
                }
            }
        }
    }

    #[target_feature(enable = "avx2,fma")]
    pub unsafe fn accumulate_256(p: &Panels<'_>, gram: &mut [f64]) {
        let out = gram.as_mut_ptr();
        for i0 in (0..p.b_stride).step_by(4) {
            for j0 in (0..p.a_stride.min(i0 + PANEL)).step_by(PANEL) {
                // SAFETY: both bounds are those of the loops.
                unsafe { tile_256(p, i0, j0, out) };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sums of at most 64 products in another order.
    const ROUNDING: f64 = 1e-13;

    #[test]
    fn every_level_agrees_with_the_portable_one() {
        for (rows, q, p) in [(1, 8, 8), (7, 16, 8), (64, 64, 56), (13, 40, 32), (64, 32, 24)] {
            let a: Vec<f64> = (0..rows * p).map(|i| ((i * 7 % 13) as f64 - 6.0) / 3.0).collect();
            let b: Vec<f64> = (0..rows * q).map(|i| ((i * 5 % 17) as f64 - 8.0) / 7.0).collect();
            let panels = Panels { rows, a: &a, a_stride: p, b: &b, b_stride: q };
            let mut reference = vec![0.0; q * p];
            accumulate(SimdLevel::Portable, &panels, &mut reference);
            for level in [SimdLevel::Avx2, SimdLevel::Avx512] {
                let mut gram = vec![0.0; q * p];
                accumulate(level.available(), &panels, &mut gram);
                for i in 0..q {
                    for j in 0..p.min(i + 1) {
                        let truth: f64 = (0..rows).map(|r| b[r * q + i] * a[r * p + j]).sum();
                        assert!((gram[i * p + j] - truth).abs() <= ROUNDING * rows as f64, "{level:?} {i} {j}");
                        assert!((reference[i * p + j] - truth).abs() <= ROUNDING * rows as f64);
                    }
                }
            }
        }
    }
}
