//! Laws of the special functions: inverses, complements, recurrences, domain.
use isostat_number::special::*;

/// A quantile is off by a few roundings, which its distribution function magnifies by its own condition.
const INVERSE: f64 = 1e-12;
/// A tail and its complement are rounded apart.
const COMPLEMENT: f64 = 4.0 * f64::EPSILON;
/// Both sides of a recurrence carry the four roundings of their functions.
const RECURRENCE: f64 = 16.0 * f64::EPSILON;

const PROBABILITIES: [f64; 11] = [1e-300, 1e-100, 1e-20, 1e-6, 0.01, 0.3, 0.5, 0.6, 0.9, 0.999, 1.0 - 1e-9];
const SHAPES: [f64; 9] = [0.05, 0.5, 1.0, 2.5, 19.0, 21.0, 300.0, 1e4, 1e6];

fn near(what: &str, got: f64, expected: f64, tolerance: f64) {
    let error = ((got - expected) / expected).abs();
    assert!(got == expected || error <= tolerance, "{what}: {got:e}, expected {expected:e}, error {error:e}");
}

#[test]
fn distribution_function_of_quantile() {
    for p in PROBABILITIES {
        near("normal", norm_cdf(norm_quantile(p)), p, INVERSE);
        for a in SHAPES {
            // Below the smallest float the quantile is zero.
            let x = inv_gamma_p(a, p);
            if x > f64::MIN_POSITIVE {
                near(&format!("gamma {a}"), gamma_p(a, x), p, INVERSE * (1.0 + a.sqrt()));
            }
            near(&format!("gamma upper {a}"), gamma_q(a, inv_gamma_q(a, p)), p, INVERSE * (1.0 + a.sqrt()));
            let t = student_t_quantile(p, a);
            if t.is_finite() {
                near(&format!("t {a}"), student_t_cdf(t, a), p, INVERSE);
            }
            for b in [0.5, 3.0, 40.0] {
                let f = f_quantile(p, a, b);
                if f > f64::MIN_POSITIVE && f.is_finite() {
                    near(&format!("F {a} {b}"), f_cdf(f, a, b), p, INVERSE);
                }
            }
        }
    }
}

#[test]
fn tails_add_to_one() {
    for x in [1e-8, 0.1, 0.9, 1.0, 5.0, 30.0, 1e3, 1e5] {
        for a in SHAPES {
            near("gamma", gamma_p(a, x) + gamma_q(a, x), 1.0, COMPLEMENT);
            near("t", student_t_cdf(x, a) + student_t_sf(x, a), 1.0, COMPLEMENT);
            near("t is symmetric", student_t_sf(x, a), student_t_cdf(-x, a), 0.0);
            near("F", f_cdf(x, a, 3.0) + f_sf(x, a, 3.0), 1.0, COMPLEMENT);
            near("F reversed", f_cdf(x, a, 3.0), f_sf(1.0 / x, 3.0, a), INVERSE);
            near(
                "inverse Gaussian",
                inverse_gaussian_cdf(x, 2.0, a) + inverse_gaussian_sf(x, 2.0, a),
                1.0,
                COMPLEMENT,
            );
        }
    }
}

#[test]
fn recurrences() {
    for x in [0.01, 0.3, 1.7, 6.5, 8.99, 9.01, 12.9, 50.5] {
        near("gamma", gamma(x + 1.0), x * gamma(x), RECURRENCE * (1.0 + x));
        near("digamma", digamma(x + 1.0) - digamma(x), 1.0 / x, RECURRENCE * (1.0 + x * digamma(x).abs()));
        for n in 1..=4 {
            let step = [0.0, -1.0, 2.0, -6.0, 24.0][n] / x.powi(n as i32 + 1);
            let size = (polygamma(n, x) / step).abs();
            near("polygamma", polygamma(n, x + 1.0) - polygamma(n, x), step, RECURRENCE * (1.0 + size));
        }
    }
}

#[test]
fn counts_sum_to_their_distribution_function() {
    // P(Y = 0), added up by the ratio of successive probabilities.
    let (mean, theta) = (3.5, 1.25);
    let (mut poisson, mut negative, mut binomial) =
        (f64::exp(-mean), (theta / (theta + mean)).powf(theta), 0.6_f64.powi(20));
    let (mut sum_p, mut sum_n, mut sum_b) = (0.0, 0.0, 0.0);
    for y in 0..20 {
        let k = f64::from(y);
        (sum_p, sum_n, sum_b) = (sum_p + poisson, sum_n + negative, sum_b + binomial);
        near("Poisson", poisson_cdf(k, mean), sum_p, INVERSE);
        near("negative binomial", neg_binomial_cdf(k, mean, theta), sum_n, INVERSE);
        near("binomial", binomial_cdf(k, 20.0, 0.4), sum_b, INVERSE);
        poisson *= mean / (k + 1.0);
        negative *= (k + theta) / (k + 1.0) * mean / (mean + theta);
        binomial *= (20.0 - k) / (k + 1.0) * 0.4 / 0.6;
    }
}

#[test]
fn infinite_degrees_of_freedom_are_the_limits() {
    for p in PROBABILITIES {
        assert_eq!(student_t_quantile(p, f64::INFINITY), norm_quantile(p));
        near("F", f_quantile(p, 5.0, f64::INFINITY) * 5.0, chi2_quantile(p, 5.0), COMPLEMENT);
    }
    assert_eq!(student_t_sf(2.0, f64::INFINITY), norm_cdf(-2.0));
}

#[test]
fn tweedie_density_integrates_to_one() {
    let (mu, phi) = (1.5, 0.8);
    for power in [1.2, 1.5, 1.8] {
        // Trapezoids in ln y: the integrand decays at both ends, so the rule is exact to rounding.
        let step = 0.05;
        let mass: f64 = (-12000..120)
            .map(|i| f64::from(i) * step)
            .map(|s| (tweedie_log_density(s.exp(), mu, phi, power) + s).exp())
            .sum::<f64>()
            * step;
        let zero = tweedie_log_density(0.0, mu, phi, power).exp();
        near(&format!("power {power}"), mass + zero, 1.0, INVERSE);
    }
}

#[test]
fn exact_values() {
    assert_eq!(norm_cdf(0.0), 0.5);
    assert_eq!(erfcx(0.0), 1.0);
    assert_eq!(norm_quantile(0.5), 0.0);
    assert_eq!(student_t_cdf(0.0, 3.0), 0.5);
    assert_eq!((ln_gamma(1.0), ln_gamma(2.0)), (0.0, 0.0));
    assert_eq!(
        (student_t_quantile(0.0, 2.0), student_t_quantile(1.0, 2.0)),
        (f64::NEG_INFINITY, f64::INFINITY)
    );
}

#[test]
fn poles_and_domain() {
    assert_eq!((ln_gamma(0.0), ln_gamma(-3.0)), (f64::INFINITY, f64::INFINITY));
    assert_eq!((digamma(0.0), trigamma(-2.0)), (f64::NEG_INFINITY, f64::INFINITY));
    let outside = [
        gamma_p(-1.0, 1.0),
        gamma_q(1.0, -1.0),
        beta_inc(1.0, 1.0, 1.5),
        inv_gamma_p(1.0, -0.1),
        inv_gamma_p(1.0, 1.1),
        norm_quantile(1.5),
        student_t_cdf(0.0, -1.0),
        f_cdf(1.0, 0.0, 1.0),
        f_quantile(1.1, 2.0, 2.0),
        f_upper_quantile(-0.1, 2.0, f64::INFINITY),
        poisson_cdf(1.0, -1.0),
        binomial_cdf(1.0, 3.0, 1.5),
        neg_binomial_cdf(1.0, 1.0, 0.0),
        inverse_gaussian_cdf(1.0, -1.0, 1.0),
        tweedie_log_density(1.0, 1.0, 1.0, 2.0),
        polygamma(5, 1.0),
        ln_beta(-1.0, 1.0),
    ];
    assert!(outside.iter().all(|v| v.is_nan()), "{outside:?}");
}

#[test]
fn nan_in_nan_out() {
    let one: [fn(f64) -> f64; 15] = [
        ln_gamma,
        gamma,
        digamma,
        trigamma,
        erf,
        erfc,
        erfcx,
        norm_cdf,
        norm_log_cdf,
        norm_pdf,
        norm_log_pdf,
        norm_quantile,
        log1p_exp,
        sigmoid,
        |x| polygamma(3, x),
    ];
    assert!(one.iter().all(|f| f(f64::NAN).is_nan()));
    let two: [fn(f64, f64) -> f64; 12] = [
        gamma_p,
        gamma_q,
        inv_gamma_p,
        inv_gamma_q,
        ln_beta,
        student_t_cdf,
        student_t_sf,
        student_t_quantile,
        chi2_cdf,
        chi2_sf,
        chi2_quantile,
        poisson_cdf,
    ];
    assert!(two.iter().all(|f| f(f64::NAN, 0.5).is_nan() && f(0.5, f64::NAN).is_nan()));
    let three: [fn(f64, f64, f64) -> f64; 9] = [
        beta_inc,
        inv_beta_inc,
        f_cdf,
        f_sf,
        f_quantile,
        binomial_cdf,
        neg_binomial_cdf,
        gamma_cdf,
        inverse_gaussian_cdf,
    ];
    for f in three {
        assert!(
            f(f64::NAN, 0.5, 0.5).is_nan()
                && f(0.5, f64::NAN, 0.5).is_nan()
                && f(0.5, 0.5, f64::NAN).is_nan()
        );
    }
}
