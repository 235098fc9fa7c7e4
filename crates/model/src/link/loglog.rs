//! Log-log: `eta = -ln(-ln mu)`.
use isostat_number::Number;

use super::cloglog::one_minus_exp_minus;
use super::Link;
use crate::mean::{Mean, Range};

/// Log-log: `eta = -ln(-ln mu)`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Loglog;

impl Link for Loglog {
    fn name(&self) -> String {
        "loglog".into()
    }
    fn image(&self) -> Range {
        Range::Unit
    }
    #[inline(always)]
    fn forward<N: Number>(&self, m: &Mean<N>) -> N {
        let small = -m.mu.clone().ln();
        let large = -(-m.complement.clone()).ln_1p();
        -N::select(&m.mu.less(&m.complement), small, large).ln()
    }
    #[inline(always)]
    fn inverse<N: Number>(&self, eta: N) -> N {
        (-(-eta).exp()).exp()
    }
    #[inline(always)]
    fn complement<N: Number>(&self, eta: N) -> N {
        one_minus_exp_minus((-eta).exp())
    }
    #[inline(always)]
    fn inverse_with_slope<N: Number>(&self, eta: N) -> (N, N) {
        let e = (-eta.clone()).exp();
        ((-e.clone()).exp(), (-eta - e).exp())
    }
}
