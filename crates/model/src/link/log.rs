//! Logarithm: `eta = ln mu`.
use isostat_number::Number;

use super::Link;
use crate::mean::{Mean, Range};

/// Logarithm: `eta = ln mu`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Log;

impl Link for Log {
    fn name(&self) -> String {
        "log".into()
    }
    fn image(&self) -> Range {
        Range::Positive
    }
    #[inline(always)]
    fn forward<N: Number>(&self, m: &Mean<N>) -> N {
        m.mu.clone().ln()
    }
    #[inline(always)]
    fn inverse<N: Number>(&self, eta: N) -> N {
        eta.exp()
    }
    #[inline(always)]
    fn complement<N: Number>(&self, eta: N) -> N {
        -eta.exp_m1()
    }
    #[inline(always)]
    fn inverse_with_slope<N: Number>(&self, eta: N) -> (N, N) {
        let mu = eta.exp();
        (mu.clone(), mu)
    }
}
