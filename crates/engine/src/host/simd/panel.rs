//! A chunk of rows as a panel: its products with a vector, and columns turned to rows.
use super::elementwise::CHUNK;
use super::tile::{Panel, PANEL};
use super::SimdLevel;

/// Adds `A b` to `out`; `b` is padded to a multiple of [`PANEL`].
///
/// `level` must be available on this processor.
pub fn dots(level: SimdLevel, panel: &Panel<'_>, b: &[f64], out: &mut [f64; CHUNK]) {
    let (rows, width) = (panel.rows, panel.width);
    assert!(rows <= CHUNK && b.len() >= width.next_multiple_of(PANEL));
    if rows == 0 || width == 0 {
        return;
    }
    assert!(width <= panel.stride && panel.cells.len() >= (rows - 1) * panel.stride + width);
    #[cfg(target_arch = "x86_64")]
    match level {
        // SAFETY: the engine checked the processor; the assertions above bound every access.
        SimdLevel::Avx512 => return unsafe { super::avx512::dots(panel, b, out) },
        // SAFETY: the engine checked the processor.
        SimdLevel::Avx2 => return unsafe { dots_avx2(panel, b, out) },
        SimdLevel::Portable => {}
    }
    let _ = level;
    dots_body(panel, b, out);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn dots_avx2(panel: &Panel<'_>, b: &[f64], out: &mut [f64; CHUNK]) {
    dots_body(panel, b, out);
}

#[inline(always)]
fn dots_body(panel: &Panel<'_>, b: &[f64], out: &mut [f64; CHUNK]) {
    for (k, o) in out.iter_mut().enumerate().take(panel.rows) {
        let row = &panel.cells[k * panel.stride..][..panel.width];
        let mut sum = [0.0; PANEL];
        let whole = row.chunks_exact(PANEL);
        let rest = whole.remainder();
        for (x, b) in whole.zip(b.chunks_exact(PANEL)) {
            for k in 0..PANEL {
                sum[k] += x[k] * b[k];
            }
        }
        sum.iter_mut()
            .zip(rest.iter().zip(&b[panel.width - rest.len()..]))
            .for_each(|(s, (x, b))| *s += x * b);
        let pairs = [sum[0] + sum[4], sum[1] + sum[5], sum[2] + sum[6], sum[3] + sum[7]];
        *o += (pairs[0] + pairs[2]) + (pairs[1] + pairs[3]);
    }
}

/// Writes `rows` × `columns` cells that lie by columns (`column_stride` apart, from the start of `from`) by rows.
///
/// `level` must be available on this processor.
pub fn turn(
    level: SimdLevel,
    [rows, columns]: [usize; 2],
    from: &[f64],
    column_stride: usize,
    to: &mut [f64],
    stride: usize,
) {
    if rows == 0 || columns == 0 {
        return;
    }
    assert!(from.len() >= (columns - 1) * column_stride + rows && to.len() >= (rows - 1) * stride + columns);
    let (whole_rows, whole_columns) = (rows / 8 * 8, columns / 8 * 8);
    #[cfg(target_arch = "x86_64")]
    if level == SimdLevel::Avx512 {
        for c in (0..whole_columns).step_by(8) {
            for r in (0..whole_rows).step_by(8) {
                let source = from[c * column_stride + r..].as_ptr();
                // SAFETY: the engine checked the processor; the block is inside both slices, by the assertion above.
                unsafe {
                    super::avx512::turn(source, column_stride, to[r * stride + c..].as_mut_ptr(), stride)
                };
            }
        }
        copy([0..rows, whole_columns..columns], from, column_stride, to, stride);
        copy([whole_rows..rows, 0..whole_columns], from, column_stride, to, stride);
        return;
    }
    let _ = (level, whole_rows, whole_columns);
    copy([0..rows, 0..columns], from, column_stride, to, stride);
}

fn copy(
    [rows, columns]: [std::ops::Range<usize>; 2],
    from: &[f64],
    column_stride: usize,
    to: &mut [f64],
    stride: usize,
) {
    if rows.is_empty() {
        return;
    }
    for c in columns {
        let column = &from[c * column_stride..][rows.clone()];
        let cells = to[rows.start * stride + c..].iter_mut().step_by(stride);
        cells.zip(column).for_each(|(o, x)| *o = *x);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turned_cells_are_the_cells() {
        for level in [SimdLevel::Portable, SimdLevel::Avx512.available()] {
            for (rows, columns) in [(1, 1), (8, 8), (9, 17), (64, 20), (63, 16)] {
                let (apart, stride) = (rows + 3, columns + 2);
                let from: Vec<f64> = (0..(columns - 1) * apart + rows).map(|i| i as f64).collect();
                let mut to = vec![-1.0; (rows - 1) * stride + columns];
                turn(level, [rows, columns], &from, apart, &mut to, stride);
                for r in 0..rows {
                    for c in 0..columns {
                        assert_eq!(to[r * stride + c], from[c * apart + r], "{level:?} {rows} {columns}");
                    }
                }
            }
        }
    }
}
