//! Logit: `eta = ln(mu / (1 - mu))`.
use isostat_number::Number;

use super::Link;
use crate::mean::{Mean, Range};

/// Logit: `eta = ln(mu / (1 - mu))`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Logit;

impl Link for Logit {
    fn name(&self) -> String {
        "logit".into()
    }
    fn image(&self) -> Range {
        Range::Unit
    }
    #[inline(always)]
    fn forward<N: Number>(&self, m: &Mean<N>) -> N {
        m.mu.clone().ln() - m.complement.clone().ln()
    }
    #[inline(always)]
    fn inverse<N: Number>(&self, eta: N) -> N {
        eta.sigmoid()
    }
    #[inline(always)]
    fn complement<N: Number>(&self, eta: N) -> N {
        (-eta).sigmoid()
    }
    #[inline(always)]
    fn inverse_with_slope<N: Number>(&self, eta: N) -> (N, N) {
        let mu = eta.clone().sigmoid();
        (mu.clone(), mu * (-eta).sigmoid())
    }
}
