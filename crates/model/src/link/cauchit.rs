//! Cauchit: `eta = tan(π (mu - 1/2))`.
use isostat_number::{Constant, Number};

use super::Link;
use crate::mean::{Mean, Range};

/// Cauchit: `eta = tan(π (mu - 1/2))`, the quantile of the Cauchy distribution.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cauchit;

/// `atan(eta)/π + 1/2`; in the lower tail `-atan(1/eta)/π`, which keeps its digits.
#[inline(always)]
fn cauchy_cdf<N: Number>(eta: N) -> N {
    let (one, minus_one) = (N::literal(1.0), N::literal(-1.0));
    let is_tail = eta.less(&minus_one);
    let safe = N::select(&is_tail, eta.clone(), minus_one);
    let tail = -(one / safe).atan() / N::constant(Constant::Pi);
    let body = eta.atan() / N::constant(Constant::Pi) + N::literal(0.5);
    N::select(&is_tail, tail, body)
}

impl Link for Cauchit {
    fn name(&self) -> String {
        "cauchit".into()
    }
    fn image(&self) -> Range {
        Range::Unit
    }
    #[inline(always)]
    fn forward<N: Number>(&self, m: &Mean<N>) -> N {
        // cot(π mu) from the nearer end.
        let pi = N::constant(Constant::Pi);
        let low = -(N::literal(1.0) / (m.mu.clone() * pi.clone()).tan());
        let high = N::literal(1.0) / (m.complement.clone() * pi).tan();
        N::select(&m.mu.less(&m.complement), low, high)
    }
    #[inline(always)]
    fn inverse<N: Number>(&self, eta: N) -> N {
        cauchy_cdf(eta)
    }
    #[inline(always)]
    fn complement<N: Number>(&self, eta: N) -> N {
        cauchy_cdf(-eta)
    }
}
