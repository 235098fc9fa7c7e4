//! Inverse square: `eta = 1/mu²`, for `eta > 0`.
use isostat_number::Number;

use super::Link;
use crate::mean::{Mean, Range};

/// Inverse square: `eta = 1/mu²`, for `eta > 0`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InverseSquare;

impl Link for InverseSquare {
    fn name(&self) -> String {
        "inverse_square".into()
    }
    fn image(&self) -> Range {
        Range::Positive
    }
    #[inline(always)]
    fn forward<N: Number>(&self, m: &Mean<N>) -> N {
        m.mu.clone().square().recip()
    }
    #[inline(always)]
    fn inverse<N: Number>(&self, eta: N) -> N {
        eta.sqrt().recip()
    }
    fn is_decreasing(&self) -> bool {
        true
    }
}
