//! Kernels for AVX-512: tiles of at most 8 rows by 24 columns in registers, columns weighted on the way.
use std::arch::x86_64::*;

use super::elementwise::Chunk;
use super::tile::{tiles_of, Ahead, Panel, PANEL};

/// The cells of a tile: where they are, and which columns of its last register exist.
#[derive(Clone, Copy)]
struct Place {
    /// First row of the triangle, first column.
    i0: usize,
    j0: usize,
    /// Columns of the last register.
    mask: __mmask8,
    padded: usize,
}

/// # Safety
/// The processor has AVX-512; `panel` is sound; `j0 + 8 K` is at most the padded width, and the mask of the last
/// register ends with the panel.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx2,fma")]
unsafe fn tile<const R: usize, const K: usize>(
    panel: &Panel<'_>,
    at: Place,
    w: &Chunk,
    ahead: &Ahead<'_>,
    out: *mut f64,
) {
    let mut sum = [[_mm512_setzero_pd(); K]; R];
    let mut row = panel.cells.as_ptr();
    let mut hint = ahead.offsets.as_ptr();
    let step = usize::from(!ahead.offsets.is_empty());
    let idle = 0_usize;
    if step == 0 {
        hint = &idle;
    }
    // SAFETY: the caller's promise; hints are addresses that are never read.
    unsafe {
        for weight in &w[..panel.rows] {
            _mm_prefetch::<_MM_HINT_T0>(ahead.base.cast::<i8>().wrapping_add(*hint));
            hint = hint.add(step);
            let weight = _mm512_set1_pd(*weight);
            let columns: [__m512d; K] = std::array::from_fn(|k| {
                let from = row.wrapping_add(at.j0 + 8 * k);
                let cells =
                    if k + 1 == K { _mm512_maskz_loadu_pd(at.mask, from) } else { _mm512_loadu_pd(from) };
                _mm512_mul_pd(cells, weight)
            });
            for (i, line) in sum.iter_mut().enumerate() {
                let left = _mm512_set1_pd(*row.add(at.i0 + i));
                for (s, c) in line.iter_mut().zip(columns) {
                    *s = _mm512_fmadd_pd(left, c, *s);
                }
            }
            row = row.wrapping_add(panel.stride);
        }
        for (i, line) in sum.iter().enumerate() {
            for (k, s) in line.iter().enumerate() {
                let at = out.add((at.i0 + i) * at.padded + at.j0 + 8 * k);
                _mm512_storeu_pd(at, _mm512_add_pd(_mm512_loadu_pd(at), *s));
            }
        }
    }
}

/// `A'r` and `A'w` for `K` registers of columns.
///
/// # Safety
/// As for [`tile`].
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx2,fma")]
unsafe fn vectors<const K: usize>(panel: &Panel<'_>, at: Place, w: &Chunk, r: &Chunk, out: *mut f64) {
    let mut sum = [[_mm512_setzero_pd(); K]; 2];
    let mut row = panel.cells.as_ptr();
    // SAFETY: the caller's promise.
    unsafe {
        for (weight, residual) in w[..panel.rows].iter().zip(r) {
            let left = [_mm512_set1_pd(*residual), _mm512_set1_pd(*weight)];
            for k in 0..K {
                let from = row.wrapping_add(at.j0 + 8 * k);
                let cells =
                    if k + 1 == K { _mm512_maskz_loadu_pd(at.mask, from) } else { _mm512_loadu_pd(from) };
                sum[0][k] = _mm512_fmadd_pd(left[0], cells, sum[0][k]);
                sum[1][k] = _mm512_fmadd_pd(left[1], cells, sum[1][k]);
            }
            row = row.wrapping_add(panel.stride);
        }
        for (i, line) in sum.iter().enumerate() {
            for (k, s) in line.iter().enumerate() {
                let at = out.add((at.padded + i) * at.padded + at.j0 + 8 * k);
                _mm512_storeu_pd(at, _mm512_add_pd(_mm512_loadu_pd(at), *s));
            }
        }
    }
}

macro_rules! choose {
    ($height:expr, $registers:expr, $call:tt, $($r:literal: $($k:literal)+;)+) => {
        match ($height, $registers) {
            $($(($r, $k) => tile::<$r, $k> $call,)+)+
            _ => debug_assert!(false, "no tile of {} by {}", $height, $registers),
        }
    };
}

fn mask(width: usize, from: usize) -> __mmask8 {
    if width >= from + PANEL {
        0xff
    } else {
        (1_u8 << (width - from)) - 1
    }
}

/// All tiles of the lower triangle, then the vectors.
///
/// # Safety
/// The processor has AVX-512; `panel` is sound, has at most as many rows as a chunk, and `sums` the length of
/// `sums_len`.
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx2,fma")]
pub unsafe fn accumulate(panel: &Panel<'_>, w: &Chunk, r: &Chunk, ahead: &Ahead<'_>, sums: &mut [f64]) {
    let (width, padded) = (panel.width, panel.width.next_multiple_of(PANEL));
    let out = sums.as_mut_ptr();
    let mut offsets = ahead.offsets;
    for i0 in (0..width).step_by(PANEL) {
        let (height, registers) = (PANEL.min(width - i0), i0 / PANEL + 1);
        let tiles = tiles_of(height, registers);
        let mut done = 0;
        for left in (1..=tiles).rev() {
            let count = (registers - done).div_ceil(left);
            let (j0, last) = (done * PANEL, (done + count - 1) * PANEL);
            let at = Place { i0, j0, mask: mask(width, last), padded };
            let ahead =
                Ahead { base: ahead.base, offsets: if offsets.len() >= panel.rows { offsets } else { &[] } };
            // SAFETY: the strip's rows and columns are those of the panel, its mask ends with it.
            unsafe {
                choose! { height, count, (panel, at, w, &ahead, out),
                    1: 1 2 3 4 5 6 7 8;
                    2: 1 2 3 4 5 6 7 8;
                    3: 1 2 3 4 5 6;
                    4: 1 2 3 4 5 6;
                    5: 1 2 3;
                    6: 1 2 3;
                    7: 1 2 3;
                    8: 1 2 3;
                }
            }
            offsets = offsets.get(panel.rows..).unwrap_or(&[]);
            done += count;
        }
    }
    let registers = padded / PANEL;
    for done in (0..registers).step_by(4) {
        let count = 4.min(registers - done);
        let at = Place { i0: 0, j0: done * PANEL, mask: mask(width, (done + count - 1) * PANEL), padded };
        // SAFETY: as above.
        unsafe {
            match count {
                1 => vectors::<1>(panel, at, w, r, out),
                2 => vectors::<2>(panel, at, w, r, out),
                3 => vectors::<3>(panel, at, w, r, out),
                _ => vectors::<4>(panel, at, w, r, out),
            }
        }
    }
}

/// Sums of eight registers, in order.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx2,fma")]
fn eight_sums(a: [__m512d; 8]) -> __m512d {
    let pair = |x, y| _mm512_add_pd(_mm512_unpacklo_pd(x, y), _mm512_unpackhi_pd(x, y));
    let join = |x, y| {
        _mm512_add_pd(
            _mm512_shuffle_f64x2::<0b10_00_10_00>(x, y),
            _mm512_shuffle_f64x2::<0b11_01_11_01>(x, y),
        )
    };
    join(join(pair(a[0], a[1]), pair(a[2], a[3])), join(pair(a[4], a[5]), pair(a[6], a[7])))
}

/// Adds `A b` to `out`; `b` is padded to registers.
///
/// # Safety
/// The processor has AVX-512; `panel` is sound and `b` at least the padded width.
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx2,fma")]
pub unsafe fn dots(panel: &Panel<'_>, b: &[f64], out: &mut Chunk) {
    let last = panel.width.next_multiple_of(PANEL) - PANEL;
    let last_mask = mask(panel.width, last);
    // SAFETY: rows below `rows`, columns up to the mask.
    let load = |row: usize, j: usize| unsafe {
        let from = panel.cells.as_ptr().add(row * panel.stride + j);
        if j < last {
            _mm512_loadu_pd(from)
        } else {
            _mm512_maskz_loadu_pd(last_mask, from)
        }
    };
    let whole = panel.rows / 8 * 8;
    for row in (0..whole).step_by(8) {
        let mut sum = [_mm512_setzero_pd(); 8];
        for j in (0..=last).step_by(PANEL) {
            // SAFETY: `b` has the padded width.
            let right = unsafe { _mm512_loadu_pd(b.as_ptr().add(j)) };
            for (k, s) in sum.iter_mut().enumerate() {
                *s = _mm512_fmadd_pd(load(row + k, j), right, *s);
            }
        }
        // SAFETY: `row + 8 <= rows <= CHUNK`.
        unsafe {
            let at = out.as_mut_ptr().add(row);
            _mm512_storeu_pd(at, _mm512_add_pd(_mm512_loadu_pd(at), eight_sums(sum)));
        }
    }
    for row in whole..panel.rows {
        let mut sum = _mm512_setzero_pd();
        for j in (0..=last).step_by(PANEL) {
            // SAFETY: as above.
            let right = unsafe { _mm512_loadu_pd(b.as_ptr().add(j)) };
            sum = _mm512_fmadd_pd(load(row, j), right, sum);
        }
        let zero = _mm512_setzero_pd();
        out[row] += _mm512_cvtsd_f64(eight_sums([sum, zero, zero, zero, zero, zero, zero, zero]));
    }
}

/// Eight columns of eight rows, turned.
///
/// # Safety
/// The processor has AVX-512; eight cells of eight columns can be read, eight cells of eight rows written.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx2,fma")]
pub unsafe fn turn(from: *const f64, column_stride: usize, to: *mut f64, row_stride: usize) {
    // SAFETY: the caller's promise.
    let c: [__m512d; 8] = std::array::from_fn(|k| unsafe { _mm512_loadu_pd(from.add(k * column_stride)) });
    let pairs = |x, y| [_mm512_unpacklo_pd(x, y), _mm512_unpackhi_pd(x, y)];
    let [a0, a1] = pairs(c[0], c[1]);
    let [b0, b1] = pairs(c[2], c[3]);
    let [c0, c1] = pairs(c[4], c[5]);
    let [d0, d1] = pairs(c[6], c[7]);
    // Lane l of `a0` holds columns 0 and 1 of row 2 l, of `a1` those of row 2 l + 1.
    let four = |x: [__m512d; 4]| {
        let low = _mm512_shuffle_f64x2::<0b01_00_01_00>(x[0], x[1]);
        let low2 = _mm512_shuffle_f64x2::<0b01_00_01_00>(x[2], x[3]);
        let high = _mm512_shuffle_f64x2::<0b11_10_11_10>(x[0], x[1]);
        let high2 = _mm512_shuffle_f64x2::<0b11_10_11_10>(x[2], x[3]);
        [
            _mm512_shuffle_f64x2::<0b10_00_10_00>(low, low2),
            _mm512_shuffle_f64x2::<0b11_01_11_01>(low, low2),
            _mm512_shuffle_f64x2::<0b10_00_10_00>(high, high2),
            _mm512_shuffle_f64x2::<0b11_01_11_01>(high, high2),
        ]
    };
    let (even, odd) = (four([a0, b0, c0, d0]), four([a1, b1, c1, d1]));
    for k in 0..4 {
        // SAFETY: the caller's promise.
        unsafe {
            _mm512_storeu_pd(to.add(2 * k * row_stride), even[k]);
            _mm512_storeu_pd(to.add((2 * k + 1) * row_stride), odd[k]);
        }
    }
}
