//! Regression splines: `bs` (B-splines) and `ns` (natural cubic splines).
use isostat_base::Result;
use serde::{Deserialize, Serialize};

use super::functions::Arguments;
use super::value::{spread, MatrixValue, Value};
use super::Evaluator;
use super::State;
use crate::formula::{Argument, Expr};

/// Splines of a higher degree are no use, and their recursion is deep.
const MAX_DEGREE: usize = 12;

/// A spline basis.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SplineState {
    /// The degree of the pieces.
    pub degree: usize,
    /// The knots between the boundaries.
    pub knots: Vec<f64>,
    /// The boundaries.
    pub boundary: [f64; 2],
    /// Whether the first column stays.
    pub has_intercept: bool,
    /// Whether the second derivative vanishes at the boundaries.
    pub is_natural: bool,
}

impl SplineState {
    fn all_knots(&self) -> Vec<f64> {
        let mut knots = vec![self.boundary[0]; self.degree + 1];
        knots.extend(&self.knots);
        knots.extend(vec![self.boundary[1]; self.degree + 1]);
        knots
    }

    fn n_splines(&self) -> usize {
        self.knots.len() + self.degree + 1
    }

    /// Whether degree, knots and boundaries make a basis.
    pub(crate) fn is_consistent(&self) -> bool {
        let [low, high] = self.boundary;
        (1..=MAX_DEGREE).contains(&self.degree)
            && (!self.is_natural || self.degree == 3)
            && low < high
            && self.knots.windows(2).all(|pair| pair[0] <= pair[1])
            && self.knots.iter().all(|&k| k > low && k < high)
    }

    /// The number of columns.
    pub fn n_columns(&self) -> usize {
        let dropped = usize::from(!self.has_intercept) + if self.is_natural { 2 } else { 0 };
        self.n_splines() - dropped
    }

    /// The columns, column-major. Beyond the boundaries the outer polynomials go on, for a natural spline the
    /// outer tangents.
    pub fn columns(&self, values: &[f64]) -> Vec<f64> {
        let (n, m) = (values.len(), self.n_columns());
        let knots = self.all_knots();
        let reflectors = if self.is_natural { self.reflectors(&knots) } else { Vec::new() };
        let skip = self.n_splines() - m;
        let mut out = vec![0.0; n * m];
        for (i, &x) in values.iter().enumerate() {
            if x.is_nan() {
                (0..m).for_each(|j| out[j * n + i] = f64::NAN);
                continue;
            }
            let row = if self.is_natural {
                self.natural_row(&knots, x, &reflectors)
            } else {
                self.row(&knots, x, 0)
            };
            (0..m).for_each(|j| out[j * n + i] = row[skip + j]);
        }
        out
    }

    /// All B-splines (or a derivative of them) at x.
    fn row(&self, knots: &[f64], x: f64, derivative: usize) -> Vec<f64> {
        let (degree, count) = (self.degree, self.n_splines());
        // The last interval that starts at or before x, kept within the boundaries.
        let span = knots[..count].partition_point(|&k| k <= x).clamp(degree + 1, count) - 1;
        let mut row = vec![0.0; count];
        if derivative == 0 {
            non_zero_splines(knots, degree, span, x, &mut row[span - degree..=span]);
            return row;
        }
        for (j, value) in row.iter_mut().enumerate().take(span + 1).skip(span - degree) {
            *value = derivative_of(knots, j, degree, span, x, derivative);
        }
        row
    }

    /// The Householder reflectors that turn the second derivatives at the boundaries to zero.
    fn reflectors(&self, knots: &[f64]) -> Vec<Vec<f64>> {
        let start = usize::from(!self.has_intercept);
        let mut columns: Vec<Vec<f64>> =
            self.boundary.iter().map(|&b| self.row(knots, b, 2)[start..].to_vec()).collect();
        let mut reflectors: Vec<Vec<f64>> = Vec::new();
        for k in 0..columns.len() {
            for reflector in &reflectors {
                reflect(reflector, &mut columns[k]);
            }
            let mut v = columns[k].clone();
            v[..k].fill(0.0);
            let norm = v.iter().map(|a| a * a).sum::<f64>().sqrt();
            v[k] += if v[k] < 0.0 { -norm } else { norm };
            reflectors.push(v);
        }
        reflectors
    }

    fn natural_row(&self, knots: &[f64], x: f64, reflectors: &[Vec<f64>]) -> Vec<f64> {
        let inside = x.clamp(self.boundary[0], self.boundary[1]);
        let mut row = self.row(knots, inside, 0);
        if inside != x {
            let slope = self.row(knots, inside, 1);
            row.iter_mut().zip(slope).for_each(|(value, slope)| *value += slope * (x - inside));
        }
        let start = usize::from(!self.has_intercept);
        for reflector in reflectors {
            reflect(reflector, &mut row[start..]);
        }
        row
    }
}

/// The splines that do not vanish on the interval `span`, by the Cox–de Boor triangle; also outside of it, where
/// their polynomials go on.
fn non_zero_splines(knots: &[f64], degree: usize, span: usize, x: f64, out: &mut [f64]) {
    out[0] = 1.0;
    for j in 1..=degree {
        let mut carried = 0.0;
        for r in 0..j {
            let (low, high) = (knots[span + 1 + r - j], knots[span + 1 + r]);
            let share = out[r] / (high - low);
            out[r] = carried + (high - x) * share;
            carried = (x - low) * share;
        }
        out[j] = carried;
    }
}

/// A derivative of one spline, by differences of splines of lower degree.
fn derivative_of(knots: &[f64], j: usize, degree: usize, span: usize, x: f64, derivative: usize) -> f64 {
    if derivative == 0 {
        let mut values = vec![0.0; degree + 1];
        non_zero_splines(knots, degree, span, x, &mut values);
        return (j + degree).checked_sub(span).and_then(|i| values.get(i)).copied().unwrap_or(0.0);
    }
    if degree == 0 {
        return 0.0;
    }
    let quotient = |j: usize| {
        let width = knots[j + degree] - knots[j];
        if width > 0.0 {
            derivative_of(knots, j, degree - 1, span, x, derivative - 1) / width
        } else {
            0.0
        }
    };
    degree as f64 * (quotient(j) - quotient(j + 1))
}

/// y − 2 v (v'y) / (v'v).
fn reflect(v: &[f64], y: &mut [f64]) {
    let length: f64 = v.iter().map(|a| a * a).sum();
    let along: f64 = v.iter().zip(y.iter()).map(|(a, b)| a * b).sum();
    if length > 0.0 {
        y.iter_mut().zip(v).for_each(|(y, v)| *y -= 2.0 * v * along / length);
    }
}

/// The quantile by linear interpolation between order statistics (R's type 7).
fn quantile(sorted: &[f64], p: f64) -> f64 {
    let place = (sorted.len() as f64 - 1.0) * p;
    let low = place.floor() as usize;
    let high = (low + 1).min(sorted.len() - 1);
    sorted[low] + (place - low as f64) * (sorted[high] - sorted[low])
}

impl Evaluator<'_> {
    pub(super) fn spline(
        &mut self,
        call: &Expr,
        name: &str,
        arguments: &[Argument],
        at: usize,
    ) -> Result<Value> {
        let is_natural = name == "ns";
        let parameters: &'static [&'static str] = if is_natural {
            &["x", "df", "knots", "intercept", "Boundary.knots"]
        } else {
            &["x", "df", "knots", "degree", "intercept", "Boundary.knots"]
        };
        let bound = Arguments::bind(self, name, parameters, arguments, at)?;
        let x = spread(self.numbers(bound.required(self, 0)?, name)?, self.frame.n_rows());
        let key = call.to_string();
        if self.is_learning {
            let state = self.learn_spline(name, &bound, &x, at)?;
            self.memory.states.insert(key.clone(), State::Spline(state));
        }
        let Some(State::Spline(state)) = self.memory.states.get(&key) else {
            return self.fail(at, format!("the fit has not learnt `{key}`"));
        };
        let names = (1..=state.n_columns()).map(|k| k.to_string()).collect();
        Ok(Value::Matrix(MatrixValue { values: state.columns(&x).into(), names }))
    }

    fn learn_spline(
        &mut self,
        name: &str,
        bound: &Arguments<'_>,
        x: &[f64],
        at: usize,
    ) -> Result<SplineState> {
        let is_natural = name == "ns";
        let tail = usize::from(!is_natural);
        let degree = if is_natural { 3 } else { self.positive_count(bound.get(3), 3, name)? };
        let has_intercept = match bound.get(3 + tail) {
            Some(flag) => self.number(flag, name)? != 0.0,
            None => false,
        };
        let mut sorted: Vec<f64> = x.iter().copied().filter(|v| !v.is_nan()).collect();
        sorted.sort_unstable_by(f64::total_cmp);
        let boundary = match (bound.get(4 + tail), sorted.first(), sorted.last()) {
            (Some(expr), ..) => match *self.numbers(expr, name)? {
                [low, high] if low < high => [low, high],
                _ => return self.fail(at, "`Boundary.knots` needs two rising numbers"),
            },
            (None, Some(&low), Some(&high)) if low < high => [low, high],
            _ => return self.fail(at, format!("`{name}` needs at least two distinct values")),
        };
        let knots = match (bound.get(2), bound.get(1)) {
            (Some(expr), _) => {
                let mut knots = self.numbers(expr, name)?.to_vec();
                knots.sort_unstable_by(f64::total_cmp);
                knots
            }
            (None, Some(expr)) => {
                let df = self.positive_count(Some(expr), 1, name)?;
                let fewest = if is_natural { 1 } else { degree } + usize::from(has_intercept);
                if df < fewest {
                    return self.fail(at, format!("`{name}` needs df of at least {fewest}"));
                }
                sorted.retain(|v| *v >= boundary[0] && *v <= boundary[1]);
                let n_knots = df - fewest;
                (1..=n_knots).map(|k| quantile(&sorted, k as f64 / (n_knots + 1) as f64)).collect()
            }
            (None, None) => Vec::new(),
        };
        let state = SplineState { degree, knots, boundary, has_intercept, is_natural };
        if !state.is_consistent() {
            let reason =
                format!("`{name}` needs a degree of 1 to {MAX_DEGREE} and knots between its boundaries");
            return self.fail(at, reason);
        }
        Ok(state)
    }
}
