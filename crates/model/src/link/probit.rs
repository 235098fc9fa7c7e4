//! Probit: `eta = Φ⁻¹(mu)`.
use isostat_number::Number;

use super::Link;
use crate::mean::{Mean, Range};

/// Probit: `eta = Φ⁻¹(mu)`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Probit;

impl Link for Probit {
    fn name(&self) -> String {
        "probit".into()
    }
    fn image(&self) -> Range {
        Range::Unit
    }
    #[inline(always)]
    fn forward<N: Number>(&self, m: &Mean<N>) -> N {
        // The smaller of the two tails carries the digits.
        let low = m.mu.clone().norm_quantile();
        let high = -m.complement.clone().norm_quantile();
        N::select(&m.mu.less(&m.complement), low, high)
    }
    #[inline(always)]
    fn inverse<N: Number>(&self, eta: N) -> N {
        eta.norm_cdf()
    }
    #[inline(always)]
    fn complement<N: Number>(&self, eta: N) -> N {
        (-eta).norm_cdf()
    }
}
