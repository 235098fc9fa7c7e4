//! Integrals of smooth functions by the double exponential rule [TakahasiMori1974].
//!
//! `x = φ(t)` sends the line to the interval so fast that the integrand dies like `exp(-exp|t|)`, also where the
//! function is singular at an end. The trapezoidal rule then doubles its digits with every halving of the step.

/// Where to integrate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Interval {
    /// From 0 to infinity, with most of the mass on the scale given.
    Positive(f64),
    /// All reals, around a centre, on a scale.
    Line(f64, f64),
}

/// Half the range of t; beyond it the weight is below 1e-300.
const REACH: f64 = 6.5;
/// The finest step is `REACH / 2^FINEST`.
const FINEST: u32 = 11;
const HALF_PI: f64 = std::f64::consts::FRAC_PI_2;

impl Interval {
    /// The point for t, and `dx/dt`.
    fn point(self, t: f64) -> (f64, f64) {
        let (inner, slope) = (HALF_PI * t.sinh(), HALF_PI * t.cosh());
        match self {
            Interval::Positive(scale) => {
                let x = scale * inner.exp();
                (x, x * slope)
            }
            Interval::Line(centre, scale) => (centre + scale * inner.sinh(), scale * slope * inner.cosh()),
        }
    }
}

/// `∫ f(x) dx`, with the step halved until two rules agree to `relative` of `∫ |f|`; `None` if none did.
///
/// Where `f` is not finite it counts as 0: points beyond what a float can hold.
pub fn integral(interval: Interval, relative: f64, f: impl Fn(f64) -> f64) -> Option<f64> {
    let term = |t: f64| {
        let (x, slope) = interval.point(t);
        let value = f(x) * slope;
        if value.is_finite() {
            value
        } else {
            0.0
        }
    };
    let (mut sum, mut size) = (term(0.0), term(0.0).abs());
    let mut previous = f64::NAN;
    for level in 2..=FINEST {
        let n = 1_i32 << level;
        let step = REACH / f64::from(n);
        // The first level takes every point, the later ones those between.
        let stride = if level == 2 { 1 } else { 2 };
        for k in (1..=n).step_by(stride) {
            for t in [step * f64::from(k), -step * f64::from(k)] {
                let value = term(t);
                sum += value;
                size += value.abs();
            }
        }
        let estimate = sum * step;
        // Coarse rules may agree by chance, on a peak that none of them has seen.
        if level > 6 && (estimate - previous).abs() <= relative * size * step {
            return Some(estimate);
        }
        previous = estimate;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tolerance::{close, ROUNDING};

    const TIGHT: f64 = 1e-14;

    #[test]
    fn known_integrals() {
        let root_pi = std::f64::consts::PI.sqrt();
        let gauss = integral(Interval::Line(3.0, 2.0), TIGHT, |x| (-(x - 1.0).powi(2)).exp());
        close(gauss.unwrap(), root_pi, ROUNDING).unwrap();
        // Γ(1/2), singular at 0.
        let gamma = integral(Interval::Positive(1.0), TIGHT, |x| (-x).exp() / x.sqrt());
        close(gamma.unwrap(), root_pi, ROUNDING).unwrap();
        let off_scale = integral(Interval::Positive(1e-3), TIGHT, |x| x.powi(3) * (-x).exp());
        close(off_scale.unwrap(), 6.0, ROUNDING).unwrap();
    }

    #[test]
    fn a_jump_is_not_called_an_integral() {
        assert_eq!(
            integral(Interval::Line(0.0, 1.0), TIGHT, |x| f64::from(u8::from((0.3..0.7).contains(&x)))),
            None
        );
    }
}
