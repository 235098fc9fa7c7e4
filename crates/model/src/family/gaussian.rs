//! Gaussian: `V(mu) = 1`.
use isostat_number::{Constant, Number};

use super::{Dispersion, Family, Support};
use crate::link::{AnyLink, Identity};
use crate::mean::{Mean, Range};

/// Gaussian: `y ~ N(mu, phi / w)`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gaussian;

impl Family for Gaussian {
    fn name(&self) -> String {
        "gaussian".into()
    }
    fn by_name(key: &str) -> Option<Self> {
        matches!(key, "gaussian" | "normal").then_some(Gaussian)
    }
    fn mean_range(&self) -> Range {
        Range::Real
    }
    fn support(&self) -> Support {
        Support::Real
    }
    fn default_link(&self) -> AnyLink {
        AnyLink::Identity(Identity)
    }
    fn canonical_link(&self) -> Option<AnyLink> {
        Some(AnyLink::Identity(Identity))
    }
    fn dispersion(&self) -> Dispersion {
        Dispersion::PerRow
    }
    #[inline(always)]
    fn variance<N: Number>(&self, _: &Mean<N>) -> N {
        N::literal(1.0)
    }
    #[inline(always)]
    fn unit_deviance<N: Number>(&self, y: N, m: &Mean<N>) -> N {
        (y - m.mu.clone()).square()
    }
    #[inline(always)]
    fn log_density<N: Number>(&self, y: N, m: &Mean<N>, w: N, phi: N) -> N {
        let zero = N::literal(0.0);
        let is_counted = zero.less(&w);
        let safe = N::select(&is_counted, w.clone(), N::literal(1.0));
        let half = N::literal(0.5);
        let square = w * self.unit_deviance(y, m) / phi.clone();
        let value = (safe.ln() - phi.ln() - square) * half - N::constant(Constant::HalfLn2Pi);
        N::select(&is_counted, value, zero)
    }
    #[inline(always)]
    fn start<N: Number>(&self, y: N, _: N) -> N {
        y
    }
}
