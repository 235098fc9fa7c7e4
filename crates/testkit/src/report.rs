//! The failures of a law over a whole list, shown together.
use crate::tolerance::{close, Tolerance};

/// How many failures are printed in full.
const SHOWN: usize = 25;

/// Collects what a law finds over a list; [`Report::finish`] fails the test.
///
/// ```
/// use isostat_testkit::{Report, ROUNDING};
/// let mut report = Report::new("the sine is odd");
/// for x in [0.1_f64, 2.0, 30.0] {
///     report.close((-x).sin(), -x.sin(), ROUNDING, || format!("at {x}"));
/// }
/// report.finish();
/// ```
#[must_use = "a report that nobody finishes fails nothing"]
pub struct Report {
    law: &'static str,
    n_checked: usize,
    failures: Vec<String>,
}

impl Report {
    /// An empty report on a law.
    pub fn new(law: &'static str) -> Self {
        Report { law, n_checked: 0, failures: Vec::new() }
    }

    /// Notes whether two numbers agree; `place` says where, if they do not.
    pub fn close(&mut self, found: f64, expected: f64, tolerance: Tolerance, place: impl FnOnce() -> String) {
        self.n_checked += 1;
        if let Err(gap) = close(found, expected, tolerance) {
            self.failures.push(format!("{}: {gap}", place()));
        }
    }

    /// Notes whether a condition holds.
    pub fn check(&mut self, holds: bool, place: impl FnOnce() -> String) {
        self.n_checked += 1;
        if !holds {
            self.failures.push(place());
        }
    }

    /// Ends the law.
    ///
    /// # Panics
    /// Where it failed anywhere, and where it was never put to the test.
    #[track_caller]
    pub fn finish(self) {
        assert!(self.n_checked > 0, "{}: nothing was checked", self.law);
        let (n, of) = (self.failures.len(), self.n_checked);
        let shown = self.failures[..n.min(SHOWN)].join("\n  ");
        assert!(n == 0, "{}: {n} of {of} checks failed\n  {shown}", self.law);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tolerance::EXACT;

    #[test]
    #[should_panic(expected = "1 of 2 checks failed")]
    fn one_failure_fails() {
        let mut report = Report::new("equal");
        report.close(1.0, 1.0, EXACT, String::new);
        report.close(1.0, 2.0, EXACT, || "here".into());
        report.finish();
    }

    #[test]
    #[should_panic(expected = "nothing was checked")]
    fn an_empty_list_fails() {
        Report::new("vacuous").finish();
    }
}
