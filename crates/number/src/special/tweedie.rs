//! The density of the Tweedie distributions with `1 < power < 2`: Poisson sums of gamma variables.
use super::digamma::trigamma;
use super::double::Double;
use super::gamma::{ln_gamma, ln_gamma_1p, stirling_error, STIRLING_FROM};
use super::gamma_inc::gamma_deviance;
use super::normal::LN_SQRT_2PI;

/// Logarithm of the Tweedie density at `y`, for `1 < power < 2`; at `y = 0` the logarithm of the point mass.
///
/// `Y` is a sum of `N ~ Poisson(λ)` gamma variables of shape `α` and scale `τ` with `α = (2 - p)/(p - 1)`,
/// `λ = μ^{2-p}/(φ(2 - p))`, `τ = φ(p - 1) μ^{p-1}`. Hence `ln P(Y = 0) = -λ` and the density is the sum over
/// `j ≥ 1` of `P(N = j)` times a gamma density. Dunn and Smyth (2005), Statistics and Computing 15, 267–280, sum
/// this series around its largest term; here each term is in saddle-point form, so that large parts never cancel.
/// `-∞` for `y < 0`; NaN unless `mu, phi > 0`. R: `log(tweedie::dtweedie(y, power, mu, phi))`.
pub fn tweedie_log_density(y: f64, mu: f64, phi: f64, power: f64) -> f64 {
    let valid = mu > 0.0 && phi > 0.0 && power > 1.0 && power < 2.0 && mu.is_finite() && phi.is_finite();
    if y.is_nan() || !valid {
        return f64::NAN;
    }
    if y < 0.0 || y.is_infinite() {
        return f64::NEG_INFINITY;
    }
    let rate = mu.powf(2.0 - power) / (phi * (2.0 - power));
    if y == 0.0 {
        return -rate;
    }
    let series = Series {
        rate,
        shape: (2.0 - power) / (power - 1.0),
        point: y / (phi * (power - 1.0) * mu.powf(power - 1.0)),
    };
    // Stirling's estimate of the largest term, Dunn and Smyth (2005), section 4.
    let peak = (y.powf(2.0 - power) / (phi * (2.0 - power))).round().max(1.0);
    series.log_sum(peak) - y.ln()
}

/// Poisson rate `λ`, gamma shape `α` and the scaled point `y/τ`.
struct Series {
    rate: f64,
    shape: f64,
    point: f64,
}

/// Terms below `e^-38` of the largest are below rounding.
const NEGLIGIBLE: f64 = -38.0;

impl Series {
    /// `ln` of term `j`: Poisson probability of `j` times the density of `ln y` given `j`.
    fn log_term(&self, j: f64) -> f64 {
        let shape = j * self.shape;
        log_power_density(j, self.rate) - j.ln() + log_power_density(shape, self.point)
    }

    /// `ln` of the sum around its largest term, near `peak`.
    fn log_sum(&self, peak: f64) -> f64 {
        let (peak, largest) = self.climb(peak);
        // The terms are log-concave in j with this spread at the peak. Sampled with a step of a quarter of it, the
        // sum equals the step times the sampled sum to e^{-2π² 16} (Poisson's summation formula).
        let spread = (1.0 / (1.0 / peak + self.shape.powi(2) * trigamma(peak * self.shape))).sqrt();
        let step = (0.25 * spread).floor().max(1.0);
        let mut sum = 1.0;
        for direction in [-step, step] {
            let mut j = peak + direction;
            while j >= 1.0 {
                let below = self.log_term(j) - largest;
                sum += below.exp();
                if below < NEGLIGIBLE {
                    break;
                }
                j += direction;
            }
        }
        largest + (sum * step).ln()
    }

    /// The largest term near `peak`, where the estimate is off by less than one or so.
    fn climb(&self, mut peak: f64) -> (f64, f64) {
        let mut largest = self.log_term(peak);
        for direction in [-1.0, 1.0] {
            while peak + direction >= 1.0 {
                let value = self.log_term(peak + direction);
                if value <= largest {
                    break;
                }
                (peak, largest) = (peak + direction, value);
            }
        }
        (peak, largest)
    }
}

/// `ln(x^a e^-x / Γ(a))` for `a, x > 0`.
fn log_power_density(a: f64, x: f64) -> f64 {
    if a >= STIRLING_FROM {
        let exponent = gamma_deviance(a, Double::from(x));
        0.5 * a.ln() - LN_SQRT_2PI - stirling_error(a) - exponent.hi
    } else if a <= 0.25 {
        a * x.ln() - x + a.ln() - ln_gamma_1p(a)
    } else {
        a * x.ln() - x - ln_gamma(a)
    }
}
