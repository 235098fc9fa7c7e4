//! Makers of nodes: each simplifies where the value stays what it was.
//!
//! A rule may be used if floats give the same bits before and after, save for the sign of a zero and at
//! the ends of the range (powers of two move), or if it folds exact rationals. So `x - x` and `0·x` stay: x may be infinite.
use super::node::{intern, Kind};
use super::rational::Rational;
use super::Symbol;
use crate::ops::Unary;

pub(super) fn literal(x: f64) -> Symbol {
    intern(Kind::Literal(x.to_bits()))
}

fn is(node: &Symbol, x: f64) -> bool {
    node.as_literal() == Some(x)
}

/// Folds an operation on two rationals.
fn fold(a: &Symbol, b: &Symbol, f: impl Fn(Rational, Rational) -> Option<Rational>) -> Option<Symbol> {
    f(Rational::of(a)?, Rational::of(b)?).map(Rational::symbol)
}

/// The number without its sign, if the node is negative: `-b` gives b, `-2` gives 2.
fn without_sign(node: &Symbol) -> Option<Symbol> {
    match node.kind() {
        Kind::Neg(inner) => Some(inner.clone()),
        Kind::Literal(bits) if f64::from_bits(*bits) < 0.0 => Some(literal(-f64::from_bits(*bits))),
        Kind::Ratio(p, q) if *p < 0 => Rational::new(-i64::from(*p), i64::from(*q)).map(Rational::symbol),
        _ => None,
    }
}

pub(super) fn ratio(p: i32, q: i32) -> Symbol {
    match Rational::new(i64::from(p), i64::from(q)) {
        Some(r) => r.symbol(),
        // p/0 is what floats make of it.
        None => literal(f64::from(p) / f64::from(q)),
    }
}

pub(super) fn neg(a: Symbol) -> Symbol {
    match a.kind() {
        Kind::Neg(inner) => inner.clone(),
        Kind::Literal(bits) => literal(-f64::from_bits(*bits)),
        Kind::Sub(x, y) => sub(y.clone(), x.clone()),
        Kind::Ratio(..) => match Rational::of(&a).and_then(Rational::negate) {
            Some(r) => r.symbol(),
            None => intern(Kind::Neg(a)),
        },
        _ => intern(Kind::Neg(a)),
    }
}

pub(super) fn add(a: Symbol, b: Symbol) -> Symbol {
    if let Some(sum) = fold(&a, &b, Rational::add) {
        return sum;
    }
    if is(&b, 0.0) {
        return a;
    }
    if is(&a, 0.0) {
        return b;
    }
    if let Some(total) = gather(&a, &b, Rational::add) {
        return total;
    }
    if let Some(positive) = without_sign(&b) {
        return sub(a, positive);
    }
    match a.kind() {
        Kind::Neg(positive) => sub(b, positive.clone()),
        _ => intern(Kind::Add(a, b)),
    }
}

/// `c x + d x = (c + d) x` for powers of two: both sides round once.
fn gather(a: &Symbol, b: &Symbol, f: impl Fn(Rational, Rational) -> Option<Rational>) -> Option<Symbol> {
    let one = Rational { p: 1, q: 1 };
    let (x, c) = scaled(a).unwrap_or_else(|| (a.clone(), one));
    let (y, d) = scaled(b).unwrap_or_else(|| (b.clone(), one));
    // `x - x` stays.
    let total = f(c, d).filter(|total| total.p != 0)?;
    (x == y).then(|| mul(x, total.symbol()))
}

pub(super) fn sub(a: Symbol, b: Symbol) -> Symbol {
    if let Some(difference) = fold(&a, &b, |x, y| x.add(y.negate()?)) {
        return difference;
    }
    if is(&b, 0.0) {
        return a;
    }
    if is(&a, 0.0) {
        return neg(b);
    }
    if let Some(total) = gather(&a, &b, |x, y| x.add(y.negate()?)) {
        return total;
    }
    if let Some(positive) = without_sign(&b) {
        return add(a, positive);
    }
    match a.kind() {
        Kind::Neg(positive) => neg(add(positive.clone(), b)),
        _ => intern(Kind::Sub(a, b)),
    }
}

pub(super) fn mul(a: Symbol, b: Symbol) -> Symbol {
    if let Some(product) = fold(&a, &b, Rational::multiply) {
        return product;
    }
    if is(&b, 1.0) {
        return a;
    }
    if is(&a, 1.0) {
        return b;
    }
    if let Some(positive) = without_sign(&a) {
        return neg(mul(positive, b));
    }
    if let Some(positive) = without_sign(&b) {
        return neg(mul(a, positive));
    }
    // Numbers stand on the right.
    if Rational::of(&a).is_some() && Rational::of(&b).is_none() {
        return mul(b, a);
    }
    match (scaled(&a), scaled(&b), power_of_two(&b)) {
        (Some((x, c)), _, Some(d)) => match c.multiply(d) {
            Some(product) => mul(x, product.symbol()),
            None => intern(Kind::Mul(a, b)),
        },
        (Some((x, c)), _, None) => mul(mul(x, b), c.symbol()),
        (None, Some((y, c)), _) => mul(mul(a, y), c.symbol()),
        (None, None, _) if a == b => unary(Unary::Square, a),
        (None, None, _) => intern(Kind::Mul(a, b)),
    }
}

fn power_of_two(node: &Symbol) -> Option<Rational> {
    Rational::of(node).filter(|r| r.is_power_of_two())
}

/// `x·c` with c a power of two, which scales without rounding: such factors move outward and meet.
fn scaled(node: &Symbol) -> Option<(Symbol, Rational)> {
    match node.kind() {
        Kind::Mul(x, c) => Some((x.clone(), power_of_two(c)?)),
        _ => None,
    }
}

pub(super) fn div(a: Symbol, b: Symbol) -> Symbol {
    if let Some(quotient) = fold(&a, &b, Rational::divide) {
        return quotient;
    }
    if is(&b, 1.0) {
        return a;
    }
    if let Some(positive) = without_sign(&b) {
        return neg(div(a, positive));
    }
    if let Some(positive) = without_sign(&a) {
        return neg(div(positive, b));
    }
    let reciprocal = |c: Rational| Rational { p: 1, q: 1 }.divide(c).map(Rational::symbol);
    if let Some(factor) = power_of_two(&b).and_then(reciprocal) {
        return mul(a, factor);
    }
    if let Some((x, c)) = scaled(&a) {
        return mul(div(x, b), c.symbol());
    }
    match scaled(&b).and_then(|(y, c)| Some((y, reciprocal(c)?))) {
        Some((y, factor)) => mul(div(a, y), factor),
        None => intern(Kind::Div(a, b)),
    }
}

pub(super) fn pow(a: Symbol, b: Symbol) -> Symbol {
    if is(&b, 1.0) {
        return a;
    }
    // As IEEE has it, even for NaN.
    if is(&b, 0.0) || is(&a, 1.0) {
        return literal(1.0);
    }
    intern(Kind::Pow(a, b))
}

pub(super) fn xlogy(a: Symbol, b: Symbol) -> Symbol {
    if is(&a, 0.0) {
        return literal(0.0);
    }
    if is(&a, 1.0) {
        return unary(Unary::Ln, b);
    }
    match without_sign(&a) {
        Some(positive) => neg(xlogy(positive, b)),
        None => intern(Kind::Xlogy(a, b)),
    }
}

pub(super) fn log_add_exp(a: Symbol, b: Symbol) -> Symbol {
    intern(Kind::LogAddExp(a, b))
}

pub(super) fn unary(op: Unary, a: Symbol) -> Symbol {
    if let Some(value) = Rational::of(&a).and_then(|r| at_rational(op, r)) {
        return value.symbol();
    }
    match (op, a.kind()) {
        (Unary::Square | Unary::Abs | Unary::Cos, Kind::Neg(inner)) => unary(op, inner.clone()),
        (Unary::Square, Kind::Unary(Unary::Abs, inner)) => unary(op, inner.clone()),
        (Unary::Abs, Kind::Unary(Unary::Abs | Unary::Square | Unary::Exp | Unary::Sqrt, _)) => a,
        _ => intern(Kind::Unary(op, a)),
    }
}

/// Where a function of a rational is rational, and known to be.
fn at_rational(op: Unary, x: Rational) -> Option<Rational> {
    const ONE: Rational = Rational { p: 1, q: 1 };
    const HALF: Rational = Rational { p: 1, q: 2 };
    let is_zero = x.p == 0;
    match op {
        Unary::Square => x.multiply(x),
        Unary::Abs => Rational::new(x.p.abs(), x.q),
        Unary::Floor => Rational::new(x.p.div_euclid(x.q), 1),
        Unary::Sqrt => Rational::new(exact_root(x.p)?, exact_root(x.q)?),
        Unary::Ln if x == ONE => Some(Rational { p: 0, q: 1 }),
        Unary::LnGamma if x == ONE || x == (Rational { p: 2, q: 1 }) => Some(Rational { p: 0, q: 1 }),
        Unary::NormQuantile if x == HALF => Some(Rational { p: 0, q: 1 }),
        Unary::ExpM1 | Unary::Ln1p | Unary::Sin | Unary::Tan | Unary::Atan | Unary::Tanh | Unary::Erf
            if is_zero =>
        {
            Some(x)
        }
        Unary::Exp | Unary::Cos | Unary::Erfc | Unary::Erfcx if is_zero => Some(ONE),
        Unary::Sigmoid | Unary::NormCdf if is_zero => Some(HALF),
        _ => None,
    }
}

fn exact_root(n: i64) -> Option<i64> {
    let root = (n as f64).sqrt() as i64;
    (n >= 0 && root * root == n).then_some(root)
}

pub(super) fn truth(value: bool) -> Symbol {
    intern(Kind::Truth(value))
}

pub(super) fn less(a: &Symbol, b: &Symbol) -> Symbol {
    match (Rational::of(a), Rational::of(b)) {
        (Some(x), Some(y)) => truth(x.less(y)),
        _ if a == b => truth(false),
        _ => intern(Kind::Less(a.clone(), b.clone())),
    }
}

pub(super) fn less_equal(a: &Symbol, b: &Symbol) -> Symbol {
    // `x <= x` stays: it is false for NaN.
    match (Rational::of(a), Rational::of(b)) {
        (Some(x), Some(y)) => truth(!y.less(x)),
        _ => intern(Kind::LessEqual(a.clone(), b.clone())),
    }
}

pub(super) fn and(a: &Symbol, b: &Symbol) -> Symbol {
    match (a.kind(), b.kind()) {
        (Kind::Truth(true), _) => b.clone(),
        (_, Kind::Truth(true)) => a.clone(),
        (Kind::Truth(false), _) | (_, Kind::Truth(false)) => truth(false),
        _ if a == b => a.clone(),
        _ => intern(Kind::And(a.clone(), b.clone())),
    }
}

pub(super) fn not(a: &Symbol) -> Symbol {
    match a.kind() {
        Kind::Truth(value) => truth(!value),
        Kind::Not(inner) => inner.clone(),
        _ => intern(Kind::Not(a.clone())),
    }
}

pub(super) fn select(condition: &Symbol, a: Symbol, b: Symbol) -> Symbol {
    match condition.kind() {
        Kind::Truth(true) => a,
        Kind::Truth(false) => b,
        _ if a == b => a,
        Kind::Not(inner) => select(inner, b, a),
        _ => intern(Kind::Select(condition.clone(), a, b)),
    }
}
