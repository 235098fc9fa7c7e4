//! Factors: `factor ordered relevel C unclass`.
use std::collections::HashMap;
use std::sync::Arc;

use isostat_base::{Error, Result};

use super::functions::Arguments;
use super::value::{FactorValue, Value, LOGICAL_MISSING};
use super::{Evaluator, State};
use crate::design::contrast::{Base, Coding, Contrast};
use crate::formula::number::format_number;
use crate::formula::{Argument, Expr};
use crate::frame::MISSING;

/// Codes by `known` levels; labels that it has not are appended, where a row has them.
pub(crate) fn recode(codes: &[u32], levels: &[String], known: &[String]) -> (Arc<[u32]>, Arc<[String]>) {
    let place: HashMap<&str, u32> = known.iter().enumerate().map(|(i, l)| (l.as_str(), i as u32)).collect();
    let mut all: Vec<String> = known.to_vec();
    let mut map: Vec<Option<u32>> = levels.iter().map(|l| place.get(l.as_str()).copied()).collect();
    let codes = codes
        .iter()
        .map(|&code| match map.get(code as usize) {
            None => MISSING,
            Some(Some(new)) => *new,
            Some(None) => {
                all.push(levels[code as usize].clone());
                let new = all.len() as u32 - 1;
                map[code as usize] = Some(new);
                new
            }
        })
        .collect();
    (codes, all.into())
}

/// The levels that a row has, in their order.
pub(crate) fn used_levels(codes: &[u32], levels: &[String]) -> Vec<String> {
    let mut used = vec![false; levels.len()];
    codes.iter().filter(|&&c| c != MISSING).for_each(|&c| used[c as usize] = true);
    levels.iter().zip(used).filter(|(_, u)| *u).map(|(l, _)| l.clone()).collect()
}

/// Numbers as a factor: levels by size, labels as R prints the numbers.
fn numeric_factor(values: &[f64]) -> FactorValue {
    let mut distinct: Vec<f64> = values.iter().copied().filter(|v| !v.is_nan()).collect();
    distinct.sort_unstable_by(f64::total_cmp);
    let mut labels: Vec<String> = Vec::new();
    // Numbers that print alike are one level; -0 and 0 are, too.
    let mut code_of: HashMap<u64, u32> = HashMap::new();
    for value in distinct {
        let label = format_number(value);
        if labels.last() != Some(&label) {
            labels.push(label);
        }
        code_of.insert(value.to_bits(), labels.len() as u32 - 1);
    }
    let codes = values.iter().map(|v| code_of.get(&v.to_bits()).copied().unwrap_or(MISSING)).collect();
    plain(codes, labels.into())
}

fn plain(codes: Arc<[u32]>, levels: Arc<[String]>) -> FactorValue {
    FactorValue { codes, n_known: levels.len(), levels, ordered: false, text: false, coding: None }
}

/// Logical values as the factor with levels FALSE and TRUE.
pub(crate) fn logical_factor(values: &[u8]) -> FactorValue {
    let codes = values.iter().map(|&v| if v == LOGICAL_MISSING { MISSING } else { u32::from(v) }).collect();
    plain(codes, Arc::from(["FALSE".to_string(), "TRUE".to_string()]))
}

fn to_factor(value: &Value) -> Option<FactorValue> {
    match value {
        Value::Factor(factor) => Some(factor.clone()),
        Value::Numeric(values) => Some(numeric_factor(values)),
        Value::Logical(values) => Some(logical_factor(values)),
        _ => None,
    }
}

fn labels_of(value: &Value) -> Option<Vec<String>> {
    match value {
        Value::Text(labels) => Some(labels.to_vec()),
        Value::Numeric(values) => Some(values.iter().map(|&v| format_number(v)).collect()),
        Value::Logical(values) => {
            Some(values.iter().map(|&v| if v == 1 { "TRUE" } else { "FALSE" }.to_string()).collect())
        }
        _ => None,
    }
}

impl Evaluator<'_> {
    fn factor_argument(&mut self, expr: &Expr, asker: &str) -> Result<FactorValue> {
        let value = self.value(expr)?;
        match to_factor(&value) {
            Some(factor) => Ok(factor),
            None => self.fail(expr.position(), format!("`{asker}` cannot make a factor of {}", value.kind())),
        }
    }

    /// `factor(x, levels, labels, ordered)` and its kin.
    pub(super) fn factor(
        &mut self,
        call: &Expr,
        name: &str,
        arguments: &[Argument],
        at: usize,
    ) -> Result<Value> {
        let bound = Arguments::bind(self, name, &["x", "levels", "labels", "ordered"], arguments, at)?;
        let x = self.factor_argument(bound.required(self, 0)?, name)?;
        let ordered = match bound.get(3) {
            Some(flag) => self.number(flag, name)? != 0.0,
            None => x.ordered || matches!(name, "ordered" | "as.ordered"),
        };
        // `as.factor` leaves a factor as it is; `factor` drops the levels that no row has.
        let keeps_levels = name.starts_with("as.") && bound.get(1).is_none();
        let chosen = match (bound.get(1), self.memory.states.get(&call.to_string())) {
            (Some(levels), _) => self.label_list(levels, name)?,
            (None, Some(State::Levels(levels))) if !self.is_learning => levels.clone(),
            _ if keeps_levels => x.levels.to_vec(),
            _ => used_levels(&x.codes, &x.levels),
        };
        let (mut codes, mut levels) = recode(&x.codes, &x.levels, &chosen);
        if bound.get(1).is_some() {
            // A label outside the levels that were asked for is missing, as in R.
            codes = codes.iter().map(|&c| if (c as usize) < chosen.len() { c } else { MISSING }).collect();
            levels = chosen.clone().into();
        } else if self.is_learning {
            self.memory.states.insert(call.to_string(), State::Levels(chosen.clone()));
        }
        if let Some(labels) = bound.get(2) {
            let labels = self.label_list(labels, name)?;
            if labels.len() != chosen.len() {
                let reason =
                    format!("`labels` names {} levels, but there are {}", labels.len(), chosen.len());
                return self.fail(at, reason);
            }
            levels = labels.into_iter().chain(levels[chosen.len()..].iter().cloned()).collect();
        }
        let n_known = chosen.len();
        Ok(Value::Factor(FactorValue { codes, levels, ordered, text: false, n_known, coding: None }))
    }

    fn label_list(&mut self, expr: &Expr, asker: &str) -> Result<Vec<String>> {
        let value = self.value(expr)?;
        match labels_of(&value) {
            Some(labels) => Ok(labels),
            None => self.fail(
                expr.position(),
                format!("`{asker}` needs levels such as c(\"a\", \"b\"), not {}", value.kind()),
            ),
        }
    }

    /// `relevel(x, ref)`: one level moves to the front.
    pub(super) fn relevel(&mut self, name: &str, arguments: &[Argument], at: usize) -> Result<Value> {
        let bound = Arguments::bind(self, name, &["x", "ref"], arguments, at)?;
        let factor = self.factor_argument(bound.required(self, 0)?, name)?;
        let reference = self.label_or_index(bound.required(self, 1)?, name)?;
        let Some(front) = reference.resolve(&factor.levels) else {
            let reason = format!("`relevel` finds no level {reference} in {}", factor.levels.join(", "));
            return self.fail(at, reason);
        };
        let mut order: Vec<usize> = vec![front];
        order.extend((0..factor.levels.len()).filter(|&l| l != front));
        let mut place = vec![0; order.len()];
        order.iter().enumerate().for_each(|(new, &old)| place[old] = new as u32);
        Ok(Value::Factor(FactorValue {
            codes: factor.codes.iter().map(|&c| if c == MISSING { c } else { place[c as usize] }).collect(),
            levels: order.iter().map(|&l| factor.levels[l].clone()).collect(),
            ..factor
        }))
    }

    fn label_or_index(&mut self, expr: &Expr, asker: &str) -> Result<Base> {
        match self.value(expr)? {
            Value::Text(text) if text.len() == 1 => Ok(Base::Level(text[0].clone())),
            Value::Numeric(values) if values.len() == 1 && values[0] >= 1.0 => {
                Ok(Base::Index(values[0] as usize - 1))
            }
            _ => self.fail(
                expr.position(),
                format!("`{asker}` needs the name of a level or its number, not `{expr}`"),
            ),
        }
    }

    /// `C(x, contr, how.many, base)`: a factor that says how it is coded.
    pub(super) fn coded(&mut self, name: &str, arguments: &[Argument], at: usize) -> Result<Value> {
        let bound = Arguments::bind(self, name, &["object", "contr", "how.many", "base"], arguments, at)?;
        let mut factor = self.factor_argument(bound.required(self, 0)?, name)?;
        let (mut contrast, mut names_by_level) = match bound.get(1) {
            None if factor.ordered => (Contrast::Poly, true),
            None => (Contrast::Treatment(Base::First), true),
            Some(expr) => self.contrast_argument(expr)?,
        };
        if let Some(base) = bound.get(3) {
            let base = self.label_or_index(base, name)?;
            // R numbers the columns where a base is given by number, and has no base by name.
            names_by_level = matches!(base, Base::Level(_));
            contrast = match contrast {
                Contrast::Treatment(_) => Contrast::Treatment(base),
                _ => return self.fail(at, "`base` belongs to contr.treatment alone"),
            };
        }
        let how_many = bound.get(2).map(|h| self.number(h, name)).transpose()?.map(|h| h as usize);
        factor.coding = Some(Coding { contrast, names_by_level, how_many });
        Ok(Value::Factor(factor))
    }

    fn contrast_argument(&mut self, expr: &Expr) -> Result<(Contrast, bool)> {
        let (word, by_level) = match expr {
            // R names columns by level only where it looks the contrast up itself.
            Expr::Name(word, _) => (word.clone(), !word.starts_with("contr.")),
            Expr::Text(word, _) => (word.clone(), true),
            Expr::Call { function, arguments, position } => {
                return self.contrast_call(function, arguments, position.0)
            }
            _ => return self.fail(expr.position(), format!("`{expr}` is no contrast")),
        };
        match named_contrast(&word) {
            Some(contrast) => Ok((contrast, by_level)),
            None => Err(unknown_contrast(&word)),
        }
    }

    /// `contr.treatment(n, base)` and its kin, written out.
    fn contrast_call(
        &mut self,
        function: &str,
        arguments: &[Argument],
        at: usize,
    ) -> Result<(Contrast, bool)> {
        let Some(mut contrast) = named_contrast(function) else { return Err(unknown_contrast(function)) };
        let bound = Arguments::bind(self, function, &["n", "base"], arguments, at)?;
        if let (Some(base), Contrast::Treatment(_)) = (bound.get(1), &contrast) {
            contrast = Contrast::Treatment(self.label_or_index(base, function)?);
        }
        Ok((contrast, false))
    }

    /// `unclass(g)` and `as.numeric(g)`: the codes from 1.
    pub(super) fn codes(&mut self, name: &str, arguments: &[Argument], at: usize) -> Result<Value> {
        let bound = Arguments::bind(self, name, &["x"], arguments, at)?;
        let expr = bound.required(self, 0)?;
        match self.value(expr)? {
            Value::Factor(factor) if factor.text => {
                self.fail(at, format!("`{name}` needs a factor, but `{expr}` is a column of strings; write {name}(factor({expr}))"))
            }
            Value::Factor(factor) => {
                if let Some(row) = factor.codes.iter().position(|&c| c != MISSING && c as usize >= factor.n_known) {
                    return Err(Error::UnseenLevel {
                        column: expr.to_string(),
                        levels: vec![factor.levels[factor.codes[row] as usize].clone()],
                        row,
                        known: factor.levels[..factor.n_known].to_vec(),
                    });
                }
                let number = |&c: &u32| if c == MISSING { f64::NAN } else { f64::from(c) + 1.0 };
                Ok(Value::Numeric(factor.codes.iter().map(number).collect()))
            }
            value => match value.to_numbers() {
                Some(values) => Ok(Value::Numeric(values)),
                None => self.fail(at, format!("`{name}` needs a factor or numbers, not {}", value.kind())),
            },
        }
    }
}

fn named_contrast(word: &str) -> Option<Contrast> {
    Some(match word.strip_prefix("contr.").unwrap_or(word) {
        "treatment" => Contrast::Treatment(Base::First),
        "SAS" => Contrast::Treatment(Base::Last),
        "sum" => Contrast::Sum,
        "helmert" => Contrast::Helmert,
        "poly" => Contrast::Poly,
        _ => return None,
    })
}

fn unknown_contrast(word: &str) -> Error {
    Error::unsupported(
        format!("the contrast `{word}`"),
        "it is not among the contrasts of this package",
        "use contr.treatment, contr.SAS, contr.sum, contr.helmert or contr.poly",
    )
}
