//! Binomial proportions: `V(mu) = mu (1 - mu)`.
use isostat_number::Number;

use super::ratio::{log_ratio, not_negative};
use super::{Dispersion, Family, Support};
use crate::link::{AnyLink, Logit};
use crate::mean::{Mean, Range};

/// Proportions of successes; the prior weights are the numbers of trials.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Binomial;

/// `ln mu`, from the complement where that is the smaller: exact digits near 1.
#[inline(always)]
fn log_near_one<N: Number>(value: &N, complement: &N) -> N {
    let is_near_one = complement.less(&N::literal(0.5));
    let from_complement = (-complement.clone()).ln_1p();
    N::select(&is_near_one, from_complement, value.clone().ln())
}

#[inline(always)]
fn times_unless_zero<N: Number>(x: N, log: N) -> N {
    let zero = N::literal(0.0);
    let is_positive = zero.less(&x);
    N::select(&is_positive, x * log, zero)
}

/// `y ln(mu/y)` from the distance `mu - y`; 0 where y is 0.
#[inline(always)]
fn times_log_ratio<N: Number>(y: N, mu: N, distance: N) -> N {
    let zero = N::literal(0.0);
    let is_positive = zero.less(&y);
    let safe = N::select(&is_positive, y, N::literal(1.0));
    let log = log_ratio(mu, safe.clone(), distance);
    N::select(&is_positive, safe * log, zero)
}

/// `-2 (y ln(mu/y) + (1 - y) ln((1 - mu)/(1 - y)))`: the error is a rounding of `y - mu`.
#[inline(always)]
pub(super) fn binomial_deviance<N: Number>(y: N, m: &Mean<N>) -> N {
    let distance = Binomial.residual(y.clone(), m);
    let failures = N::literal(1.0) - y.clone();
    let fitted = times_log_ratio(y, m.mu.clone(), -distance.clone())
        + times_log_ratio(failures, m.complement.clone(), distance);
    not_negative(fitted * N::literal(-2.0))
}

#[inline(always)]
fn round<N: Number>(x: N) -> N {
    (x + N::literal(0.5)).floor()
}

impl Family for Binomial {
    fn name(&self) -> String {
        "binomial".into()
    }
    fn by_name(key: &str) -> Option<Self> {
        matches!(key, "binomial" | "bernoulli").then_some(Binomial)
    }
    fn mean_range(&self) -> Range {
        Range::Unit
    }
    fn support(&self) -> Support {
        Support::Unit
    }
    fn default_link(&self) -> AnyLink {
        AnyLink::Logit(Logit)
    }
    fn canonical_link(&self) -> Option<AnyLink> {
        Some(AnyLink::Logit(Logit))
    }
    fn dispersion(&self) -> Dispersion {
        Dispersion::Fixed
    }
    #[inline(always)]
    fn variance<N: Number>(&self, m: &Mean<N>) -> N {
        m.mu.clone() * m.complement.clone()
    }
    #[inline(always)]
    fn unit_deviance<N: Number>(&self, y: N, m: &Mean<N>) -> N {
        binomial_deviance(y, m)
    }
    /// Trials and successes are rounded to integers, as R's `dbinom` gets them.
    #[inline(always)]
    fn log_density<N: Number>(&self, y: N, m: &Mean<N>, w: N, _: N) -> N {
        let one = N::literal(1.0);
        let trials = round(w.clone());
        let successes = round(w * y);
        let failures = trials.clone() - successes.clone();
        let choose = (trials + one.clone()).ln_gamma()
            - (successes.clone() + one.clone()).ln_gamma()
            - (failures.clone() + one).ln_gamma();
        choose
            + times_unless_zero(successes, log_near_one(&m.mu, &m.complement))
            + times_unless_zero(failures, log_near_one(&m.complement, &m.mu))
    }
    #[inline(always)]
    fn residual<N: Number>(&self, y: N, m: &Mean<N>) -> N {
        y.clone() * m.complement.clone() - (N::literal(1.0) - y) * m.mu.clone()
    }
    #[inline(always)]
    fn start<N: Number>(&self, y: N, w: N) -> N {
        (w.clone() * y + N::literal(0.5)) / (w + N::literal(1.0))
    }
    fn is_discrete(&self) -> bool {
        true
    }
}
