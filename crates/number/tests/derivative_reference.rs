//! Derivatives of log densities to order 4 against SymPy's in 40 digits (`reference/sympy/derivatives.py`).
use isostat_number::{Constant, Dual, Jet4, Number, Symbol};
use serde_json::Value;

/// Sums whose terms are up to a hundred times the answer, after some hundred operations.
const CANCELLATION: f64 = 1e-12;

const NAMES: [&str; 8] = ["alpha", "beta", "eta", "mu", "sigma", "theta", "x", "y"];

/// The formulas of the reference, written once for any number; arguments in the order of `NAMES`.
fn formula<N: Number>(name: &str, arguments: [N; 8]) -> Option<N> {
    let [alpha, beta, eta, mu, sigma, theta, x, y] = arguments;
    let one = || N::literal(1.0);
    let half = || N::ratio(1, 2);
    Some(match name {
        "gaussian" => {
            let z = (x - mu) / sigma.clone();
            -(z.square() * half()) - sigma.ln() - N::constant(Constant::HalfLn2Pi)
        }
        "poisson_log" => y.clone() * eta.clone() - eta.exp() - (y + one()).ln_gamma(),
        "binomial_logit" => y * eta.clone() - eta.softplus(),
        "binomial_probit" => y.clone() * eta.clone().norm_log_cdf() + (one() - y) * (-eta).norm_log_cdf(),
        "negative_binomial" => {
            let total = theta.clone() + mu.clone();
            (y.clone() + theta.clone()).ln_gamma() - theta.clone().ln_gamma() - (y.clone() + one()).ln_gamma()
                + theta.clone() * (theta / total.clone()).ln()
                + y.xlogy(mu / total)
        }
        "gamma" => {
            alpha.clone() * beta.clone().ln() - alpha.clone().ln_gamma() + (alpha - one()) * y.clone().ln()
                - beta * y
        }
        "beta" => {
            (alpha.clone() + beta.clone()).ln_gamma() - alpha.clone().ln_gamma() - beta.clone().ln_gamma()
                + (alpha - one()) * x.clone().ln()
                + (beta - one()) * (-x).ln_1p()
        }
        "student_t" => {
            let upper = (theta.clone() + one()) * half();
            upper.clone().ln_gamma()
                - (theta.clone() * half()).ln_gamma()
                - (theta.clone() * N::constant(Constant::Pi)).ln() * half()
                - upper * (y.square() / theta).ln_1p()
        }
        "mixture" => (-(x.clone() - mu).square()).log_add_exp(-(x / sigma).square() * N::ratio(1, 3)),
        "power" => mu.clone().pow(x * mu),
        _ => return None,
    })
}

type Dual1<N> = Dual<N, 1>;

fn by_symbol(name: &str, by: &str, point: [f64; 8]) -> [f64; 5] {
    let mut symbol = formula(name, NAMES.map(Symbol::variable)).expect("a formula of the reference");
    std::array::from_fn(|order| {
        if order > 0 {
            symbol = symbol.derivative(by);
        }
        let bindings: [(&str, f64); 8] = std::array::from_fn(|k| (NAMES[k], point[k]));
        symbol.evaluate(&bindings).expect("every name is bound")
    })
}

fn by_jet(name: &str, by: &str, point: [f64; 8]) -> [f64; 5] {
    let arguments = std::array::from_fn(|k| match NAMES[k] == by {
        true => Jet4::variable(point[k]),
        false => Jet4::fixed(point[k]),
    });
    formula(name, arguments).expect("a formula of the reference").derivatives()
}

fn by_duals(name: &str, by: &str, point: [f64; 8]) -> [f64; 3] {
    let arguments = std::array::from_fn(|k| match NAMES[k] == by {
        true => Dual1::variable(Dual1::<f64>::variable(point[k], 0), 0),
        false => Dual1::literal(point[k]),
    });
    let y = formula(name, arguments).expect("a formula of the reference");
    [y.value.value, y.value.slope[0], y.slope[0].slope[0]]
}

fn compare(what: &str, found: &[f64], expected: &[f64]) {
    for (order, (a, b)) in found.iter().zip(expected).enumerate() {
        assert!((a - b).abs() <= CANCELLATION * b.abs().max(1.0), "{what}, order {order}: {a} {b}");
    }
}

#[test]
fn derivatives_are_those_of_sympy() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../reference/sympy/derivatives.json");
    let text = std::fs::read_to_string(path).expect("the reference is in the repository");
    let document: Value = serde_json::from_str(&text).expect("JSON");
    let records = document["records"].as_array().expect("records");
    assert!(!records.is_empty());
    for record in records {
        let word = |key: &str| record[key].as_str().expect("a word");
        let (name, by) = (word("formula"), word("by"));
        let point = NAMES.map(|key| record["point"][key].as_f64().expect("a number"));
        let numbers = record["derivatives"].as_array().expect("derivatives");
        let expected: Vec<f64> = numbers.iter().map(|d| d.as_f64().expect("a number")).collect();
        let what = |road: &str| format!("{name} by {by} at {point:?}, {road}");
        compare(&what("symbol"), &by_symbol(name, by, point), &expected);
        compare(&what("jet"), &by_jet(name, by, point), &expected);
        compare(&what("duals"), &by_duals(name, by, point), &expected);
    }
}
