//! Links, variances, deviances and log densities against R 4.2 (`reference/r/family.R`) and against 50-digit sums
//! (`reference/mpmath/tweedie.py`).
use isostat_model::family::{NegativeBinomial, Tweedie};
use isostat_model::{AnyFamily, AnyLink, Family, Link, Mean, Range};
use isostat_testkit::{fixture, Report, Tolerance};
use serde_json::Value;

/// R's deviances and densities have about 13 digits where their parts cancel; its answers carry 17.
const R_DIGITS: Tolerance = Tolerance::named("R_DIGITS", 1e-12);

/// The terms of Tweedie's series are exponentials of sums whose parts are some thousands: an absolute error of
/// 1e-13 of the largest part, on a logarithm.
const SERIES: Tolerance = Tolerance::named("SERIES", 1e-13);

/// A named array of numbers.
fn numbers(record: &Value, key: &str) -> Vec<f64> {
    let read = |v: &Value| fixture::number(v).expect("a number");
    record[key].as_array().map(|values| values.iter().map(read).collect()).unwrap_or_default()
}

fn name(record: &Value) -> &str {
    record["name"].as_str().expect("a name")
}

fn mean(range: Range, mu: f64) -> Mean<f64> {
    match range {
        Range::Unit => Mean::unit(mu),
        _ => Mean::plain(mu),
    }
}

#[test]
fn links_are_those_of_r() {
    let document: Value = fixture("r/family.json").unwrap();
    let mut report = Report::new("link, inverse and slope as R has them");
    for record in document["links"].as_array().unwrap() {
        let link = AnyLink::parse(name(record)).unwrap();
        let (eta, mu, slope) = (numbers(record, "eta"), numbers(record, "mu"), numbers(record, "slope"));
        let (mu_in, eta_out) = (numbers(record, "mu_in"), numbers(record, "eta_out"));
        for i in 0..eta.len() {
            let place = |what: &str| format!("{what} of {} at eta = {}, mu = {}", link.name(), eta[i], mu[i]);
            let (found, found_slope) = link.inverse_with_slope(eta[i]);
            report.close(found, mu[i], R_DIGITS, || place("mean"));
            report.close(found_slope, slope[i], R_DIGITS, || place("slope"));
            // R has the mean alone: near 1 its rounding is that of 1 - mu.
            let rounding = if link.image() == Range::Unit { 1e-16 / slope[i] } else { 0.0 };
            let tolerance = R_DIGITS.or_within(rounding + 1e-15);
            report
                .close(link.forward(&mean(link.image(), mu_in[i])), eta_out[i], tolerance, || place("link"));
        }
    }
    report.finish();
}

fn family(record: &Value) -> AnyFamily {
    let parameter = record["parameter"].as_f64().expect("a parameter");
    match AnyFamily::parse(name(record)).unwrap() {
        AnyFamily::NegativeBinomial(_) => {
            AnyFamily::NegativeBinomial(NegativeBinomial::with_theta(parameter))
        }
        AnyFamily::Tweedie(_) => AnyFamily::Tweedie(Tweedie::with_power(parameter)),
        other => other,
    }
}

#[test]
fn families_are_those_of_r() {
    let document: Value = fixture("r/family.json").unwrap();
    let mut report = Report::new("variance, deviance and log density as R has them");
    for record in document["families"].as_array().unwrap() {
        let family = family(record);
        let [y, mu, phi, w] = ["y", "mu", "phi", "w"].map(|key| numbers(record, key));
        let (variance, deviance) = (numbers(record, "variance"), numbers(record, "deviance"));
        let log_density = numbers(record, "log_density");
        for i in 0..y.len() {
            let m = mean(family.mean_range(), mu[i]);
            let place = |what: &str| {
                format!(
                    "{what} of {} ({}) at y = {}, mu = {}",
                    name(record),
                    record["parameter"],
                    y[i],
                    mu[i]
                )
            };
            report.close(family.variance(&m), variance[i], R_DIGITS, || place("variance"));
            // R subtracts terms of the size of y and mu, or of their powers.
            let terms = (y[i].abs() + mu[i].abs()).max(1.0) * (1.0 + deviance[i].abs());
            let tolerance = R_DIGITS.or_within(1e-14 * terms);
            report.close(family.unit_deviance(y[i], &m), deviance[i], tolerance, || place("deviance"));
            if let Some(&expected) = log_density.get(i) {
                let found = family.log_density(y[i], &m, w[i], phi[i]);
                // The log of a density near 1 is small, its parts are not: gamma functions of y and theta.
                let tolerance = R_DIGITS.or_within(w[i] * 1e-13);
                report.close(found, expected, tolerance, || place("log density"));
            }
        }
    }
    report.finish();
}

#[test]
fn tweedie_densities_are_the_sums_of_their_mixture() {
    let document: Value = fixture("mpmath/tweedie.json").unwrap();
    let mut report = Report::new("log density of Tweedie = log of the Poisson mixture of gammas");
    for row in document["rows"].as_array().unwrap() {
        let row: Vec<f64> = row.as_array().unwrap().iter().filter_map(fixture::number).collect();
        let &[power, phi, mu, y, expected] = row.as_slice() else { panic!("a row of five") };
        let tweedie = Tweedie::with_power(power);
        let peak = tweedie.peak_term(y, phi);
        let found = tweedie.covering(peak, peak).log_density(y, &Mean::plain(mu), 1.0, phi);
        let shape = (2.0 - power) / (power - 1.0);
        let part = peak * (1.0 + shape) * (1.0 + (peak * shape).abs().ln_1p());
        let tolerance = SERIES.of_size(1.0 + expected.abs() + part);
        report.close(found, expected, tolerance, || format!("p = {power}, phi = {phi}, mu = {mu}, y = {y}"));
    }
    report.finish();
}
