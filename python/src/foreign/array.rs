//! A foreign array as a number: its operations call its namespace.
use std::ops::{Add, Div, Mul, Neg, Sub};
use std::rc::Rc;

use pyo3::basic::CompareOp;
use pyo3::prelude::*;

use isostat_base::Error;
use isostat_number::{Constant, Elementary, Number, Unary};

use super::elementary;
use super::mask::{scalar_like, Mask};
use super::namespace::{Function, Namespace};
use crate::error::to_python;

/// A number of a foreign engine.
#[derive(Clone)]
pub enum Fa<'py> {
    /// A literal: it takes the dtype of what it meets.
    Lit(f64),
    /// An array of a namespace.
    Arr(Bound<'py, PyAny>, &'static Namespace),
    /// What an operation raised; later operations pass it on, the first one is raised in the end.
    Bad(Rc<PyErr>),
}

impl<'py> Fa<'py> {
    /// The result of a Python call; a failure is noted with the operation's name and kept.
    pub(super) fn from_call(
        py: Python<'py>,
        result: PyResult<Bound<'py, PyAny>>,
        namespace: &'static Namespace,
        operation: &str,
    ) -> Fa<'py> {
        match result {
            Ok(array) => Fa::Arr(array, namespace),
            Err(error) => Fa::bad(py, error, operation),
        }
    }

    /// A failure of this operation.
    pub(super) fn bad(py: Python<'_>, error: PyErr, operation: &str) -> Fa<'py> {
        // A note that cannot be added is not worth losing the error for.
        let _ = error.add_note(py, format!("in isostat operation `{operation}`"));
        Fa::Bad(Rc::new(error))
    }

    /// The dimensions; empty for literals.
    pub fn shape(&self) -> PyResult<Vec<usize>> {
        match self {
            Fa::Arr(array, _) => array.getattr(pyo3::intern!(array.py(), "shape"))?.extract(),
            _ => Ok(Vec::new()),
        }
    }

    /// The exception that this value carries.
    pub fn into_result(self, py: Python<'_>) -> PyResult<Fa<'py>> {
        match self {
            Fa::Bad(error) => Err(error.clone_ref(py)),
            value => Ok(value),
        }
    }

    pub(super) fn unary_named(self, op: Unary) -> Fa<'py> {
        match self {
            Fa::Lit(x) => Fa::Lit(op.value(x)),
            Fa::Arr(array, namespace) => elementary::apply(op, array, namespace),
            bad => bad,
        }
    }
}

/// The error of two namespaces in one formula.
pub(super) fn mixed(first: &Namespace, second: &Namespace) -> Error {
    Error::MixedEngine {
        first: "left operand".into(),
        first_engine: first.name().into(),
        second: "right operand".into(),
        second_engine: second.name().into(),
    }
}

#[derive(Clone, Copy)]
enum Binary {
    Add,
    Sub,
    Mul,
    Div,
    Pow,
}

impl Binary {
    fn name(self) -> &'static str {
        match self {
            Binary::Add => "add",
            Binary::Sub => "subtract",
            Binary::Mul => "multiply",
            Binary::Div => "divide",
            Binary::Pow => "pow",
        }
    }

    fn of_floats(self, a: f64, b: f64) -> f64 {
        match self {
            Binary::Add => a + b,
            Binary::Sub => a - b,
            Binary::Mul => a * b,
            Binary::Div => a / b,
            Binary::Pow => a.powf(b),
        }
    }

    fn call<'py>(self, a: &Bound<'py, PyAny>, b: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        match self {
            Binary::Add => a.add(b),
            Binary::Sub => a.sub(b),
            Binary::Mul => a.mul(b),
            Binary::Div => a.div(b),
            Binary::Pow => a.pow(b, a.py().None()),
        }
    }

    /// Whether `x ∘ literal` is x itself.
    fn keeps_left(self, literal: f64) -> bool {
        match self {
            Binary::Add | Binary::Sub => literal == 0.0,
            Binary::Mul | Binary::Div | Binary::Pow => literal == 1.0,
        }
    }

    /// Whether `literal ∘ x` is x itself.
    fn keeps_right(self, literal: f64) -> bool {
        match self {
            Binary::Add => literal == 0.0,
            Binary::Mul => literal == 1.0,
            Binary::Sub | Binary::Div | Binary::Pow => false,
        }
    }

    fn apply<'py>(self, a: Fa<'py>, b: Fa<'py>) -> Fa<'py> {
        match (a, b) {
            (Fa::Bad(error), _) | (_, Fa::Bad(error)) => Fa::Bad(error),
            (Fa::Lit(a), Fa::Lit(b)) => Fa::Lit(self.of_floats(a, b)),
            (Fa::Arr(a, n), Fa::Lit(b)) if self.keeps_left(b) => Fa::Arr(a, n),
            (Fa::Lit(a), Fa::Arr(b, n)) if self.keeps_right(a) => Fa::Arr(b, n),
            (Fa::Arr(a, n), Fa::Lit(b)) => {
                let literal = float(a.py(), b);
                Fa::from_call(a.py(), self.call(&a, &literal), n, self.name())
            }
            (Fa::Lit(a), Fa::Arr(b, n)) => {
                let literal = float(b.py(), a);
                Fa::from_call(b.py(), self.call(&literal, &b), n, self.name())
            }
            (Fa::Arr(a, n), Fa::Arr(b, m)) => {
                if std::ptr::eq(n, m) {
                    Fa::from_call(a.py(), self.call(&a, &b), n, self.name())
                } else {
                    Fa::bad(a.py(), to_python(a.py(), &mixed(n, m)), self.name())
                }
            }
        }
    }
}

/// A Python float.
pub(super) fn float(py: Python<'_>, value: f64) -> Bound<'_, PyAny> {
    pyo3::types::PyFloat::new(py, value).into_any()
}

macro_rules! operator {
    ($trait:ident $method:ident) => {
        impl<'py> $trait for Fa<'py> {
            type Output = Fa<'py>;
            fn $method(self, other: Fa<'py>) -> Fa<'py> {
                Binary::$trait.apply(self, other)
            }
        }
    };
}
operator!(Add add);
operator!(Sub sub);
operator!(Mul mul);
operator!(Div div);

impl<'py> Neg for Fa<'py> {
    type Output = Fa<'py>;
    fn neg(self) -> Fa<'py> {
        match self {
            Fa::Lit(x) => Fa::Lit(-x),
            Fa::Arr(array, namespace) => Fa::from_call(array.py(), array.neg(), namespace, "negative"),
            bad => bad,
        }
    }
}

impl<'py> Elementary for Fa<'py> {
    fn unary(self, op: Unary) -> Fa<'py> {
        self.unary_named(op)
    }
}

impl<'py> Number for Fa<'py> {
    type Mask = Mask<'py>;

    fn literal(x: f64) -> Fa<'py> {
        Fa::Lit(x)
    }

    fn constant(c: Constant) -> Fa<'py> {
        Fa::Lit(c.value())
    }

    fn less(&self, other: &Fa<'py>) -> Mask<'py> {
        Mask::compare(self, other, CompareOp::Lt)
    }

    fn less_equal(&self, other: &Fa<'py>) -> Mask<'py> {
        Mask::compare(self, other, CompareOp::Le)
    }

    fn and(a: &Mask<'py>, b: &Mask<'py>) -> Mask<'py> {
        a.combine(b, true)
    }

    fn or(a: &Mask<'py>, b: &Mask<'py>) -> Mask<'py> {
        a.combine(b, false)
    }

    fn not(a: &Mask<'py>) -> Mask<'py> {
        a.negate()
    }

    fn select(mask: &Mask<'py>, a: Fa<'py>, b: Fa<'py>) -> Fa<'py> {
        mask.select(a, b)
    }

    fn pow(self, power: Fa<'py>) -> Fa<'py> {
        match power {
            Fa::Lit(p) => self.powf(p),
            power => Binary::Pow.apply(self, power),
        }
    }

    /// The namespace's own, where it has one: right at infinite arguments, with derivatives of its own.
    fn log_add_exp(self, other: Fa<'py>) -> Fa<'py> {
        let (like, namespace) = match (&self, &other) {
            (Fa::Bad(error), _) | (_, Fa::Bad(error)) => return Fa::Bad(error.clone()),
            (Fa::Lit(a), Fa::Lit(b)) => return Fa::Lit(a.log_add_exp(*b)),
            (Fa::Arr(_, n), Fa::Arr(b, m)) if !std::ptr::eq(*n, *m) => {
                return Fa::bad(b.py(), to_python(b.py(), &mixed(n, m)), "log_add_exp")
            }
            (Fa::Arr(a, n), _) | (_, Fa::Arr(a, n)) => (a.clone(), *n),
        };
        let py = like.py();
        let operand = |value: &Fa<'py>| match value {
            Fa::Arr(array, _) => Ok(array.clone()),
            Fa::Lit(x) => scalar_like(*x, &like, namespace),
            Fa::Bad(error) => Err(error.clone_ref(py)),
        };
        let call = || {
            let function = namespace.function(py, Function::LogAddExp)?;
            function.call1((operand(&self)?, operand(&other)?))
        };
        Fa::from_call(py, call(), namespace, "log_add_exp")
    }

    fn powf(self, power: f64) -> Fa<'py> {
        match (self, power) {
            (Fa::Lit(x), p) => Fa::Lit(x.powf(p)),
            (x, 0.5) => x.sqrt(),
            (x, 2.0) => x.square(),
            (x, -1.0) => x.recip(),
            (x, p) => Binary::Pow.apply(x, Fa::Lit(p)),
        }
    }
}
