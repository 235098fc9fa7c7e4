//! What Python and SymPy text share: operators, parentheses, operands.
use std::collections::HashMap;

use super::node::{Kind, Variable};
use super::Symbol;
use crate::number::Constant;
use crate::ops::Unary;

/// How tightly a text binds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Binding {
    Sum,
    Product,
    Power,
    Atom,
}

/// A text and how tightly it binds.
pub(super) type Piece = (String, Binding);

/// What differs between the two.
pub(super) trait Dialect {
    fn variable(&self, variable: &Variable) -> String;
    fn literal(&self, x: f64) -> Piece;
    fn ratio(&self, p: i32, q: i32) -> Piece;
    fn constant(&self, c: Constant) -> String;
    fn unary(&self, op: Unary) -> &'static str;
    fn xlogy(&self, a: &str, b: &str) -> String;
    fn log_add_exp(&self, a: &str, b: &str) -> String;
    fn select(&self, condition: &str, a: &str, b: &str) -> String;
    fn truth(&self, value: bool) -> &'static str;
    fn and(&self, a: &str, b: &str) -> String;
    fn not(&self, a: &str) -> String;
}

/// The texts of nodes already printed.
pub(super) type Pieces = HashMap<usize, Piece>;

/// The text of a node whose operands have theirs.
pub(super) fn piece(node: &Symbol, dialect: &impl Dialect, pieces: &Pieces) -> Piece {
    let plain = |operand: &Symbol| pieces[&operand.address()].0.as_str();
    let bound = |operand: &Symbol, least: Binding| wrap(&pieces[&operand.address()], least);
    let infix = |a: &Symbol, sign: &str, b: &Symbol, (left, right, own): (Binding, Binding, Binding)| {
        (format!("{}{sign}{}", bound(a, left), bound(b, right)), own)
    };
    use Binding::{Atom, Power, Product, Sum};
    match node.kind() {
        Kind::Variable(variable) => (dialect.variable(variable), Atom),
        Kind::Literal(bits) => dialect.literal(f64::from_bits(*bits)),
        Kind::Ratio(p, q) => dialect.ratio(*p, *q),
        Kind::Constant(c) => (dialect.constant(*c), Atom),
        Kind::Unary(Unary::Square, a) => (format!("{}**2", bound(a, Atom)), Power),
        Kind::Unary(op, a) => (dialect.unary(*op).replace("{}", plain(a)), Atom),
        Kind::Neg(a) => (format!("-{}", bound(a, Product)), Sum),
        // The right operand is wrapped unless it binds tighter: the order of evaluation is the graph's.
        Kind::Add(a, b) => infix(a, " + ", b, (Sum, Product, Sum)),
        Kind::Sub(a, b) => infix(a, " - ", b, (Sum, Product, Sum)),
        Kind::Mul(a, b) => infix(a, "*", b, (Product, Power, Product)),
        Kind::Div(a, b) => infix(a, "/", b, (Product, Power, Product)),
        Kind::Pow(a, b) => infix(a, "**", b, (Atom, Atom, Power)),
        Kind::Xlogy(a, b) => (dialect.xlogy(plain(a), plain(b)), Atom),
        Kind::LogAddExp(a, b) => (dialect.log_add_exp(plain(a), plain(b)), Atom),
        Kind::Select(condition, a, b) => (dialect.select(plain(condition), plain(a), plain(b)), Atom),
        Kind::Truth(value) => (dialect.truth(*value).into(), Atom),
        Kind::Less(a, b) => (format!("({} < {})", plain(a), plain(b)), Atom),
        Kind::LessEqual(a, b) => (format!("({} <= {})", plain(a), plain(b)), Atom),
        Kind::And(a, b) => (dialect.and(plain(a), plain(b)), Atom),
        Kind::Not(a) => (dialect.not(plain(a)), Atom),
    }
}

pub(super) fn wrap(piece: &Piece, least: Binding) -> String {
    if piece.1 < least {
        format!("({})", piece.0)
    } else {
        piece.0.clone()
    }
}

/// How many nodes read each node.
pub(super) fn uses(nodes: &[Symbol]) -> HashMap<usize, usize> {
    let mut uses = HashMap::new();
    nodes
        .iter()
        .flat_map(|node| node.kind().operands())
        .for_each(|o| *uses.entry(o.address()).or_default() += 1);
    uses
}

/// The text of a whole formula as one expression. A text is dropped after its last use.
pub(super) fn expression(formula: &Symbol, dialect: &impl Dialect) -> String {
    let nodes = super::order(std::slice::from_ref(formula));
    let (mut left, mut pieces) = (uses(&nodes), Pieces::new());
    for node in &nodes {
        let text = piece(node, dialect, &pieces);
        for operand in node.kind().operands() {
            let count = left.entry(operand.address()).or_default();
            *count = count.saturating_sub(1);
            if *count == 0 {
                pieces.remove(&operand.address());
            }
        }
        pieces.insert(node.address(), text);
    }
    pieces.remove(&formula.address()).map(|(text, _)| text).unwrap_or_default()
}

/// The shortest decimal that reads back as the same float, with a point or an exponent.
pub(super) fn decimal(x: f64) -> String {
    format!("{x:?}")
}
