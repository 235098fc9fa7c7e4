//! A chunk of rows as panels: linear predictor and weighting, compiled once for each instruction set.
use super::elementwise::CHUNK;
use super::tile::PANEL;
use super::SimdLevel;

#[inline(always)]
fn dots_body(rows: usize, a: &[f64], stride: usize, b: &[f64], out: &mut [f64; CHUNK]) {
    for (row, o) in a.chunks_exact(stride).take(rows).zip(out.iter_mut()) {
        let mut sum = [0.0; PANEL];
        for (x, b) in row.chunks_exact(PANEL).zip(b.chunks_exact(PANEL)) {
            for k in 0..PANEL {
                sum[k] += x[k] * b[k];
            }
        }
        let pairs = [sum[0] + sum[4], sum[1] + sum[5], sum[2] + sum[6], sum[3] + sum[7]];
        *o += (pairs[0] + pairs[2]) + (pairs[1] + pairs[3]);
    }
}

#[inline(always)]
fn weigh_body(rows: usize, a: &[f64], a_stride: usize, w: &[f64; CHUNK], b: &mut [f64], b_stride: usize) {
    let width = a_stride.min(b_stride);
    for ((x, out), w) in a.chunks_exact(a_stride).zip(b.chunks_exact_mut(b_stride)).take(rows).zip(w) {
        for (o, x) in out[..width].chunks_exact_mut(PANEL).zip(x[..width].chunks_exact(PANEL)) {
            for k in 0..PANEL {
                o[k] = w * x[k];
            }
        }
    }
}

macro_rules! levels {
    ($(#[$doc:meta])* $name:ident, $body:ident, ($($arg:ident: $type:ty),*)) => {
        $(#[$doc])*
        #[inline]
        pub fn $name(level: SimdLevel, $($arg: $type),*) {
            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx2,fma")]
                fn wide($($arg: $type),*) {
                    $body($($arg),*)
                }
                #[target_feature(enable = "avx2,fma")]
                fn half($($arg: $type),*) {
                    $body($($arg),*)
                }
                match level {
                    // SAFETY: the engine asked `SimdLevel::available`: the processor has these features.
                    SimdLevel::Avx512 => return unsafe { wide($($arg),*) },
                    // SAFETY: as above.
                    SimdLevel::Avx2 => return unsafe { half($($arg),*) },
                    SimdLevel::Portable => {}
                }
            }
            let _ = level;
            $body($($arg),*)
        }
    };
}

levels! {
    /// Adds `a b` to `out`: rows of `stride` values, a multiple of the panel.
    dots, dots_body, (rows: usize, a: &[f64], stride: usize, b: &[f64], out: &mut [f64; CHUNK])
}
levels! {
    /// `b = diag(w) a` over the columns that both have.
    weigh, weigh_body, (rows: usize, a: &[f64], a_stride: usize, w: &[f64; CHUNK], b: &mut [f64], b_stride: usize)
}
