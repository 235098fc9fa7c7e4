//! Products, quotients and powers in LaTeX: one fraction, a number in front, equal bases gathered.
use super::latex::{self, bind, decimal, parenthesise, print, wrap, Binding, Piece, Printer};
use super::node::Kind;
use super::rational::Rational;
use super::{simplify, Symbol};
use crate::number::Number;
use crate::ops::Unary;

const ONE: Rational = Rational { p: 1, q: 1 };

/// `sign · coefficient · Π decimals · Π base^exponent`.
pub(super) struct Product {
    is_negative: bool,
    coefficient: Rational,
    /// Literals that are no small rational, upright or inverted.
    decimals: Vec<(f64, bool)>,
    powers: Vec<(Symbol, Rational)>,
}

impl Product {
    pub(super) fn of(node: &Symbol) -> Product {
        let mut product =
            Product { is_negative: false, coefficient: ONE, decimals: Vec::new(), powers: Vec::new() };
        let mut stack = vec![(node.clone(), ONE)];
        while let Some((factor, exponent)) = stack.pop() {
            product.absorb(factor, exponent, &mut stack);
        }
        product.powers.retain(|(_, exponent)| exponent.p != 0);
        product
    }

    /// Takes a factor apart; what is left to take apart goes on the stack.
    fn absorb(&mut self, factor: Symbol, exponent: Rational, stack: &mut Vec<(Symbol, Rational)>) {
        let inverse = Rational { p: -exponent.p, q: exponent.q };
        // A root of a product is not split: its factors may be negative.
        let is_whole = exponent.q == 1;
        match factor.kind() {
            Kind::Neg(a) if is_whole => {
                self.is_negative ^= exponent.p % 2 != 0;
                stack.push((a.clone(), exponent));
            }
            Kind::Mul(a, b) if is_whole => stack.extend([(b.clone(), exponent), (a.clone(), exponent)]),
            Kind::Div(a, b) if is_whole => stack.extend([(b.clone(), inverse), (a.clone(), exponent)]),
            Kind::Xlogy(a, b) if is_whole => {
                let log = simplify::unary(Unary::Ln, b.clone());
                stack.extend([(log, exponent), (a.clone(), exponent)]);
            }
            Kind::Unary(Unary::Square, a) if is_whole => match exponent.multiply(Rational { p: 2, q: 1 }) {
                Some(double) => stack.push((a.clone(), double)),
                None => self.gather(factor, exponent),
            },
            Kind::Pow(a, b) if is_whole => match Rational::of(b).and_then(|p| p.multiply(exponent)) {
                Some(power) => stack.push((a.clone(), power)),
                None => self.gather(factor, exponent),
            },
            Kind::Add(..) | Kind::Sub(..) if is_whole => self.absorb_sum(factor, exponent, stack),
            Kind::Literal(_) | Kind::Ratio(..) if is_whole => self.scale(factor, exponent),
            _ => self.gather(factor, exponent),
        }
    }

    /// A sum whose terms add up to one is that one; to none, zero.
    fn absorb_sum(&mut self, sum: Symbol, exponent: Rational, stack: &mut Vec<(Symbol, Rational)>) {
        let mut terms = latex::terms(&sum);
        match (terms.pop(), terms.is_empty()) {
            (None, _) => self.scale(Symbol::literal(0.0), exponent),
            (Some(only), true) if only.decimals.is_empty() => {
                let raised = only.powers.into_iter().map(|(base, p)| Some((base, p.multiply(exponent)?)));
                let Some(raised) = raised.collect::<Option<Vec<_>>>() else {
                    return self.gather(sum, exponent);
                };
                self.is_negative ^= only.is_negative && exponent.p % 2 != 0;
                stack.push((only.coefficient.symbol(), exponent));
                stack.extend(raised);
            }
            _ => self.gather(sum, exponent),
        }
    }

    fn scale(&mut self, number: Symbol, exponent: Rational) {
        let scaled = Rational::of(&number).and_then(|r| {
            let r = if exponent.p < 0 { ONE.divide(r)? } else { r };
            (0..exponent.p.abs()).try_fold(self.coefficient, |product, _| product.multiply(r))
        });
        match (scaled, number.as_literal()) {
            (Some(coefficient), _) => self.coefficient = coefficient,
            (None, Some(x)) if exponent.p.abs() == 1 => self.decimals.push((x, exponent.p < 0)),
            _ => self.gather(number, exponent),
        }
    }

    fn gather(&mut self, base: Symbol, exponent: Rational) {
        if let Some((_, held)) = self.powers.iter_mut().find(|(held, _)| *held == base) {
            if let Some(total) = held.add(exponent) {
                *held = total;
                return;
            }
        }
        self.powers.push((base, exponent));
    }
    /// Whether it is negative, and the text without its sign.
    pub(super) fn print(&self, printer: &Printer) -> (bool, Piece) {
        let (p, q) = (self.coefficient.p.abs(), self.coefficient.q);
        let (above, below): (Vec<_>, Vec<_>) = self.powers.iter().cloned().partition(|(_, e)| e.p > 0);
        let below: Vec<_> = below.into_iter().map(|(b, e)| (b, Rational { p: -e.p, q: e.q })).collect();
        let side = |inverted: bool| -> Vec<f64> {
            self.decimals.iter().filter(|(_, i)| *i == inverted).map(|(x, _)| *x).collect()
        };
        let (upper, lower) = (side(false), side(true));
        let body = if p == 0 {
            ("0".to_string(), Binding::Atom)
        } else if below.is_empty() && lower.is_empty() && (q == 1 || !fits_above(printer, &above)) {
            let number = match q {
                1 => front(p, &upper),
                _ => Some(
                    front(1, &upper).map_or(String::new(), |d| d + " ") + &format!("\\frac{{{p}}}{{{q}}}"),
                ),
            };
            numerator(printer, number, above)
        } else {
            let top = numerator(printer, front(p, &upper), above).0;
            let bottom = join(printer, front(q, &lower), below).0;
            (format!("\\frac{{{top}}}{{{bottom}}}"), Binding::Fraction)
        };
        (self.is_negative ^ (self.coefficient.p < 0), body)
    }

    /// Adds an equal product with another number in front; false if it is not equal.
    pub(super) fn add(&mut self, other: &Product) -> bool {
        let is_equal = self.decimals == other.decimals
            && self.powers.len() == other.powers.len()
            && self.powers.iter().all(|power| other.powers.contains(power));
        let total = match self.is_negative == other.is_negative {
            true => self.coefficient.add(other.coefficient),
            false => other.coefficient.negate().and_then(|c| self.coefficient.add(c)),
        };
        match total.filter(|_| is_equal) {
            Some(coefficient) => self.coefficient = coefficient,
            None => return false,
        }
        true
    }

    pub(super) fn is_zero(&self) -> bool {
        self.coefficient.p == 0
    }

    /// Multiplies by a signed number.
    pub(super) fn scaled(mut self, is_negative: bool, factor: Rational) -> Product {
        match self.coefficient.multiply(factor) {
            Some(coefficient) => self.coefficient = coefficient,
            None => self.powers.insert(0, (factor.symbol(), ONE)),
        }
        self.is_negative ^= is_negative;
        self
    }

    /// The sum behind a number, if the product is no more than that.
    pub(super) fn scaled_sum(&self) -> Option<(bool, Rational, Symbol)> {
        match &self.powers[..] {
            [(base, exponent)] if *exponent == ONE && self.decimals.is_empty() => match base.kind() {
                Kind::Add(..) | Kind::Sub(..) => Some((self.is_negative, self.coefficient, base.clone())),
                _ => None,
            },
            _ => None,
        }
    }
}

/// The order of factors: constants, powers of names, sums, functions.
fn rank(printer: &Printer, base: &Symbol) -> u8 {
    if matches!(base.kind(), Kind::Constant(_)) {
        return 0;
    }
    match print(printer, base).1 {
        Binding::Atom | Binding::Power | Binding::Fraction => 1,
        Binding::Cases | Binding::Sum | Binding::Product => 2,
        Binding::Bare | Binding::Function => 3,
    }
}

/// `base^exponent` for a positive exponent.
fn power(printer: &Printer, base: &Symbol, exponent: Rational) -> Piece {
    match (exponent.p, exponent.q) {
        (1, 1) => print(printer, base),
        (1, 2) => (format!("\\sqrt{{{}}}", print(printer, base).0), Binding::Atom),
        (p, 1) => (format!("{}^{{{p}}}", bind(printer, base, Binding::Atom)), Binding::Power),
        (p, q) => (format!("{}^{{{p}/{q}}}", bind(printer, base, Binding::Atom)), Binding::Power),
    }
}

/// Factors side by side. A single one keeps its own binding.
fn join(printer: &Printer, number: Option<String>, mut factors: Vec<(Symbol, Rational)>) -> Piece {
    factors.sort_by_key(|(base, exponent)| if *exponent == ONE { rank(printer, base) } else { 1 });
    if number.is_none() && factors.len() == 1 {
        return power(printer, &factors[0].0, factors[0].1);
    }
    let last = factors.len().saturating_sub(1);
    let mut text = number.unwrap_or_default();
    for (k, (base, exponent)) in factors.iter().enumerate() {
        let piece = match power(printer, base, *exponent) {
            (bare, Binding::Bare) if k < last => (in_parentheses(&bare), Binding::Function),
            piece => piece,
        };
        let piece = wrap(piece, Binding::Fraction);
        text.push_str(separator(&text, &piece));
        text.push_str(&piece);
    }
    (text, Binding::Product)
}

/// `\log x` as `\log(x)`, so that a factor may follow.
fn in_parentheses(bare: &str) -> String {
    match bare.split_once(' ') {
        Some((head, argument)) => format!("{head}{}", parenthesise(argument)),
        None => bare.to_string(),
    }
}

fn separator(before: &str, next: &str) -> &'static str {
    let is_word = |text: &str| text.starts_with("\\mathrm");
    let ends_in_word = before.rsplit(' ').next().is_some_and(is_word);
    if before.is_empty() {
        ""
    } else if next.starts_with(|c: char| c.is_ascii_digit()) {
        " \\cdot "
    } else if is_word(next) || ends_in_word {
        " \\, "
    } else {
        " "
    }
}

/// The number in front: `p`, then the decimals; none if it is 1.
fn front(p: i64, decimals: &[f64]) -> Option<String> {
    let mut parts: Vec<String> = decimals.iter().map(|x| decimal(*x).0).collect();
    if p != 1 {
        parts.insert(0, p.to_string());
    }
    (!parts.is_empty()).then(|| parts.join(" \\cdot "))
}

pub(super) fn product(printer: &Printer, node: &Symbol) -> Piece {
    let (is_negative, body) = Product::of(node).print(printer);
    if is_negative {
        (format!("-{}", wrap(body, Binding::Product)), Binding::Sum)
    } else {
        body
    }
}

/// Whether a factor goes above a bare number: `\frac{x}{2}`, but `\frac{1}{2} \log x`.
fn fits_above(printer: &Printer, above: &[(Symbol, Rational)]) -> bool {
    match above {
        [] => true,
        [(base, exponent)] => *exponent == ONE && print(printer, base).1 == Binding::Atom,
        _ => false,
    }
}

fn numerator(printer: &Printer, number: Option<String>, above: Vec<(Symbol, Rational)>) -> Piece {
    match (number, above.is_empty()) {
        (None, true) => print(printer, &Symbol::literal(1.0)),
        (Some(text), true) => (text, Binding::Product),
        (number, false) => join(printer, number, above),
    }
}
