//! Laws of families: variance, deviance and support.
use isostat_model::{AnyFamily, Dispersion, Family, Mean, Range, Support};
use isostat_testkit::{Report, Tolerance, EXACT, ROUNDING};

use crate::grid::{
    deviance_slope_size, dispersions, divides_dispersion, has_likelihood, means, moderate_means, prepared,
    responses, saturated, show, variable,
};

/// Weights at which a row of fifths holds whole trials.
const WEIGHTS: [f64; 3] = [1.0, 5.0, 20.0];

/// The floats that a weight of one trial allows.
fn is_whole(family: &AnyFamily, y: f64, w: f64) -> bool {
    family.support() != Support::Unit || (y * w - (y * w).round()).abs() < 1e-9
}

#[test]
fn the_score_knows_the_variance() {
    let mut report = Report::new("d log_density / d mu = w (y - mu) / (phi V(mu))");
    for family in AnyFamily::examples().into_iter().filter(has_likelihood) {
        for y in responses(&family) {
            for m in moderate_means(family.mean_range()) {
                for (&phi, w) in dispersions(&family).iter().flat_map(|p| WEIGHTS.map(|w| (p, w))) {
                    if !is_whole(&family, y, w) {
                        continue;
                    }
                    let family = prepared(&family, y, phi / w);
                    let [score] = family
                        .log_density(y.into_dual(), &variable(&m), w.into_dual(), phi.into_dual())
                        .slope;
                    let variance = family.variance(&m);
                    let expected = w * family.residual(y, &m) / (phi * variance);
                    let size = w * deviance_slope_size(&family, y, &m) / (phi * variance);
                    report.close(score, expected, ROUNDING.of_size(size), || {
                        format!("{} at y = {y}, mu = {}, w = {w}, phi = {phi}", show(&family), m.mu)
                    });
                }
            }
        }
    }
    report.finish();
}

/// A number that depends on nothing.
trait IntoDual {
    fn into_dual(self) -> isostat_number::Dual<f64, 1>;
}
impl IntoDual for f64 {
    fn into_dual(self) -> isostat_number::Dual<f64, 1> {
        isostat_number::Dual::fixed(self)
    }
}

#[test]
fn the_deviance_is_the_distance_from_the_saturated_model() {
    let mut report = Report::new("unit_deviance = 2 phi (log_density(y; y) - log_density(y; mu)) / w");
    for family in AnyFamily::examples().into_iter().filter(has_likelihood) {
        for y in responses(&family) {
            for m in moderate_means(family.mean_range()) {
                for (&phi, w) in dispersions(&family).iter().flat_map(|p| WEIGHTS.map(|w| (p, w))) {
                    if !is_whole(&family, y, w) {
                        continue;
                    }
                    let family = prepared(&family, y, phi / w);
                    let best = family.log_density(y, &saturated(&family, y), w, phi);
                    let here = family.log_density(y, &m, w, phi);
                    let scale = 2.0 * phi / w;
                    // The parts without a mean in them cancel, logarithms of gamma functions above all.
                    let size = scale
                        * (best.abs() + here.abs() + (w * (y + 1.0)).abs().ln_1p() * w * (y.abs() + 1.0));
                    report.close(
                        family.unit_deviance(y, &m),
                        scale * (best - here),
                        ROUNDING.of_size(size),
                        || format!("{} at y = {y}, mu = {}, w = {w}, phi = {phi}", show(&family), m.mu),
                    );
                }
            }
        }
    }
    report.finish();
}

#[test]
fn the_deviance_falls_like_the_score() {
    let mut report = Report::new("d unit_deviance / d mu = -2 (y - mu) / V(mu)");
    for family in AnyFamily::examples() {
        for y in responses(&family) {
            for m in moderate_means(family.mean_range()) {
                let [slope] = family.unit_deviance(y.into_dual(), &variable(&m)).slope;
                let variance = family.variance(&m);
                let expected = -2.0 * family.residual(y, &m) / variance;
                let size = 2.0 * deviance_slope_size(&family, y, &m) / variance;
                report.close(slope, expected, ROUNDING.of_size(size), || {
                    format!("{} at y = {y}, mu = {}", show(&family), m.mu)
                });
            }
        }
    }
    report.finish();
}

#[test]
fn the_deviance_is_zero_at_the_response_alone() {
    let mut report = Report::new("unit_deviance >= 0, with 0 at mu = y");
    for family in AnyFamily::examples() {
        for y in responses(&family) {
            let at = saturated(&family, y);
            let least = family.unit_deviance(y, &at);
            // The saturated mean of a response on the edge is 1e-300 off it, and V may be a power.
            report.close(least, 0.0, EXACT.or_within(1e-50), || format!("{} at mu = y = {y}", show(&family)));
            for m in means(family.mean_range()) {
                let deviance = family.unit_deviance(y, &m);
                let place = || format!("{} at y = {y}, mu = {:e}: {deviance:e}", show(&family), m.mu);
                report.check(deviance >= 0.0, place);
            }
        }
    }
    report.finish();
}

/// A mean within a relative distance of the response, with an exact complement.
fn near(family: &AnyFamily, y: f64, distance: f64) -> Option<Mean<f64>> {
    let mu = y + y * distance;
    match family.mean_range() {
        Range::Unit if y == 0.0 || y == 1.0 => None,
        Range::Unit => Some(Mean { mu, complement: 1.0 - mu }),
        Range::Positive if y == 0.0 => None,
        _ => Some(Mean::plain(mu)),
    }
}

/// Sums of deviances take their digits from the rows that fit well.
#[test]
fn small_deviances_keep_their_digits() {
    let mut report = Report::new("unit_deviance = (y - mu)² / V, to the rounding of y - mu");
    for family in AnyFamily::examples() {
        for y in responses(&family) {
            for distance in [1e-15, -1e-14, 1e-12, -1e-10, 1e-8, -1e-6, 1e-5] {
                let Some(m) = near(&family, y, distance) else { continue };
                let residual = y - m.mu;
                let square = residual * residual / family.variance(&m);
                let found = family.unit_deviance(y, &m);
                // The series goes on with the third power; y - mu is rounded in units of itself.
                let third = 20.0 * square * distance.abs();
                let rounding =
                    ROUNDING.relative * residual.abs() * (y.abs() + m.mu.abs()) / family.variance(&m);
                let accepted = EXACT.or_within(third + rounding);
                let place = || format!("{} at y = {y}, mu = y (1 + {distance:e})", show(&family));
                report.close(found, square, accepted, place);
                report.check(found >= 0.0, || format!("{}: {found:e} is negative", place()));
            }
        }
    }
    report.finish();
}

#[test]
fn residuals_are_differences() {
    let mut report = Report::new("residual = y - mu");
    for family in AnyFamily::examples() {
        for y in responses(&family) {
            for m in means(family.mean_range()) {
                let exact = if m.mu > 0.5 && y == 1.0 && family.mean_range() == Range::Unit {
                    m.complement
                } else {
                    y - m.mu
                };
                let tolerance =
                    Tolerance::named("ROUNDING", ROUNDING.relative).or_within(4e-16 * (m.mu.abs() + y.abs()));
                let place = || format!("{} at y = {y}, mu = {:e}", show(&family), m.mu);
                report.close(family.residual(y, &m), exact, tolerance, place);
            }
        }
    }
    report.finish();
}

#[test]
fn variances_are_positive_inside_the_range() {
    let mut report = Report::new("V(mu) > 0");
    for family in AnyFamily::examples() {
        for m in moderate_means(family.mean_range()) {
            let variance = family.variance(&m);
            let place = || format!("{} at {}: {variance}", show(&family), m.mu);
            report.check(variance > 0.0 && variance.is_finite(), place);
        }
    }
    report.finish();
}

#[test]
fn weights_repeat_rows_or_divide_the_dispersion() {
    let mut report = Report::new("log_density(w, phi) = log_density(1, phi / w), or w log_density(1, phi)");
    for family in AnyFamily::examples().into_iter().filter(has_likelihood) {
        if family.support() == Support::Unit {
            continue; // weights are trials: density.rs sums them
        }
        for y in responses(&family) {
            for m in moderate_means(family.mean_range()) {
                let (phi, w) = (dispersions(&family)[0], 5.0);
                let family = prepared(&family, y, phi / w);
                let expected = if divides_dispersion(&family) {
                    family.log_density(y, &m, 1.0, phi / w)
                } else {
                    w * family.log_density(y, &m, 1.0, phi)
                };
                let place = || format!("{} at y = {y}, mu = {}", show(&family), m.mu);
                let size = expected.abs() + 1.0;
                report.close(family.log_density(y, &m, w, phi), expected, ROUNDING.of_size(size), place);
                report.close(family.log_density(y, &m, 0.0, phi), 0.0, EXACT, place);
            }
        }
    }
    report.finish();
}

#[test]
fn supports_end_where_they_say() {
    let below_one = 1.0 - f64::EPSILON / 2.0;
    let above_one = 1.0 + f64::EPSILON;
    let (least, not_finite) = (f64::from_bits(1), [f64::NAN, f64::INFINITY, f64::NEG_INFINITY]);
    let cases: [(Support, &[f64], &[f64]); 4] = [
        (Support::Real, &[-1e308, -1.0, 0.0, 1e308], &[]),
        (Support::Positive, &[least, 1.0, 1e308], &[0.0, -0.0, -least, -1.0]),
        (Support::NonNegative, &[0.0, -0.0, least, 1e308], &[-least, -1.0]),
        (Support::Unit, &[0.0, -0.0, least, below_one, 1.0], &[-least, above_one, 2.0]),
    ];
    let mut report = Report::new("violation is 1 outside the support, 0 inside");
    for (support, inside, outside) in cases {
        for &y in inside {
            report.close(support.violation(y), 0.0, EXACT, || format!("{support:?} at {y:e}"));
        }
        for &y in outside.iter().chain(&not_finite) {
            report.close(support.violation(y), 1.0, EXACT, || format!("{support:?} at {y:e}"));
        }
    }
    report.finish();
}

#[test]
fn names_lead_back() {
    let mut report = Report::new("parse(name) is the family");
    for family in AnyFamily::examples() {
        let parsed = AnyFamily::parse(&family.name()).map(|f| f.name());
        report.check(parsed == Ok(family.name()), || format!("{} gives {parsed:?}", family.name()));
    }
    for name in ["", "gausian", "student t"] {
        report.check(AnyFamily::parse(name).is_err(), || format!("{name} is taken"));
    }
    report.finish();
}

#[test]
fn families_without_a_likelihood_have_no_dispersion_in_it() {
    let mut report = Report::new("a dispersion that counts as a parameter has a likelihood");
    for family in AnyFamily::examples() {
        let counts = family.dispersion().counts();
        report.check(!counts || has_likelihood(&family), || show(&family));
        report.check(family.dispersion() != Dispersion::Fixed || has_likelihood(&family), || show(&family));
    }
    report.finish();
}
