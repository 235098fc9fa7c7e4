//! Densities add up to one, and have the mean and variance that the family says.
use isostat_model::{AnyFamily, Family, Mean, Support};
use isostat_testkit::{integral, Interval, Report, Tolerance};

use crate::grid::{dispersions, divides_dispersion, has_likelihood, moderate_means, prepared, show};

/// Quadrature stops at 1e-12 of the integral; a thousand terms of a sum, each with a logarithm of the gamma function
/// near 1e3, keep as much.
const QUADRATURE: Tolerance = Tolerance::named("QUADRATURE", 1e-10);
const STOP: f64 = 1e-12;

/// Mass, mean, and mean square around `mu`.
type Moments = [f64; 3];

/// The three at one point.
fn moments_at(y: f64, mu: f64, density: f64) -> Moments {
    // A density that underflows has no mass, however far out.
    if density == 0.0 {
        return [0.0; 3];
    }
    [density, y * density, (y - mu).powi(2) * density]
}

fn density(family: &AnyFamily, y: f64, m: &Mean<f64>, w: f64, phi: f64) -> f64 {
    prepared(family, y, phi / w).log_density(y, m, w, phi).exp()
}

/// Sums over a lattice.
fn lattice(family: &AnyFamily, m: &Mean<f64>, w: f64) -> Moments {
    let (step, last) = match family.support() {
        Support::Unit => (1.0 / w, w as u32),
        // Beyond 60 standard deviations and 200 counts the geometric tails are below 1e-17.
        _ => (1.0, (m.mu + 60.0 * family.variance(m).sqrt() + 200.0) as u32),
    };
    let mut sum = [0.0; 3];
    for k in 0..=last {
        let y = f64::from(k) * step;
        let at = moments_at(y, m.mu, density(family, y, m, w, 1.0));
        sum = std::array::from_fn(|i| sum[i] + at[i]);
    }
    sum
}

/// Integrates, and adds the mass at 0 where the support has one.
fn continuum(family: &AnyFamily, m: &Mean<f64>, w: f64, phi: f64) -> Option<Moments> {
    let spread = (phi * family.variance(m) / w).sqrt();
    let interval = match family.support() {
        Support::Real => Interval::Line(m.mu, spread),
        _ => Interval::Positive(m.mu),
    };
    // Every tail of the list is exponential at least; past this its mass is below 1e-17.
    let end = m.mu.abs() + 200.0 * spread * (1.0 + spread / m.mu.abs().max(1e-3));
    let part = |i: usize| {
        integral(interval, STOP, |y| {
            let is_counted = y.abs() < end && (y > 0.0 || family.support() == Support::Real);
            if is_counted {
                moments_at(y, m.mu, density(family, y, m, w, phi))[i]
            } else {
                0.0
            }
        })
    };
    let atom = match family.support() {
        Support::NonNegative => moments_at(0.0, m.mu, density(family, 0.0, m, w, phi)),
        _ => [0.0; 3],
    };
    Some([part(0)? + atom[0], part(1)? + atom[1], part(2)? + atom[2]])
}

#[test]
fn densities_have_mass_one_their_mean_and_their_variance() {
    let mut report = Report::new("sum or integral of the density: 1, mu, phi V(mu) / w");
    for family in AnyFamily::examples().into_iter().filter(has_likelihood) {
        let weights: &[f64] = match (family.support(), divides_dispersion(&family)) {
            (Support::Unit, _) => &[1.0, 7.0, 60.0],
            (_, true) => &[1.0, 2.5],
            _ => &[1.0],
        };
        for m in moderate_means(family.mean_range()) {
            for (&phi, &w) in dispersions(&family).iter().flat_map(|p| weights.iter().map(move |w| (p, w))) {
                let place = || format!("{} at mu = {}, phi = {phi}, w = {w}", show(&family), m.mu);
                let found = if family.is_discrete() {
                    Some(lattice(&family, &m, w))
                } else {
                    continuum(&family, &m, w, phi)
                };
                let Some([mass, mean, square]) = found else {
                    report.check(false, || format!("{}: no quadrature rule", place()));
                    continue;
                };
                let variance = phi * family.variance(&m) / w;
                report.close(mass, 1.0, QUADRATURE, || format!("mass of {}", place()));
                let size = m.mu.abs() + variance.sqrt();
                report.close(mean, m.mu, QUADRATURE.of_size(size), || format!("mean of {}", place()));
                report.close(square, variance, QUADRATURE, || format!("variance of {}", place()));
            }
        }
    }
    report.finish();
}
