//! The same text on other numbers: single precision and SIMD lanes.
use isostat_engine::Formula;
use isostat_model::row::{Fisher, Fit, Glm};
use isostat_model::{AnyFamily, AnyLink, Family, Link};
use isostat_number::{Lane, Number};
use isostat_testkit::{Report, Tolerance, ROUNDING};

use crate::grid::{conditioning, moderate_predictors, name, pairs, residual_size, responses, variable};

/// A formula of some dozen operations, each rounded to `f32`: 100 units of 1.2e-7.
const ROUNDING_F32: Tolerance = Tolerance::named("ROUNDING_F32", 1.2e-5);

type Any = Glm<AnyFamily, AnyLink>;

/// Scales of the three outputs: rounding of the inputs, grown.
fn sizes(glm: &Any, y: f64, eta: f64, [weight, _, deviance]: [f64; 3]) -> [f64; 3] {
    let (m, slope) = glm.mean_with_slope(eta);
    let growth = conditioning(&glm.link, eta);
    let variance = glm.family.variance(&variable(&m));
    let by_variance = 1.0 + (m.mu * variance.slope[0] / variance.value).abs();
    let residual = residual_size(&glm.family, y, &m);
    let ratio = (slope / variance.value).abs() * residual;
    let by_deviance = ratio * growth + residual * residual / variance.value;
    [
        weight * growth * by_variance,
        2.0 * ratio * growth * by_variance,
        deviance + 2.0 * by_deviance + y.abs(),
    ]
}

/// Runs a pair on another type of number, and compares.
fn agree<N: Number>(report: &mut Report, tolerance: Tolerance, read: impl Fn(&N) -> f64) {
    for glm in pairs() {
        for eta in moderate_predictors(&glm.link) {
            if glm.family.mean_range().guard(&glm.mean(eta)) != 1.0 {
                continue;
            }
            for y in responses(&glm.family) {
                let exact = Fisher(glm.clone()).eval([y, 2.0, eta]);
                let found = Fisher(glm.clone()).eval([y, 2.0, eta].map(N::literal)).map(|v| read(&v));
                let scale = sizes(&glm, y, eta, exact);
                // Single precision cannot hold the far tails.
                if exact.iter().any(|v| v.abs() > 1e30) || exact[0] < 1e-30 {
                    continue;
                }
                for (i, what) in ["W", "score", "deviance"].iter().enumerate() {
                    let place = || format!("{what} of {} at y = {y}, eta = {eta}", name(&glm));
                    report.close(found[i], exact[i], tolerance.of_size(scale[i]), place);
                }
            }
        }
    }
}

#[test]
fn lanes_agree_with_floats() {
    let mut report = Report::new("a SIMD lane gives what f64 gives");
    agree::<Lane<true>>(&mut report, ROUNDING, |v| v.0);
    agree::<Lane<false>>(&mut report, ROUNDING, |v| v.0);
    report.finish();
}

#[test]
fn single_precision_agrees_with_double() {
    let mut report = Report::new("f32 gives what f64 gives, to its own rounding");
    agree::<f32>(&mut report, ROUNDING_F32, |v| f64::from(*v));
    report.finish();
}

/// W, score and deviance at an extreme predictor, wherever the link gives a mean.
fn survive<N: Number>(report: &mut Report, read: impl Fn(&N) -> f64) {
    for glm in pairs() {
        for eta in [-700.0, -110.0, -88.0, -40.0, -16.0, 16.0, 40.0, 88.0, 110.0, 700.0] {
            let mean = glm.mean(N::literal(eta));
            // A mean may underflow to the edge of its range, and has no deviance there.
            let is_inside = read(&glm.family.mean_range().guard(&mean)) == 1.0;
            if !read(&mean.mu).is_finite() || !(is_inside || glm.is_range_safe()) {
                continue;
            }
            for y in responses(&glm.family) {
                let row = [y, 2.0, eta].map(N::literal);
                let [weight, score, deviance] = Fisher(glm.clone()).eval(row.clone()).map(|v| read(&v));
                let [pearson, _, _] = Fit(glm.clone()).eval(row).map(|v| read(&v));
                let square = read(&glm.family.residual(N::literal(y), &mean).square());
                let place = || {
                    format!(
                        "{} at y = {y}, eta = {eta}: {weight}, {score}, {deviance}, {pearson}",
                        name(&glm)
                    )
                };
                report.check(weight >= 0.0 && !score.is_nan(), place);
                // Squares may overflow, in single precision from 2e19 on: no deviance can tell then.
                report.check(pearson >= 0.0 || square == f64::INFINITY, place);
                report.check(deviance >= 0.0 || !is_inside || !pearson.is_finite(), place);
            }
        }
    }
}

#[test]
fn extreme_predictors_give_numbers_in_single_precision_and_on_lanes() {
    let mut report = Report::new("W >= 0, score and deviance are no NaN");
    survive::<f32>(&mut report, |v| f64::from(*v));
    survive::<Lane<true>>(&mut report, |v| v.0);
    survive::<Lane<false>>(&mut report, |v| v.0);
    report.finish();
}

#[test]
fn links_agree_on_lanes_and_in_single_precision() {
    let mut report = Report::new("inverse and slope of a link are those of f64");
    for link in AnyLink::examples() {
        for eta in moderate_predictors(&link) {
            let (mu, slope) = link.inverse_with_slope(eta);
            let growth = conditioning(&link, eta);
            let place = || format!("{} at {eta}", link.name());
            let (lane_mu, lane_slope) = link.inverse_with_slope(Lane::<true>(eta));
            report.close(lane_mu.0, mu, ROUNDING.of_size(growth * mu.abs()), place);
            report.close(lane_slope.0, slope, ROUNDING.of_size(growth * slope.abs()), place);
            if mu.abs() > 1e-30 && slope.abs() > 1e-30 {
                let (single, single_slope) = link.inverse_with_slope(eta as f32);
                report.close(single.into(), mu, ROUNDING_F32.of_size(growth * mu.abs()), place);
                report.close(single_slope.into(), slope, ROUNDING_F32.of_size(growth * slope.abs()), place);
            }
        }
    }
    report.finish();
}
