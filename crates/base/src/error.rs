//! One error type. Every variant names owner, parameter, rule and value; none holds just a string.
use std::fmt;

/// The result of anything that can be refused.
pub type Result<T> = std::result::Result<T, Error>;

/// Where in the data the offending value stands. Rows count from 0, as in Python.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Place {
    /// Row, counted from 0.
    pub row: Option<usize>,
    /// Column, by name where it has one.
    pub column: Option<String>,
}

impl Place {
    /// A place that is a row alone.
    pub fn row(row: usize) -> Self {
        Self { row: Some(row), column: None }
    }
    /// A row of a named column.
    pub fn cell(row: usize, column: impl Into<String>) -> Self {
        Self { row: Some(row), column: Some(column.into()) }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.row, &self.column) {
            (Some(r), Some(c)) => write!(f, " in row {r} of column \"{c}\""),
            (Some(r), None) => write!(f, " in row {r}"),
            (None, Some(c)) => write!(f, " in column \"{c}\""),
            (None, None) => Ok(()),
        }
    }
}

/// Everything that isostat refuses, by kind.
#[derive(Clone, Debug, PartialEq)]
pub enum Error {
    /// A value outside the range that its parameter or family allows.
    Domain {
        /// Who asks: a family, a function.
        owner: String,
        /// Which argument.
        parameter: String,
        /// What must hold, as a predicate: "be positive and finite".
        rule: String,
        /// What was given.
        value: String,
        /// Where.
        place: Place,
    },
    /// Lengths or dimensions that do not fit.
    Shape {
        /// Who asks.
        owner: String,
        /// Which argument.
        parameter: String,
        /// The shape that was needed, in words.
        expected: String,
        /// The shape that was given.
        found: String,
    },
    /// NaN, infinity or null where a number is needed.
    MissingValue {
        /// Which argument.
        parameter: String,
        /// What stands there: "NaN", "inf", "null".
        value: String,
        /// Where.
        place: Place,
        /// What to do about it.
        remedy: String,
    },
    /// A name that the data do not have.
    UnknownColumn {
        /// The name asked for.
        name: String,
        /// What the data have.
        known: Vec<String>,
    },
    /// A level that training did not see.
    UnseenLevel {
        /// The factor.
        column: String,
        /// The levels.
        levels: Vec<String>,
        /// The row of the first.
        row: usize,
        /// The levels of training.
        known: Vec<String>,
    },
    /// Arrays of two engines, devices or dtypes in one payload.
    MixedEngine {
        /// First argument.
        first: String,
        /// Its engine (with dtype and device where these differ).
        first_engine: String,
        /// Second argument.
        second: String,
        /// Its engine.
        second_engine: String,
    },
    /// A dtype that the argument cannot have.
    Dtype {
        /// Which argument.
        parameter: String,
        /// What is accepted.
        expected: String,
        /// What was given.
        found: String,
        /// What to do.
        remedy: String,
    },
    /// A combination that does not exist, with the nearest that does.
    Unsupported {
        /// What was asked.
        what: String,
        /// Why it is refused.
        why: String,
        /// The nearest supported choice.
        nearest: String,
    },
    /// An optional package that is not installed.
    MissingDependency {
        /// The package.
        package: String,
        /// What needs it.
        needed_for: String,
        /// The command that installs it.
        install: String,
    },
    /// Weights that leave nothing to fit.
    DegenerateWeights {
        /// Who asks.
        owner: String,
        /// What is wrong.
        reason: String,
    },
    /// A formula that does not parse or cannot be evaluated.
    Formula {
        /// The text.
        text: String,
        /// Position in characters, from 0.
        position: usize,
        /// What is wrong.
        reason: String,
    },
}

impl Error {
    /// A [`Error::Domain`] without a place.
    pub fn domain(
        owner: impl Into<String>,
        parameter: impl Into<String>,
        rule: impl Into<String>,
        value: impl fmt::Display,
    ) -> Self {
        Self::domain_at(owner, parameter, rule, value, Place::default())
    }

    /// A [`Error::Domain`] with its place.
    pub fn domain_at(
        owner: impl Into<String>,
        parameter: impl Into<String>,
        rule: impl Into<String>,
        value: impl fmt::Display,
        place: Place,
    ) -> Self {
        Error::Domain {
            owner: owner.into(),
            parameter: parameter.into(),
            rule: rule.into(),
            value: value.to_string(),
            place,
        }
    }

    /// A [`Error::Shape`].
    pub fn shape(
        owner: impl Into<String>,
        parameter: impl Into<String>,
        expected: impl Into<String>,
        found: impl Into<String>,
    ) -> Self {
        Error::Shape {
            owner: owner.into(),
            parameter: parameter.into(),
            expected: expected.into(),
            found: found.into(),
        }
    }

    /// A [`Error::MissingValue`].
    pub fn missing(parameter: impl Into<String>, value: impl Into<String>, place: Place) -> Self {
        let value = value.into();
        let remedy = if value.ends_with("inf") {
            "leave such rows out, or replace the infinite values"
        } else {
            "drop such rows with na=\"drop\", or fill them before the fit"
        };
        Error::MissingValue { parameter: parameter.into(), value, place, remedy: remedy.into() }
    }

    /// A missing value where another remedy than `na="drop"` helps; any other error as it is.
    pub fn or_else_missing(self, instead: &str) -> Self {
        match self {
            Error::MissingValue { parameter, value, place, .. } if !value.ends_with("inf") => {
                Error::MissingValue { parameter, value, place, remedy: instead.into() }
            }
            other => other,
        }
    }

    /// A [`Error::Unsupported`].
    pub fn unsupported(what: impl Into<String>, why: impl Into<String>, nearest: impl Into<String>) -> Self {
        Error::Unsupported { what: what.into(), why: why.into(), nearest: nearest.into() }
    }

    /// A [`Error::Formula`].
    pub fn formula(text: impl Into<String>, position: usize, reason: impl Into<String>) -> Self {
        Error::Formula { text: text.into(), position, reason: reason.into() }
    }

    /// The stable code of the kind, as printed in brackets.
    pub fn code(&self) -> &'static str {
        match self {
            Error::Domain { .. } => "domain",
            Error::Shape { .. } => "shape",
            Error::MissingValue { .. } => "missing-value",
            Error::UnknownColumn { .. } => "unknown-column",
            Error::UnseenLevel { .. } => "unseen-level",
            Error::MixedEngine { .. } => "mixed-engine",
            Error::Dtype { .. } => "dtype",
            Error::Unsupported { .. } => "unsupported",
            Error::MissingDependency { .. } => "missing-dependency",
            Error::DegenerateWeights { .. } => "degenerate-weights",
            Error::Formula { .. } => "formula",
        }
    }

    /// What to do about it.
    pub fn remedy(&self) -> String {
        match self {
            Error::Domain { parameter, .. } => {
                format!("correct or drop the rows where `{parameter}` is outside its range")
            }
            Error::Shape { parameter, expected, .. } => format!("give `{parameter}` {expected}"),
            Error::MissingValue { remedy, .. } => remedy.clone(),
            Error::UnknownColumn { name, known } => match nearest(name, known) {
                Some(k) => format!("did you mean \"{k}\"?"),
                None => "check the spelling against the columns of the data".into(),
            },
            Error::UnseenLevel { .. } => {
                "pass new_levels=\"na\" or new_levels=\"baseline\" to predict, or refit with this level"
                    .into()
            }
            Error::MixedEngine { .. } => "convert one of them, e.g. with isostat.to_numpy".into(),
            Error::Dtype { remedy, .. } => remedy.clone(),
            Error::Unsupported { nearest, .. } => nearest.clone(),
            Error::MissingDependency { install, .. } => install.clone(),
            Error::DegenerateWeights { .. } => "give at least one row a positive weight".into(),
            Error::Formula { .. } => "see the formula language in the documentation".into(),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{}] ", self.code())?;
        match self {
            Error::Domain { owner, parameter, rule, value, place } => {
                write!(f, "{owner}: `{parameter}` must {rule}, got {value}{place}")
            }
            Error::Shape { owner, parameter, expected, found } => {
                write!(f, "{owner}: `{parameter}` must have {expected}, got {found}")
            }
            Error::MissingValue { parameter, value, place, .. } => {
                write!(f, "`{parameter}` holds {value}{place}; {}", self.remedy())
            }
            Error::UnknownColumn { name, known } => {
                write!(f, "there is no column \"{name}\"; the data have {}; {}", list(known), self.remedy())
            }
            Error::UnseenLevel { column, levels, row, known } => {
                let (word, place) =
                    if levels.len() == 1 { ("level", " in") } else { ("levels", ", the first in") };
                write!(
                    f,
                    "column \"{column}\" holds {word} {}{place} row {row}, which the fit has not seen (it knows {}); {}",
                    list(levels),
                    list(known),
                    self.remedy()
                )
            }
            Error::MixedEngine { first, first_engine, second, second_engine } => write!(
                f,
                "mixed engines: `{first}` is {first_engine}, `{second}` is {second_engine}; {}",
                self.remedy()
            ),
            Error::Dtype { parameter, expected, found, remedy } => {
                write!(f, "`{parameter}` must have dtype {expected}, got {found}; {remedy}")
            }
            Error::Unsupported { what, why, nearest } => {
                write!(f, "{what} is not supported: {why}; {nearest}")
            }
            Error::MissingDependency { package, needed_for, install } => {
                write!(f, "{needed_for} needs the package {package}, which is not installed; {install}")
            }
            Error::DegenerateWeights { owner, reason } => write!(f, "{owner}: {reason}; {}", self.remedy()),
            Error::Formula { text, position, reason } => {
                write!(f, "{reason} at position {position} of \"{text}\"")
            }
        }
    }
}

impl std::error::Error for Error {}

fn list(names: &[String]) -> String {
    const SHOWN: usize = 12;
    let mut out: Vec<String> = names.iter().take(SHOWN).map(|n| format!("\"{n}\"")).collect();
    if names.len() > SHOWN {
        out.push(format!("… {} more", names.len() - SHOWN));
    }
    if out.is_empty() {
        "none".into()
    } else {
        out.join(", ")
    }
}

/// The known name closest to `name`, if one is within two edits.
fn nearest<'a>(name: &str, known: &'a [String]) -> Option<&'a str> {
    // A short name has many neighbours: one edit for each three letters, two at most.
    let limit = (name.chars().count() / 3).clamp(1, 2);
    known.iter().map(|k| (edits(name, k), k.as_str())).filter(|(d, _)| *d <= limit).min().map(|(_, k)| k)
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelt_column_is_offered_its_neighbour() {
        let known = vec!["age".to_string(), "income".to_string()];
        let error = Error::UnknownColumn { name: "incom".into(), known };
        assert_eq!(
            error.to_string(),
            "[unknown-column] there is no column \"incom\"; the data have \"age\", \"income\"; did you mean \"income\"?"
        );
    }

    #[test]
    fn a_place_is_named_by_row_and_column() {
        let error = Error::missing("age", "NaN", Place::cell(17, "age"));
        assert_eq!(
            error.to_string(),
            "[missing-value] `age` holds NaN in row 17 of column \"age\"; drop such rows with na=\"drop\", or fill them before the fit"
        );
    }
}
