//! Laws of every number type, over every row of the table of elementary functions.
use std::cmp::Ordering;

use isostat_number::{Constant, Dual, Elementary, Jet4, Lane, Number, Symbol, Tape, Unary};
use proptest::prelude::*;

/// The same operations in the same order.
const EXACT: f64 = 0.0;
/// A lane's own polynomials are within 4 ulp of the standard library.
const LANE: f64 = 4.0 * f64::EPSILON;
/// One rounding to single precision.
const SINGLE: f64 = f32::EPSILON as f64;
/// Three central differences, extrapolated: truncation and rounding balance near 1e-11, times a slope's size.
const DIFFERENCE: f64 = 1e-8;
/// Two roads to the fourth derivative, each of some hundred operations with mild cancellation.
const FOURTH_DERIVATIVE: f64 = 1e-10;

type Dual1<N> = Dual<N, 1>;
type Dual4 = Dual1<Dual1<Dual1<Dual1<f64>>>>;

fn close(a: f64, b: f64, tolerance: f64) -> bool {
    a == b || (a.is_nan() && b.is_nan()) || (a - b).abs() <= tolerance * b.abs().max(1.0)
}

/// Arguments inside the domain of a row, away from its kinks.
fn points(op: Unary) -> &'static [f64] {
    match op {
        Unary::Ln | Unary::Sqrt => &[0.02, 0.7, 1.0, 31.0],
        Unary::Ln1p => &[-0.7, 1e-3, 0.4, 12.0],
        Unary::LnGamma
        | Unary::Digamma
        | Unary::Trigamma
        | Unary::Polygamma2
        | Unary::Polygamma3
        | Unary::Polygamma4 => &[0.35, 1.5, 4.2, 19.0],
        Unary::NormQuantile => &[0.03, 0.4, 0.7],
        Unary::Tan => &[-1.1, 0.3, 1.2],
        _ => &[-2.3, -0.6, 0.45, 1.7, 3.1],
    }
}

/// How many derivatives the table has for a row.
fn orders(op: Unary) -> usize {
    let ladder = [Unary::Polygamma4, Unary::Polygamma3, Unary::Polygamma2, Unary::Trigamma];
    ladder.iter().position(|rung| *rung == op).unwrap_or(4)
}

fn each_row(mut law: impl FnMut(Unary, f64)) {
    for op in Unary::ALL {
        points(*op).iter().for_each(|x| law(*op, *x));
    }
}

#[test]
fn every_number_has_the_value_of_the_float() {
    each_row(|op, x| {
        let expected = op.value(x);
        let check = |kind: &str, found: f64, tolerance: f64| {
            assert!(close(found, expected, tolerance), "{kind} {} at {x}: {found} {expected}", op.name());
        };
        check("f64", op.apply(x), EXACT);
        check("lane", op.apply(Lane::<false>(x)).0, LANE);
        check("fused lane", op.apply(Lane::<true>(x)).0, LANE);
        check("dual", op.apply(Dual1::<f64>::variable(x, 0)).value, EXACT);
        check("dual of duals", op.apply(fourfold(x)).value.value.value.value, EXACT);
        check("jet", op.apply(Jet4::<f64>::variable(x)).value(), EXACT);
        check("symbol", evaluated(&op.apply(Symbol::variable("x")), x), EXACT);
        let single = op.value(f64::from(x as f32));
        assert!(close(f64::from(op.apply(x as f32)), single, SINGLE), "f32 {} at {x}", op.name());
    });
}

fn evaluated<N: Number>(symbol: &Symbol, x: N) -> N {
    symbol.evaluate(&[("x", x)]).expect("x is the only variable")
}

/// Central differences of steps h, 2h, 4h, extrapolated to order 6.
fn difference(f: impl Fn(f64) -> f64, x: f64) -> f64 {
    let step = 2.0_f64.powi(-8) * x.abs().clamp(2.0_f64.powi(-5), 1.0);
    let central = |h: f64| (f(x + h) - f(x - h)) / (2.0 * h);
    let (d1, d2, d4) = (central(step), central(2.0 * step), central(4.0 * step));
    let (r1, r2) = ((4.0 * d1 - d2) / 3.0, (4.0 * d2 - d4) / 3.0);
    (16.0 * r1 - r2) / 15.0
}

#[test]
fn the_slope_of_every_row_is_its_difference_quotient() {
    each_row(|op, x| {
        if orders(op) == 0 {
            return;
        }
        let numerical = difference(|t| op.value(t), x);
        let slopes = [
            ("row", op.derivative(x, op.value(x))),
            ("dual", op.apply(Dual1::<f64>::variable(x, 0)).slope[0]),
            ("jet", op.apply(Jet4::<f64>::variable(x)).derivatives()[1]),
            ("symbol", evaluated(&op.apply(Symbol::variable("x")).derivative("x"), x)),
            ("lane", op.derivative(Lane::<true>(x), op.apply(Lane::<true>(x))).0),
        ];
        for (kind, slope) in slopes {
            assert!(close(slope, numerical, DIFFERENCE), "{kind} {} at {x}: {slope} {numerical}", op.name());
        }
    });
}

fn fourfold(x: f64) -> Dual4 {
    Dual1::variable(Dual1::variable(Dual1::variable(Dual1::variable(x, 0), 0), 0), 0)
}

/// Value and derivatives to order 4 by duals of duals.
fn by_duals(f: impl Fn(Dual4) -> Dual4, x: f64) -> [f64; 5] {
    let y = f(fourfold(x));
    [
        y.value.value.value.value,
        y.value.value.value.slope[0],
        y.value.value.slope[0].slope[0],
        y.value.slope[0].slope[0].slope[0],
        y.slope[0].slope[0].slope[0].slope[0],
    ]
}

fn by_symbol(f: impl Fn(Symbol) -> Symbol, x: f64) -> [f64; 5] {
    let mut symbol = f(Symbol::variable("x"));
    std::array::from_fn(|order| {
        if order > 0 {
            symbol = symbol.derivative("x");
        }
        evaluated(&symbol, x)
    })
}

fn agree(kind: &str, a: &[f64], b: &[f64]) {
    // Errors of the k-th derivative are in units of the largest of them.
    let scale = b.iter().fold(1.0_f64, |largest, d| largest.max(d.abs()));
    for (order, (found, expected)) in a.iter().zip(b).enumerate() {
        let is_equal = found == expected || (found.is_nan() && expected.is_nan());
        assert!(
            is_equal || (found - expected).abs() <= FOURTH_DERIVATIVE * scale,
            "{kind}, order {order}: {found} {expected}"
        );
    }
}

#[test]
fn three_roads_to_four_derivatives_meet() {
    each_row(|op, x| {
        let n = orders(op) + 1;
        let jet = op.apply(Jet4::<f64>::variable(x)).derivatives();
        let duals = by_duals(|t| op.apply(t), x);
        let symbol = by_symbol(|t| op.apply(t), x);
        agree(&format!("{} at {x}, jet and duals", op.name()), &jet[..n], &duals[..n]);
        agree(&format!("{} at {x}, symbol and duals", op.name()), &symbol[..n], &duals[..n]);
        assert!(jet[n..].iter().all(|d| d.is_nan()), "{} has no more than {} derivatives", op.name(), n - 1);
    });
}

/// A formula of one variable on any number.
trait Formula {
    fn at<N: Number>(x: N) -> N;
}

macro_rules! formulas {
    ($($name:ident at $points:expr => |$x:ident| $body:expr;)*) => {
        $(struct $name; impl Formula for $name { fn at<N: Number>($x: N) -> N { $body } })*
        fn each_formula() {
            $(for x in $points { compare::<$name>(stringify!($name), x); })*
        }
    };
}

fn compare<F: Formula>(name: &str, x: f64) {
    let duals = by_duals(F::at, x);
    agree(&format!("{name} at {x}, jet"), &F::at(Jet4::<f64>::variable(x)).derivatives(), &duals);
    agree(&format!("{name} at {x}, symbol"), &by_symbol(F::at, x), &duals);
    assert!(close(duals[0], F::at(x), EXACT), "{name} at {x}: value of duals");
    let slope = difference(F::at, x);
    assert!(close(duals[1], slope, DIFFERENCE), "{name} at {x}: {} {slope}", duals[1]);
}

fn lit<N: Number>(x: f64) -> N {
    N::literal(x)
}

formulas! {
    Gaussian at [0.3, 2.0] => |s| {
        let z = lit::<N>(1.3) / s.clone();
        -(z.square() * N::ratio(1, 2)) - s.ln() - N::constant(Constant::HalfLn2Pi)
    };
    PoissonLog at [-1.0, 0.7] => |eta| lit::<N>(3.0) * eta.clone() - eta.exp();
    BinomialLogit at [-3.0, 0.2, 6.0] => |eta| lit::<N>(2.0).xlogy(eta.clone().sigmoid()) - (-eta).softplus();
    BinomialProbit at [-2.0, 0.2, 2.5] => |eta| eta.clone().norm_log_cdf() + (-eta).norm_log_cdf();
    NegativeBinomial at [0.4, 3.0] => |theta| {
        let total = theta.clone() + lit(2.5);
        (theta.clone() + lit(4.0)).ln_gamma() - theta.clone().ln_gamma()
            + theta.clone() * (theta / total.clone()).ln() - lit::<N>(4.0) * total.ln()
    };
    GammaShape at [0.6, 5.0] => |a| a.clone().xlogy(a.clone()) - a.clone().ln_gamma() + a * N::ratio(1, 3);
    Tweedie at [0.4, 2.2] => |mu| {
        let p = 1.6;
        lit::<N>(1.9) * mu.clone().powf(1.0 - p) / lit(1.0 - p) - mu.powf(2.0 - p) / lit(2.0 - p)
    };
    StudentT at [-1.0, 2.0] => |x| (x.square() / lit(4.0)).ln_1p() * lit(-2.5);
    Mixture at [-0.5, 1.1] => |x| {
        let first = -(x.clone() - lit(1.0)).square();
        let second = -(x + lit(0.5)).square() * lit(3.0);
        first.log_add_exp(second)
    };
    PowerOfItself at [0.4, 1.7] => |x| x.clone().pow(x);
    FixedBase at [-1.2, 0.8] => |x| lit::<N>(2.5).pow(x);
    NegativeBase at [-1.7] => |x| x.clone().pow(lit(3.0)) + x.clone().powf(5.0) + x.powf(-2.0);
    Branches at [-0.4, 0.9] => |x| {
        let small = x.less(&lit(0.0));
        N::select(&small, x.clone().exp(), x.clone().sin() + lit(1.0)) * x.abs()
    };
    Extremes at [-0.4, 0.9] => |x| x.clone().maximum(lit(0.2)) * x.minimum(lit(0.5)).exp_m1();
}

#[test]
fn formulas_of_families_have_the_same_derivatives_on_every_road() {
    each_formula();
}

#[test]
fn powers_of_zero_have_their_derivatives() {
    let cases: [(f64, [f64; 5]); 5] = [
        (1.0, [0.0, 1.0, 0.0, 0.0, 0.0]),
        (2.0, [0.0, 0.0, 2.0, 0.0, 0.0]),
        (3.0, [0.0, 0.0, 0.0, 6.0, 0.0]),
        (6.0, [0.0, 0.0, 0.0, 0.0, 0.0]),
        (0.0, [1.0, 0.0, 0.0, 0.0, 0.0]),
    ];
    for (power, expected) in cases {
        let jet = |f: fn(Jet4<f64>, f64) -> Jet4<f64>| f(Jet4::variable(0.0), power).derivatives();
        assert_eq!(jet(|x, p| x.powf(p)), expected, "jet powf {power}");
        assert_eq!(jet(|x, p| x.pow(Jet4::literal(p))), expected, "jet pow {power}");
        let dual = Dual1::<f64>::variable(0.0, 0);
        assert_eq!(dual.clone().powf(power).slope[0], expected[1], "dual powf {power}");
        assert_eq!(dual.pow(Dual::literal(power)).slope[0], expected[1], "dual pow {power}");
        assert_eq!(by_symbol(|x| x.powf(power), 0.0), expected, "symbol {power}");
    }
    let three_halves = Jet4::<f64>::variable(0.0).powf(2.5).derivatives();
    assert_eq!(three_halves[..3], [0.0, 0.0, 0.0]);
    assert_eq!(three_halves[3], f64::INFINITY);
    // A fixed negative base: the power's own slope is 0, whatever its factor.
    assert_eq!(Dual1::<f64>::variable(-2.0, 0).pow(Dual::literal(2.0)).slope[0], -4.0);
}

#[test]
fn x_log_y_at_zero() {
    fn check<N: Number>(kind: &str, value: impl Fn(N) -> f64) {
        let zero = || N::literal(0.0);
        assert_eq!(value(zero().xlogy(zero())), 0.0, "{kind}");
        assert_eq!(value(zero().xlogy(lit(3.0))), 0.0, "{kind}");
        assert_eq!(value(lit::<N>(2.0).xlogy(zero())), f64::NEG_INFINITY, "{kind}");
        assert!(close(value(lit::<N>(2.0).xlogy(lit(3.0))), 2.0 * 3.0_f64.ln(), SINGLE), "{kind}");
    }
    check::<f64>("f64", |x| x);
    check::<f32>("f32", f64::from);
    check::<Lane<false>>("lane", |x| x.0);
    check::<Dual1<f64>>("dual", |x| x.value);
    check::<Dual4>("duals", |x| x.value.value.value.value);
    check::<Jet4<f64>>("jet", |x| x.value());
    check::<Symbol>("symbol", |x| x.evaluate::<f64>(&[]).expect("no variables"));

    // d/dx (x ln y) is ln y at x = 0 too, in every order: here x = t² at t = 0, y = 5.
    let expected = [0.0, 0.0, 2.0 * 5.0_f64.ln(), 0.0, 0.0];
    assert_eq!(Jet4::<f64>::variable(0.0).square().xlogy(Jet4::literal(5.0)).derivatives(), expected);
    assert_eq!(by_duals(|t| t.square().xlogy(Dual::literal(5.0)), 0.0), expected);
    assert_eq!(by_symbol(|t| t.square().xlogy(Symbol::literal(5.0)), 0.0), expected);
    // d/dy (0 ln y) is 0, also where y = 0.
    for y in [0.0, 2.0] {
        assert_eq!(by_duals(|t| Dual4::literal(0.0).xlogy(t), y), [0.0; 5]);
        assert_eq!(Jet4::<f64>::literal(0.0).xlogy(Jet4::variable(y)).derivatives(), [0.0; 5]);
        assert_eq!(by_symbol(|t| Symbol::literal(0.0).xlogy(t), y), [0.0; 5]);
    }
}

/// Which of five conditions hold for a pair.
fn conditions<N: Number>(a: N, b: N) -> [N; 5] {
    let (less, at_most) = (a.less(&b), a.less_equal(&b));
    let flag = |mask: &N::Mask| N::select(mask, lit(1.0), lit(0.0));
    let same = N::and(&at_most, &b.less_equal(&a));
    [flag(&less), flag(&at_most), flag(&same), flag(&N::not(&less)), flag(&N::or(&b.less(&a), &same))]
}

#[test]
fn comparisons_are_those_of_the_float() {
    let values = [-1.5, -0.0, 0.0, 2.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN];
    for a in values {
        for b in values {
            let truth = [a < b, a <= b, a == b, a.partial_cmp(&b) != Some(Ordering::Less), a >= b];
            let expected = truth.map(|t| f64::from(u8::from(t)));
            assert_eq!(conditions(a, b), expected, "f64 {a} {b}");
            assert_eq!(conditions(a as f32, b as f32).map(f64::from), expected, "f32 {a} {b}");
            assert_eq!(conditions(Lane::<true>(a), Lane(b)).map(|x| x.0), expected, "lane {a} {b}");
            let duals = conditions(Dual1::variable(a, 0), Dual1::fixed(b));
            assert_eq!(duals.map(|x| x.value), expected, "dual {a} {b}");
            let jets = conditions(Jet4::variable(a), Jet4::fixed(b));
            assert_eq!(jets.map(|x| x.value()), expected, "jet {a} {b}");
            let bind = |s: Symbol| s.evaluate(&[("a", a), ("b", b)]).expect("both are bound");
            let symbols = conditions(Symbol::variable("a"), Symbol::variable("b"));
            assert_eq!(symbols.map(bind), expected, "symbol {a} {b}");
            let folded = conditions(Symbol::literal(a), Symbol::literal(b));
            assert_eq!(folded.map(bind), expected, "folded {a} {b}");
        }
    }
}

#[test]
fn a_selected_arm_hides_what_the_other_does() {
    // ln(-1) is NaN with slope -1; the select must show neither.
    fn guarded<N: Number>(x: N) -> N {
        N::select(&x.less(&lit(0.0)), lit::<N>(2.0) * x.clone(), x.ln())
    }
    assert_eq!(by_duals(guarded, -1.0), [-2.0, 2.0, 0.0, 0.0, 0.0]);
    assert_eq!(guarded(Jet4::<f64>::variable(-1.0)).derivatives(), [-2.0, 2.0, 0.0, 0.0, 0.0]);
    assert_eq!(by_symbol(guarded, -1.0), [-2.0, 2.0, 0.0, 0.0, 0.0]);
}

#[test]
fn ratios_and_constants_are_rounded_once() {
    assert_eq!(f64::ratio(1, 3), 1.0 / 3.0);
    assert_eq!(f32::ratio(1, 3), 1.0_f32 / 3.0);
    assert_eq!(Symbol::ratio(1, 3).evaluate::<f32>(&[]).expect("no variables"), 1.0_f32 / 3.0);
    let third_twice = Symbol::ratio(1, 3) + Symbol::ratio(1, 6);
    assert_eq!(third_twice.as_literal(), Some(0.5));
    let pi = std::f64::consts::PI;
    for (constant, value) in [
        (Constant::Pi, pi),
        (Constant::Ln2, 2.0_f64.ln()),
        (Constant::HalfLn2Pi, (2.0 * pi).ln() / 2.0),
        (Constant::Sqrt2Pi, (2.0 * pi).sqrt()),
        (Constant::OneOverSqrt2Pi, 1.0 / (2.0 * pi).sqrt()),
        (Constant::SqrtTwoOverPi, (2.0 / pi).sqrt()),
        (Constant::TwoOverSqrtPi, 2.0 / pi.sqrt()),
        (Constant::OneOverSqrt2, 0.5_f64.sqrt()),
    ] {
        // The right sides round twice.
        assert!(close(constant.value(), value, 2.0 * f64::EPSILON), "{constant:?}");
        assert_eq!(Symbol::constant(constant).evaluate::<f64>(&[]).expect("no variables"), constant.value());
    }
}

// --- random formulas -----------------------------------------------------------------------------------------

#[derive(Clone, Debug)]
enum Tree {
    Variable(usize),
    Literal(f64),
    Unary(Unary, Box<Tree>),
    Binary(u8, Box<Tree>, Box<Tree>),
    Select(Box<[Tree; 4]>),
}

const NAMES: [&str; 3] = ["x", "y", "z"];

impl Tree {
    /// The value; `see` is shown every intermediate.
    fn run<N: Number>(&self, inputs: &[N; 3], see: &mut impl FnMut(&N)) -> N {
        let value = match self {
            Tree::Variable(k) => inputs[*k].clone(),
            Tree::Literal(x) => N::literal(*x),
            Tree::Unary(op, a) => op.apply(a.run(inputs, see)),
            Tree::Binary(op, a, b) => {
                let (a, b) = (a.run(inputs, see), b.run(inputs, see));
                match op {
                    0 => a + b,
                    1 => a - b,
                    2 => a * b,
                    3 => a / (b.square() + N::literal(1.0)),
                    4 => a.log_add_exp(b),
                    5 => a.sigmoid().pow(b),
                    6 => a.xlogy(b.exp()),
                    _ => -a * b,
                }
            }
            Tree::Select(parts) => {
                let [a, b, c, d] = &**parts;
                let (a, b) = (a.run(inputs, see), b.run(inputs, see));
                let (c, d) = (c.run(inputs, see), d.run(inputs, see));
                N::select(&N::or(&a.less(&b), &c.less_equal(&a)), c, d)
            }
        };
        see(&value);
        value
    }

    fn symbol(&self) -> Symbol {
        self.run(&NAMES.map(Symbol::variable), &mut |_| ())
    }
}

fn trees() -> impl Strategy<Value = Tree> {
    let smooth = vec![
        Unary::Exp,
        Unary::Square,
        Unary::Sin,
        Unary::Atan,
        Unary::Tanh,
        Unary::Sigmoid,
        Unary::Softplus,
        Unary::Erf,
        Unary::NormCdf,
        Unary::Abs,
        Unary::ExpM1,
    ];
    // Halves fold exactly; thirds would round once where the float rounds twice.
    let leaf = prop_oneof![
        3 => (0..3_usize).prop_map(Tree::Variable),
        1 => (-6..=6_i32).prop_map(|k| Tree::Literal(f64::from(k) / 2.0)),
    ];
    leaf.prop_recursive(5, 40, 4, move |inner| {
        prop_oneof![
            3 => (prop::sample::select(smooth.clone()), inner.clone()).prop_map(|(op, a)| Tree::Unary(op, Box::new(a))),
            4 => (0..8_u8, inner.clone(), inner.clone())
                .prop_map(|(op, a, b)| Tree::Binary(op, Box::new(a), Box::new(b))),
            1 => [inner.clone(), inner.clone(), inner.clone(), inner].prop_map(|p| Tree::Select(Box::new(p))),
        ]
    })
}

/// Neither zero, whose sign simplification may lose, nor near the ends of the range, where scaling rounds.
fn is_regular(x: f64) -> bool {
    x.abs() > 1e-100 && x.abs() < 1e100
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, max_global_rejects: 200_000, ..ProptestConfig::default() })]

    #[test]
    fn a_symbol_evaluates_to_the_float_bit_for_bit(tree in trees(), inputs in [0.1..2.0, -2.0..-0.1, 0.5..1.5_f64]) {
        let mut regular = true;
        let direct = tree.run(&inputs, &mut |x: &f64| regular &= is_regular(*x));
        prop_assume!(regular);
        let symbol = tree.symbol();
        let value: f64 = symbol.evaluate(&std::array::from_fn::<_, 3, _>(|k| (NAMES[k], inputs[k]))).expect("bound");
        prop_assert_eq!(value.to_bits(), direct.to_bits(), "{:?}: {} {}", symbol, value, direct);
        let single = inputs.map(|x| x as f32);
        let bound = std::array::from_fn::<_, 3, _>(|k| (NAMES[k], single[k]));
        let value: f32 = symbol.evaluate(&bound).expect("bound");
        let mut regular = true;
        let direct = tree.run(&single, &mut |x: &f32| regular &= x.abs() > 1e-12 && x.abs() < 1e12);
        prop_assume!(regular);
        prop_assert_eq!(value.to_bits(), direct.to_bits(), "f32 {:?}: {} {}", symbol, value, direct);
    }

    #[test]
    fn a_symbol_differentiates_as_a_dual_does(tree in trees(), inputs in [0.1..2.0, -2.0..-0.1, 0.5..1.5_f64]) {
        let duals = std::array::from_fn(|k| Dual::<f64, 3>::variable(inputs[k], k));
        let (mut largest, mut regular) = (1.0_f64, true);
        let direct = tree.run(&duals, &mut |x: &Dual<f64, 3>| {
            largest = x.slope.iter().fold(largest.max(x.value.abs()), |l, s| l.max(s.abs()));
            regular &= is_regular(x.value);
        });
        // Beyond, cancellation of intermediates hides the answer.
        prop_assume!(regular && largest < 1e5);
        let symbol = tree.symbol();
        let slopes: Vec<Symbol> = NAMES.iter().map(|name| symbol.derivative(name)).collect();
        for (k, slope) in slopes.iter().enumerate() {
            let bound = std::array::from_fn::<_, 3, _>(|k| (NAMES[k], inputs[k]));
            let value: f64 = slope.evaluate(&bound).expect("bound");
            // The products of the chain rule are taken in another order.
            let tolerance = 1e3 * f64::EPSILON * largest * largest;
            prop_assert!((value - direct.slope[k]).abs() <= tolerance, "{:?} by {}: {} {}", symbol, NAMES[k], value, direct.slope[k]);
        }
        let tape = Tape::compile(&slopes);
        let bound: Vec<f64> = tape.inputs().iter().map(|v| inputs[NAMES.iter().position(|n| **n == *v.name).expect("known")]).collect();
        let together = tape.replay(&bound).expect("as many as inputs");
        for (k, value) in together.iter().enumerate() {
            prop_assert!((value - direct.slope[k]).abs() <= 1e3 * f64::EPSILON * largest * largest);
        }
    }
}
