//! What training learnt, enough to build the same columns for new data.
use isostat_base::{Error, Result};
use serde::{Deserialize, Serialize};

use super::columns::{columns, Columns};
use super::missing::{kept_rows, NaPolicy, Used};
use super::variable::{NewLevels, Variable, VariableKind};
use super::{BuildOptions, Design, DesignOptions, Response};
use crate::eval::{Evaluator, Memory};
use crate::formula::{Expr, Formula, Terms};
use crate::frame::Frame;

/// The version of the saved form.
const SAVED_VERSION: u32 = 1;

/// A formula with everything that was learnt from the training data: levels, contrasts, the states of `poly`,
/// `scale` and the like.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(try_from = "Saved", into = "Saved")]
pub struct ModelSpec {
    formula: Formula,
    /// What `.` stood for.
    dot: Vec<String>,
    terms: Terms,
    memory: Memory,
    /// By variable.
    kinds: Vec<VariableKind>,
    coef_names: Vec<String>,
}

/// The saved form: terms are expanded anew from the text.
#[derive(Serialize, Deserialize)]
struct Saved {
    version: u32,
    formula: String,
    dot: Vec<String>,
    memory: Memory,
    kinds: Vec<VariableKind>,
    coef_names: Vec<String>,
}

impl From<ModelSpec> for Saved {
    fn from(spec: ModelSpec) -> Self {
        Saved {
            version: SAVED_VERSION,
            formula: spec.formula.text,
            dot: spec.dot,
            memory: spec.memory,
            kinds: spec.kinds,
            coef_names: spec.coef_names,
        }
    }
}

impl TryFrom<Saved> for ModelSpec {
    type Error = Error;

    fn try_from(saved: Saved) -> Result<Self> {
        if saved.version != SAVED_VERSION {
            return Err(Error::unsupported(
                format!("a model specification of version {}", saved.version),
                format!("this version of isostat reads version {SAVED_VERSION}"),
                "read it with the version that wrote it",
            ));
        }
        let formula = Formula::parse(&saved.formula)?;
        let terms = Terms::expand(&formula, &saved.dot)?;
        if terms.variables.len() != saved.kinds.len() {
            let expected = format!("{} variables, as its formula has", terms.variables.len());
            return Err(Error::shape(
                "model specification",
                "kinds",
                expected,
                saved.kinds.len().to_string(),
            ));
        }
        if !saved.memory.is_consistent() {
            let rule = "hold as many numbers as its polynomials and splines need";
            return Err(Error::domain("model specification", "states", rule, "others"));
        }
        Ok(ModelSpec {
            formula,
            dot: saved.dot,
            terms,
            memory: saved.memory,
            kinds: saved.kinds,
            coef_names: saved.coef_names,
        })
    }
}

impl ModelSpec {
    /// Learn from training data, and build its design.
    ///
    /// # Errors
    /// [`Error::UnknownColumn`], [`Error::Formula`], [`Error::Unsupported`] for what the formula asks;
    /// [`Error::MissingValue`] by the policy; [`Error::Domain`] for a factor of one level;
    /// [`Error::Shape`] if no row is left.
    pub fn learn(formula: &Formula, frame: &Frame, options: &DesignOptions) -> Result<(Self, Design)> {
        let dot = if formula.predictors.column_names().iter().any(|name| name == ".") {
            frame.names().to_vec()
        } else {
            Vec::new()
        };
        let mut spec = ModelSpec {
            formula: formula.clone(),
            terms: Terms::expand(formula, &dot)?,
            dot,
            memory: Memory::default(),
            kinds: Vec::new(),
            coef_names: Vec::new(),
        };
        let request = BuildOptions {
            na: options.na,
            new_levels: NewLevels::Error,
            with_response: true,
            extra_columns: options.extra_columns.clone(),
            extra_values: options.extra_values.clone(),
        };
        let mut memory = Memory::default();
        let mut variables = spec.evaluate(frame, &mut memory, true, true)?;
        spec.memory = memory;
        let rows = spec.keep_complete(frame, &mut variables, &request)?;
        if rows.is_empty() {
            let expected = match frame.n_rows() {
                0 => "at least one row",
                _ => "at least one row without missing values",
            };
            return Err(Error::shape("formula", "data", expected, format!("0 of {} rows", frame.n_rows())));
        }
        spec.kinds = variables.iter().flatten().map(VariableKind::learn).collect();
        let design = spec.assemble(variables, rows, frame.n_rows(), NewLevels::Error)?;
        spec.coef_names = design.coef_names.clone();
        Ok((spec, design))
    }

    /// The design of any data: the same columns as in training.
    ///
    /// # Errors
    /// As [`ModelSpec::learn`]; [`Error::UnseenLevel`] by the policy; [`Error::Dtype`] for a column that changed
    /// its kind.
    pub fn build(&self, frame: &Frame, options: &BuildOptions) -> Result<Design> {
        let mut memory = self.memory.clone();
        let mut variables = self.evaluate(frame, &mut memory, false, options.with_response)?;
        for ((variable, kind), name) in variables.iter().zip(&self.kinds).zip(&self.terms.names) {
            let Some(variable) = variable else { continue };
            variable.expect_kind(name, kind)?;
        }
        // An unseen level says more than a missing value elsewhere; but a row that is to be dropped may hold anything.
        let is_strict = options.new_levels == NewLevels::Error;
        if is_strict && options.na == NaPolicy::Raise {
            self.refuse_unseen(&variables)?;
        }
        let rows = self.keep_complete(frame, &mut variables, options)?;
        if is_strict {
            self.refuse_unseen(&variables).map_err(|error| at_source_row(error, &rows))?;
        }
        self.assemble(variables, rows, frame.n_rows(), options.new_levels)
    }

    fn refuse_unseen(&self, variables: &[Option<Variable>]) -> Result<()> {
        for ((variable, kind), name) in variables.iter().zip(&self.kinds).zip(&self.terms.names) {
            variable.as_ref().map_or(Ok(()), |variable| variable.refuse_unseen(name, kind))?;
        }
        Ok(())
    }

    /// The formula.
    pub fn formula(&self) -> &Formula {
        &self.formula
    }

    /// Its terms.
    pub fn terms(&self) -> &Terms {
        &self.terms
    }

    /// The names of the columns.
    pub fn coef_names(&self) -> &[String] {
        &self.coef_names
    }

    /// What was learnt of each variable: its name and kind.
    pub fn variables(&self) -> impl Iterator<Item = (&str, &VariableKind)> {
        self.terms.names.iter().map(String::as_str).zip(&self.kinds)
    }

    /// The columns of the data that predictors and offsets read.
    pub fn predictor_columns(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for v in self.terms.predictor_variables() {
            for name in self.terms.variables[v].column_names() {
                if self.memory.columns.contains_key(&name) && !names.contains(&name) {
                    names.push(name);
                }
            }
        }
        names
    }

    /// As JSON.
    ///
    /// # Errors
    /// [`Error::Domain`] if a learnt number is not finite.
    pub fn to_json(&self) -> Result<String> {
        serde_json::to_string(self)
            .map_err(|e| Error::domain("model specification", "json", "be writable", e))
    }

    /// From JSON.
    ///
    /// # Errors
    /// [`Error::Domain`] for text that is no specification.
    pub fn from_json(text: &str) -> Result<Self> {
        serde_json::from_str(text)
            .map_err(|e| Error::domain("model specification", "json", "be a specification", e))
    }

    /// The values of all variables, the response's only if it is wanted.
    fn evaluate(
        &self,
        frame: &Frame,
        memory: &mut Memory,
        is_learning: bool,
        with_response: bool,
    ) -> Result<Vec<Option<Variable>>> {
        let mut evaluator = Evaluator { text: &self.formula.text, frame, memory, is_learning };
        let mut found = Vec::with_capacity(self.terms.variables.len());
        for (v, expr) in self.terms.variables.iter().enumerate() {
            if Some(v) == self.terms.response && !with_response {
                found.push(None);
                continue;
            }
            let value = evaluator.value(expr)?;
            let kind = value.kind();
            match Variable::of(value, frame.n_rows()) {
                Some(variable) => found.push(Some(variable)),
                None => {
                    return Err(Error::formula(
                        &self.formula.text,
                        expr.position(),
                        format!("`{expr}` is {kind}, which is no variable"),
                    ));
                }
            }
        }
        Ok(found)
    }

    /// Leave out the rows that the policy on missing values leaves out; gives the rows that stay.
    fn keep_complete(
        &self,
        frame: &Frame,
        variables: &mut [Option<Variable>],
        options: &BuildOptions,
    ) -> Result<Vec<usize>> {
        let n = frame.n_rows();
        let rows = self.complete_rows(frame, variables, options)?;
        if rows.len() < n {
            for variable in variables.iter_mut().flatten() {
                *variable = variable.take(&rows, n);
            }
        }
        Ok(rows)
    }

    fn complete_rows(
        &self,
        frame: &Frame,
        variables: &[Option<Variable>],
        options: &BuildOptions,
    ) -> Result<Vec<usize>> {
        let n = frame.n_rows();
        let mut used: Vec<Used<'_>> = Vec::new();
        for (v, variable) in variables.iter().enumerate() {
            let Some(variable) = variable else { continue };
            used.push(Used {
                name: &self.terms.names[v],
                expr: Some(&self.terms.variables[v]),
                variable: variable.clone(),
            });
        }
        let extra_exprs: Vec<Expr> =
            options.extra_columns.iter().map(|name| Expr::Name(name.clone(), Default::default())).collect();
        for (name, expr) in options.extra_columns.iter().zip(&extra_exprs) {
            used.push(Used { name, expr: Some(expr), variable: Variable::Numeric(frame.numeric(name)?) });
        }
        for (name, values) in &options.extra_values {
            if values.len() != n {
                return Err(Error::shape(
                    "formula",
                    name,
                    format!("{n} values, one per row"),
                    values.len().to_string(),
                ));
            }
            used.push(Used { name, expr: None, variable: Variable::Numeric(values.clone()) });
        }
        kept_rows(frame, &used, n, options.na)
    }

    fn assemble(
        &self,
        mut variables: Vec<Option<Variable>>,
        rows: Vec<usize>,
        n_source_rows: usize,
        new_levels: NewLevels,
    ) -> Result<Design> {
        for ((variable, kind), name) in variables.iter_mut().zip(&self.kinds).zip(&self.terms.names) {
            let Some(variable) = variable else { continue };
            variable.recode(name, kind, new_levels)?;
        }
        let rows = drop_new_levels(&mut variables, rows);
        let response = match self.terms.response.and_then(|r| variables[r].take()) {
            Some(variable) => Some(self.response(variable, rows.len())?),
            None => None,
        };
        let offset = self.offset(&variables, rows.len())?;
        let Columns { blocks, names, term_of_column } =
            columns(&self.terms, &self.kinds, &variables, rows.len())?;
        Ok(Design {
            blocks,
            coef_names: names,
            term_of_column,
            term_names: self.terms.terms.iter().map(|t| t.label.clone()).collect(),
            has_intercept: self.terms.has_intercept,
            n_rows: rows.len(),
            response,
            offset,
            rows,
            n_source_rows,
        })
    }

    fn response(&self, variable: Variable, n: usize) -> Result<Response> {
        let name = &self.terms.names[0];
        match variable {
            Variable::Numeric(values) => Ok(Response::Vector { values: values.to_vec(), levels: None }),
            Variable::Factor { factor, is_logical } => Ok(Response::Vector {
                values: factor.codes.iter().map(|&c| f64::from(u8::from(c > 0))).collect(),
                levels: (!is_logical).then(|| factor.levels.to_vec()),
            }),
            Variable::Matrix(matrix) if matrix.names.len() == 2 => Ok(Response::TwoColumn {
                successes: matrix.values[..n].to_vec(),
                failures: matrix.values[n..].to_vec(),
            }),
            Variable::Matrix(matrix) => Err(Error::unsupported(
                format!("a response of {} columns", matrix.names.len()),
                format!("`{name}` must be one column, or two: successes and failures"),
                "write cbind(successes, failures)",
            )),
        }
    }

    fn offset(&self, variables: &[Option<Variable>], n: usize) -> Result<Option<Vec<f64>>> {
        if self.terms.offsets.is_empty() {
            return Ok(None);
        }
        let mut total = vec![0.0; n];
        for &v in &self.terms.offsets {
            match &variables[v] {
                Some(Variable::Numeric(values)) => {
                    total.iter_mut().zip(values.iter()).for_each(|(t, x)| *t += x)
                }
                _ => {
                    let expr: &Expr = &self.terms.variables[v];
                    let reason = format!("`{expr}` needs one column of numbers");
                    return Err(Error::formula(&self.formula.text, expr.position(), reason));
                }
            }
        }
        Ok(Some(total))
    }
}

/// An unseen level is reported by its row in the frame, not among the rows kept.
fn at_source_row(error: Error, rows: &[usize]) -> Error {
    match error {
        Error::UnseenLevel { column, levels, row, known } => {
            Error::UnseenLevel { column, levels, row: rows.get(row).copied().unwrap_or(row), known }
        }
        other => other,
    }
}

/// Rows whose level became missing are left out.
fn drop_new_levels(variables: &mut [Option<Variable>], rows: Vec<usize>) -> Vec<usize> {
    let n = rows.len();
    if variables.iter().flatten().all(Variable::is_sound) {
        return rows;
    }
    let is_missing = |row: usize| {
        let mut factors = variables.iter().flatten().filter(|v| matches!(v, Variable::Factor { .. }));
        factors.any(|v| v.fault(row, n).is_some())
    };
    let kept: Vec<usize> = (0..n).filter(|&row| !is_missing(row)).collect();
    for variable in variables.iter_mut().flatten() {
        *variable = variable.take(&kept, n);
    }
    kept.into_iter().map(|k| rows[k]).collect()
}
