//! Where the laws are put to the test, and how well conditioned things are there.
use isostat_model::row::Glm;
use isostat_model::{AnyFamily, AnyLink, Dispersion, Family, Link, Mean, Range, Support};
use isostat_number::{Dual, Number};

/// A number with its first two derivatives.
pub type Second = Dual<Dual<f64, 1>, 1>;

/// The independent variable at `x`, for two derivatives.
pub fn second(x: f64) -> Second {
    Dual::variable(Dual::variable(x, 0), 0)
}

/// The value and the two derivatives.
pub fn derivatives(x: &Second) -> [f64; 3] {
    [x.value.value, x.value.slope[0], x.slope[0].slope[0]]
}

/// Distances from an end of a range: from far tails to the middle.
pub const DISTANCES: [f64; 16] =
    [1e-300, 1e-200, 1e-100, 1e-50, 1e-30, 1e-20, 1e-17, 1e-16, 1e-12, 1e-8, 1e-4, 0.01, 0.1, 0.25, 0.4, 0.5];

/// Means all over a range, each with its complement where that exists.
pub fn means(range: Range) -> Vec<Mean<f64>> {
    let positive = || DISTANCES.iter().flat_map(|&d| [d, 1.0 / d]).chain([1.0, 3.0, 17.5]);
    match range {
        Range::Unit => {
            let low = DISTANCES.iter().map(|&d| Mean { mu: d, complement: 1.0 - d });
            low.chain(DISTANCES.iter().map(|&d| Mean { mu: 1.0 - d, complement: d })).collect()
        }
        Range::Positive => positive().map(Mean::plain).collect(),
        Range::NonZero => positive().flat_map(|m| [m, -m]).map(Mean::plain).collect(),
        Range::Real => positive().flat_map(|m| [m, -m]).chain([0.0]).map(Mean::plain).collect(),
    }
}

/// Means where nothing is extreme.
pub fn moderate_means(range: Range) -> Vec<Mean<f64>> {
    match range {
        Range::Unit => [0.02, 0.3, 0.5, 0.85].map(Mean::unit).to_vec(),
        Range::Positive => [0.05, 0.7, 1.0, 4.0, 60.0].map(Mean::plain).to_vec(),
        Range::NonZero => [-2.0, 0.3, 5.0].map(Mean::plain).to_vec(),
        Range::Real => [-30.0, -0.4, 0.0, 2.0, 11.0].map(Mean::plain).to_vec(),
    }
}

/// Responses of a family, its edges included. Each is a whole number of fifths, so that five trials are whole.
pub fn responses(family: &AnyFamily) -> Vec<f64> {
    match family.support() {
        Support::Unit => vec![0.0, 0.2, 0.6, 1.0],
        Support::NonNegative => vec![0.0, 1.0, 3.0, 70.0],
        Support::Positive => vec![0.02, 0.6, 1.0, 3.0, 70.0],
        Support::Real => vec![-12.0, -0.4, 0.0, 1.0, 25.0],
    }
}

/// The mean that equals the response: on the edge of the range where the response is.
pub fn saturated(family: &AnyFamily, y: f64) -> Mean<f64> {
    match family.mean_range() {
        Range::Unit => Mean { mu: y, complement: 1.0 - y },
        // A power of the mean may be infinite at 0 itself.
        Range::Positive => Mean::plain(y.max(1e-300)),
        _ => Mean::plain(y),
    }
}

/// A mean as an independent variable.
pub fn variable(m: &Mean<f64>) -> Mean<Dual<f64, 1>> {
    Mean { mu: Dual::variable(m.mu, 0), complement: Dual { value: m.complement, slope: [-1.0] } }
}

/// Quasi families have none.
pub fn has_likelihood(family: &AnyFamily) -> bool {
    !family.log_density(0.5_f64, &Mean::unit(0.5), 1.0, 1.0).is_nan()
}

/// Dispersions at which the family's likelihood is defined.
pub fn dispersions(family: &AnyFamily) -> &'static [f64] {
    match family.dispersion().counts() {
        true => &[0.3, 1.0, 2.5],
        false => &[1.0],
    }
}

/// Whether prior weights divide the dispersion, rather than repeat the row.
pub fn divides_dispersion(family: &AnyFamily) -> bool {
    matches!(family.dispersion(), Dispersion::PerRow | Dispersion::Maximised)
}

/// The family with all that its density at `y` asks for: the terms of Tweedie's series.
pub fn prepared(family: &AnyFamily, y: f64, phi: f64) -> AnyFamily {
    match family {
        AnyFamily::Tweedie(t) => {
            let peak = t.peak_term(y, phi);
            AnyFamily::Tweedie(t.covering(peak, peak))
        }
        other => other.clone(),
    }
}

/// What the rounding of a derivative of the deviance by the mean is measured by, in units of 1/V.
///
/// Where the deviance holds `((y - mu) / mu)^k`, the derivative is that of the ratio `y / mu`, found as a difference
/// of two numbers near 1.
pub fn deviance_slope_size(family: &AnyFamily, y: f64, m: &Mean<f64>) -> f64 {
    let growth = if family.support() == Support::Positive { 1.0 + m.mu / y } else { 1.0 };
    residual_size(family, y, m) * growth
}

/// What the rounding of `y - mu` is measured by.
pub fn residual_size(family: &AnyFamily, y: f64, m: &Mean<f64>) -> f64 {
    match family.mean_range() {
        Range::Unit => y * m.complement + (1.0 - y) * m.mu,
        _ => y.abs() + m.mu.abs(),
    }
}

/// The mean of a link at `eta`, with its complement where the link's means have one.
pub fn mean_of_link<N: Number>(link: &AnyLink, eta: N) -> Mean<N> {
    Mean { mu: link.inverse(eta.clone()), complement: link.complement(eta) }
}

/// `mu`, or its complement where that is the smaller: the digits that a link has to keep.
pub fn carrier(link: &AnyLink, m: &Mean<f64>) -> f64 {
    match link.image() {
        Range::Unit => m.mu.min(m.complement),
        _ => m.mu.abs(),
    }
}

/// By how much one rounding of `eta` grows in the mean and in its slope.
pub fn conditioning(link: &AnyLink, eta: f64) -> f64 {
    let [mu, slope, bend] = derivatives(&link.inverse(second(eta)));
    let complement = link.complement(eta);
    let by_mean = eta * slope / carrier(link, &Mean { mu, complement });
    let by_slope = eta * bend / slope;
    let finite = |x: f64| if x.is_finite() { x.abs() } else { 0.0 };
    1.0 + finite(by_mean) + finite(by_slope)
}

/// Linear predictors where nothing is extreme, inside the link's domain.
pub fn moderate_predictors(link: &AnyLink) -> Vec<f64> {
    let all = [-7.5, -2.5, -1.0, -0.3, 0.2, 0.9, 1.7, 4.0, 9.0];
    let inside = |eta: &f64| {
        let m = mean_of_link(link, *eta);
        m.mu.is_finite() && carrier(link, &m) > 1e-250
    };
    all.into_iter().filter(inside).collect()
}

/// Every pair that is supported.
pub fn pairs() -> Vec<Glm<AnyFamily, AnyLink>> {
    let mut found = Vec::new();
    for family in AnyFamily::examples() {
        let canonical = family.canonical_link();
        for link in AnyLink::examples().into_iter().chain(canonical) {
            if family.check_link(&link).is_ok() {
                found.push(Glm { family: family.clone(), link });
            }
        }
    }
    found
}

/// Family and link, by name.
pub fn name(glm: &Glm<AnyFamily, AnyLink>) -> String {
    format!("{} with {}", show(&glm.family), glm.link.name())
}

/// A family with its parameters.
pub fn show(family: &AnyFamily) -> String {
    match family {
        AnyFamily::NegativeBinomial(f) => format!("{}({})", family.name(), f.theta),
        AnyFamily::Tweedie(f) => format!("{}({})", family.name(), f.power),
        AnyFamily::Quasi(f) => format!("{}({:?})", family.name(), f.variance),
        other => other.name(),
    }
}
