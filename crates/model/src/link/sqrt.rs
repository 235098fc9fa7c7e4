//! Square root: `eta = √mu`, for `eta >= 0`.
use isostat_number::Number;

use super::Link;
use crate::mean::{Mean, Range};

/// Square root: `eta = √mu`, for `eta >= 0`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sqrt;

impl Link for Sqrt {
    fn name(&self) -> String {
        "sqrt".into()
    }
    fn image(&self) -> Range {
        Range::Positive
    }
    #[inline(always)]
    fn forward<N: Number>(&self, m: &Mean<N>) -> N {
        m.mu.clone().sqrt()
    }
    #[inline(always)]
    fn inverse<N: Number>(&self, eta: N) -> N {
        let is_outside = eta.less(&N::literal(0.0));
        N::select(&is_outside, N::literal(f64::NAN), eta.square())
    }
}
