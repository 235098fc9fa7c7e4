//! Inverse Gaussian: `V(mu) = mu³`.
use isostat_number::{Constant, Number};

use super::{Dispersion, Family, Support};
use crate::link::{AnyLink, InverseSquare};
use crate::mean::{Mean, Range};

/// Inverse Gaussian with `lambda = 1/phi`; the likelihood weighs rows by `w`, as R does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InverseGaussian;

impl Family for InverseGaussian {
    fn name(&self) -> String {
        "inverse_gaussian".into()
    }
    fn by_name(key: &str) -> Option<Self> {
        (key == "inverse_gaussian").then_some(InverseGaussian)
    }
    fn mean_range(&self) -> Range {
        Range::Positive
    }
    fn support(&self) -> Support {
        Support::Positive
    }
    fn default_link(&self) -> AnyLink {
        AnyLink::InverseSquare(InverseSquare)
    }
    fn canonical_link(&self) -> Option<AnyLink> {
        Some(AnyLink::InverseSquare(InverseSquare))
    }
    fn dispersion(&self) -> Dispersion {
        Dispersion::PerWeight
    }
    #[inline(always)]
    fn variance<N: Number>(&self, m: &Mean<N>) -> N {
        m.mu.clone().square() * m.mu.clone()
    }
    #[inline(always)]
    fn unit_deviance<N: Number>(&self, y: N, m: &Mean<N>) -> N {
        let mu = m.mu.clone();
        ((y.clone() - mu.clone()) / mu).square() / y
    }
    #[inline(always)]
    fn log_density<N: Number>(&self, y: N, m: &Mean<N>, w: N, phi: N) -> N {
        let deviance = self.unit_deviance(y.clone(), m) / phi.clone();
        let log_scale = phi.ln() + y.ln() * N::literal(3.0);
        -(w * ((deviance + log_scale) * N::literal(0.5) + N::constant(Constant::HalfLn2Pi)))
    }
    #[inline(always)]
    fn start<N: Number>(&self, y: N, _: N) -> N {
        y
    }
}
