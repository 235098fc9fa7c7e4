//! The answer of a comparison of foreign arrays.
use std::rc::Rc;

use pyo3::basic::CompareOp;
use pyo3::prelude::*;

use super::array::{float, mixed, Fa};
use super::namespace::{keywords, Function, Namespace};
use crate::error::to_python;

/// A mask. It remembers an array that was compared, as two literals alone would have no dtype.
#[derive(Clone)]
pub enum Mask<'py> {
    /// The same answer everywhere.
    Known(bool),
    /// An array of truth values.
    Arr {
        /// The truth values.
        mask: Bound<'py, PyAny>,
        /// An array that was compared.
        like: Bound<'py, PyAny>,
        /// Their namespace.
        namespace: &'static Namespace,
    },
    /// What an operation raised.
    Bad(Rc<PyErr>),
}

impl<'py> Mask<'py> {
    /// Compares two numbers.
    pub(super) fn compare(a: &Fa<'py>, b: &Fa<'py>, op: CompareOp) -> Mask<'py> {
        let (result, like, namespace) = match (a, b) {
            (Fa::Bad(error), _) | (_, Fa::Bad(error)) => return Mask::Bad(error.clone()),
            (Fa::Lit(a), Fa::Lit(b)) => {
                return Mask::Known(if matches!(op, CompareOp::Lt) { a < b } else { a <= b })
            }
            (Fa::Arr(a, n), Fa::Lit(b)) => (a.rich_compare(float(a.py(), *b), op), a, *n),
            (Fa::Lit(a), Fa::Arr(b, n)) => (b.rich_compare(float(b.py(), *a), reversed(op)), b, *n),
            (Fa::Arr(a, n), Fa::Arr(b, m)) if std::ptr::eq(*n, *m) => (a.rich_compare(b, op), a, *n),
            (Fa::Arr(a, n), Fa::Arr(_, m)) => (Err(to_python(a.py(), &mixed(n, m))), a, *n),
        };
        Mask::from_call(result, like, namespace, "compare")
    }

    fn from_call(
        result: PyResult<Bound<'py, PyAny>>,
        like: &Bound<'py, PyAny>,
        namespace: &'static Namespace,
        operation: &str,
    ) -> Mask<'py> {
        match result {
            Ok(mask) => Mask::Arr { mask, like: like.clone(), namespace },
            Err(error) => match Fa::bad(like.py(), error, operation) {
                Fa::Bad(error) => Mask::Bad(error),
                _ => Mask::Known(false),
            },
        }
    }

    /// Both (`and`) or either.
    pub(super) fn combine(&self, other: &Mask<'py>, and: bool) -> Mask<'py> {
        match (self, other) {
            (Mask::Bad(error), _) | (_, Mask::Bad(error)) => Mask::Bad(error.clone()),
            (Mask::Known(known), mask) | (mask, Mask::Known(known)) => {
                if *known == and {
                    mask.clone()
                } else {
                    Mask::Known(*known)
                }
            }
            (Mask::Arr { mask: a, like, namespace }, Mask::Arr { mask: b, .. }) => {
                Mask::from_call(if and { a.bitand(b) } else { a.bitor(b) }, like, namespace, "logical")
            }
        }
    }

    /// The opposite.
    pub(super) fn negate(&self) -> Mask<'py> {
        match self {
            Mask::Known(known) => Mask::Known(!known),
            Mask::Arr { mask, like, namespace } => {
                Mask::from_call(mask.bitnot(), like, namespace, "logical_not")
            }
            Mask::Bad(error) => Mask::Bad(error.clone()),
        }
    }

    /// `a` where the mask holds, else `b`.
    pub(super) fn select(&self, a: Fa<'py>, b: Fa<'py>) -> Fa<'py> {
        let (mask, like, namespace) = match (self, &a, &b) {
            (_, Fa::Bad(error), _) | (_, _, Fa::Bad(error)) | (Mask::Bad(error), _, _) => {
                return Fa::Bad(error.clone())
            }
            (Mask::Known(known), _, _) => return if *known { a } else { b },
            (_, Fa::Lit(x), Fa::Lit(y)) if x == y => return a,
            (Mask::Arr { mask, like, namespace }, _, _) => (mask, like, *namespace),
        };
        let py = mask.py();
        let both_literal = matches!((&a, &b), (Fa::Lit(_), Fa::Lit(_)));
        let like = match (&a, &b) {
            (Fa::Arr(x, _), _) | (_, Fa::Arr(x, _)) => x,
            _ => like,
        };
        let call = || {
            let a = operand(&a, like, namespace, both_literal)?;
            let b = operand(&b, like, namespace, false)?;
            namespace.function(py, Function::Where)?.call1((mask, a, b))
        };
        Fa::from_call(py, call(), namespace, "where")
    }
}

/// A branch of `where`: a literal stays a Python float where the namespace takes one beside an array.
fn operand<'py>(
    value: &Fa<'py>,
    like: &Bound<'py, PyAny>,
    namespace: &'static Namespace,
    must_be_array: bool,
) -> PyResult<Bound<'py, PyAny>> {
    match value {
        Fa::Arr(array, _) => Ok(array.clone()),
        Fa::Bad(error) => Err(error.clone_ref(like.py())),
        Fa::Lit(x) if !must_be_array && namespace.kind().takes_scalars() => Ok(float(like.py(), *x)),
        Fa::Lit(x) => scalar_like(*x, like, namespace),
    }
}

/// A scalar array of the dtype and device of another array.
pub(super) fn scalar_like<'py>(
    value: f64,
    like: &Bound<'py, PyAny>,
    namespace: &Namespace,
) -> PyResult<Bound<'py, PyAny>> {
    let py = like.py();
    let dtype = like.getattr("dtype")?;
    let device = super::namespace::device_of(like, namespace);
    let mut pairs: Vec<(&str, &Bound<'py, PyAny>)> = vec![("dtype", &dtype)];
    if let Some(device) = &device {
        pairs.push(("device", device));
    }
    let empty = pyo3::types::PyTuple::empty(py);
    namespace.function(py, Function::Full)?.call((empty, value), Some(&keywords(py, &pairs)?))
}

fn reversed(op: CompareOp) -> CompareOp {
    match op {
        CompareOp::Lt => CompareOp::Gt,
        CompareOp::Le => CompareOp::Ge,
        other => other,
    }
}
