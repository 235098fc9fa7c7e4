//! Poisson: `V(mu) = mu`.
use isostat_number::Number;

use super::ratio::{log_ratio, not_negative};
use super::{Dispersion, Family, Support};
use crate::link::{AnyLink, Log};
use crate::mean::{Mean, Range};

/// Poisson counts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Poisson;

/// `2 ((mu - y) - y ln(mu/y))`: the error is a rounding of `mu - y`, not of y.
#[inline(always)]
pub(super) fn poisson_deviance<N: Number>(y: N, mu: N) -> N {
    let zero = N::literal(0.0);
    let is_positive = zero.less(&y);
    let safe = N::select(&is_positive, y.clone(), N::literal(1.0));
    let distance = mu.clone() - y;
    let log = log_ratio(mu.clone(), safe.clone(), distance.clone());
    not_negative(N::select(&is_positive, distance - safe * log, mu) * N::literal(2.0))
}

impl Family for Poisson {
    fn name(&self) -> String {
        "poisson".into()
    }
    fn by_name(key: &str) -> Option<Self> {
        (key == "poisson").then_some(Poisson)
    }
    fn mean_range(&self) -> Range {
        Range::Positive
    }
    fn support(&self) -> Support {
        Support::NonNegative
    }
    fn default_link(&self) -> AnyLink {
        AnyLink::Log(Log)
    }
    fn canonical_link(&self) -> Option<AnyLink> {
        Some(AnyLink::Log(Log))
    }
    fn dispersion(&self) -> Dispersion {
        Dispersion::Fixed
    }
    #[inline(always)]
    fn variance<N: Number>(&self, m: &Mean<N>) -> N {
        m.mu.clone()
    }
    #[inline(always)]
    fn unit_deviance<N: Number>(&self, y: N, m: &Mean<N>) -> N {
        poisson_deviance(y, m.mu.clone())
    }
    #[inline(always)]
    fn log_density<N: Number>(&self, y: N, m: &Mean<N>, w: N, _: N) -> N {
        w * (y.clone().xlogy(m.mu.clone()) - m.mu.clone() - (y + N::literal(1.0)).ln_gamma())
    }
    #[inline(always)]
    fn start<N: Number>(&self, y: N, _: N) -> N {
        y + N::literal(0.1)
    }
    fn is_discrete(&self) -> bool {
        true
    }
}
