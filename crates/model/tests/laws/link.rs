//! Laws of links.
use isostat_model::{AnyLink, Link, Mean, Range};
use isostat_number::Dual;
use isostat_testkit::{Report, Tolerance, EXACT, ROUNDING, SOLVER};

use crate::grid::{carrier, conditioning, mean_of_link, means, moderate_predictors};

/// Results below this have no relative accuracy left.
const UNDERFLOW: f64 = 1e-305;

/// Means with their predictors.
type Points = Vec<(Mean<f64>, f64)>;

/// Links with their predictors all over the range: those of the means on the grid.
fn everywhere() -> Vec<(AnyLink, Points)> {
    let walk = |link: AnyLink| {
        let points = means(link.image()).into_iter().map(|m| (m.clone(), link.forward(&m)));
        // A power may leave the floats: such means have no predictor.
        let inside = points.filter(|(_, eta)| eta.is_finite() && (*eta == 0.0 || eta.abs() > UNDERFLOW));
        (
            link,
            inside
                .filter(|(m, eta)| *eta != 0.0 || m.mu == 0.0 || (1e-3..1e3).contains(&m.mu.abs()))
                .collect(),
        )
    };
    AnyLink::examples().into_iter().map(walk).collect()
}

/// A rounding of `eta`, grown by the link.
fn grown(link: &AnyLink, eta: f64) -> Tolerance {
    let factor = conditioning(link, eta);
    Tolerance::named("ROUNDING of eta, grown", ROUNDING.relative * factor).or_within(UNDERFLOW)
}

#[test]
fn the_inverse_of_the_link_is_its_inverse() {
    let mut report = Report::new("inverse(forward(mu)) = mu");
    for (link, points) in everywhere() {
        for (m, eta) in points {
            let back = mean_of_link(&link, eta);
            let tolerance = grown(&link, eta);
            let place = |what: &str| format!("{} at {what} of mu = {:e}, eta = {eta:e}", link.name(), m.mu);
            report.close(back.mu, m.mu, tolerance, || place("mu"));
            if link.image() == Range::Unit {
                report.close(back.complement, m.complement, tolerance, || place("the complement"));
            }
        }
    }
    report.finish();
}

#[test]
fn the_link_of_the_inverse_is_the_predictor() {
    let mut report = Report::new("forward(inverse(eta)) = eta");
    for (link, points) in everywhere() {
        for (_, eta) in points {
            let m = mean_of_link(&link, eta);
            let (_, slope) = link.inverse_with_slope(eta);
            if slope == 0.0 || carrier(&link, &m) < UNDERFLOW || !m.mu.is_finite() {
                continue;
            }
            // One rounding of the mean, or of its complement where that carries the digits.
            let size = eta.abs() + carrier(&link, &m) / slope.abs();
            let size = if size.is_finite() { size } else { eta.abs() };
            report.close(link.forward(&m), eta, ROUNDING.of_size(size), || {
                format!("{} at {eta:e}", link.name())
            });
        }
    }
    report.finish();
}

#[test]
fn the_slope_is_the_derivative_of_the_inverse() {
    let mut report = Report::new("inverse_with_slope = dual number of inverse");
    for (link, points) in everywhere() {
        for (_, eta) in points {
            let (mu, slope) = link.inverse_with_slope(eta);
            let dual = link.inverse(Dual::<f64, 1>::variable(eta, 0));
            let place = || format!("{} at {eta:e}", link.name());
            report.close(mu, dual.value, grown(&link, eta), place);
            report.close(slope, dual.slope[0], grown(&link, eta), place);
        }
    }
    report.finish();
}

#[test]
fn the_slope_is_a_difference_quotient() {
    let mut report = Report::new("slope = five-point difference of inverse");
    for link in AnyLink::examples() {
        for eta in moderate_predictors(&link).into_iter().filter(|e| e.abs() < 3.0) {
            let step = 1e-3 * eta.abs().min(1.0);
            let at = |k: f64| link.inverse(eta + k * step);
            let quotient = (8.0 * (at(1.0) - at(-1.0)) - (at(2.0) - at(-2.0))) / (12.0 * step);
            let (mu, slope) = link.inverse_with_slope(eta);
            let tolerance = SOLVER.of_size(mu.abs() + slope.abs());
            report.close(quotient, slope, tolerance, || format!("{} at {eta}", link.name()));
        }
    }
    report.finish();
}

#[test]
fn a_mean_and_its_complement_make_one() {
    let mut report = Report::new("mu + complement = 1");
    for (link, points) in everywhere() {
        for (_, eta) in points {
            let m = mean_of_link(&link, eta);
            let size = 1.0 + m.mu.abs();
            report.close(m.mu + m.complement, 1.0, ROUNDING.of_size(size), || {
                format!("{} at {eta:e}", link.name())
            });
        }
    }
    report.finish();
}

/// The links that are each other's mirror: `complement(eta)` of one is `inverse(-eta)` of the other, to all digits.
#[test]
fn complements_are_the_mirrored_means() {
    let mut report = Report::new("complement(eta) = mirror.inverse(-eta)");
    let pairs = [
        ("logit", "logit"),
        ("probit", "probit"),
        ("cauchit", "cauchit"),
        ("cloglog", "loglog"),
        ("loglog", "cloglog"),
    ];
    for (name, mirror) in pairs.map(|(a, b)| (AnyLink::parse(a).unwrap(), AnyLink::parse(b).unwrap())) {
        for eta in [-700.0, -40.0, -37.0, -6.0, -1.5, -1e-9, 0.0, 0.3, 1.0, 2.5, 6.4, 37.0, 40.0, 700.0] {
            let tolerance = ROUNDING.or_within(UNDERFLOW);
            let place = || format!("{} at {eta}", name.name());
            report.close(name.complement(eta), mirror.inverse(-eta), tolerance, place);
        }
    }
    report.finish();
}

#[test]
fn means_stay_in_the_image() {
    let mut report = Report::new("inverse(eta) lies in the image, or is not finite");
    for link in AnyLink::examples() {
        for eta in [-1e300, -700.0, -40.0, -3.0, -1e-5, -1e-300, 0.0, 1e-300, 1e-5, 3.0, 40.0, 700.0, 1e300] {
            let m = mean_of_link(&link, eta);
            let place = || format!("{} at {eta:e} gives {:e}, {:e}", link.name(), m.mu, m.complement);
            match link.image() {
                Range::Unit => {
                    let is_inside = (0.0..=1.0).contains(&m.mu) && (0.0..=1.0).contains(&m.complement);
                    report.check(is_inside && m.mu + m.complement > 0.5, place);
                }
                Range::Positive => report.check(!(m.mu < 0.0 || m.mu == f64::NEG_INFINITY), place),
                Range::NonZero => report.check(m.mu != 0.0 || eta.abs() > 1e290, place),
                Range::Real => report.check(m.mu.is_finite(), place),
            }
        }
    }
    report.finish();
}

#[test]
fn outside_the_domain_there_is_no_mean() {
    let mut report = Report::new("a predictor that no mean has gives no finite mean");
    for link in AnyLink::examples() {
        // A link whose predictors are all positive says so by its means.
        let is_one_sided = link.image() == Range::Positive && link.forward(&Mean::plain(1e-12_f64)) >= 0.0;
        for eta in [-1e-3_f64, -2.0, -500.0] {
            let (mu, slope) = link.inverse_with_slope(eta);
            let place = || format!("{} at {eta} gives {mu} and slope {slope}", link.name());
            report.check(mu.is_nan() == is_one_sided, place);
        }
        report.close(link.inverse(f64::NAN), f64::NAN, EXACT, || format!("{} at NaN", link.name()));
        report.close(link.complement(f64::NAN), f64::NAN, EXACT, || format!("{} at NaN", link.name()));
        let nowhere = Mean { mu: f64::NAN, complement: f64::NAN };
        report.close(link.forward(&nowhere), f64::NAN, EXACT, || format!("{} of NaN", link.name()));
    }
    report.finish();
}

#[test]
fn decreasing_links_say_so() {
    let mut report = Report::new("is_decreasing = slope < 0");
    for link in AnyLink::examples() {
        for eta in moderate_predictors(&link) {
            let (_, slope) = link.inverse_with_slope(eta);
            let place = || format!("{} at {eta} has slope {slope}", link.name());
            report.check(slope != 0.0 && link.is_decreasing() == (slope < 0.0), place);
        }
    }
    report.finish();
}

#[test]
fn names_lead_back() {
    let mut report = Report::new("parse(name) is the link");
    for link in AnyLink::examples() {
        let parsed = AnyLink::parse(&link.name());
        report.check(parsed.as_ref() == Ok(&link), || format!("{} gives {parsed:?}", link.name()));
    }
    for name in ["", "logits", "power(", "power(nan)", "power(inf)", "power(x)"] {
        report.check(AnyLink::parse(name).is_err(), || format!("{name} is taken"));
    }
    report.finish();
}
