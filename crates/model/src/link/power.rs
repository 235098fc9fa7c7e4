//! Power: `eta = mu^p`, for `eta > 0`.
use isostat_number::Number;

use super::Link;
use crate::mean::{Mean, Range};

/// Power: `eta = mu^p`, for `eta > 0`. [`AnyLink::power`](super::AnyLink::power) gives identity and logarithm at
/// 1 and 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Power(pub f64);

impl Link for Power {
    fn name(&self) -> String {
        format!("power({})", self.0)
    }
    fn image(&self) -> Range {
        Range::Positive
    }
    #[inline(always)]
    fn forward<N: Number>(&self, m: &Mean<N>) -> N {
        m.mu.clone().powf(self.0)
    }
    #[inline(always)]
    fn inverse<N: Number>(&self, eta: N) -> N {
        let is_inside = N::literal(0.0).less(&eta);
        let safe = N::select(&is_inside, eta, N::literal(1.0));
        N::select(&is_inside, safe.powf(1.0 / self.0), N::literal(f64::NAN))
    }
    fn is_decreasing(&self) -> bool {
        self.0 < 0.0
    }
}
