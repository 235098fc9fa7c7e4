//! Complementary log-log: `eta = ln(-ln(1 - mu))`.
use isostat_number::Number;

use super::Link;
use crate::mean::{Mean, Range};

/// Complementary log-log: `eta = ln(-ln(1 - mu))`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cloglog;

/// `1 - e^-x` for `x > 0`, whose derivative keeps its digits at both ends: that of `exp_m1` is `1 - (1 - e^-x)`.
#[inline(always)]
pub(super) fn one_minus_exp_minus<N: Number>(x: N) -> N {
    let is_small = x.less(&N::literal(1.0));
    let small = -(-x.clone()).exp_m1();
    N::select(&is_small, small, N::literal(1.0) - (-x).exp())
}

impl Link for Cloglog {
    fn name(&self) -> String {
        "cloglog".into()
    }
    fn image(&self) -> Range {
        Range::Unit
    }
    #[inline(always)]
    fn forward<N: Number>(&self, m: &Mean<N>) -> N {
        let small = -(-m.mu.clone()).ln_1p();
        let large = -m.complement.clone().ln();
        N::select(&m.mu.less(&m.complement), small, large).ln()
    }
    #[inline(always)]
    fn inverse<N: Number>(&self, eta: N) -> N {
        one_minus_exp_minus(eta.exp())
    }
    #[inline(always)]
    fn complement<N: Number>(&self, eta: N) -> N {
        (-eta.exp()).exp()
    }
    #[inline(always)]
    fn inverse_with_slope<N: Number>(&self, eta: N) -> (N, N) {
        let e = eta.clone().exp();
        (one_minus_exp_minus(e.clone()), (eta - e).exp())
    }
}
