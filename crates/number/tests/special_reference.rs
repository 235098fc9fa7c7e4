//! Special functions against mpmath at 50 digits or more (`reference/mpmath/special.py`).
use isostat_number::special::*;
use std::path::Path;

/// Elementary functions: four units in the last place of the value and of the change that one unit in each
/// argument makes. Near a zero this is an absolute bound, as no float argument carries more.
const ELEMENTARY: f64 = 4.0 * f64::EPSILON;
/// Incomplete functions, distribution functions and quantiles for shapes up to 1e4, relative in either tail.
const INCOMPLETE: f64 = 1e-13;
/// The same for shapes up to 1e8 (degrees of freedom up to 1e10).
const LARGE_SHAPE: f64 = 1e-10;
/// The Tweedie density: rounding of `λ`, `α` and `y/τ`, each magnified by as many terms as the series has.
const TWEEDIE: f64 = 1e-13;

struct Table {
    /// Arguments, results, and the scale of each result.
    rows: Vec<(Vec<f64>, Vec<f64>, Vec<f64>)>,
}

fn tables() -> serde_json::Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../reference/mpmath/special.json");
    let text = std::fs::read_to_string(path).expect("reference/mpmath/special.json");
    serde_json::from_str(&text).expect("valid JSON")
}

fn table(name: &str) -> Table {
    let all = tables();
    let group = &all["groups"][name];
    let n_arguments = group["arguments"].as_array().expect("arguments").len();
    let n_results = group["results"].as_array().expect("results").len();
    let scaled = group["scaled"].as_bool().expect("scaled");
    let rows = group["rows"].as_array().expect("rows").iter().map(|row| {
        let text = row.as_str().expect("text");
        let numbers: Vec<f64> = text.split(' ').map(|t| t.parse().expect("number")).collect();
        let results = numbers[n_arguments..n_arguments + n_results].to_vec();
        let scales = if scaled { vec![*numbers.last().expect("scale")] } else { results.clone() };
        (numbers[..n_arguments].to_vec(), results, scales)
    });
    Table { rows: rows.collect() }
}

/// Compares a group and prints its worst error, in units of the tolerance.
fn check(name: &str, tolerance: f64, f: impl Fn(&[f64]) -> Vec<f64>) {
    let rows = table(name).rows;
    assert!(rows.len() >= 15, "{name}: {} rows", rows.len());
    let mut worst = (0.0, String::new());
    let mut failed = 0;
    for (arguments, expected, scales) in &rows {
        let got = f(arguments);
        assert_eq!(got.len(), expected.len());
        for ((g, e), s) in got.iter().zip(expected).zip(scales) {
            let error = (g - e).abs() / (tolerance * s.abs());
            // A NaN must fail too.
            let error = if g == e {
                0.0
            } else if error.is_nan() {
                f64::INFINITY
            } else {
                error
            };
            failed += usize::from(error > 1.0);
            if error > worst.0 {
                worst = (error, format!("{arguments:?}: {g:e}, expected {e:e}"));
            }
        }
    }
    println!("{name:24} {:5} rows, worst {:9.3} at {}", rows.len(), worst.0, worst.1);
    assert_eq!(
        failed,
        0,
        "{name}: {failed} of {} beyond the tolerance, worst {} times at {}",
        rows.len(),
        worst.0,
        worst.1
    );
}

fn check_one(name: &str, tolerance: f64, f: fn(f64) -> f64) {
    check(name, tolerance, |a| vec![f(a[0])]);
}

macro_rules! reference {
    ($($test:ident: $name:literal within $tolerance:ident, $f:expr;)*) => {
        $(#[test] fn $test() { let f: fn(&[f64]) -> Vec<f64> = $f; check($name, $tolerance, f); })*
    };
}

macro_rules! elementary {
    ($($f:ident)*) => { $(#[test] fn $f() { check_one(stringify!($f), ELEMENTARY, isostat_number::special::$f); })* };
}

elementary! { ln_gamma gamma digamma erf erfc erfcx norm_cdf norm_log_cdf norm_pdf norm_quantile log1p_exp sigmoid }

reference! {
    polygamma_1: "polygamma1" within ELEMENTARY, |a| vec![trigamma(a[0])];
    polygamma_2: "polygamma2" within ELEMENTARY, |a| vec![polygamma(2, a[0])];
    polygamma_3: "polygamma3" within ELEMENTARY, |a| vec![polygamma(3, a[0])];
    polygamma_4: "polygamma4" within ELEMENTARY, |a| vec![polygamma(4, a[0])];
    beta_logarithm: "ln_beta" within ELEMENTARY, |a| vec![ln_beta(a[0], a[1])];
    gamma_incomplete: "gamma_inc" within INCOMPLETE, |a| vec![gamma_p(a[0], a[1]), gamma_q(a[0], a[1])];
    gamma_incomplete_large: "gamma_inc_large" within LARGE_SHAPE, |a| vec![gamma_p(a[0], a[1]), gamma_q(a[0], a[1])];
    gamma_lower_quantile: "inv_gamma_p" within INCOMPLETE, |a| vec![inv_gamma_p(a[0], a[1])];
    gamma_upper_quantile: "inv_gamma_q" within INCOMPLETE, |a| vec![inv_gamma_q(a[0], a[1])];
    gamma_lower_quantile_large: "inv_gamma_p_large" within LARGE_SHAPE, |a| vec![inv_gamma_p(a[0], a[1])];
    gamma_upper_quantile_large: "inv_gamma_q_large" within LARGE_SHAPE, |a| vec![inv_gamma_q(a[0], a[1])];
    gamma_distribution: "gamma_distribution" within INCOMPLETE,
        |a| vec![gamma_cdf(a[0], a[1], a[2]), gamma_sf(a[0], a[1], a[2])];
    poisson: "poisson" within INCOMPLETE, |a| vec![poisson_cdf(a[0], a[1]), poisson_sf(a[0], a[1])];
    beta_incomplete: "beta_inc" within INCOMPLETE,
        |a| vec![beta_inc(a[0], a[1], a[2]), beta_inc_complement(a[0], a[1], a[2])];
    beta_incomplete_large: "beta_inc_large" within LARGE_SHAPE,
        |a| vec![beta_inc(a[0], a[1], a[2]), beta_inc_complement(a[0], a[1], a[2])];
    beta_quantile: "inv_beta_inc" within INCOMPLETE, |a| vec![inv_beta_inc(a[0], a[1], a[2])];
    binomial: "binomial" within INCOMPLETE, |a| vec![binomial_cdf(a[0], a[1], a[2]), binomial_sf(a[0], a[1], a[2])];
    neg_binomial: "neg_binomial" within INCOMPLETE,
        |a| vec![neg_binomial_cdf(a[0], a[1], a[2]), neg_binomial_sf(a[0], a[1], a[2])];
    student: "student_t" within INCOMPLETE, |a| vec![student_t_cdf(a[0], a[1]), student_t_sf(a[0], a[1])];
    student_quantile: "student_t_quantile" within INCOMPLETE, |a| vec![student_t_quantile(a[0], a[1])];
    fisher: "f" within INCOMPLETE, |a| vec![f_cdf(a[0], a[1], a[2]), f_sf(a[0], a[1], a[2])];
    fisher_quantile: "f_quantile" within INCOMPLETE, |a| vec![f_quantile(a[0], a[1], a[2])];
    fisher_upper_quantile: "f_upper_quantile" within INCOMPLETE, |a| vec![f_upper_quantile(a[0], a[1], a[2])];
    inverse_gaussian: "inverse_gaussian" within INCOMPLETE,
        |a| vec![inverse_gaussian_cdf(a[0], a[1], a[2]), inverse_gaussian_sf(a[0], a[1], a[2])];
}

/// Compared with `1 + |f|`: an absolute error of the logarithm is a relative one of the density.
#[test]
fn tweedie() {
    let mut worst: f64 = 0.0;
    for (a, expected, _) in table("tweedie_log_density").rows {
        let got = tweedie_log_density(a[0], a[1], a[2], a[3]);
        let error = (got - expected[0]).abs() / (1.0 + expected[0].abs());
        assert!(error <= TWEEDIE, "{a:?}: {got:e}, expected {:e}, error {error:e}", expected[0]);
        worst = worst.max(error);
    }
    println!("tweedie_log_density: worst {worst:e}");
}
