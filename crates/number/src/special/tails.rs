//! What an incomplete function gives: both tails and the slope.

/// Both tails of a distribution at one point.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tails {
    /// Mass below.
    pub lower: f64,
    /// Mass above.
    pub upper: f64,
    /// Derivative of the lower mass by the logarithm of the positive variable.
    pub slope: f64,
}

impl Tails {
    /// All mass above.
    pub const ZERO: Tails = Tails { lower: 0.0, upper: 1.0, slope: 0.0 };
    /// All mass below.
    pub const ONE: Tails = Tails { lower: 1.0, upper: 0.0, slope: 0.0 };
    /// No value.
    pub const NAN: Tails = Tails { lower: f64::NAN, upper: f64::NAN, slope: f64::NAN };

    /// From the tail that was computed; the other is its complement.
    #[inline]
    pub fn from_smaller(tail: f64, is_upper: bool, slope: f64) -> Tails {
        let tails = Tails { lower: tail, upper: 1.0 - tail, slope };
        if is_upper {
            tails.swap()
        } else {
            tails
        }
    }

    /// Lower for upper.
    #[inline]
    pub fn swap(self) -> Tails {
        Tails { lower: self.upper, upper: self.lower, slope: self.slope }
    }
}
