//! Negative binomial (NB2): `V(mu) = mu + mu²/theta`.
use isostat_number::Number;

use super::ratio::{log_ratio, not_negative};
use super::{Dispersion, Family, Support};
use crate::link::{AnyLink, Log};
use crate::mean::{Mean, Range};

/// Counts with `Var(y) = mu + mu²/theta`.
///
/// With theta given, the dispersion is estimated beside it, as R's `glm` does with MASS's `negative.binomial`;
/// with theta estimated it is 1, as `glm.nb` does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NegativeBinomial {
    /// The shape; where it is estimated, its present value.
    pub theta: f64,
    /// Whether theta is estimated jointly.
    pub is_estimated: bool,
}

impl NegativeBinomial {
    /// Theta given.
    pub fn with_theta(theta: f64) -> Self {
        NegativeBinomial { theta, is_estimated: false }
    }
    /// Theta estimated by maximum likelihood.
    pub fn estimated() -> Self {
        NegativeBinomial { theta: 1.0, is_estimated: true }
    }

    /// The log-likelihood of one row of weight 1 at any theta: the formula that theta is estimated from.
    #[inline(always)]
    pub fn log_density_at<N: Number>(y: N, mu: N, theta: N) -> N {
        let one = N::literal(1.0);
        let total = theta.clone() + mu.clone();
        let gammas =
            (y.clone() + theta.clone()).ln_gamma() - theta.clone().ln_gamma() - (y.clone() + one).ln_gamma();
        let failures = -(theta.clone() * (mu.clone() / theta).ln_1p());
        gammas + failures + y.xlogy(mu / total)
    }
}

impl Family for NegativeBinomial {
    fn name(&self) -> String {
        "negative_binomial".into()
    }
    fn by_name(key: &str) -> Option<Self> {
        matches!(key, "negative_binomial" | "nb" | "nb2").then(NegativeBinomial::estimated)
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
    /// `ln(mu/(mu + theta))`, which is not in the list.
    fn canonical_link(&self) -> Option<AnyLink> {
        None
    }
    fn dispersion(&self) -> Dispersion {
        if self.is_estimated {
            Dispersion::Fixed
        } else {
            Dispersion::Outside
        }
    }
    #[inline(always)]
    fn variance<N: Number>(&self, m: &Mean<N>) -> N {
        m.mu.clone() + m.mu.clone().square() / N::literal(self.theta)
    }
    /// `2 ((y + theta) ln((mu + theta)/(y + theta)) - y ln(mu/y))`.
    #[inline(always)]
    fn unit_deviance<N: Number>(&self, y: N, m: &Mean<N>) -> N {
        let (zero, theta) = (N::literal(0.0), N::literal(self.theta));
        let is_positive = zero.less(&y);
        let safe = N::select(&is_positive, y.clone(), N::literal(1.0));
        let distance = m.mu.clone() - y.clone();
        let count = log_ratio(m.mu.clone(), safe.clone(), distance.clone());
        let total = y + theta.clone();
        let failures = log_ratio(m.mu.clone() + theta, total.clone(), distance);
        let counted = N::select(&is_positive, safe * count, zero);
        not_negative((total * failures - counted) * N::literal(2.0))
    }
    #[inline(always)]
    fn log_density<N: Number>(&self, y: N, m: &Mean<N>, w: N, _: N) -> N {
        w * Self::log_density_at(y, m.mu.clone(), N::literal(self.theta))
    }
    /// As `glm.nb`: the count itself, a sixth where it is 0.
    #[inline(always)]
    fn start<N: Number>(&self, y: N, _: N) -> N {
        let is_zero = y.less_equal(&N::literal(0.0));
        N::select(&is_zero, N::ratio(1, 6), y)
    }
    fn is_discrete(&self) -> bool {
        true
    }
}
