//! Laws of the row formulas, for every pair that is supported.
use isostat_engine::Formula;
use isostat_model::row::{Curvature, Fisher, Fit, Glm, Likelihood, Observed};
use isostat_model::{AnyFamily, AnyLink, Family, Link};
use isostat_number::{Dual, Number};
use isostat_testkit::{Report, EXACT, ROUNDING};

use crate::grid::{
    conditioning, derivatives, deviance_slope_size, dispersions, has_likelihood, moderate_predictors, name,
    pairs, prepared, responses, second, variable, Second,
};

type Any = Glm<AnyFamily, AnyLink>;

/// Five trials, where weights are trials: whole for the responses of the grid.
const W: f64 = 5.0;

/// Rows of a pair inside the range of its means.
fn rows(glm: &Any) -> Vec<(f64, f64)> {
    let etas = moderate_predictors(&glm.link);
    let inside = etas.into_iter().filter(|&eta| glm.family.mean_range().guard(&glm.mean(eta)) == 1.0);
    inside.flat_map(|eta| responses(&glm.family).into_iter().map(move |y| (y, eta))).collect()
}

/// What the rounding of score and curvature is measured by.
struct Size {
    score: f64,
    curvature: f64,
}

fn size(glm: &Any, y: f64, eta: f64) -> Size {
    let m = glm.mean(eta);
    let [_, slope, bend] = derivatives(&glm.link.inverse(second(eta)));
    let variance = glm.family.variance(&variable(&m));
    let residual = deviance_slope_size(&glm.family, y, &m);
    let (v, v_slope) = (variance.value, variance.slope[0].abs());
    let growth = conditioning(&glm.link, eta);
    let score = W * residual * slope.abs() / v * growth;
    let parts = slope * slope + residual * (bend.abs() + slope * slope * v_slope / v);
    Size { score, curvature: W * parts / v * growth }
}

fn log_density<N: Number>(glm: &Any, y: f64, eta: N, phi: f64) -> N {
    let glm = Glm { family: prepared(&glm.family, y, phi / W), link: glm.link };
    let [value] = Formula::<4, 1>::eval(&glm, [N::literal(y), N::literal(W), eta, N::literal(phi)]);
    value
}

#[test]
fn information_is_never_negative() {
    let mut report = Report::new("W >= 0, W = w slope² / V");
    for glm in pairs() {
        for (y, eta) in rows(&glm) {
            let [weight, _, _] = Fisher(glm.clone()).eval([y, W, eta]);
            let (m, slope) = glm.mean_with_slope(eta);
            let expected = W * slope * slope / glm.family.variance(&m);
            let place = || format!("{} at eta = {eta}", name(&glm));
            report.check(weight >= 0.0, || format!("{}: {weight}", place()));
            report.close(weight, expected, ROUNDING, place);
        }
    }
    report.finish();
}

#[test]
fn the_score_is_the_derivative_of_the_likelihood() {
    let mut report = Report::new("score = phi d log_density / d eta");
    for glm in pairs().into_iter().filter(|g| has_likelihood(&g.family)) {
        for (y, eta) in rows(&glm) {
            let phi = dispersions(&glm.family)[0];
            let [_, score, _] = Fisher(glm.clone()).eval([y, W, eta]);
            let [slope] = log_density(&glm, y, Dual::<f64, 1>::variable(eta, 0), phi).slope;
            let tolerance = ROUNDING.of_size(size(&glm, y, eta).score);
            report.close(score, phi * slope, tolerance, || format!("{} at y = {y}, eta = {eta}", name(&glm)));
        }
    }
    report.finish();
}

#[test]
fn the_score_is_the_fall_of_the_deviance() {
    let mut report = Report::new("score = -1/2 d deviance / d eta");
    for glm in pairs() {
        for (y, eta) in rows(&glm) {
            let [_, score, deviance] =
                Fisher(glm.clone()).eval([Dual::fixed(y), Dual::fixed(W), Dual::<f64, 1>::variable(eta, 0)]);
            let tolerance = ROUNDING.of_size(size(&glm, y, eta).score);
            let place = || format!("{} at y = {y}, eta = {eta}", name(&glm));
            report.close(-0.5 * deviance.slope[0], score.value, tolerance, place);
        }
    }
    report.finish();
}

#[test]
fn the_curvature_is_the_second_derivative_of_the_likelihood() {
    let mut report = Report::new("curvature = -phi d² log_density / d eta²");
    for glm in pairs().into_iter().filter(|g| has_likelihood(&g.family)) {
        for (y, eta) in rows(&glm) {
            let phi = dispersions(&glm.family)[0];
            let [curvature, _, _] = Curvature(glm.clone()).eval([y, W, eta]);
            let value: Second = log_density(&glm, y, second(eta), phi);
            let [_, _, bend] = derivatives(&value);
            let tolerance = ROUNDING.of_size(size(&glm, y, eta).curvature);
            report.close(curvature, -phi * bend, tolerance, || {
                format!("{} at y = {y}, eta = {eta}", name(&glm))
            });
        }
    }
    report.finish();
}

#[test]
fn canonical_pairs_observe_what_they_expect() {
    let mut report = Report::new("curvature = W where the link is canonical, and there alone");
    for glm in pairs() {
        let mut is_equal = true;
        for (y, eta) in rows(&glm) {
            let [curvature, score, _] = Curvature(glm.clone()).eval([y, W, eta]);
            let [weight, same_score, _] = Fisher(glm.clone()).eval([y, W, eta]);
            let reach = ROUNDING.of_size(size(&glm, y, eta).curvature);
            let place = || format!("{} at y = {y}, eta = {eta}", name(&glm));
            report.close(same_score, score, EXACT, place);
            if glm.is_canonical() {
                report.close(curvature, weight, reach, place);
            }
            is_equal &= (curvature - weight).abs() <= reach.reach(weight);
        }
        report.check(is_equal == glm.is_canonical(), || {
            format!("{}: canonical is {}", name(&glm), glm.is_canonical())
        });
    }
    report.finish();
}

#[test]
fn observed_information_is_the_curvature_above_its_floor() {
    let mut report = Report::new("observed = max(curvature, W / 4)");
    for glm in pairs() {
        for (y, eta) in rows(&glm) {
            let [weight, score, deviance] = Fisher(glm.clone()).eval([y, W, eta]);
            let [curvature, _, _] = Curvature(glm.clone()).eval([y, W, eta]);
            let [observed, same_score, same_deviance] = Observed(glm.clone()).eval([y, W, eta]);
            let place = || format!("{} at y = {y}, eta = {eta}", name(&glm));
            report.close(observed, curvature.max(0.25 * weight), ROUNDING, place);
            report.close(same_score, score, EXACT, place);
            report.close(same_deviance, deviance, EXACT, place);
        }
    }
    report.finish();
}

#[test]
fn fit_and_likelihood_rows_are_the_family() {
    let mut report = Report::new("(Pearson, deviance, counted) and log-likelihood are the family's");
    for glm in pairs() {
        for (y, eta) in rows(&glm) {
            let m = glm.mean(eta);
            let [pearson, deviance, counted] = Fit(glm.clone()).eval([y, W, eta]);
            let expected = W * glm.family.residual(y, &m).powi(2) / glm.family.variance(&m);
            let place = || format!("{} at y = {y}, eta = {eta}", name(&glm));
            report.close(pearson, expected, ROUNDING, place);
            report.close(deviance, W * glm.family.unit_deviance(y, &m), EXACT, place);
            report.close(counted, 1.0, EXACT, place);
            let phi = dispersions(&glm.family)[0];
            let [found] = Likelihood { glm: glm.clone(), phi }.eval([y, W, eta]);
            report.close(found, glm.family.log_density(y, &m, W, phi), EXACT, place);
            let [pearson, deviance, counted] = Fit(glm.clone()).eval([y, 0.0, eta]);
            for found in [pearson, deviance, counted] {
                report.close(found, 0.0, EXACT, || format!("{} without weight", place()));
            }
        }
    }
    report.finish();
}

/// Whether a product of powers of these is a float: `Σ power · ln |x|` is in its range, with room for a weight.
fn is_float(factors: &[(f64, f64)]) -> bool {
    let log: f64 = factors.iter().map(|(x, power)| x.abs().ln() * power).sum();
    log.abs() < 690.0
}

#[test]
fn extreme_predictors_give_numbers() {
    let mut report =
        Report::new("W, score and deviance at extreme predictors: never NaN, finite where a float can be");
    for glm in pairs() {
        for eta in [-700.0_f64, -40.0, -37.5, -20.0, 20.0, 37.5, 40.0, 700.0] {
            let (m, slope) = glm.mean_with_slope(eta);
            let is_inside = m.mu.is_finite() && glm.family.mean_range().guard(&m) == 1.0;
            if !(is_inside || glm.is_range_safe() && m.mu.is_finite()) {
                continue;
            }
            let variance = glm.family.variance(&m);
            let holds_weight = is_float(&[(slope, 2.0), (variance, -1.0)]);
            for y in responses(&glm.family) {
                let [weight, score, deviance] = Fisher(glm.clone()).eval([y, W, eta]);
                let place =
                    || format!("{} at y = {y}, eta = {eta}: {weight:e}, {score:e}, {deviance:e}", name(&glm));
                report.check(weight >= 0.0 && !score.is_nan() && deviance >= 0.0, place);
                if weight == 0.0 {
                    report.check(score.is_finite(), place);
                }
                let residual = glm.family.residual(y, &m);
                if is_inside && holds_weight {
                    report.check(weight.is_finite(), place);
                    report.check(
                        score.is_finite() || !is_float(&[(slope, 1.0), (residual, 1.0), (variance, -1.0)]),
                        place,
                    );
                    report.check(
                        deviance.is_finite() || !is_float(&[(residual, 2.0), (variance, -1.0)]),
                        place,
                    );
                }
            }
        }
    }
    report.finish();
}

#[test]
fn leaving_the_range_spoils_the_deviance() {
    let mut report = Report::new("a mean outside the family's range has no deviance");
    for glm in pairs().into_iter().filter(|g| !g.is_range_safe()) {
        for eta in [-700.0, -3.0, -0.5, 1.5, 9.0] {
            let m = glm.mean(eta);
            if glm.family.mean_range().guard(&m) == 1.0 {
                continue;
            }
            for y in responses(&glm.family) {
                let [_, _, deviance] = Fisher(glm.clone()).eval([y, W, eta]);
                let place = || format!("{} at y = {y}, eta = {eta}, mu = {}", name(&glm), m.mu);
                report.close(deviance, f64::NAN, EXACT, place);
            }
        }
    }
    report.finish();
}
