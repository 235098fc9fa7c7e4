//! Quasi families: a variance function without a likelihood.
use isostat_number::Number;

use super::binomial::binomial_deviance;
use super::gamma::gamma_deviance;
use super::poisson::poisson_deviance;
use super::{Dispersion, Family, Support};
use crate::link::{AnyLink, Identity, Inverse, InverseSquare, Log, Logit};
use crate::mean::{Mean, Range};

/// The variance functions that a quasi family takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variance {
    /// `1`.
    Constant,
    /// `mu`.
    Mu,
    /// `mu²`.
    MuSquared,
    /// `mu³`.
    MuCubed,
    /// `mu (1 - mu)`.
    MuOneMinusMu,
}

impl Variance {
    /// R's name.
    pub fn name(self) -> &'static str {
        match self {
            Variance::Constant => "constant",
            Variance::Mu => "mu",
            Variance::MuSquared => "mu^2",
            Variance::MuCubed => "mu^3",
            Variance::MuOneMinusMu => "mu(1-mu)",
        }
    }

    /// The variance of R's names.
    pub fn parse(name: &str) -> Option<Variance> {
        Some(match name.replace(' ', "").as_str() {
            "constant" | "1" => Variance::Constant,
            "mu" => Variance::Mu,
            "mu^2" => Variance::MuSquared,
            "mu^3" => Variance::MuCubed,
            "mu(1-mu)" => Variance::MuOneMinusMu,
            _ => return None,
        })
    }
}

/// A mean, a variance up to a constant, and no likelihood: log-likelihood and AIC are NaN.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quasi {
    /// The variance function.
    pub variance: Variance,
    name: &'static str,
}

impl Quasi {
    /// Any of the variance functions.
    pub fn of(variance: Variance) -> Self {
        Quasi { variance, name: "quasi" }
    }
    /// `V(mu) = mu`, logarithm.
    pub fn poisson() -> Self {
        Quasi { variance: Variance::Mu, name: "quasipoisson" }
    }
    /// `V(mu) = mu (1 - mu)`, logit.
    pub fn binomial() -> Self {
        Quasi { variance: Variance::MuOneMinusMu, name: "quasibinomial" }
    }

    fn natural_link(&self) -> AnyLink {
        match self.variance {
            Variance::Constant => AnyLink::Identity(Identity),
            Variance::Mu => AnyLink::Log(Log),
            Variance::MuSquared => AnyLink::Inverse(Inverse),
            Variance::MuCubed => AnyLink::InverseSquare(InverseSquare),
            Variance::MuOneMinusMu => AnyLink::Logit(Logit),
        }
    }
}

impl Family for Quasi {
    fn name(&self) -> String {
        self.name.into()
    }
    fn by_name(key: &str) -> Option<Self> {
        match key {
            "quasi" => Some(Quasi::of(Variance::Constant)),
            "quasipoisson" => Some(Quasi::poisson()),
            "quasibinomial" => Some(Quasi::binomial()),
            _ => None,
        }
    }
    fn mean_range(&self) -> Range {
        match self.variance {
            Variance::Constant => Range::Real,
            Variance::MuOneMinusMu => Range::Unit,
            _ => Range::Positive,
        }
    }
    fn support(&self) -> Support {
        match self.variance {
            Variance::Constant => Support::Real,
            Variance::MuOneMinusMu => Support::Unit,
            Variance::Mu => Support::NonNegative,
            _ => Support::Positive,
        }
    }
    /// R's: identity for `quasi`, logarithm and logit for the two that are named.
    fn default_link(&self) -> AnyLink {
        match self.name {
            "quasi" => AnyLink::Identity(Identity),
            _ => self.natural_link(),
        }
    }
    fn canonical_link(&self) -> Option<AnyLink> {
        Some(self.natural_link())
    }
    fn dispersion(&self) -> Dispersion {
        Dispersion::Outside
    }
    #[inline(always)]
    fn variance<N: Number>(&self, m: &Mean<N>) -> N {
        let mu = m.mu.clone();
        match self.variance {
            Variance::Constant => N::literal(1.0),
            Variance::Mu => mu,
            Variance::MuSquared => mu.square(),
            Variance::MuCubed => mu.clone().square() * mu,
            Variance::MuOneMinusMu => mu * m.complement.clone(),
        }
    }
    #[inline(always)]
    fn unit_deviance<N: Number>(&self, y: N, m: &Mean<N>) -> N {
        let mu = m.mu.clone();
        match self.variance {
            Variance::Constant => (y - mu).square(),
            Variance::Mu => poisson_deviance(y, mu),
            Variance::MuSquared => gamma_deviance(y, mu),
            Variance::MuCubed => ((y.clone() - mu.clone()) / mu).square() / y,
            Variance::MuOneMinusMu => binomial_deviance(y, m),
        }
    }
    #[inline(always)]
    fn log_density<N: Number>(&self, y: N, _: &Mean<N>, _: N, _: N) -> N {
        y * N::literal(f64::NAN)
    }
    #[inline(always)]
    fn residual<N: Number>(&self, y: N, m: &Mean<N>) -> N {
        match self.variance {
            Variance::MuOneMinusMu => super::Binomial.residual(y, m),
            _ => y - m.mu.clone(),
        }
    }
    #[inline(always)]
    fn start<N: Number>(&self, y: N, w: N) -> N {
        match self.variance {
            Variance::MuOneMinusMu => super::Binomial.start(y, w),
            Variance::Mu => y + N::literal(0.1),
            _ => y,
        }
    }
}
