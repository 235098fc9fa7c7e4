//! Python text over an array namespace.
use std::collections::BTreeMap;
use std::sync::Arc;

use super::code::{self, Binding, Dialect, Piece, Pieces};
use super::node::{Kind, Variable};
use super::{name, order, Symbol};
use crate::number::Constant;
use crate::ops::Unary;

struct Python {
    names: BTreeMap<Arc<str>, String>,
}

impl Python {
    /// Names that Python accepts, each variable its own.
    fn new(nodes: &[Symbol]) -> Self {
        let mut names: BTreeMap<Arc<str>, String> = BTreeMap::new();
        for node in nodes {
            if let Kind::Variable(variable) = node.kind() {
                let mut text = name::python(&variable.name);
                let is_taken = |text: &String| {
                    ["xp", "special"].contains(&text.as_str())
                        || names.iter().any(|(owner, used)| used == text && *owner != variable.name)
                };
                while is_taken(&text) {
                    text.push('_');
                }
                names.insert(variable.name.clone(), text);
            }
        }
        Python { names }
    }
}

impl Dialect for Python {
    fn variable(&self, variable: &Variable) -> String {
        let name = &self.names[&variable.name];
        variable.index.map_or_else(|| name.clone(), |index| format!("{name}[{index}]"))
    }
    fn literal(&self, x: f64) -> Piece {
        if !x.is_finite() {
            return (format!("float(\"{}\")", x.to_string().to_lowercase()), Binding::Atom);
        }
        (code::decimal(x), if x.is_sign_negative() { Binding::Sum } else { Binding::Atom })
    }
    fn ratio(&self, p: i32, q: i32) -> Piece {
        (format!("({p}/{q})"), Binding::Atom)
    }
    fn constant(&self, c: Constant) -> String {
        code::decimal(c.value())
    }
    fn unary(&self, op: Unary) -> &'static str {
        op.python()
    }
    fn xlogy(&self, a: &str, b: &str) -> String {
        format!("special.xlogy({a}, {b})")
    }
    fn log_add_exp(&self, a: &str, b: &str) -> String {
        format!("xp.logaddexp({a}, {b})")
    }
    fn select(&self, condition: &str, a: &str, b: &str) -> String {
        format!("xp.where({condition}, {a}, {b})")
    }
    fn truth(&self, value: bool) -> &'static str {
        if value {
            "True"
        } else {
            "False"
        }
    }
    fn and(&self, a: &str, b: &str) -> String {
        format!("xp.logical_and({a}, {b})")
    }
    fn not(&self, a: &str) -> String {
        format!("xp.logical_not({a})")
    }
}

/// The formula as one line.
pub(super) fn expression(formula: &Symbol) -> String {
    code::expression(formula, &Python::new(&order(std::slice::from_ref(formula))))
}

impl Symbol {
    /// The formula as a Python function of its variables, in order of name.
    ///
    /// `xp` is the array namespace of the arguments; `special` holds functions named as in SciPy's, needed where
    /// the array-API standard has none. Parts used twice get a name. The order of operations is the graph's.
    ///
    /// ```
    /// use isostat_number::{Elementary, Number, Symbol};
    /// let x = Symbol::variable("x").exp();
    /// let text = (x.clone() / (x + Symbol::literal(1.0))).to_python("sigmoid");
    /// assert_eq!(text, "def sigmoid(x, *, xp, special=None):\n    t0 = xp.exp(x)\n    return t0/(t0 + 1.0)\n");
    /// ```
    pub fn to_python(&self, function: &str) -> String {
        let nodes = order(std::slice::from_ref(self));
        let dialect = Python::new(&nodes);
        let uses = code::uses(&nodes);
        let prefix = temporary_prefix(&dialect);
        let (mut pieces, mut body, mut n_named) = (Pieces::new(), String::new(), 0);
        for node in &nodes {
            let mut piece = code::piece(node, &dialect, &pieces);
            let is_leaf = node.kind().operands().next().is_none();
            if !is_leaf && uses.get(&node.address()).is_some_and(|n| *n > 1) {
                let name = format!("{prefix}{n_named}");
                body.push_str(&format!("    {name} = {}\n", piece.0));
                piece = (name, Binding::Atom);
                n_named += 1;
            }
            pieces.insert(node.address(), piece);
        }
        let result = &pieces[&self.address()].0;
        let arguments: String = dialect.names.values().map(|name| format!("{name}, ")).collect();
        format!(
            "def {}({arguments}*, xp, special=None):\n{body}    return {result}\n",
            name::python(function)
        )
    }
}

/// A prefix with which no variable's name begins.
fn temporary_prefix(dialect: &Python) -> String {
    let mut prefix = String::from("t");
    while dialect.names.values().any(|name| name.starts_with(&prefix)) {
        prefix.insert(0, '_');
    }
    prefix
}
