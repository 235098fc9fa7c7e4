//! The formula language of R: text to tree to terms.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`token`] | text to tokens |
//! | [`expr`] | the tree, printed as R's `deparse` prints it |
//! | [`parse`] | tokens to tree, with R's precedence |
//! | [`terms`] | tree to terms: `+ - : * / ^ %in% .`, the intercept, offsets, contrasts or all levels |
pub mod expr;
pub mod number;
pub mod parse;
pub mod terms;
pub mod token;

use std::fmt;

use isostat_base::Result;

pub use expr::{Argument, BinaryOp, Expr, Position, UnaryOp};
pub use terms::{Term, Terms};

/// A parsed formula: `response ~ predictors`.
#[derive(Clone, Debug)]
pub struct Formula {
    /// The text that was parsed.
    pub text: String,
    /// The left side, where there is one.
    pub response: Option<Expr>,
    /// The right side.
    pub predictors: Expr,
}

impl Formula {
    /// Parse a formula.
    ///
    /// # Errors
    /// [`isostat_base::Error::Formula`] with the position in characters.
    pub fn parse(text: &str) -> Result<Self> {
        let (response, predictors) = parse::formula(text)?;
        Ok(Formula { text: text.into(), response, predictors })
    }

    /// The names that it reads from the data, or nothing if it has a `.`, which reads all.
    pub fn column_names(&self) -> Option<Vec<String>> {
        let mut names = self.response.as_ref().map(Expr::column_names).unwrap_or_default();
        for name in self.predictors.column_names() {
            match name.as_str() {
                "." => return None,
                _ if names.contains(&name) => {}
                _ => names.push(name),
            }
        }
        Some(names)
    }
}

impl PartialEq for Formula {
    /// Two formulas are equal if their trees are: spaces do not count.
    fn eq(&self, other: &Self) -> bool {
        self.response == other.response && self.predictors == other.predictors
    }
}

impl fmt::Display for Formula {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.response {
            Some(response) => write!(f, "{response} ~ {}", self.predictors),
            None => write!(f, "~{}", self.predictors),
        }
    }
}
