//! Calls: the table of functions and how arguments are bound.
use std::sync::Arc;

use isostat_base::{Error, Result};

use super::operators::zip;
use super::value::{at, FactorValue, MatrixValue, Value, LOGICAL_MISSING};
use super::Evaluator;
use crate::formula::{Argument, Expr};
use crate::frame::MISSING;

type Elementwise = fn(f64) -> f64;

/// Functions of one number.
const ELEMENTWISE: [(&str, Elementwise); 26] = [
    ("exp", f64::exp),
    ("sqrt", f64::sqrt),
    ("abs", f64::abs),
    ("sin", f64::sin),
    ("cos", f64::cos),
    ("tan", f64::tan),
    ("asin", f64::asin),
    ("acos", f64::acos),
    ("atan", f64::atan),
    ("sinh", f64::sinh),
    ("cosh", f64::cosh),
    ("tanh", f64::tanh),
    ("asinh", f64::asinh),
    ("acosh", f64::acosh),
    ("atanh", f64::atanh),
    ("log2", f64::log2),
    ("log10", f64::log10),
    ("log1p", f64::ln_1p),
    ("expm1", f64::exp_m1),
    ("floor", f64::floor),
    ("ceiling", f64::ceil),
    ("trunc", f64::trunc),
    ("sign", sign),
    ("plogis", logistic),
    ("qlogis", logit),
    ("identity", |x| x),
];

/// Functions with code of their own below.
const OTHERS: [&str; 36] = [
    "I",
    "log",
    "round",
    "pmin",
    "pmax",
    "ifelse",
    "is.na",
    "c",
    "cbind",
    "offset",
    "factor",
    "as.factor",
    "ordered",
    "as.ordered",
    "relevel",
    "C",
    "droplevels",
    "unclass",
    "as.numeric",
    "as.integer",
    "as.double",
    "as.logical",
    "poly",
    "scale",
    "center",
    "bs",
    "ns",
    "mean",
    "sd",
    "var",
    "min",
    "max",
    "sum",
    "median",
    "as.vector",
    "xor",
];

/// Names that other software gives a function, with the name here.
const SYNONYMS: [(&str, &str); 9] = [
    ("ln", "log"),
    ("ceil", "ceiling"),
    ("power", "I(x^k)"),
    ("pow", "I(x^k)"),
    ("np.log", "log"),
    ("standardize", "scale"),
    ("Q", "backticks"),
    ("cr", "ns"),
    ("cut", "ifelse"),
];

/// The arguments of a call, bound to parameters as R binds them: by name first, the others in order.
pub(crate) struct Arguments<'e> {
    bound: Vec<Option<&'e Expr>>,
    function: &'e str,
    parameters: &'static [&'static str],
    at: usize,
}

impl<'e> Arguments<'e> {
    /// Bind arguments to parameters.
    pub(crate) fn bind(
        evaluator: &Evaluator<'_>,
        function: &'e str,
        parameters: &'static [&'static str],
        arguments: &'e [Argument],
        at: usize,
    ) -> Result<Self> {
        let mut bound: Vec<Option<&Expr>> = vec![None; parameters.len()];
        for argument in arguments {
            let Some(name) = &argument.name else { continue };
            match parameters.iter().position(|p| p == name) {
                Some(i) if bound[i].is_none() => bound[i] = Some(&argument.value),
                Some(_) => return evaluator.fail(at, format!("`{function}` is given `{name}` twice")),
                None => {
                    let reason =
                        format!("`{function}` has no argument `{name}`; it takes {}", parameters.join(", "));
                    return evaluator.fail(at, reason);
                }
            }
        }
        for argument in arguments.iter().filter(|a| a.name.is_none()) {
            match bound.iter_mut().find(|slot| slot.is_none()) {
                Some(slot) => *slot = Some(&argument.value),
                None => {
                    let reason = format!("`{function}` takes at most {} arguments", parameters.len());
                    return evaluator.fail(at, reason);
                }
            }
        }
        Ok(Arguments { bound, function, parameters, at })
    }

    /// An argument that may be absent.
    pub(crate) fn get(&self, i: usize) -> Option<&'e Expr> {
        self.bound[i]
    }

    /// An argument that must be there.
    pub(crate) fn required(&self, evaluator: &Evaluator<'_>, i: usize) -> Result<&'e Expr> {
        match self.bound[i] {
            Some(expr) => Ok(expr),
            None => evaluator
                .fail(self.at, format!("`{}` needs its argument `{}`", self.function, self.parameters[i])),
        }
    }
}

impl Evaluator<'_> {
    pub(super) fn call(
        &mut self,
        expr: &Expr,
        name: &str,
        arguments: &[Argument],
        at: usize,
    ) -> Result<Value> {
        if let Some((_, function)) = ELEMENTWISE.iter().find(|(known, _)| *known == name) {
            let bound = Arguments::bind(self, name, &["x"], arguments, at)?;
            let values = self.numbers(bound.required(self, 0)?, name)?;
            return Ok(Value::Numeric(values.iter().map(|&v| function(v)).collect()));
        }
        match name {
            "I" | "offset" | "as.vector" => {
                let bound = Arguments::bind(self, name, &["x"], arguments, at)?;
                self.value(bound.required(self, 0)?)
            }
            "log" => self.log(arguments, at),
            "round" => self.round(arguments, at),
            "pmin" | "pmax" => self.extreme(name, arguments, at),
            "ifelse" => self.if_else(arguments, at),
            "is.na" => self.is_missing(arguments, at),
            "xor" => {
                let bound = Arguments::bind(self, name, &["x", "y"], arguments, at)?;
                let a = self.logical(bound.required(self, 0)?, name)?;
                let b = self.logical(bound.required(self, 1)?, name)?;
                let exclusive =
                    |a, b| if a == LOGICAL_MISSING || b == LOGICAL_MISSING { LOGICAL_MISSING } else { a ^ b };
                Ok(Value::Logical(zip(&a, &b, exclusive)))
            }
            "as.logical" => {
                let bound = Arguments::bind(self, name, &["x"], arguments, at)?;
                Ok(Value::Logical(self.logical(bound.required(self, 0)?, name)?))
            }
            "c" => self.combine(arguments, at),
            "cbind" => self.bind_columns(arguments, at),
            "factor" | "as.factor" | "ordered" | "as.ordered" | "droplevels" => {
                self.factor(expr, name, arguments, at)
            }
            "relevel" => self.relevel(name, arguments, at),
            "C" => self.coded(name, arguments, at),
            "unclass" | "as.numeric" | "as.integer" | "as.double" => self.codes(name, arguments, at),
            "poly" => self.poly(expr, arguments, at),
            "scale" | "center" => self.scale(expr, name, arguments, at),
            "bs" | "ns" => self.spline(expr, name, arguments, at),
            "mean" | "sd" | "var" | "min" | "max" | "sum" | "median" => {
                self.summary(expr, name, arguments, at)
            }
            _ => Err(unknown(name)),
        }
    }

    fn log(&mut self, arguments: &[Argument], at: usize) -> Result<Value> {
        let bound = Arguments::bind(self, "log", &["x", "base"], arguments, at)?;
        let values = self.numbers(bound.required(self, 0)?, "log")?;
        let Some(base) = bound.get(1) else {
            return Ok(Value::Numeric(values.iter().map(|v| v.ln()).collect()));
        };
        let base = self.number(base, "log")?;
        Ok(Value::Numeric(match base {
            2.0 => values.iter().map(|v| v.log2()).collect(),
            10.0 => values.iter().map(|v| v.log10()).collect(),
            base => values.iter().map(|v| v.ln() / base.ln()).collect(),
        }))
    }

    fn round(&mut self, arguments: &[Argument], at: usize) -> Result<Value> {
        let bound = Arguments::bind(self, "round", &["x", "digits"], arguments, at)?;
        let values = self.numbers(bound.required(self, 0)?, "round")?;
        let digits = bound.get(1).map(|d| self.number(d, "round")).transpose()?.unwrap_or(0.0);
        Ok(Value::Numeric(values.iter().map(|&v| round_to(v, digits as i32)).collect()))
    }

    fn extreme(&mut self, name: &str, arguments: &[Argument], at: usize) -> Result<Value> {
        let pick = |a: f64, b: f64| match (a.is_nan() || b.is_nan(), name) {
            (true, _) => f64::NAN,
            (_, "pmin") => a.min(b),
            _ => a.max(b),
        };
        let mut best: Option<Arc<[f64]>> = None;
        for argument in arguments {
            let values = self.numbers(&argument.value, name)?;
            best = Some(match best {
                None => values,
                Some(best) => zip(&best, &values, pick),
            });
        }
        match best {
            Some(values) => Ok(Value::Numeric(values)),
            None => self.fail(at, format!("`{name}` needs an argument")),
        }
    }

    fn if_else(&mut self, arguments: &[Argument], position: usize) -> Result<Value> {
        let bound = Arguments::bind(self, "ifelse", &["test", "yes", "no"], arguments, position)?;
        let test = self.logical(bound.required(self, 0)?, "ifelse")?;
        let yes = self.value(bound.required(self, 1)?)?;
        let no = self.value(bound.required(self, 2)?)?;
        if let (Value::Text(yes), Value::Text(no)) = (&yes, &no) {
            let labels: Vec<Option<&str>> = (0..test.len())
                .map(|row| match test[row] {
                    LOGICAL_MISSING => None,
                    1 => Some(yes[0].as_str()),
                    _ => Some(no[0].as_str()),
                })
                .collect();
            let column = crate::frame::Column::text_optional(&labels);
            if let crate::frame::Column::Factor { codes, levels, .. } = column {
                let n_known = levels.len();
                let factor = FactorValue { codes, levels, ordered: false, text: true, n_known, coding: None };
                return Ok(Value::Factor(factor));
            }
        }
        let (Some(yes), Some(no)) = (yes.to_numbers(), no.to_numbers()) else {
            return self.fail(position, "`ifelse` needs two numbers or two strings to choose between");
        };
        let n = [test.len(), yes.len(), no.len()].into_iter().find(|&n| n != 1).unwrap_or(1);
        let choose = |row| match at(&test, row) {
            LOGICAL_MISSING => f64::NAN,
            1 => at(&yes, row),
            _ => at(&no, row),
        };
        Ok(Value::Numeric((0..n).map(choose).collect()))
    }

    fn is_missing(&mut self, arguments: &[Argument], at: usize) -> Result<Value> {
        let bound = Arguments::bind(self, "is.na", &["x"], arguments, at)?;
        Ok(Value::Logical(match self.value(bound.required(self, 0)?)? {
            Value::Numeric(values) => values.iter().map(|v| u8::from(v.is_nan())).collect(),
            Value::Logical(values) => values.iter().map(|&v| u8::from(v == LOGICAL_MISSING)).collect(),
            Value::Factor(factor) => factor.codes.iter().map(|&c| u8::from(c == MISSING)).collect(),
            value => return self.fail(at, format!("`is.na` cannot look into {}", value.kind())),
        }))
    }

    fn combine(&mut self, arguments: &[Argument], at: usize) -> Result<Value> {
        let values = arguments.iter().map(|a| self.value(&a.value)).collect::<Result<Vec<_>>>()?;
        if values.iter().all(|v| matches!(v, Value::Text(_))) {
            let texts =
                values.iter().flat_map(|v| if let Value::Text(t) = v { t.to_vec() } else { Vec::new() });
            return Ok(Value::Text(texts.collect()));
        }
        let numbers: Option<Vec<f64>> =
            values.iter().map(|v| v.to_numbers().filter(|n| n.len() == 1).map(|n| n[0])).collect();
        match numbers {
            Some(numbers) => Ok(Value::Numeric(numbers.into())),
            None => self.fail(at, "`c` combines single numbers or strings alone"),
        }
    }

    fn bind_columns(&mut self, arguments: &[Argument], at: usize) -> Result<Value> {
        let n = self.frame.n_rows();
        let (mut values, mut names) = (Vec::with_capacity(n * arguments.len()), Vec::new());
        for argument in arguments {
            let column = self.numbers(&argument.value, "cbind")?;
            match column.len() {
                1 => values.extend(std::iter::repeat_n(column[0], n)),
                _ => values.extend_from_slice(&column),
            }
            names.push(match (&argument.name, &argument.value) {
                (Some(name), _) | (None, Expr::Name(name, _)) => name.clone(),
                _ => String::new(),
            });
        }
        if names.is_empty() {
            return self.fail(at, "`cbind` needs an argument");
        }
        Ok(Value::Matrix(MatrixValue { values: values.into(), names }))
    }
}

/// A function that does not exist, with the nearest that does.
fn unknown(name: &str) -> Error {
    let known = ELEMENTWISE.iter().map(|(known, _)| *known).chain(OTHERS);
    let synonym = SYNONYMS.iter().find(|(other, _)| *other == name).map(|(_, here)| *here);
    let nearest = synonym.map(str::to_string).or_else(|| {
        let scored = known.map(|k| (edits(name, k), k)).min();
        scored.filter(|(distance, _)| *distance <= 2).map(|(_, k)| k.to_string())
    });
    let nearest = match nearest {
        Some(nearest) => format!("did you mean `{nearest}`?"),
        None => {
            "compute the column before the fit, or write it with log, exp, sqrt, ifelse, poly, bs, ns".into()
        }
    };
    Error::unsupported(format!("the function `{name}`"), "formulas do not know it", nearest)
}

/// How many letters must change to turn one word into the other.
fn edits(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.to_lowercase().chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.to_lowercase().chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let change = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = change.min(row[j] + 1).min(row[j + 1] + 1);
        }
    }
    row[b.len()]
}

/// -1, 0 or 1: unlike `f64::signum`, zero has no sign.
fn sign(x: f64) -> f64 {
    if x == 0.0 {
        0.0
    } else {
        x.signum()
    }
}

fn logistic(x: f64) -> f64 {
    if x >= 0.0 {
        1.0 / (1.0 + (-x).exp())
    } else {
        x.exp() / (1.0 + x.exp())
    }
}

fn logit(p: f64) -> f64 {
    (p / (1.0 - p)).ln()
}

/// Halves go to the even neighbour; digits beyond those that a double has change nothing.
fn round_to(value: f64, digits: i32) -> f64 {
    const MAX_DIGITS: i32 = 15;
    if digits == 0 || !value.is_finite() {
        return value.round_ties_even();
    }
    if digits > MAX_DIGITS {
        return value;
    }
    if digits < 0 {
        let unit = 10f64.powi(-digits);
        return (value / unit).round_ties_even() * unit;
    }
    // The decimal closest to the value, by correct decimal printing.
    format!("{value:.*}", digits as usize).parse().unwrap_or(value)
}
