//! Complementary log-log: `eta = ln(-ln(1 - mu))`.
use isostat_number::Number;

use super::Link;
use crate::mean::{Mean, Range};

/// Complementary log-log: `eta = ln(-ln(1 - mu))`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cloglog;

impl Link for Cloglog {
    fn name(&self) -> String {
        "cloglog".into()
    }
    fn image(&self) -> Range {
        Range::Unit
    }
    #[inline(always)]
    fn forward<N: Number>(&self, m: &Mean<N>) -> N {
        {
            let small = -(-m.mu.clone()).ln_1p();
            let large = -m.complement.clone().ln();
            N::select(&m.mu.less(&m.complement), small, large).ln()
        }
    }
    #[inline(always)]
    fn inverse<N: Number>(&self, eta: N) -> N {
        -(-eta.exp()).exp_m1()
    }
    #[inline(always)]
    fn complement<N: Number>(&self, eta: N) -> N {
        (-eta.exp()).exp()
    }
    #[inline(always)]
    fn inverse_with_slope<N: Number>(&self, eta: N) -> (N, N) {
        let e = eta.clone().exp();
        (-(-e.clone()).exp_m1(), (eta - e).exp())
    }
}
