//! Weighted Gram tiles over a chunk of rows: `G += A' diag(w) A` on the lower triangle, `A'r` and `A'w`.
use super::elementwise::Chunk;
use super::SimdLevel;

/// Columns of sums are padded to a multiple of this.
pub const PANEL: usize = 8;

/// A chunk of rows, row-major: packed, or the caller's own memory.
#[derive(Clone, Copy)]
pub struct Panel<'a> {
    /// Number of rows.
    pub rows: usize,
    /// Number of columns.
    pub width: usize,
    /// The cells; those of the last row may end with its last column.
    pub cells: &'a [f64],
    /// From row to row.
    pub stride: usize,
}

impl Panel<'_> {
    /// Whether every cell is inside the slice.
    fn is_sound(&self) -> bool {
        self.width <= self.stride
            && (self.rows == 0 || self.cells.len() >= (self.rows - 1) * self.stride + self.width)
    }
}

/// What to bring nearer while tiles are multiplied: addresses relative to a base, one for each row of each tile.
/// They are hints: a wrong one costs time only.
#[derive(Clone, Copy)]
pub struct Ahead<'a> {
    /// Where the next chunk begins.
    pub base: *const f64,
    /// Distances in bytes; at least [`slots`] of them, or none.
    pub offsets: &'a [usize],
}

impl Ahead<'_> {
    /// Nothing.
    pub const NOTHING: Ahead<'static> = Ahead { base: std::ptr::null(), offsets: &[] };
}

/// The length of the sums of a panel: a triangle of padded rows, then `A'r`, then `A'w`.
pub fn sums_len(width: usize) -> usize {
    let padded = width.next_multiple_of(PANEL);
    padded * (padded + 2)
}

/// The number of hints that a panel can use.
pub fn slots(width: usize, rows: usize) -> usize {
    let strips = width.div_ceil(PANEL);
    (0..strips).map(|s| tiles_of(PANEL.min(width - s * PANEL), s + 1)).sum::<usize>() * rows
}

/// Most registers of columns beside so many rows of a tile: 24 sums, or fewer where rows are few.
const fn most(height: usize) -> usize {
    match height {
        1 | 2 => 8,
        3 | 4 => 6,
        _ => 3,
    }
}

/// Into how many tiles a strip of `height` rows cuts its registers of columns.
pub(super) const fn tiles_of(height: usize, registers: usize) -> usize {
    registers.div_ceil(most(height))
}

/// Adds the sums of a chunk to `sums`, see [`sums_len`].
///
/// `level` must be available on this processor.
pub fn accumulate(
    level: SimdLevel,
    panel: &Panel<'_>,
    w: &Chunk,
    r: &Chunk,
    ahead: &Ahead<'_>,
    sums: &mut [f64],
) {
    if panel.width == 0 {
        return;
    }
    assert!(panel.is_sound() && panel.rows <= w.len() && sums.len() >= sums_len(panel.width));
    #[cfg(target_arch = "x86_64")]
    match level {
        // SAFETY: the engine checked the processor; the assertion above bounds every access.
        SimdLevel::Avx512 => return unsafe { super::avx512::accumulate(panel, w, r, ahead, sums) },
        // SAFETY: as above.
        SimdLevel::Avx2 => return unsafe { super::avx2::accumulate(panel, w, r, sums) },
        SimdLevel::Portable => {}
    }
    let _ = (level, ahead.base, ahead.offsets);
    portable(panel, w, r, sums);
}

fn portable(panel: &Panel<'_>, w: &Chunk, r: &Chunk, sums: &mut [f64]) {
    let padded = panel.width.next_multiple_of(PANEL);
    let (gram, vectors) = sums.split_at_mut(padded * padded);
    let row = |k: usize| &panel.cells[k * panel.stride..][..panel.width];
    for i0 in (0..panel.width).step_by(4) {
        let height = 4.min(panel.width - i0);
        for j0 in (0..i0 + height).step_by(PANEL) {
            let width = PANEL.min(panel.width - j0);
            let mut tile = [[0.0; PANEL]; 4];
            for k in 0..panel.rows {
                let (left, right) = (&row(k)[i0..i0 + height], &row(k)[j0..j0 + width]);
                let mut weighted = [0.0; PANEL];
                weighted.iter_mut().zip(right).for_each(|(o, a)| *o = w[k] * a);
                for (line, b) in tile.iter_mut().zip(left) {
                    line.iter_mut().zip(&weighted).for_each(|(s, a)| *s += b * a);
                }
            }
            for (i, line) in tile.iter().enumerate().take(height) {
                gram[(i0 + i) * padded + j0..][..width].iter_mut().zip(line).for_each(|(g, s)| *g += s);
            }
        }
    }
    for (left, out) in [r, w].into_iter().zip(vectors.chunks_mut(padded)) {
        for j0 in (0..panel.width).step_by(PANEL) {
            let mut sum = [0.0; PANEL];
            for k in 0..panel.rows {
                let cells = &row(k)[j0..(j0 + PANEL).min(panel.width)];
                sum.iter_mut().zip(cells).for_each(|(s, a)| *s += left[k] * a);
            }
            out[j0..].iter_mut().zip(sum).for_each(|(o, s)| *o += s);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::elementwise::CHUNK;
    use super::*;

    /// Sums of at most 64 products in another order.
    const ROUNDING: f64 = 1e-13;

    fn truth(p: &Panel<'_>, left: impl Fn(usize) -> f64, right: impl Fn(usize) -> f64) -> f64 {
        (0..p.rows).map(|k| left(k) * right(k)).sum()
    }

    #[test]
    fn every_level_gives_the_sums() {
        let w: Chunk = std::array::from_fn(|k| ((k * 11 % 7) as f64 - 2.0) / 3.0);
        let r: Chunk = std::array::from_fn(|k| ((k * 3 % 11) as f64 - 5.0) / 4.0);
        for width in 1..=75 {
            for (rows, gap) in [(1, 0), (7, 3), (CHUNK, 0)] {
                let stride = width + gap;
                // The last row ends with its last column, so that a kernel that reads on is caught by a sanitiser.
                let cells: Vec<f64> =
                    (0..(rows - 1) * stride + width).map(|i| ((i * 7 % 13) as f64 - 6.0) / 3.0).collect();
                let panel = Panel { rows, width, cells: &cells, stride };
                let a = |k: usize, j: usize| cells[k * stride + j];
                let padded = width.next_multiple_of(PANEL);
                let offsets = vec![0; slots(width, rows)];
                for level in [SimdLevel::Portable, SimdLevel::Avx2, SimdLevel::Avx512] {
                    let mut sums = vec![0.0; sums_len(width)];
                    let ahead = Ahead { base: cells.as_ptr(), offsets: &offsets };
                    accumulate(level.available(), &panel, &w, &r, &ahead, &mut sums);
                    for i in 0..width {
                        for j in 0..=i {
                            let expected = truth(&panel, |k| w[k] * a(k, i), |k| a(k, j));
                            let error = (sums[i * padded + j] - expected).abs();
                            assert!(error <= ROUNDING * rows as f64, "{level:?} {width} {i} {j}");
                        }
                        for (v, left) in [&r, &w].into_iter().enumerate() {
                            let expected = truth(&panel, |k| left[k], |k| a(k, i));
                            let error = (sums[(padded + v) * padded + i] - expected).abs();
                            assert!(error <= ROUNDING * rows as f64, "{level:?} {width} {i}, vector {v}");
                        }
                    }
                }
            }
        }
    }
}
