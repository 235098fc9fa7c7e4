//! Reciprocal: `eta = 1/mu`.
use isostat_number::Number;

use super::Link;
use crate::mean::{Mean, Range};

/// Reciprocal: `eta = 1/mu`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Inverse;

impl Link for Inverse {
    fn name(&self) -> String {
        "inverse".into()
    }
    fn image(&self) -> Range {
        Range::NonZero
    }
    #[inline(always)]
    fn forward<N: Number>(&self, m: &Mean<N>) -> N {
        m.mu.clone().recip()
    }
    #[inline(always)]
    fn inverse<N: Number>(&self, eta: N) -> N {
        eta.recip()
    }
    #[inline(always)]
    fn inverse_with_slope<N: Number>(&self, eta: N) -> (N, N) {
        let mu = eta.recip();
        (mu.clone(), -mu.square())
    }
    fn is_decreasing(&self) -> bool {
        true
    }
}
