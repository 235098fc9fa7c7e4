//! Where the iteration starts.
use isostat_engine::Formula;
use isostat_model::row::Start;
use isostat_model::{AnyFamily, Family, Link, Mean, Range};
use isostat_testkit::{Report, EXACT, ROUNDING};

use crate::grid::{name, pairs, responses, show};

fn is_inside(range: Range, m: &Mean<f64>) -> bool {
    range.guard(m) == 1.0 && m.mu.is_finite() && (range != Range::NonZero || m.mu != 0.0)
}

#[test]
fn starts_lie_in_the_range_of_means() {
    let mut report = Report::new("start(y, w) is a mean of the family");
    for family in AnyFamily::examples() {
        for y in responses(&family) {
            for w in [0.0, 1e-6, 1.0, 5.0, 1e9] {
                let start = Mean::unit(family.start(y, w));
                let place = || format!("{} at y = {y}, w = {w}: {}", show(&family), start.mu);
                report.check(is_inside(family.mean_range(), &start), place);
            }
        }
    }
    report.finish();
}

#[test]
fn the_first_regression_is_finite() {
    let mut report = Report::new("(W, W z, deviance) of the start are finite, W >= 0");
    for glm in pairs() {
        for y in responses(&glm.family) {
            let mean = Mean::unit(glm.family.start(y, 5.0));
            if !is_inside(glm.link.image(), &mean) {
                continue; // a Gaussian response that a restricted link cannot reach needs `start=`
            }
            let start = Start { glm: glm.clone(), is_mean: false };
            let [weight, working, deviance] = start.eval([y, 5.0, 0.25]);
            let all_finite = [weight, working, deviance].iter().all(|v| v.is_finite());
            report.check(all_finite && weight >= 0.0 && deviance >= 0.0, || {
                format!("{} at y = {y}: {weight}, {working}, {deviance}", name(&glm))
            });
        }
    }
    report.finish();
}

#[test]
fn the_working_response_is_the_predictor_plus_the_scaled_residual() {
    let mut report = Report::new("z = eta - offset + (y - mu) / slope");
    for glm in pairs() {
        for y in responses(&glm.family) {
            let (w, offset) = (5.0, 0.25);
            let mu = glm.family.start(y, w);
            let m = Mean::unit(mu);
            if !is_inside(glm.link.image(), &m) {
                continue;
            }
            let eta = glm.link.forward(&m);
            let (_, slope) = glm.link.inverse_with_slope(eta);
            let [weight, working, _] = Start { glm: glm.clone(), is_mean: false }.eval([y, w, offset]);
            let expected = weight * (eta - offset + (y - mu) / slope);
            let size = weight * (eta.abs() + offset + (y.abs() + mu.abs()) / slope.abs());
            let place = || format!("{} at y = {y}", name(&glm));
            report.close(working, expected, ROUNDING.of_size(size), place);
            // A mean given is the predictor alone.
            let [weight, working, _] = Start { glm: glm.clone(), is_mean: true }.eval([mu, w, offset]);
            report.close(working, weight * (eta - offset), EXACT, place);
        }
    }
    report.finish();
}
