//! Formulas as graphs: a number that remembers how it was made.
//!
//! Running a generic formula on [`Symbol`]s gives its graph. Equal parts are one node, whoever built them, and a
//! node is immutable, so that a graph may be shared between threads. From the graph come exact derivatives of any
//! order, printed forms, a linear program ([`Tape`]) and, by evaluation on any other number, its values.
//!
//! Building simplifies as long as the value stays: exact rationals are folded, neutral elements and double
//! negations go. `0·x` is kept, as x may be infinite. The sign of a zero is not part of the value.
//!
//! ```
//! use isostat_number::{Elementary, Number, Symbol};
//! let (x, mu, sigma) = (Symbol::variable("x"), Symbol::variable("mu"), Symbol::variable("sigma"));
//! let log_density = -(((x - mu) / sigma.clone()).square() / Symbol::literal(2.0)) - sigma.ln();
//! assert_eq!(log_density.to_latex(), r"-\frac{(x - \mu)^{2}}{2 \sigma^{2}} - \log \sigma");
//! assert_eq!(log_density.derivative("mu").to_latex(), r"\frac{x - \mu}{\sigma^{2}}");
//! let value: f64 = log_density.evaluate(&[("x", 1.0), ("mu", 0.0), ("sigma", 2.0)])?;
//! assert_eq!(value, -0.125 - 2.0_f64.ln());
//! # Ok::<(), isostat_base::Error>(())
//! ```
mod code;
mod derivative;
mod host;
mod latex;
mod latex_product;
mod name;
mod node;
mod number;
mod python;
mod rational;
mod replay;
mod simplify;
mod sympy;
mod tape;

use std::sync::Arc;

pub use host::{Column, Scalar};
pub use node::{node_count, Kind, Variable};
pub use number::Condition;
pub use tape::Tape;

/// A node of a graph in which equal parts are one node. Cloning copies a pointer.
#[derive(Clone)]
pub struct Symbol(Arc<node::Node>);

impl Symbol {
    /// A named input.
    pub fn variable(name: &str) -> Symbol {
        node::intern(Kind::Variable(Variable { name: name.into(), index: None }))
    }

    /// An element of a named input, counted from 0.
    pub fn element(name: &str, index: usize) -> Symbol {
        node::intern(Kind::Variable(Variable { name: name.into(), index: Some(index) }))
    }

    /// What the node is.
    pub fn kind(&self) -> &Kind {
        &self.0.kind
    }

    /// The number, if the node is a literal.
    pub fn as_literal(&self) -> Option<f64> {
        match self.kind() {
            Kind::Literal(bits) => Some(f64::from_bits(*bits)),
            _ => None,
        }
    }

    /// The variables that the formula depends on, in order of name and index.
    pub fn variables(&self) -> Vec<Variable> {
        let mut found: Vec<Variable> = order(std::slice::from_ref(self))
            .iter()
            .filter_map(|node| match node.kind() {
                Kind::Variable(variable) => Some(variable.clone()),
                _ => None,
            })
            .collect();
        found.sort();
        found
    }

    /// The number of distinct nodes, this one included.
    pub fn size(&self) -> usize {
        order(std::slice::from_ref(self)).len()
    }

    fn address(&self) -> usize {
        Arc::as_ptr(&self.0) as usize
    }
}

impl PartialEq for Symbol {
    /// Same node, which is the same structure.
    fn eq(&self, other: &Symbol) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}
impl Eq for Symbol {}

impl std::fmt::Debug for Symbol {
    /// The formula as one line of Python, or its size where that would be long.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        const LARGEST: usize = 100;
        match self.size() {
            n if n > LARGEST => write!(f, "Symbol({n} nodes)"),
            _ => f.write_str(&python::expression(self)),
        }
    }
}

/// Every node under the outputs once, operands before their users. Without recursion: graphs may be deep.
fn order(outputs: &[Symbol]) -> Vec<Symbol> {
    let mut seen = std::collections::HashSet::new();
    let mut sorted = Vec::new();
    let mut stack: Vec<(Symbol, bool)> = outputs.iter().rev().map(|o| (o.clone(), false)).collect();
    while let Some((node, operands_done)) = stack.pop() {
        if operands_done {
            sorted.push(node);
        } else if seen.insert(node.address()) {
            stack.push((node.clone(), true));
            let operands: Vec<Symbol> = node.kind().operands().cloned().collect();
            stack.extend(operands.into_iter().rev().map(|o| (o, false)));
        }
    }
    sorted
}
