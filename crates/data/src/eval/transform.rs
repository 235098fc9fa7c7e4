//! Transforms that remember their training data: `poly`, `scale`, `center` and summaries such as `mean`.
use isostat_base::Result;
use serde::{Deserialize, Serialize};

use super::functions::Arguments;
use super::value::{spread, MatrixValue, Value};
use super::{Evaluator, State};
use crate::formula::{Argument, Expr};

/// Orthogonal polynomials of one variable.
///
/// With `u = x - center`, `p_0 = 1`, `p_1 = u - alpha_0` and
/// `p_{k+1} = (u - alpha_k) p_k - (norm2_k / norm2_{k-1}) p_{k-1}`; column k is `p_k / sqrt(norm2_k)`.
/// The same numbers as R's `poly`, whose leading coefficients are positive, too.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PolyState {
    /// The mean of the training data.
    pub center: f64,
    /// The shifts of the recurrence, around the mean.
    pub alpha: Vec<f64>,
    /// The sums of squares of `p_0 … p_degree` over the training data.
    pub norm2: Vec<f64>,
}

impl PolyState {
    /// Learn from training data; NaN is left out.
    pub fn learn(values: &[f64], degree: usize) -> Self {
        let center = mean(values);
        let u: Vec<f64> = values.iter().filter(|v| !v.is_nan()).map(|v| v - center).collect();
        let mut state = PolyState { center, alpha: Vec::new(), norm2: vec![u.len() as f64] };
        let mut before = vec![0.0; u.len()];
        let mut current = vec![1.0; u.len()];
        for k in 0..degree {
            let alpha = sum(u.iter().zip(&current).map(|(u, p)| u * p * p)) / state.norm2[k];
            let beta = if k == 0 { 0.0 } else { state.norm2[k] / state.norm2[k - 1] };
            let next: Vec<f64> =
                (0..u.len()).map(|i| (u[i] - alpha) * current[i] - beta * before[i]).collect();
            state.alpha.push(alpha);
            state.norm2.push(sum(next.iter().map(|p| p * p)));
            before = std::mem::replace(&mut current, next);
        }
        state
    }

    /// The columns for any data, column-major.
    pub fn columns(&self, values: &[f64]) -> Vec<f64> {
        let (n, degree) = (values.len(), self.alpha.len());
        let mut out = vec![0.0; n * degree];
        let scales: Vec<f64> = self.norm2.iter().map(|s| s.sqrt()).collect();
        for (i, value) in values.iter().enumerate() {
            let u = value - self.center;
            let (mut before, mut current) = (0.0, 1.0);
            for k in 0..degree {
                let beta = if k == 0 { 0.0 } else { self.norm2[k] / self.norm2[k - 1] };
                let next = (u - self.alpha[k]) * current - beta * before;
                out[k * n + i] = next / scales[k + 1];
                before = current;
                current = next;
            }
        }
        out
    }
}

/// A sum with the rounding errors carried along (Neumaier), so that a million rows lose nothing.
pub(crate) fn sum(values: impl Iterator<Item = f64>) -> f64 {
    let (mut total, mut lost) = (0.0f64, 0.0f64);
    for value in values {
        let next = total + value;
        lost += if total.abs() >= value.abs() { (total - next) + value } else { (value - next) + total };
        total = next;
    }
    total + lost
}

/// The mean of what is not NaN.
pub(crate) fn mean(values: &[f64]) -> f64 {
    let n = values.iter().filter(|v| !v.is_nan()).count();
    sum(values.iter().copied().filter(|v| !v.is_nan())) / n as f64
}

impl Evaluator<'_> {
    fn count_argument(&mut self, expr: Option<&Expr>, default: usize, asker: &str) -> Result<usize> {
        let Some(expr) = expr else { return Ok(default) };
        let value = self.number(expr, asker)?;
        if value >= 0.0 && value.fract() == 0.0 && value < 1e6 {
            return Ok(value as usize);
        }
        self.fail(expr.position(), format!("`{asker}` needs a whole number here, not {expr}"))
    }

    /// A whole number of at least 1, or a default.
    pub(super) fn positive_count(
        &mut self,
        expr: Option<&Expr>,
        default: usize,
        asker: &str,
    ) -> Result<usize> {
        match self.count_argument(expr, default, asker)? {
            0 => self.fail(
                expr.map_or(0, Expr::position),
                format!("`{asker}` needs a whole number of at least 1 here"),
            ),
            count => Ok(count),
        }
    }

    pub(super) fn poly(&mut self, call: &Expr, arguments: &[Argument], at: usize) -> Result<Value> {
        let bound = Arguments::bind(self, "poly", &["x", "degree", "raw"], arguments, at)?;
        let expr = bound.required(self, 0)?;
        let x = spread(self.numbers(expr, "poly")?, self.frame.n_rows());
        let degree = self.positive_count(bound.get(1), 1, "poly")?;
        let is_raw = match bound.get(2) {
            Some(flag) => self.number(flag, "poly")? != 0.0,
            None => false,
        };
        let names = (1..=degree).map(|k| k.to_string()).collect();
        if is_raw {
            let power = |k: i32| x.iter().map(move |v| v.powi(k));
            let values = (1..=degree as i32).flat_map(|k| power(k).collect::<Vec<_>>()).collect();
            return Ok(Value::Matrix(MatrixValue { values, names }));
        }
        let key = call.to_string();
        if self.is_learning {
            let n_distinct = distinct(&x);
            if degree >= n_distinct {
                let reason = format!(
                    "`poly` of degree {degree} needs more than the {n_distinct} distinct values of `{expr}`"
                );
                return self.fail(at, reason);
            }
            self.memory.states.insert(key.clone(), State::Poly(PolyState::learn(&x, degree)));
        }
        let values = match self.memory.states.get(&key) {
            Some(State::Poly(state)) => state.columns(&x),
            _ => return self.fail(at, format!("the fit has not learnt `{key}`")),
        };
        Ok(Value::Matrix(MatrixValue { values: values.into(), names }))
    }

    /// `scale(x, center, scale)` and `center(x)`.
    pub(super) fn scale(
        &mut self,
        call: &Expr,
        name: &str,
        arguments: &[Argument],
        at: usize,
    ) -> Result<Value> {
        let bound = Arguments::bind(self, name, &["x", "center", "scale"], arguments, at)?;
        let x = self.numbers(bound.required(self, 0)?, name)?;
        let key = call.to_string();
        if self.is_learning {
            let center = match self.switch(bound.get(1), name)? {
                Switch::Off => 0.0,
                Switch::On => mean(&x),
                Switch::Value(value) => value,
            };
            let scale = match self.switch(bound.get(2), name)? {
                Switch::On if name == "scale" => {
                    let n = x.iter().filter(|v| !v.is_nan()).count();
                    let squares = sum(x.iter().filter(|v| !v.is_nan()).map(|v| (v - center) * (v - center)));
                    (squares / (n.max(2) - 1) as f64).sqrt()
                }
                Switch::Value(value) => value,
                _ => 1.0,
            };
            self.memory.states.insert(key.clone(), State::Scale { center, scale });
        }
        match self.memory.states.get(&key) {
            Some(&State::Scale { center, scale }) => {
                Ok(Value::Numeric(x.iter().map(|v| (v - center) / scale).collect()))
            }
            _ => self.fail(at, format!("the fit has not learnt `{key}`")),
        }
    }

    fn switch(&mut self, expr: Option<&Expr>, asker: &str) -> Result<Switch> {
        let Some(expr) = expr else { return Ok(Switch::On) };
        match self.value(expr)? {
            Value::Logical(v) if v.len() == 1 => Ok(if v[0] == 1 { Switch::On } else { Switch::Off }),
            _ => Ok(Switch::Value(self.number(expr, asker)?)),
        }
    }

    /// One number of the training data: `mean(x)` and its kin. New data use the training data's.
    pub(super) fn summary(
        &mut self,
        call: &Expr,
        name: &str,
        arguments: &[Argument],
        at: usize,
    ) -> Result<Value> {
        let bound = Arguments::bind(self, name, &["x", "na.rm"], arguments, at)?;
        let key = call.to_string();
        if self.is_learning {
            let x = self.numbers(bound.required(self, 0)?, name)?;
            let skips_missing = match bound.get(1) {
                Some(flag) => self.number(flag, name)? != 0.0,
                None => false,
            };
            if !skips_missing && x.iter().any(|v| v.is_nan()) {
                return self.fail(
                    at,
                    format!("`{name}` meets missing values; write na.rm = TRUE to leave them out"),
                );
            }
            let kept: Vec<f64> = x.iter().copied().filter(|v| !v.is_nan()).collect();
            self.memory.states.insert(key.clone(), State::Number(summarise(name, kept)));
        }
        match self.memory.states.get(&key) {
            Some(State::Number(value)) => Ok(Value::number(*value)),
            _ => self.fail(at, format!("the fit has not learnt `{key}`")),
        }
    }
}

enum Switch {
    On,
    Off,
    Value(f64),
}

fn summarise(name: &str, mut values: Vec<f64>) -> f64 {
    let center = mean(&values);
    let variance = || sum(values.iter().map(|v| (v - center) * (v - center))) / (values.len() as f64 - 1.0);
    match name {
        "mean" => center,
        "var" => variance(),
        "sd" => variance().sqrt(),
        "min" => values.iter().copied().fold(f64::INFINITY, f64::min),
        "max" => values.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        "sum" => sum(values.iter().copied()),
        _ => {
            values.sort_unstable_by(f64::total_cmp);
            let n = values.len();
            match n {
                0 => f64::NAN,
                n if n % 2 == 1 => values[n / 2],
                n => 0.5 * (values[n / 2 - 1] + values[n / 2]),
            }
        }
    }
}

fn distinct(values: &[f64]) -> usize {
    let mut sorted: Vec<f64> = values.iter().copied().filter(|v| !v.is_nan()).collect();
    sorted.sort_unstable_by(f64::total_cmp);
    sorted.dedup();
    sorted.len()
}
