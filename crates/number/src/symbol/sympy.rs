//! SymPy text.
use super::code::{self, Binding, Dialect, Piece};
use super::node::Variable;
use super::Symbol;
use crate::number::Constant;
use crate::ops::Unary;

struct Sympy;

impl Dialect for Sympy {
    fn variable(&self, variable: &Variable) -> String {
        let name = variable.name.replace('\\', "\\\\").replace('"', "\\\"");
        match variable.index {
            Some(index) => format!("sympy.IndexedBase(\"{name}\")[{index}]"),
            None => format!("sympy.Symbol(\"{name}\")"),
        }
    }
    fn literal(&self, x: f64) -> Piece {
        let atom = |text: String| (text, Binding::Atom);
        if let Some(exact) = exact_rational(x) {
            return atom(exact);
        }
        match x {
            _ if x.is_nan() => atom("sympy.nan".into()),
            f64::INFINITY => atom("sympy.oo".into()),
            f64::NEG_INFINITY => atom("(-sympy.oo)".into()),
            _ => atom(format!("sympy.Float(\"{}\", 17)", code::decimal(x))),
        }
    }
    fn ratio(&self, p: i32, q: i32) -> Piece {
        (format!("sympy.Rational({p}, {q})"), Binding::Atom)
    }
    fn constant(&self, c: Constant) -> String {
        c.sympy().into()
    }
    fn unary(&self, op: Unary) -> &'static str {
        op.sympy()
    }
    fn xlogy(&self, a: &str, b: &str) -> String {
        // Without the case a = b = 0: SymPy's own rules for `0·log 0` would hide the formula.
        format!("(({a})*sympy.log({b}))")
    }
    fn log_add_exp(&self, a: &str, b: &str) -> String {
        format!("sympy.log(sympy.exp({a}) + sympy.exp({b}))")
    }
    fn select(&self, condition: &str, a: &str, b: &str) -> String {
        format!("sympy.Piecewise(({a}, {condition}), ({b}, True))")
    }
    fn truth(&self, value: bool) -> &'static str {
        if value {
            "sympy.true"
        } else {
            "sympy.false"
        }
    }
    fn and(&self, a: &str, b: &str) -> String {
        format!("sympy.And({a}, {b})")
    }
    fn not(&self, a: &str) -> String {
        format!("sympy.Not({a})")
    }
}

/// An integer or a small dyadic rational as SymPy's own.
fn exact_rational(x: f64) -> Option<String> {
    const LARGEST: f64 = 9_007_199_254_740_992.0;
    (0..=10)
        .map(|k| (x * f64::from(1 << k), 1 << k))
        .find(|(p, _)| p.fract() == 0.0 && p.abs() <= LARGEST)
        .map(|(p, q)| match q {
            1 => format!("sympy.Integer({p})"),
            q => format!("sympy.Rational({p}, {q})"),
        })
}

impl Symbol {
    /// The formula as SymPy text: `eval` after `import sympy` gives the expression.
    ///
    /// Exact numbers stay exact. Shared parts are written out at each use, so the text may be much longer than
    /// the graph.
    ///
    /// ```
    /// use isostat_number::{Elementary, Number, Symbol};
    /// let half_log = Symbol::variable("x").ln() * Symbol::ratio(1, 3);
    /// assert_eq!(half_log.to_sympy(), r#"sympy.log(sympy.Symbol("x"))*sympy.Rational(1, 3)"#);
    /// ```
    pub fn to_sympy(&self) -> String {
        code::expression(self, &Sympy)
    }
}
