//! Formulas over chunks of rows, compiled once for each instruction set.
use isostat_number::Lane;

use super::SimdLevel;
use crate::program::Formula;

/// Rows of a chunk: a multiple of every register, small enough for the first cache.
pub const CHUNK: usize = 64;

/// One chunk of a vector.
pub type Chunk = [f64; CHUNK];

#[inline(always)]
fn body<F, const FMA: bool, const I: usize, const O: usize>(formula: &F, x: &[Chunk; I], out: &mut [Chunk; O])
where
    F: Formula<I, O>,
{
    for r in 0..CHUNK {
        let row: [Lane<FMA>; I] = std::array::from_fn(|i| Lane(x[i][r]));
        let values = formula.eval(row);
        for (o, v) in out.iter_mut().zip(values) {
            o[r] = v.0;
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx2,fma")]
fn avx512<F, const I: usize, const O: usize>(formula: &F, x: &[Chunk; I], out: &mut [Chunk; O])
where
    F: Formula<I, O>,
{
    body::<F, true, I, O>(formula, x, out);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn avx2<F, const I: usize, const O: usize>(formula: &F, x: &[Chunk; I], out: &mut [Chunk; O])
where
    F: Formula<I, O>,
{
    body::<F, true, I, O>(formula, x, out);
}

/// Evaluates a formula on a chunk. `level` must be available on this processor.
#[inline]
pub fn evaluate<F, const I: usize, const O: usize>(
    level: SimdLevel,
    formula: &F,
    x: &[Chunk; I],
    out: &mut [Chunk; O],
) where
    F: Formula<I, O>,
{
    #[cfg(target_arch = "x86_64")]
    match level {
        // SAFETY: `SimdLevel::available` was applied when the engine was made: the processor has these features.
        SimdLevel::Avx512 => return unsafe { avx512(formula, x, out) },
        // SAFETY: as above.
        SimdLevel::Avx2 => return unsafe { avx2(formula, x, out) },
        SimdLevel::Portable => {}
    }
    body::<F, false, I, O>(formula, x, out);
}
