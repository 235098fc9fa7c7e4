//! Graphs: simplification, printing, tapes.
use isostat_base::Error;
use isostat_number::symbol::{Column, Kind};
use isostat_number::{Constant, Dual, Elementary, Lane, Number, Symbol, Tape, Unary};

/// A lane's functions are within 4 ulp; a log density sums five of them.
const LANES: f64 = 20.0 * f64::EPSILON;

fn v(name: &str) -> Symbol {
    Symbol::variable(name)
}

fn lit<N: Number>(x: f64) -> N {
    N::literal(x)
}

fn gaussian<N: Number>(x: N, mu: N, sigma: N) -> N {
    let z = (x - mu) / sigma.clone();
    -(z.square() * N::ratio(1, 2)) - sigma.ln() - N::constant(Constant::HalfLn2Pi)
}

fn poisson<N: Number>(y: N, mu: N) -> N {
    y.clone().xlogy(mu.clone()) - mu - (y + lit(1.0)).ln_gamma()
}

fn negative_binomial<N: Number>(y: N, mu: N, theta: N) -> N {
    let total = theta.clone() + mu.clone();
    (y.clone() + theta.clone()).ln_gamma() - theta.clone().ln_gamma() - (y.clone() + lit(1.0)).ln_gamma()
        + theta.clone() * (theta / total.clone()).ln()
        + y.xlogy(mu / total)
}

fn gamma<N: Number>(y: N, alpha: N, beta: N) -> N {
    alpha.clone() * beta.clone().ln() - alpha.clone().ln_gamma() + (alpha - lit(1.0)) * y.clone().ln()
        - beta * y
}

// --- structure -----------------------------------------------------------------------------------------------

#[test]
fn equal_parts_are_one_node() {
    let first = gaussian(v("x"), v("mu"), v("sigma"));
    let build = || gaussian(v("x"), v("mu"), v("sigma"));
    let second = std::thread::scope(|scope| scope.spawn(build).join()).expect("no panic");
    assert_eq!(first, second);
    assert_ne!(first, gaussian(v("x"), v("mu"), v("tau")));
    let shared = v("x").exp() * (v("x").exp() + lit(1.0));
    // x, e^x, 1, the sum, the product.
    assert_eq!(shared.size(), 5);
    let names: Vec<String> = first.variables().iter().map(ToString::to_string).collect();
    assert_eq!(names, ["mu", "sigma", "x"]);
    assert_ne!(Symbol::element("beta", 0), Symbol::element("beta", 1));
}

#[test]
fn simplification_removes_what_says_nothing() {
    let (x, y) = (v("x"), v("y"));
    let zero = || lit::<Symbol>(0.0);
    let one = || lit::<Symbol>(1.0);
    for (found, expected) in [
        (x.clone() + zero(), x.clone()),
        (zero() + x.clone(), x.clone()),
        (x.clone() - zero(), x.clone()),
        (zero() - x.clone(), -x.clone()),
        (x.clone() * one(), x.clone()),
        (one() * x.clone(), x.clone()),
        (x.clone() / one(), x.clone()),
        (-(-x.clone()), x.clone()),
        (x.clone() + -y.clone(), x.clone() - y.clone()),
        (-x.clone() + y.clone(), y.clone() - x.clone()),
        (x.clone() - -y.clone(), x.clone() + y.clone()),
        (-(x.clone() - y.clone()), y.clone() - x.clone()),
        (-x.clone() * -y.clone(), x.clone() * y.clone()),
        (x.clone() * lit(-2.0), -(x.clone() * lit(2.0))),
        (x.clone() * x.clone(), x.clone().square()),
        (x.clone() + x.clone(), x.clone() * lit(2.0)),
        ((x.clone() * lit(2.0)) * y.clone() * lit(0.5), x.clone() * y.clone()),
        (x.clone() / lit(4.0), x.clone() * lit(0.25)),
        ((-x.clone()).square(), x.clone().square()),
        (x.clone().pow(one()), x.clone()),
        (x.clone().powf(0.0), one()),
        (one().xlogy(x.clone()), x.clone().ln()),
        (Symbol::ratio(2, 6) * lit(3.0), one()),
        (Symbol::ratio(6, 4), lit(1.5)),
        (one().ln(), zero()),
        (lit::<Symbol>(2.0).ln_gamma(), zero()),
        (Symbol::ratio(4, 9).sqrt(), Symbol::ratio(2, 3)),
        (Symbol::select(&x.less(&y), x.clone(), x.clone()), x.clone()),
        (Symbol::select(&one().less(&zero()), x.clone(), y.clone()), y.clone()),
    ] {
        assert_eq!(found, expected);
    }
    let not = Symbol::not(&x.less(&y));
    assert_eq!(Symbol::not(&not), x.less(&y));
}

#[test]
fn what_may_be_infinite_or_missing_stays() {
    let x = v("x");
    let at = |s: &Symbol, value: f64| s.evaluate(&[("x", value)]).expect("bound");
    let product: Symbol = x.clone() * lit(0.0);
    assert!(at(&product, f64::INFINITY).is_nan());
    let difference = x.clone() - x.clone();
    assert!(at(&difference, f64::INFINITY).is_nan());
    let quotient = x.clone() / x.clone();
    assert!(at(&quotient, 0.0).is_nan());
    let itself = Symbol::select(&x.less_equal(&x), lit(1.0), lit(0.0));
    assert_eq!(at(&itself, f64::NAN), 0.0);
    assert_eq!(at(&x.clone().exp().ln(), 800.0), f64::INFINITY);
    // A quotient by zero is no rational, and numbers that outgrow 32 bits stay floats.
    assert_eq!(Symbol::ratio(1, 0).as_literal(), Some(f64::INFINITY));
    let large = lit::<Symbol>(3e9) * lit(3e9);
    assert_eq!(large.evaluate::<f64>(&[]).expect("no variables"), 9e18);
    let beyond = Symbol::ratio(1, i32::MAX) * Symbol::ratio(1, i32::MAX - 1);
    assert!(matches!(beyond.kind(), Kind::Mul(..)));
    assert_eq!(-Symbol::ratio(i32::MIN, 3), Symbol::literal(0.0) - Symbol::ratio(i32::MIN, 3));
}

// --- evaluation ----------------------------------------------------------------------------------------------

#[test]
fn a_missing_variable_is_named() {
    let error = gaussian(v("x"), v("mu"), v("sigma")).evaluate(&[("x", 1.0), ("mu", 0.0)]);
    assert!(matches!(&error, Err(Error::Domain { rule, .. }) if rule.contains("`sigma`")), "{error:?}");
    let tape = Tape::compile(&[v("x") + v("y")]);
    assert!(matches!(tape.replay(&[1.0]), Err(Error::Shape { .. })));
    assert!(matches!(
        tape.replay_rows::<f64>(&[Column::Same(1.0)], &mut [&mut [0.0]]),
        Err(Error::Shape { .. })
    ));
    let short = [1.0];
    let columns = [Column::Each(&short), Column::Same(1.0)];
    let error = tape.replay_rows::<f64>(&columns, &mut [&mut [0.0, 0.0]]);
    assert!(matches!(&error, Err(Error::Shape { parameter, .. }) if parameter == "x"), "{error:?}");
}

#[test]
fn a_graph_is_traced_again_by_symbols_and_differentiated_by_duals_of_symbols() {
    let density = gamma(v("y"), v("alpha"), v("beta"));
    let again = density.evaluate_with(|variable| Some(v(&variable.name))).expect("bound");
    assert_eq!(density, again);
    let slope =
        gamma(Dual::fixed(v("y")), Dual::<Symbol, 1>::variable(v("alpha"), 0), Dual::fixed(v("beta")));
    let point = [("y", 0.7), ("alpha", 1.9), ("beta", 2.5)];
    let by_dual: f64 = slope.slope[0].evaluate(&point).expect("bound");
    let by_graph: f64 = density.derivative("alpha").evaluate(&point).expect("bound");
    // ln(beta) - digamma(alpha) + ln(y)
    assert!((by_dual - by_graph).abs() <= 4.0 * f64::EPSILON, "{by_dual} {by_graph}");
}

#[test]
fn elements_are_bound_by_name_and_index() {
    let eta = Symbol::element("beta", 0) + Symbol::element("beta", 1) * v("x");
    let value: f64 = eta.evaluate(&[("beta[0]", 1.0), ("beta[1]", 2.0), ("x", 3.0)]).expect("bound");
    assert_eq!(value, 7.0);
    assert_eq!(eta.derivative_by_element("beta", 1), v("x"));
    assert_eq!(eta.derivative("beta"), lit(0.0));
}

#[test]
fn a_tape_runs_each_shared_part_once() {
    let (a, b) = (v("a"), v("b"));
    let outputs = [(a.clone() + b.clone()).exp(), (b + a).exp()];
    let tape = Tape::compile(&outputs);
    // Two inputs, one sum, one exponential: order of addends does not matter.
    assert_eq!(tape.len(), 4);
    assert_eq!(tape.n_outputs(), 2);
    assert_eq!(tape.replay(&[0.5, -0.5]).expect("two inputs"), [1.0, 1.0]);
    let names: Vec<String> = tape.inputs().iter().map(ToString::to_string).collect();
    assert_eq!(names, ["a", "b"]);
}

/// One row at a time on a number, as a check of the chunked loops.
fn rows_agree<N: isostat_number::symbol::Scalar>(n: usize, tolerance: f64) {
    let density = negative_binomial(v("y"), v("eta").exp(), v("theta"));
    let guarded = Symbol::select(&v("y").less(&lit(0.5)), -v("eta").exp(), density.clone());
    let tape = Tape::compile(&[density.derivative("theta"), guarded, v("theta").ln(), v("y")]);
    let y: Vec<f64> = (0..n).map(|i| (i % 7) as f64).collect();
    let eta: Vec<f64> = (0..n).map(|i| (i as f64 * 0.37).sin()).collect();
    let mut outputs = vec![vec![f64::NAN; n]; 4];
    let mut slices: Vec<&mut [f64]> = outputs.iter_mut().map(Vec::as_mut_slice).collect();
    // Inputs in order of name: eta, theta, y.
    tape.replay_rows::<N>(&[Column::Each(&eta), Column::Same(1.7), Column::Each(&y)], &mut slices)
        .expect("shapes");
    for i in 0..n {
        let row = tape.replay(&[eta[i], 1.7, y[i]]).expect("three inputs");
        for (k, expected) in row.iter().enumerate() {
            let found = outputs[k][i];
            assert!(
                (found - expected).abs() <= tolerance * expected.abs().max(1.0),
                "{k} {i}: {found} {expected}"
            );
        }
    }
}

#[test]
fn rows_in_chunks_are_rows_one_by_one() {
    // Around the chunk length, and none at all.
    for n in [0, 1, 255, 256, 257, 1000] {
        rows_agree::<f64>(n, 0.0);
        rows_agree::<Lane<false>>(n, LANES);
        rows_agree::<Lane<true>>(n, LANES);
        rows_agree::<f32>(n, 100.0 * f64::from(f32::EPSILON));
    }
}

// --- printing ------------------------------------------------------------------------------------------------

#[test]
fn latex_of_log_densities() {
    let densities = [
        gaussian(v("x"), v("mu"), v("sigma")),
        poisson(v("y"), v("mu")),
        negative_binomial(v("y"), v("mu"), v("theta")),
        gamma(v("y"), v("alpha"), v("beta")),
    ];
    let expected = [
        r"-\frac{(x - \mu)^{2}}{2 \sigma^{2}} - \log \sigma - \frac{1}{2} \log(2\pi)",
        r"y \log \mu - \mu - \log\Gamma(y + 1)",
        concat!(
            r"\log\Gamma(y + \theta) - \log\Gamma(\theta) - \log\Gamma(y + 1)",
            r" + \theta \log \frac{\theta}{\theta + \mu} + y \log \frac{\mu}{\theta + \mu}"
        ),
        r"\alpha \log \beta - \log\Gamma(\alpha) + (\alpha - 1) \log y - \beta y",
    ];
    assert_eq!(densities.each_ref().map(Symbol::to_latex), expected);
}

#[test]
fn latex_of_derivatives_has_no_stray_ones() {
    let density = gaussian(v("x"), v("mu"), v("sigma"));
    assert_eq!(density.derivative("mu").to_latex(), r"\frac{x - \mu}{\sigma^{2}}");
    assert_eq!(density.derivative("mu").derivative("mu").to_latex(), r"-\frac{1}{\sigma^{2}}");
    let by_sigma = density.derivative("sigma");
    assert_eq!(by_sigma.to_latex(), r"\frac{(x - \mu)^{2}}{\sigma^{3}} - \frac{1}{\sigma}");
    let second = by_sigma.derivative("sigma").to_latex();
    assert_eq!(second, r"\frac{1}{\sigma^{2}} - \frac{3 (x - \mu)^{2}}{\sigma^{4}}");
    assert_eq!(poisson(v("y"), v("mu")).derivative("mu").to_latex(), r"\frac{y}{\mu} - 1");
    assert_eq!(
        gamma(v("y"), v("alpha"), v("beta")).derivative("alpha").to_latex(),
        r"\log \beta - \psi(\alpha) + \log y"
    );
}

#[test]
fn latex_parenthesises_where_it_must() {
    let (a, b, c) = (v("a"), v("b"), v("c"));
    for (formula, expected) in [
        ((a.clone() + b.clone()) * c.clone(), "c (a + b)"),
        (a.clone() - (b.clone() - c.clone()), "a - b + c"),
        (a.clone() / (b.clone() / c.clone()), r"\frac{a c}{b}"),
        ((a.clone() + b.clone()).pow(c.clone()), "(a + b)^{c}"),
        (a.clone().pow(b.clone() + c.clone()), "a^{b + c}"),
        (a.clone().pow(b.clone()).pow(c.clone()), "(a^{b})^{c}"),
        (a.clone().powf(-1.5), r"\frac{1}{a^{3/2}}"),
        (a.clone().powf(0.5), r"\sqrt{a}"),
        (-(a.clone() + b.clone()).exp(), "-e^{a + b}"),
        ((a.clone() / b.clone()).exp(), r"\exp\left(\frac{a}{b}\right)"),
        (a.clone().ln() * b.clone(), r"b \log a"),
        (a.clone().ln() * b.clone().ln(), r"\log(a) \log b"),
        (a.clone().ln().square(), r"(\log a)^{2}"),
        ((a.clone() * b.clone()).ln(), r"\log(a b)"),
        ((-a.clone()).ln_1p(), r"\log(1 - a)"),
        ((a.clone() / lit(2.0)).sin(), r"\sin \frac{a}{2}"),
        (a.clone().exp_m1() * b.clone(), "b (e^{a} - 1)"),
        (a.clone() * lit(2.0) + a.clone() * lit(3.0), "5 a"),
        (a.clone().abs() - b.clone().floor(), r"|a| - \lfloor b \rfloor"),
        (a.clone().maximum(lit(0.0)), r"\max(a, 0)"),
        (a.clone().minimum(b.clone()), r"\min(a, b)"),
        (a.clone().log_add_exp(b.clone()), r"\log(e^{a} + e^{b})"),
        (a.clone() * lit(0.1) + lit(1e-20), "0.1 a + 10^{-20}"),
        (lit(f64::INFINITY), r"\infty"),
        (a.clone() - a.clone(), "0"),
        (
            lit::<Symbol>(1.0) - Symbol::select(&a.less_equal(&b), a.clone(), c.clone()),
            r"1 - \left(\begin{cases} a & \text{if } a \le b \\ c & \text{otherwise} \end{cases}\right)",
        ),
        (
            Symbol::select(&Symbol::or(&a.less(&b), &c.less(&b)), a.clone(), b.clone()),
            r"\begin{cases} a & \text{if } a < b \text{ or } c < b \\ b & \text{otherwise} \end{cases}",
        ),
    ] {
        assert_eq!(formula.to_latex(), expected);
    }
}

#[test]
fn latex_names_are_those_of_papers() {
    for (name, expected) in [
        ("mu", r"\mu"),
        ("beta0", r"\beta_{0}"),
        ("beta_0", r"\beta_{0}"),
        ("x_i_j", "x_{i,j}"),
        ("sigma_alpha", r"\sigma_{\alpha}"),
        ("lambda_", r"\lambda"),
        ("rate", r"\mathrm{rate}"),
        ("log_rate", r"\mathrm{log}_{\mathrm{rate}}"),
        ("a%b", r"\mathrm{a\%b}"),
        ("Sigma", r"\Sigma"),
        ("x", "x"),
    ] {
        assert_eq!(v(name).to_latex(), expected, "{name}");
    }
    assert_eq!(Symbol::element("beta", 3).to_latex(), r"\beta_{3}");
    assert_eq!((v("rate") * v("x")).to_latex(), r"\mathrm{rate} \, x");
}

#[test]
fn python_keeps_the_order_of_operations() {
    let (a, b, c) = (v("a"), v("b"), v("c"));
    for (formula, expected) in [
        (a.clone() + (b.clone() + c.clone()), "a + (b + c)"),
        (a.clone() - (b.clone() - c.clone()), "a - (b - c)"),
        (a.clone() * (b.clone() / c.clone()), "a*(b/c)"),
        (a.clone() / (b.clone() * c.clone()), "a/(b*c)"),
        (-(a.clone() + b.clone()).square(), "-(a + b)**2"),
        ((-a.clone()).pow(-b.clone()), "(-a)**(-b)"),
        (a.clone().pow(b.clone()).pow(c.clone()), "(a**b)**c"),
        (Symbol::ratio(1, 3) * a.clone(), "a*(1/3)"),
        (Symbol::select(&a.less(&b), a.clone(), c.clone()), "xp.where((a < b), a, c)"),
        (v("lambda") + v("xp"), "lambda_ + xp_"),
        (Symbol::element("beta", 2).ln_gamma(), "special.gammaln(beta[2])"),
    ] {
        assert_eq!(format!("{formula:?}"), expected);
    }
    let shared = (a.clone() + b.clone()).exp() * (a + b);
    assert_eq!(
        shared.to_python("density"),
        "def density(a, b, *, xp, special=None):\n    t0 = a + b\n    return xp.exp(t0)*t0\n"
    );
}

#[test]
fn sympy_text_keeps_exact_numbers() {
    let x = r#"sympy.Symbol("x")"#;
    for (formula, expected) in [
        (v("x") * lit(0.5), format!("{x}*sympy.Rational(1, 2)")),
        (v("x") + lit(3.0), format!("{x} + sympy.Integer(3)")),
        (v("x") + lit(0.1), format!("{x} + sympy.Float(\"0.1\", 17)")),
        (Symbol::constant(Constant::HalfLn2Pi), "(sympy.log(2*sympy.pi)/2)".into()),
        (lit::<Symbol>(2.0).xlogy(v("x")), format!("((sympy.Integer(2))*sympy.log({x}))")),
    ] {
        assert_eq!(formula.to_sympy(), expected);
    }
}

#[test]
fn every_row_of_the_table_prints() {
    for op in Unary::ALL.iter().filter(|op| **op != Unary::Square) {
        let formula = op.apply(v("x"));
        assert!(formula.to_latex().contains('x') && !formula.to_latex().contains("{}"), "{}", op.name());
        assert!(formula.to_sympy().contains("sympy.Symbol(\"x\")"), "{}", op.name());
        assert!(formula.to_python("f").contains("(x"), "{}", op.name());
    }
}

#[test]
fn a_long_sum_neither_overflows_the_stack_nor_the_printer() {
    let sum = (0..100_000).fold(lit::<Symbol>(0.0), |sum, k| sum + Symbol::element("x", k));
    assert_eq!(sum.size(), 199_999);
    let value = sum.evaluate_with(|variable| variable.index.map(|k| k as f64)).expect("bound");
    assert_eq!(value, 99_999.0 * 50_000.0);
    assert_eq!(sum.derivative_by_element("x", 77), lit(1.0));
    assert_eq!(format!("{sum:?}"), "Symbol(199999 nodes)");
    let shorter = (0..1000).fold(v("y"), |sum, k| sum + Symbol::element("x", k));
    assert!(shorter.to_sympy().ends_with("[999]"));
    assert!(shorter.to_latex().ends_with("x_{998} + x_{999}"));
}
