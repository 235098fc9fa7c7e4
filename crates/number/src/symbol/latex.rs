//! LaTeX as a statistician writes it.
use std::cell::RefCell;
use std::collections::HashMap;

use super::latex_product::{self, Product};
use super::node::Kind;
use super::rational::Rational;
use super::{name, simplify, Symbol};
use crate::number::Constant;
use crate::ops::Unary;

/// How tightly a text binds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Binding {
    /// Cases, which reach to the right as far as they can.
    Cases,
    Sum,
    Product,
    /// One fraction: a factor and an argument as it stands, but no base of a power.
    Fraction,
    /// A function before its argument without parentheses: it must come last in a product.
    Bare,
    /// A function before its argument in parentheses.
    Function,
    Power,
    Atom,
}

pub(super) type Piece = (String, Binding);

impl Symbol {
    /// The formula in LaTeX.
    ///
    /// Names as papers print them (`mu` is `\mu`, `beta0` is `\beta_{0}`), products of quotients as one fraction,
    /// no more parentheses than needed. Printing may reorder factors and cancel equal ones; [`Symbol::to_python`]
    /// keeps the order of operations.
    ///
    /// ```
    /// use isostat_number::{Number, Symbol};
    /// let (y, mu) = (Symbol::variable("y"), Symbol::variable("mu"));
    /// assert_eq!((y.xlogy(mu.clone()) - mu).to_latex(), r"y \log \mu - \mu");
    /// ```
    pub fn to_latex(&self) -> String {
        print(&Printer::default(), self).0
    }
}

/// Texts already made. The keys keep their nodes alive, those that only printing makes too.
#[derive(Default)]
pub(super) struct Printer {
    pieces: RefCell<HashMap<Symbol, Piece>>,
}

pub(super) fn print(printer: &Printer, node: &Symbol) -> Piece {
    if let Some(piece) = printer.pieces.borrow().get(node) {
        return piece.clone();
    }
    let piece = fresh(printer, node);
    printer.pieces.borrow_mut().insert(node.clone(), piece.clone());
    piece
}

fn fresh(printer: &Printer, node: &Symbol) -> Piece {
    match node.kind() {
        Kind::Variable(variable) => (name::latex(variable), Binding::Atom),
        Kind::Literal(bits) => number(printer, node, f64::from_bits(*bits)),
        Kind::Constant(c) => constant(*c),
        Kind::Add(..) | Kind::Sub(..) | Kind::Neg(_) => sum(printer, node),
        Kind::Ratio(..) | Kind::Mul(..) | Kind::Div(..) | Kind::Xlogy(..) | Kind::Unary(Unary::Square, _) => {
            latex_product::product(printer, node)
        }
        Kind::Pow(a, b) => match Rational::of(b) {
            Some(_) => latex_product::product(printer, node),
            None => {
                (format!("{}^{{{}}}", bind(printer, a, Binding::Atom), print(printer, b).0), Binding::Power)
            }
        },
        Kind::Unary(op, a) => function(printer, *op, a),
        Kind::LogAddExp(a, b) => {
            let terms = exponential(printer, a).0 + " + " + &exponential(printer, b).0;
            (format!("\\log{}", parenthesise(&terms)), Binding::Function)
        }
        Kind::Select(condition, a, b) => select(printer, condition, a, b),
        _ => (condition(printer, node), Binding::Sum),
    }
}

/// The text, in parentheses if it binds less than is needed.
pub(super) fn bind(printer: &Printer, node: &Symbol, least: Binding) -> String {
    wrap(print(printer, node), least)
}

pub(super) fn wrap(piece: Piece, least: Binding) -> String {
    if piece.1 < least {
        parenthesise(&piece.0)
    } else {
        piece.0
    }
}

/// Whether a text stays within the height of a line.
fn is_flat(text: &str) -> bool {
    ["\\frac", "\\left", "\\sqrt", "\\begin"].iter().all(|tall| !text.contains(tall))
}

pub(super) fn parenthesise(text: &str) -> String {
    if is_flat(text) {
        format!("({text})")
    } else {
        format!("\\left({text}\\right)")
    }
}

fn number(printer: &Printer, node: &Symbol, x: f64) -> Piece {
    // A fraction with a larger denominator reads worse than its decimals.
    const LARGEST_DENOMINATOR: i64 = 16;
    match Rational::of(node) {
        Some(r) if r.q > 1 && r.q <= LARGEST_DENOMINATOR => latex_product::product(printer, node),
        _ => decimal(x),
    }
}

/// The shortest decimal that reads back as the same float.
pub(super) fn decimal(x: f64) -> Piece {
    if x.is_nan() {
        return ("\\mathrm{NaN}".into(), Binding::Atom);
    }
    let binding = if x.is_sign_negative() { Binding::Sum } else { Binding::Atom };
    if x.is_infinite() {
        return (if x > 0.0 { "\\infty" } else { "-\\infty" }.into(), binding);
    }
    let plain = x.to_string();
    // A dozen figures: beyond, powers of ten are shorter.
    if plain.len() <= 12 || x.abs() < 1.0 && x.abs() >= 1e-4 {
        return (plain, binding);
    }
    let scientific = format!("{x:e}");
    match scientific.split_once('e') {
        Some(("1", exponent)) => (format!("10^{{{exponent}}}"), Binding::Power),
        Some((digits, exponent)) => {
            (format!("{digits} \\cdot 10^{{{exponent}}}"), Binding::Product.min(binding))
        }
        None => (plain, binding),
    }
}

fn constant(c: Constant) -> Piece {
    let binding = match c {
        Constant::Pi => Binding::Atom,
        Constant::Ln2 => Binding::Bare,
        Constant::HalfLn2Pi => Binding::Product,
        Constant::Sqrt2Pi | Constant::SqrtTwoOverPi => Binding::Atom,
        Constant::OneOverSqrt2Pi | Constant::TwoOverSqrtPi | Constant::OneOverSqrt2 => Binding::Fraction,
    };
    (c.latex().into(), binding)
}

/// The terms of a sum, in order; equal ones are added up.
pub(super) fn terms(node: &Symbol) -> Vec<Product> {
    let mut found: Vec<Product> = Vec::new();
    let mut stack = vec![(false, Rational { p: 1, q: 1 }, node.clone())];
    while let Some((is_negative, factor, term)) = stack.pop() {
        match term.kind() {
            Kind::Add(a, b) => {
                stack.extend([(is_negative, factor, b.clone()), (is_negative, factor, a.clone())])
            }
            Kind::Sub(a, b) => {
                stack.extend([(!is_negative, factor, b.clone()), (is_negative, factor, a.clone())])
            }
            Kind::Neg(a) => stack.push((!is_negative, factor, a.clone())),
            _ => {
                let product = Product::of(&term);
                let inside =
                    product.scaled_sum().and_then(|(sign, c, sum)| Some((sign, c.multiply(factor)?, sum)));
                if let Some((sign, total, sum)) = inside {
                    stack.push((is_negative ^ sign, total, sum));
                    continue;
                }
                let product = product.scaled(is_negative, factor);
                if !found.iter_mut().any(|held| held.add(&product)) {
                    found.push(product);
                }
            }
        }
    }
    found.retain(|term| !term.is_zero());
    found
}

fn sum(printer: &Printer, node: &Symbol) -> Piece {
    let mut text = String::new();
    for term in terms(node) {
        let (is_negative, piece) = term.print(printer);
        let is_first = text.is_empty();
        let least = match is_negative {
            false if is_first => Binding::Cases,
            // After a plus a sum may stand as it is, unless it begins with a minus.
            false if !piece.0.starts_with('-') => Binding::Sum,
            _ => Binding::Product,
        };
        text.push_str(match (is_first, is_negative) {
            (true, false) => "",
            (true, true) => "-",
            (false, false) => " + ",
            (false, true) => " - ",
        });
        text.push_str(&wrap(piece, least));
    }
    if text.is_empty() {
        text.push('0');
    }
    (text, Binding::Sum)
}

/// `e^x`, or `\exp(…)` where the exponent is tall or long.
fn exponential(printer: &Printer, a: &Symbol) -> Piece {
    const LONGEST: usize = 40;
    let exponent = print(printer, a).0;
    if is_flat(&exponent) && exponent.len() <= LONGEST {
        return (format!("e^{{{exponent}}}"), Binding::Power);
    }
    (format!("\\exp{}", parenthesise(&exponent)), Binding::Function)
}

/// Functions that are printed before a single name as they stand.
const WITHOUT_PARENTHESES: [&str; 6] = ["\\log", "\\sin", "\\cos", "\\tan", "\\arctan", "\\tanh"];
const SLOT: &str = "\\left({}\\right)";

/// A row of the table around its argument.
fn function(printer: &Printer, op: Unary, a: &Symbol) -> Piece {
    if op == Unary::Exp {
        return exponential(printer, a);
    }
    let template = op.latex();
    if let Some(head) = template.strip_suffix(SLOT) {
        let argument = print(printer, a);
        if WITHOUT_PARENTHESES.contains(&head)
            && (argument.1 == Binding::Atom || argument.1 == Binding::Fraction)
        {
            return (format!("{head} {}", argument.0), Binding::Bare);
        }
        return (head.to_string() + &parenthesise(&argument.0), Binding::Function);
    }
    let text = template.replace("{}", &print(printer, a).0).replace("1 + -", "1 - ");
    if let Some(inner) = text.strip_prefix("\\left(").and_then(|t| t.strip_suffix("\\right)")) {
        return (inner.into(), Binding::Sum);
    }
    let binding = if template.starts_with("\\log") { Binding::Function } else { Binding::Atom };
    (lower(&text), binding)
}

/// Delimiters of ordinary size where nothing inside is tall.
fn lower(text: &str) -> String {
    let lowered = text.replace("\\left", "").replace("\\right", "");
    if is_flat(&lowered) {
        lowered
    } else {
        text.to_string()
    }
}

fn select(printer: &Printer, condition_node: &Symbol, a: &Symbol, b: &Symbol) -> Piece {
    if let Kind::Less(low, high) = condition_node.kind() {
        let both = |name: &str| {
            // As `a.maximum(b)` and `a.minimum(b)` have them.
            let arguments = format!("{}, {}", print(printer, b).0, print(printer, a).0);
            format!("\\{name}{}", parenthesise(&arguments))
        };
        if a == high && b == low {
            return (both("max"), Binding::Function);
        }
        if a == low && b == high {
            return (both("min"), Binding::Function);
        }
    }
    // Neither of two: the same with arms exchanged, as either.
    let (a, b, test) = match condition_node.kind() {
        Kind::And(x, y) if matches!((x.kind(), y.kind()), (Kind::Not(_), Kind::Not(_))) => {
            (b, a, negated(printer, condition_node))
        }
        _ => (a, b, condition(printer, condition_node)),
    };
    let text = format!(
        "\\begin{{cases}} {} & \\text{{if }} {} \\\\ {} & \\text{{otherwise}} \\end{{cases}}",
        print(printer, a).0,
        test,
        print(printer, b).0
    );
    (text, Binding::Cases)
}

fn condition(printer: &Printer, node: &Symbol) -> String {
    match node.kind() {
        Kind::Truth(value) => format!("\\text{{{value}}}"),
        Kind::Less(a, b) => format!("{} < {}", print(printer, a).0, print(printer, b).0),
        Kind::LessEqual(a, b) => format!("{} \\le {}", print(printer, a).0, print(printer, b).0),
        Kind::And(a, b) => match (a.kind(), b.kind()) {
            (Kind::LessEqual(x, y), Kind::LessEqual(u, v)) if x == v && y == u => {
                format!("{} = {}", print(printer, x).0, print(printer, y).0)
            }
            _ => format!("{} \\text{{ and }} {}", condition(printer, a), condition(printer, b)),
        },
        Kind::Not(a) => negated(printer, a),
        _ => print(printer, node).0,
    }
}

fn negated(printer: &Printer, node: &Symbol) -> String {
    match node.kind() {
        Kind::Less(a, b) => format!("{} \\ge {}", print(printer, a).0, print(printer, b).0),
        Kind::LessEqual(a, b) => format!("{} > {}", print(printer, a).0, print(printer, b).0),
        // Neither of two does not hold: one of them does.
        Kind::And(a, b) => {
            let of = |c: &Symbol| condition(printer, &simplify::not(c));
            format!("{} \\text{{ or }} {}", of(a), of(b))
        }
        _ => format!("\\lnot {}", parenthesise(&condition(printer, node))),
    }
}
