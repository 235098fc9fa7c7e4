//! The host engine: NumPy-like memory read in place, kernels fused over blocks of rows, all threads.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`buffer`] | memory and strided views |
//! | [`array`] | [`HostArray`] |
//! | [`design`] | [`Design`]: a matrix as blocks of columns |
//! | [`simd`] | instruction sets, Gram tiles, formulas over chunks |
//! | `pass` | the fused pass |
//! | `products` | the operations one by one |
//! | `threads` | threads and the fixed reduction tree |
pub mod array;
pub mod buffer;
pub mod design;
mod pass;
mod products;
pub mod simd;
mod threads;

pub use array::HostArray;
pub use buffer::{Buffer, Dtype, Slice, View};
pub use design::{Block, Design};
pub use simd::SimdLevel;

use crate::engine::{Engine, IrlsStats, Rows};
use crate::program::{Formula, Program};
use isostat_base::{Error, Result};

/// The host engine.
#[derive(Clone, Copy, Debug)]
pub struct Host {
    /// Threads; `None` takes all processors.
    pub threads: Option<usize>,
    /// Instruction set.
    pub level: SimdLevel,
    /// Whether passes are fused; without, every operation runs by itself: the baseline of parity checks.
    pub fused: bool,
}

impl Default for Host {
    fn default() -> Self {
        Host { threads: None, level: SimdLevel::detect(), fused: true }
    }
}

impl Host {
    /// The baseline: operation by operation, plain loops.
    pub fn baseline() -> Self {
        Host { fused: false, level: SimdLevel::Portable, ..Host::default() }
    }

    /// Threads for work on n rows.
    pub fn threads_for(&self, n: usize) -> usize {
        // Waking a thread costs some microseconds: below this many rows it does not pay.
        const ALONE: usize = 4096;
        if n < ALONE {
            return 1;
        }
        self.threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from))
    }

    pub(crate) fn simd(&self) -> SimdLevel {
        self.level.available()
    }
}

impl Engine for Host {
    type Array = HostArray;
    type Error = Error;

    fn name(&self) -> String {
        if self.fused { "fused" } else { "numpy" }.into()
    }

    fn map<F, const I: usize, const O: usize>(
        &self,
        formula: &F,
        inputs: [&HostArray; I],
    ) -> Result<[HostArray; O]>
    where
        F: Formula<I, O>,
    {
        products::map(self, formula, inputs)
    }

    fn sum(&self, v: &HostArray) -> Result<HostArray> {
        Ok(HostArray::Scalar(products::sum(self, v)?))
    }

    fn sums<F, const I: usize, const O: usize>(
        &self,
        formula: &F,
        inputs: [&HostArray; I],
    ) -> Result<[HostArray; O]>
    where
        F: Formula<I, O>,
    {
        products::sums(self, formula, inputs)
    }

    fn matvec(&self, x: &HostArray, b: &HostArray) -> Result<HostArray> {
        products::matvec(self, x, b)
    }

    fn xtv(&self, x: &HostArray, v: &HostArray) -> Result<HostArray> {
        products::xtv(self, x, v)
    }

    fn gram(&self, x: &HostArray, w: &HostArray) -> Result<HostArray> {
        products::gram(self, x, w)
    }

    fn row_squares(&self, x: &HostArray, t: &[f64], r: usize) -> Result<HostArray> {
        products::row_squares(self, x, t, r)
    }

    fn solve_spd(&self, h: &HostArray, r: &HostArray) -> Result<HostArray> {
        products::solve_spd(h, r)
    }

    fn triangular_factor(&self, x: &HostArray, w: &HostArray) -> Result<Vec<f64>> {
        products::triangular_factor(self, x, w)
    }

    fn transform(&self, x: &HostArray, high: &[f64], low: &[f64], r: usize) -> Result<HostArray> {
        Ok(HostArray::design(x.as_design()?.transformed(high, low, r)))
    }

    fn select_columns(&self, x: &HostArray, columns: &[usize]) -> Result<HostArray> {
        Ok(HostArray::design(x.as_design()?.selected(columns)))
    }

    fn while_loop<P: Program>(
        &self,
        program: &P,
        data: &P::Data<HostArray>,
        mut state: P::State<HostArray>,
    ) -> Result<P::State<HostArray>> {
        while program.go(self, data, &state)?.scalar_value() != 0.0 {
            state = program.step(self, data, &state)?;
        }
        Ok(state)
    }

    fn repeat<P: Program>(
        &self,
        count: usize,
        program: &P,
        data: &P::Data<HostArray>,
        mut state: P::State<HostArray>,
    ) -> Result<P::State<HostArray>> {
        for _ in 0..count {
            state = program.step(self, data, &state)?;
        }
        Ok(state)
    }

    fn detach(&self, a: &HostArray) -> HostArray {
        a.clone()
    }

    fn peek(&self, a: &HostArray) -> Result<HostArray> {
        Ok(a.clone())
    }

    fn concrete(&self, a: &HostArray) -> Option<f64> {
        match a {
            HostArray::Scalar(value) => Some(*value),
            _ => None,
        }
    }

    fn scalar(&self, value: f64) -> HostArray {
        HostArray::Scalar(value)
    }

    fn rows(&self, a: &HostArray, from: usize, to: usize) -> Result<HostArray> {
        Ok(match a {
            HostArray::Vector(view) => HostArray::Vector(view.rows(from, to)),
            HostArray::Design(design) => HostArray::design(design.rows(from, to)),
            other => other.clone(),
        })
    }

    fn shape(&self, a: &HostArray) -> Vec<usize> {
        a.shape()
    }

    fn eps(&self, a: &HostArray) -> f64 {
        match a.dtype() {
            Dtype::F32 => f64::from(f32::EPSILON),
            Dtype::F64 => f64::EPSILON,
        }
    }

    fn to_host(&self, a: &HostArray) -> Result<Vec<f64>> {
        Ok(a.to_vec())
    }

    fn from_host(&self, values: &[f64], shape: &[usize], _: &HostArray) -> Result<HostArray> {
        HostArray::from_values(values.to_vec(), shape)
    }

    fn first_nonzero(&self, v: &HostArray) -> Result<Option<usize>> {
        Ok(v.to_vec().iter().position(|x| *x != 0.0))
    }

    fn has_cheap_ranges(&self) -> bool {
        true
    }

    fn is_concrete(&self, _: &HostArray) -> bool {
        true
    }

    fn irls_pass<F: Formula<3, 3>>(
        &self,
        formula: &F,
        x: &HostArray,
        rows: &Rows<HostArray>,
        beta: Option<&HostArray>,
    ) -> Result<IrlsStats<HostArray>> {
        if self.fused {
            return pass::irls(self, formula, x, rows, beta);
        }
        products::irls(self, formula, x, rows, beta)
    }

    fn row_sums<F: Formula<3, O>, const O: usize>(
        &self,
        formula: &F,
        x: &HostArray,
        rows: &Rows<HostArray>,
        beta: Option<&HostArray>,
    ) -> Result<[HostArray; O]> {
        pass::row_sums(self, formula, x, rows, beta)
    }
}
