//! Missing and infinite values.
use isostat_base::{Error, Place, Result};

use super::variable::Variable;
use crate::formula::Expr;
use crate::frame::column::number_fault;
use crate::frame::Frame;

/// What becomes of rows with missing values in a variable that is used. Infinite values are refused always.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NaPolicy {
    /// The first one is refused, with its row and column.
    #[default]
    Raise,
    /// Their rows are left out, as R's `na.omit` does.
    Drop,
}

/// A variable with its name and expression.
pub(crate) struct Used<'a> {
    pub name: &'a str,
    pub expr: Option<&'a Expr>,
    pub variable: Variable,
}

/// Which rows stay: all of them, or those without a missing value.
///
/// # Errors
/// [`Error::MissingValue`] for an infinite value, and for a missing one under [`NaPolicy::Raise`].
pub(crate) fn kept_rows(
    frame: &Frame,
    used: &[Used<'_>],
    n_rows: usize,
    policy: NaPolicy,
) -> Result<Vec<usize>> {
    let mut is_kept = vec![true; n_rows];
    for item in used {
        refuse_infinite_columns(frame, item.expr)?;
        if item.variable.is_sound() {
            continue;
        }
        for (row, kept) in is_kept.iter_mut().enumerate() {
            let Some(fault) = item.variable.fault(row, n_rows) else { continue };
            if policy == NaPolicy::Raise || fault.ends_with("inf") {
                return Err(located(frame, item, row, fault));
            }
            *kept = false;
        }
    }
    Ok((0..n_rows).filter(|&row| is_kept[row]).collect())
}

/// A column that is infinite somewhere is refused even where an expression makes it finite again.
fn refuse_infinite_columns(frame: &Frame, expr: Option<&Expr>) -> Result<()> {
    // A column by itself is looked at as the variable that it is.
    let Some(expr) = expr.filter(|expr| !matches!(expr, Expr::Name(..))) else { return Ok(()) };
    for name in expr.column_names() {
        let Ok(crate::frame::Column::Numeric { values, .. }) = frame.column(&name) else { continue };
        if let Some(row) = values.iter().position(|v| v.is_infinite()) {
            let value = number_fault(values[row]).unwrap_or("inf");
            return Err(Error::missing(name.clone(), value, Place::cell(row, name)));
        }
    }
    Ok(())
}

/// The error names the column of the data that is at fault, or the expression if its columns are sound.
fn located(frame: &Frame, item: &Used<'_>, row: usize, fault: &str) -> Error {
    for name in item.expr.map(Expr::column_names).unwrap_or_default() {
        let Ok(column) = frame.column(&name) else { continue };
        if let Some(cause) = column.fault(row) {
            return Error::missing(name.clone(), cause, Place::cell(row, name));
        }
    }
    let place = match item.expr {
        Some(_) => Place::cell(row, item.name),
        None => Place::row(row),
    };
    Error::missing(item.name, fault, place)
}
