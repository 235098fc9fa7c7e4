//! How near two numbers must be, by name and reason.
use std::fmt;

/// A distance that a test accepts: `|found - expected| <= absolute + relative · |expected|`.
///
/// A test takes one of the four named here, or names its own with [`Tolerance::named`] and says why.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tolerance {
    /// The name that a failure prints.
    pub name: &'static str,
    /// The share of the expected value.
    pub relative: f64,
    /// What is accepted beside it.
    pub absolute: f64,
}

/// The same number: nothing was computed twice in another order. NaN equals NaN; 0 equals -0.
pub const EXACT: Tolerance = Tolerance::named("EXACT", 0.0);

/// A formula of some dozen well-conditioned operations, each rounded to `f64`: 100 units of 2.2e-16.
pub const ROUNDING: Tolerance = Tolerance::named("ROUNDING", 2.2e-14);

/// The end of an iteration or of a numerical derivative: half the digits of `f64`.
pub const SOLVER: Tolerance = Tolerance::named("SOLVER", 1.5e-8);

/// A mean of draws: five standard errors, which a right answer misses once in 1.7 million. Give it the standard
/// error with [`Tolerance::of_size`].
pub const MONTE_CARLO: Tolerance = Tolerance::named("MONTE_CARLO", 5.0);

impl Tolerance {
    /// A relative tolerance of the case's own.
    pub const fn named(name: &'static str, relative: f64) -> Self {
        Tolerance { name, relative, absolute: 0.0 }
    }

    /// The same share of a size other than the expected value: of terms that cancel, of a standard error.
    #[must_use]
    pub const fn of_size(self, size: f64) -> Self {
        Tolerance { name: self.name, relative: 0.0, absolute: self.relative * size }
    }

    /// The same, and besides it a distance below which nothing is asked: an underflow.
    #[must_use]
    pub const fn or_within(self, absolute: f64) -> Self {
        Tolerance { name: self.name, relative: self.relative, absolute }
    }

    /// The distance accepted from `expected`.
    pub fn reach(self, expected: f64) -> f64 {
        let share = if self.relative == 0.0 { 0.0 } else { self.relative * expected.abs() };
        self.absolute + share
    }
}

/// Two numbers that were to agree.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gap {
    /// What was found.
    pub found: f64,
    /// What was expected.
    pub expected: f64,
    /// What was accepted.
    pub tolerance: Tolerance,
}

impl fmt::Display for Gap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Gap { found, expected, tolerance } = self;
        let distance = (found - expected).abs();
        write!(
            f,
            "found {found:e}, expected {expected:e}: off by {distance:.3e} ({:.3e} of it), {} accepts {:.3e}",
            distance / expected.abs(),
            tolerance.name,
            tolerance.reach(*expected),
        )
    }
}

impl std::error::Error for Gap {}

/// Whether `found` is within `tolerance` of `expected`. Infinities agree with themselves, NaN with NaN, neither with
/// anything else.
///
/// ```
/// use isostat_testkit::{close, EXACT, ROUNDING};
/// assert!(close(0.1 + 0.2, 0.3, ROUNDING).is_ok());
/// assert!(close(0.1 + 0.2, 0.3, EXACT).is_err());
/// ```
///
/// # Errors
/// The two numbers and how far they are apart.
pub fn close(found: f64, expected: f64, tolerance: Tolerance) -> Result<(), Gap> {
    let agree = if found.is_finite() && expected.is_finite() {
        (found - expected).abs() <= tolerance.reach(expected)
    } else {
        found == expected || (found.is_nan() && expected.is_nan())
    };
    if agree {
        Ok(())
    } else {
        Err(Gap { found, expected, tolerance })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_refuses_the_next_float() {
        let next = f64::from_bits(1.0_f64.to_bits() + 1);
        assert!(close(next, 1.0, EXACT).is_err());
        assert!(close(next, 1.0, ROUNDING).is_ok());
    }

    #[test]
    fn what_is_not_finite_agrees_only_with_itself() {
        for (found, expected) in
            [(f64::NAN, 1.0), (1.0, f64::NAN), (f64::INFINITY, 1e308), (1.0, f64::INFINITY)]
        {
            assert!(close(found, expected, MONTE_CARLO).is_err(), "{found} {expected}");
        }
        assert!(close(f64::NEG_INFINITY, f64::INFINITY, MONTE_CARLO).is_err());
        assert!(close(f64::NAN, f64::NAN, EXACT).is_ok());
        assert!(close(f64::INFINITY, f64::INFINITY, EXACT).is_ok());
    }

    #[test]
    fn a_size_replaces_the_expected_value() {
        assert!(close(1e-15, 0.0, ROUNDING).is_err());
        assert!(close(1e-15, 0.0, ROUNDING.of_size(1.0)).is_ok());
        assert!(close(1e-3, 0.0, ROUNDING.of_size(1.0)).is_err());
        assert!(close(1e-320, 0.0, ROUNDING.or_within(1e-300)).is_ok());
    }
}
