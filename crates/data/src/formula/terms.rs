//! Tree to terms, as R's `terms.formula` reads it.
use std::collections::{HashMap, HashSet};

use isostat_base::{Error, Result};

use super::expr::{BinaryOp, Expr, UnaryOp};
use super::Formula;

/// A product of variables.
#[derive(Clone, Debug, PartialEq)]
pub struct Term {
    /// Which variables, by index into [`Terms::variables`], rising.
    pub variables: Vec<usize>,
    /// For each of them, whether a factor there is coded by all its levels instead of contrasts.
    pub all_levels: Vec<bool>,
    /// Its name, as `a:b`.
    pub label: String,
}

/// A formula in terms of variables.
#[derive(Clone, Debug)]
pub struct Terms {
    /// The expressions that are evaluated, each once, in order of appearance; the response stands first.
    pub variables: Vec<Expr>,
    /// Their names: the expressions as R prints them.
    pub names: Vec<String>,
    /// The index of the response, 0 where there is one.
    pub response: Option<usize>,
    /// Whether there is an intercept.
    pub has_intercept: bool,
    /// The terms: by degree, then by appearance.
    pub terms: Vec<Term>,
    /// The variables that are calls of `offset`.
    pub offsets: Vec<usize>,
}

/// A set of variables, as rising indices.
type Product = Vec<usize>;

/// Calls that other kinds of model give a meaning to.
const SMOOTHS: [&str; 4] = ["s", "te", "ti", "t2"];
/// The largest power that `^` accepts: more than that names no further term in any formula that fits on a page.
const MAX_POWER: f64 = 64.0;

impl Terms {
    /// Expand a formula. `columns` are the names of the data in order: `.` stands for all of them that the left
    /// side does not name.
    ///
    /// # Errors
    /// [`Error::Formula`] where an operator has no meaning; [`Error::Unsupported`] for bars and smooths.
    pub fn expand(formula: &Formula, columns: &[String]) -> Result<Self> {
        let mut expansion = Expansion::new(formula, columns);
        if let Some(response) = &formula.response {
            refuse_special(response)?;
            expansion.variable(response);
        }
        let products = expansion.expand(&formula.predictors)?.products;
        Ok(expansion.finish(products))
    }

    /// The indices of the variables that predictors and offsets use.
    pub fn predictor_variables(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.variables.len()).filter(|&v| Some(v) != self.response)
    }
}

/// Products in order, each once.
#[derive(Default)]
struct Products {
    products: Vec<Product>,
    seen: HashSet<Product>,
}

impl Products {
    fn add(&mut self, product: Product) {
        if self.seen.insert(product.clone()) {
            self.products.push(product);
        }
    }

    fn extend(&mut self, other: Products) {
        other.products.into_iter().for_each(|p| self.add(p));
    }

    fn remove(&mut self, other: &Products) {
        self.products.retain(|p| !other.seen.contains(p));
        self.seen.retain(|p| !other.seen.contains(p));
    }

    fn is_empty(&self) -> bool {
        self.products.is_empty()
    }

    /// The union of all products.
    fn union(&self) -> Product {
        self.products.iter().fold(Product::new(), |all, p| union(&all, p))
    }

    fn times(&self, other: &Products) -> Products {
        let mut found = Products::default();
        for left in &self.products {
            for right in &other.products {
                found.add(union(left, right));
            }
        }
        found
    }
}

fn union(a: &[usize], b: &[usize]) -> Product {
    let mut all: Product = a.iter().chain(b).copied().collect();
    all.sort_unstable();
    all.dedup();
    all
}

struct Expansion<'a> {
    formula: &'a Formula,
    /// What `.` stands for.
    dot: Vec<Expr>,
    variables: Vec<Expr>,
    names: Vec<String>,
    index: HashMap<String, usize>,
    intercept: bool,
    /// False inside an odd number of minus signs: there `1` takes the intercept away.
    adds: bool,
}

impl<'a> Expansion<'a> {
    fn new(formula: &'a Formula, columns: &[String]) -> Self {
        let taken = formula.response.as_ref().map(Expr::column_names).unwrap_or_default();
        let dot = columns
            .iter()
            .filter(|name| !taken.contains(name))
            .map(|name| Expr::Name(name.clone(), Default::default()))
            .collect();
        Expansion {
            formula,
            dot,
            variables: Vec::new(),
            names: Vec::new(),
            index: HashMap::new(),
            intercept: true,
            adds: true,
        }
    }

    fn fail<T>(&self, position: usize, reason: impl Into<String>) -> Result<T> {
        Err(Error::formula(&self.formula.text, position, reason))
    }

    fn variable(&mut self, expr: &Expr) -> usize {
        let name = expr.to_string();
        if let Some(&at) = self.index.get(&name) {
            return at;
        }
        let at = self.variables.len();
        self.index.insert(name.clone(), at);
        self.variables.push(expr.clone());
        self.names.push(name);
        at
    }

    fn single(&mut self, expr: &Expr) -> Products {
        let mut found = Products::default();
        found.add(vec![self.variable(expr)]);
        found
    }

    fn expand(&mut self, expr: &Expr) -> Result<Products> {
        match expr {
            Expr::Number(value, _) if *value == 1.0 => Ok(self.set_intercept(true)),
            Expr::Number(value, _) if *value == 0.0 => Ok(self.set_intercept(false)),
            Expr::Bool(value) => Ok(self.set_intercept(*value)),
            Expr::Number(..) | Expr::Text(..) | Expr::Null => self.fail(
                expr.position(),
                format!("{expr} is no term; only 0 and 1 are, and arithmetic stands inside I()"),
            ),
            Expr::Name(name, _) if name == "." => {
                let mut found = Products::default();
                for column in self.dot.clone() {
                    found.extend(self.single(&column));
                }
                Ok(found)
            }
            Expr::Paren(inner) => self.expand(inner),
            Expr::Unary(UnaryOp::Plus, inner, _) => self.expand(inner),
            Expr::Unary(UnaryOp::Minus, inner, _) => {
                self.subtracted(inner)?;
                Ok(Products::default())
            }
            Expr::Binary(BinaryOp::Plus | BinaryOp::Minus, ..) => self.sum(expr),
            Expr::Binary(op, left, right, position) if !op.is_comparison() => {
                self.product(expr, *op, left, right, position.0)
            }
            Expr::Name(..) | Expr::Binary(..) | Expr::Unary(..) | Expr::Call { .. } => {
                refuse_special(expr)?;
                Ok(self.single(expr))
            }
        }
    }

    fn set_intercept(&mut self, present: bool) -> Products {
        self.intercept = present == self.adds;
        Products::default()
    }

    fn subtracted(&mut self, expr: &Expr) -> Result<Products> {
        self.adds = !self.adds;
        let found = self.expand(expr);
        self.adds = !self.adds;
        found
    }

    /// A chain of `+` and `-`, walked in a loop, as formulas can have thousands of terms.
    fn sum(&mut self, expr: &Expr) -> Result<Products> {
        let mut chain = Vec::new();
        let mut head = expr;
        while let Expr::Binary(op @ (BinaryOp::Plus | BinaryOp::Minus), left, right, _) = head {
            chain.push((*op, right.as_ref()));
            head = left;
        }
        let mut found = self.expand(head)?;
        for (op, operand) in chain.into_iter().rev() {
            if op == BinaryOp::Plus {
                let added = self.expand(operand)?;
                found.extend(added);
            } else {
                let removed = self.subtracted(operand)?;
                found.remove(&removed);
            }
        }
        Ok(found)
    }

    fn product(
        &mut self,
        expr: &Expr,
        op: BinaryOp,
        left: &Expr,
        right: &Expr,
        at: usize,
    ) -> Result<Products> {
        match op {
            BinaryOp::Power => return self.power(left, right, at),
            BinaryOp::Or | BinaryOp::OrElse => return Err(bar(expr)),
            BinaryOp::And | BinaryOp::AndAlso | BinaryOp::Remainder | BinaryOp::Quotient => {
                return Ok(self.single(expr));
            }
            _ => {}
        }
        let (a, b) = (self.expand(left)?, self.expand(right)?);
        if a.is_empty() || b.is_empty() {
            return self.fail(at, format!("both sides of `{}` need a variable", op.symbol()));
        }
        let mut found = Products::default();
        match op {
            BinaryOp::Colon => found = a.times(&b),
            BinaryOp::Times => {
                let both = a.times(&b);
                found.extend(a);
                found.extend(b);
                found.extend(both);
            }
            BinaryOp::In => {
                let all = b.union();
                a.products.iter().for_each(|p| found.add(union(p, &all)));
            }
            _ => {
                let all = a.union();
                found.extend(a);
                b.products.iter().for_each(|p| found.add(union(&all, p)));
            }
        }
        Ok(found)
    }

    fn power(&mut self, left: &Expr, right: &Expr, at: usize) -> Result<Products> {
        let mut exponent = right;
        while let Expr::Paren(inner) = exponent {
            exponent = inner;
        }
        let times = match exponent {
            Expr::Number(value, _) if *value >= 1.0 && *value <= MAX_POWER && value.fract() == 0.0 => {
                *value as usize
            }
            _ => {
                return self.fail(
                    at,
                    format!("`^` needs a whole number of at least 1 here, not {right}; a power of a column is I({left}^{right})"),
                );
            }
        };
        let base = self.expand(left)?;
        let mut found = Products::default();
        base.products.iter().for_each(|p| found.add(p.clone()));
        for _ in 1..times {
            let size = found.products.len();
            let next = found.times(&base);
            found = next;
            if found.products.len() == size {
                break;
            }
        }
        Ok(found)
    }

    fn finish(self, products: Vec<Product>) -> Terms {
        let offsets: Vec<usize> =
            (0..self.variables.len()).filter(|&v| is_offset(&self.variables[v])).collect();
        let response = self.formula.response.is_some().then_some(0);
        let mut kept: Vec<Product> = products
            .into_iter()
            .filter(|p| !p.iter().any(|v| offsets.contains(v)) && response.is_none_or(|r| p != &[r]))
            .collect();
        kept.sort_by_key(Vec::len);
        let terms = (0..kept.len())
            .map(|t| Term {
                all_levels: all_levels(&kept, t),
                label: kept[t].iter().map(|&v| self.names[v].as_str()).collect::<Vec<_>>().join(":"),
                variables: kept[t].clone(),
            })
            .collect();
        Terms {
            variables: self.variables,
            names: self.names,
            response,
            has_intercept: self.intercept,
            terms,
            offsets,
        }
    }
}

/// R's rule: a factor in a term is coded by contrasts if the term without it is empty or lies within a term
/// before it; otherwise by all its levels, as no margin spans them.
fn all_levels(terms: &[Product], t: usize) -> Vec<bool> {
    let term = &terms[t];
    if term.len() == 1 {
        return vec![false];
    }
    term.iter()
        .map(|dropped| {
            let rest: Vec<&usize> = term.iter().filter(|v| *v != dropped).collect();
            !terms[..t].iter().any(|earlier| rest.iter().all(|v| earlier.contains(v)))
        })
        .collect()
}

fn is_offset(expr: &Expr) -> bool {
    matches!(expr, Expr::Call { function, .. } if function == "offset")
}

fn bar(expr: &Expr) -> Error {
    Error::unsupported(
        format!("the random-effect term ({expr})"),
        "glm has no random effects",
        format!("mixed models are not available in this version; for a logical \"or\" write I({expr})"),
    )
}

/// Refuse what only other models know: bars and smooths.
fn refuse_special(expr: &Expr) -> Result<()> {
    match expr {
        Expr::Call { function, .. } if SMOOTHS.contains(&function.as_str()) => Err(Error::unsupported(
            format!("the smooth term {expr}"),
            "glm has no penalised smooths",
            "smooths are not available in this version; use poly(), bs() or ns() for a curve",
        )),
        Expr::Paren(inner) => match inner.as_ref() {
            Expr::Binary(BinaryOp::Or | BinaryOp::OrElse, ..) => Err(bar(inner)),
            _ => Ok(()),
        },
        _ => Ok(()),
    }
}
