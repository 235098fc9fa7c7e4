//! Tweedie: `V(mu) = mu^p`, `1 < p < 2`: a Poisson sum of gammas.
use isostat_number::Number;

use super::ratio::{log_ratio, not_negative};
use super::{Dispersion, Family, Support};
use crate::link::{AnyLink, Log};
use crate::mean::{Mean, Range};

/// Compound Poisson-gamma responses: zeros with positive probability, positive reals besides.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tweedie {
    /// The power of the variance, between 1 and 2.
    pub power: f64,
    /// Whether the power is estimated.
    pub is_estimated: bool,
    /// Terms of the density's series, first and last; set from the data before the density is asked for.
    pub terms: (u32, u32),
}

impl Tweedie {
    /// The power given.
    pub fn with_power(power: f64) -> Self {
        Tweedie { power, is_estimated: false, terms: (1, 60) }
    }
    /// The power estimated by maximum likelihood.
    pub fn estimated() -> Self {
        Tweedie { power: 1.5, is_estimated: true, terms: (1, 60) }
    }

    /// `mu^(2-p)/(2-p)` and `mu^(1-p)/(1-p)`.
    #[inline(always)]
    fn cumulants<N: Number>(&self, mu: N) -> (N, N) {
        let (a, b) = (2.0 - self.power, 1.0 - self.power);
        (mu.clone().powf(a) * N::literal(1.0 / a), mu.powf(b) * N::literal(1.0 / b))
    }

    /// The largest term of the series for one response: `y^(2-p) / (phi (2-p))` [DunnSmyth2005, section 4].
    pub fn peak_term(&self, y: f64, phi: f64) -> f64 {
        y.powf(2.0 - self.power) / (phi * (2.0 - self.power))
    }

    /// The same family with series terms that cover peaks between `low` and `high` to 37 natural-log units.
    pub fn covering(mut self, low: f64, high: f64) -> Self {
        // Around the peak j the terms fall like exp(-k² (1 - α) / (2 j)) with 1 - α = 1/(p - 1).
        let reach = |j: f64| (2.0 * 40.0 * j.max(1.0) * (self.power - 1.0)).sqrt() + 12.0;
        let first = (low - reach(low)).floor().max(1.0);
        let last = (high + reach(high)).ceil().max(first + 12.0);
        self.terms = (first as u32, last.min(2e6) as u32);
        self
    }

    /// `ln Σ_j z^j / (j! Γ(-α j))`, `α = (2-p)/(1-p)`, summed around the running maximum.
    #[inline(always)]
    fn log_series<N: Number>(&self, y: N, phi: N) -> N {
        let alpha = (2.0 - self.power) / (1.0 - self.power);
        let constant = alpha * (self.power - 1.0).ln() - (2.0 - self.power).ln();
        let log_z = y.ln() * N::literal(-alpha) - phi.ln() * N::literal(1.0 - alpha) + N::literal(constant);
        let mut high = N::literal(f64::NEG_INFINITY);
        let mut sum = N::literal(0.0);
        for j in self.terms.0..=self.terms.1 {
            let j = f64::from(j);
            let log_coefficient =
                -isostat_number::special::ln_gamma(j + 1.0) - isostat_number::special::ln_gamma(-alpha * j);
            let term = log_z.clone() * N::literal(j) + N::literal(log_coefficient);
            let new_high = high.clone().maximum(term.clone());
            sum = sum * (high - new_high.clone()).exp() + (term - new_high.clone()).exp();
            high = new_high;
        }
        high + sum.ln()
    }
}

impl Family for Tweedie {
    fn name(&self) -> String {
        "tweedie".into()
    }
    fn by_name(key: &str) -> Option<Self> {
        (key == "tweedie").then(Tweedie::estimated)
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
        Some(AnyLink::Power(crate::link::Power(1.0 - self.power)))
    }
    fn dispersion(&self) -> Dispersion {
        Dispersion::Maximised
    }
    #[inline(always)]
    fn variance<N: Number>(&self, m: &Mean<N>) -> N {
        m.mu.clone().powf(self.power)
    }
    /// `2 y^a ((e^{aL} - 1)/a - (e^{bL} - 1)/b)` with `L = ln(mu/y)`, `a = 2 - p`, `b = 1 - p`; `2 mu^a / a` at 0.
    #[inline(always)]
    fn unit_deviance<N: Number>(&self, y: N, m: &Mean<N>) -> N {
        let zero = N::literal(0.0);
        let is_positive = zero.less(&y);
        let safe = N::select(&is_positive, y.clone(), N::literal(1.0));
        let (a, b) = (2.0 - self.power, 1.0 - self.power);
        let log = log_ratio(m.mu.clone(), safe, m.mu.clone() - y.clone());
        let above = (log.clone() * N::literal(a)).exp_m1() * N::literal(1.0 / a);
        let below = (log * N::literal(b)).exp_m1() * N::literal(1.0 / b);
        let body = N::select(&is_positive, above - below, N::literal(1.0 / a));
        let scale = N::select(&is_positive, y, m.mu.clone()).powf(a);
        not_negative(scale * body * N::literal(2.0))
    }
    /// The density weighs rows by `w` through `phi / w` [DunnSmyth2005, equation 8].
    #[inline(always)]
    fn log_density<N: Number>(&self, y: N, m: &Mean<N>, w: N, phi: N) -> N {
        let zero = N::literal(0.0);
        let is_counted = zero.less(&w);
        let phi = phi / N::select(&is_counted, w, N::literal(1.0));
        let is_positive = zero.less(&y);
        let safe = N::select(&is_positive, y.clone(), N::literal(1.0));
        let (above, below) = self.cumulants(m.mu.clone());
        let kernel = (y * below - above) / phi.clone();
        let base = N::select(&is_positive, self.log_series(safe.clone(), phi) - safe.ln(), zero.clone());
        N::select(&is_counted, kernel + base, zero)
    }
    #[inline(always)]
    fn start<N: Number>(&self, y: N, _: N) -> N {
        y + N::literal(0.1)
    }
}
