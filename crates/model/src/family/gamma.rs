//! Gamma: `V(mu) = mu²`.
use isostat_number::Number;

use super::ratio::{log_ratio, not_negative};
use super::{Dispersion, Family, Support};
use crate::link::{AnyLink, Inverse};
use crate::mean::{Mean, Range};

/// Gamma with shape `1/phi`; the likelihood weighs rows by `w`, as R does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gamma;

/// `2 (r - ln(y/mu))` with `r = (y - mu)/mu`.
#[inline(always)]
pub(super) fn gamma_deviance<N: Number>(y: N, mu: N) -> N {
    let distance = y.clone() - mu.clone();
    let r = distance.clone() * mu.clone().recip();
    not_negative((r - log_ratio(y, mu, distance)) * N::literal(2.0))
}

impl Family for Gamma {
    fn name(&self) -> String {
        "gamma".into()
    }
    fn by_name(key: &str) -> Option<Self> {
        (key == "gamma").then_some(Gamma)
    }
    fn mean_range(&self) -> Range {
        Range::Positive
    }
    fn support(&self) -> Support {
        Support::Positive
    }
    fn default_link(&self) -> AnyLink {
        AnyLink::Inverse(Inverse)
    }
    fn canonical_link(&self) -> Option<AnyLink> {
        Some(AnyLink::Inverse(Inverse))
    }
    fn dispersion(&self) -> Dispersion {
        Dispersion::PerWeight
    }
    #[inline(always)]
    fn variance<N: Number>(&self, m: &Mean<N>) -> N {
        m.mu.clone().square()
    }
    #[inline(always)]
    fn unit_deviance<N: Number>(&self, y: N, m: &Mean<N>) -> N {
        gamma_deviance(y, m.mu.clone())
    }
    #[inline(always)]
    fn log_density<N: Number>(&self, y: N, m: &Mean<N>, w: N, phi: N) -> N {
        let shape = phi.recip();
        let ratio = y.clone() / m.mu.clone();
        let kernel = shape.clone() * ((shape.clone() * ratio.clone()).ln() - ratio);
        w * (kernel - y.ln() - shape.ln_gamma())
    }
    #[inline(always)]
    fn start<N: Number>(&self, y: N, _: N) -> N {
        y
    }
}
