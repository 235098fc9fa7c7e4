//! Identity: `eta = mu`.
use isostat_number::Number;

use super::Link;
use crate::mean::{Mean, Range};

/// Identity: `eta = mu`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Identity;

impl Link for Identity {
    fn name(&self) -> String {
        "identity".into()
    }
    fn image(&self) -> Range {
        Range::Real
    }
    #[inline(always)]
    fn forward<N: Number>(&self, m: &Mean<N>) -> N {
        m.mu.clone()
    }
    #[inline(always)]
    fn inverse<N: Number>(&self, eta: N) -> N {
        eta
    }
    #[inline(always)]
    fn inverse_with_slope<N: Number>(&self, eta: N) -> (N, N) {
        (eta, N::literal(1.0))
    }
}
