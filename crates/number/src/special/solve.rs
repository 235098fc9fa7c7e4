//! Quantiles by Halley's method on log-concave tails.

/// A tail and its slopes at one point.
pub(super) struct Point {
    /// The tail mass.
    pub mass: f64,
    /// Derivative of the mass by the logarithm of the variable; negative for upper tails.
    pub slope: f64,
    /// Derivative of `ln |slope|` by the logarithm of the variable.
    pub log_slope: f64,
}

/// Residual in `ln mass` from which one more Halley step is exact to rounding, its error being cubic.
const CLOSE: f64 = 1e-6;

/// The positive `v` with `mass(v) = target`, `0 < target ≤ ½`.
///
/// All tails here are log-concave in `ln v`, so Newton's method on `ln mass` converges from any start; Halley's
/// term makes it cubic, and a bracket catches underflow.
pub(super) fn solve(target: f64, start: f64, at: impl Fn(f64) -> Point) -> f64 {
    let (mut low, mut high) = (f64::MIN_POSITIVE, f64::MAX);
    let mut v = start.clamp(low, high);
    for _ in 0..200 {
        let Point { mass, slope, log_slope } = at(v);
        let residual = (mass / target).ln();
        // Which side the root is on: a rising mass below its target lies left of it.
        if (residual < 0.0) == slope.is_sign_positive() {
            low = low.max(v);
        } else {
            high = high.min(v);
        }
        let hazard = slope / mass;
        let curvature = log_slope - hazard;
        let bend = residual * curvature / hazard;
        let step = -residual / hazard / (1.0 - 0.5 * bend).clamp(0.5, 2.0);
        let next = v * step.exp();
        if residual.abs() < CLOSE && bend.abs() < CLOSE {
            return next;
        }
        v = if next > low && next < high { next } else { low.sqrt() * high.sqrt() };
        if high <= low * (1.0 + f64::EPSILON) {
            break;
        }
    }
    v
}
