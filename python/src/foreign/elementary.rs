//! How each elementary function runs on each kind of namespace.
use pyo3::prelude::*;

use isostat_number::{Constant, Unary};

use super::array::Fa;
use super::composite::composite;
use super::namespace::{Kind, Namespace};

/// The way of one elementary function in one namespace.
#[derive(Debug)]
pub enum Lowering {
    /// One call of this function.
    Call(Py<PyAny>),
    /// One call of `polygamma` with this order first.
    Polygamma(Py<PyAny>, u32),
    /// `ln(1 + e^x)` as `-log_sigmoid(-x)`.
    NegatedLogSigmoid(Py<PyAny>),
    /// `Φ(x)` as `erfc(-x/√2)/2`.
    HalfErfc,
    /// `ln Φ(x)` over the namespace's own `erfcx`.
    Composite,
}

/// Finds how a function runs: the standard's own name, then the namespace's special functions, then a composite.
pub fn lower(py: Python<'_>, namespace: &Namespace, op: Unary) -> PyResult<Lowering> {
    if let Some(name) = op.array_api() {
        for candidate in [name, older_name(name)] {
            if let Some(function) = namespace.lookup(py, candidate)? {
                return Ok(Lowering::Call(function.unbind()));
            }
        }
    }
    let found = match special_path(namespace.kind(), op) {
        Some(path) => namespace.lookup(py, path)?,
        None => None,
    };
    let order = polygamma_order(op);
    Ok(match (found, op, namespace.kind()) {
        (Some(function), Unary::Softplus, Kind::Torch) => Lowering::NegatedLogSigmoid(function.unbind()),
        (Some(function), _, _) if order > 0 => Lowering::Polygamma(function.unbind(), order),
        (Some(function), _, _) => Lowering::Call(function.unbind()),
        (None, Unary::NormCdf, Kind::Torch) => Lowering::HalfErfc,
        (None, _, _) => Lowering::Composite,
    })
}

/// NumPy before 2.0 has `arctan` for `atan`.
fn older_name(name: &'static str) -> &'static str {
    match name {
        "atan" => "arctan",
        other => other,
    }
}

fn polygamma_order(op: Unary) -> u32 {
    match op {
        Unary::Trigamma => 1,
        Unary::Polygamma2 => 2,
        Unary::Polygamma3 => 3,
        Unary::Polygamma4 => 4,
        _ => 0,
    }
}

/// Where a kind keeps its special functions. What is missing here is missing there, or is less accurate than the
/// composite: torch's `ndtr` cancels in the lower tail and its
/// trigamma stops at ten digits, JAX's `log_ndtr` ends its tail series after three terms.
fn special_path(kind: Kind, op: Unary) -> Option<&'static str> {
    match kind {
        Kind::Torch => torch_path(op),
        Kind::Jax => jax_path(op),
        Kind::CuPy => cupy_path(op),
        Kind::NumPy | Kind::Standard => None,
    }
}

fn torch_path(op: Unary) -> Option<&'static str> {
    Some(match op {
        Unary::Sigmoid => "special.expit",
        Unary::Softplus => "nn.functional.logsigmoid",
        Unary::LnGamma => "special.gammaln",
        Unary::Digamma => "special.digamma",
        Unary::Polygamma2 | Unary::Polygamma3 | Unary::Polygamma4 => "special.polygamma",
        Unary::Erf => "special.erf",
        Unary::Erfc => "special.erfc",
        Unary::Erfcx => "special.erfcx",
        Unary::NormLogCdf => "special.log_ndtr",
        Unary::NormQuantile => "special.ndtri",
        _ => return None,
    })
}

fn jax_path(op: Unary) -> Option<&'static str> {
    Some(match op {
        Unary::Sigmoid => "jax.nn:sigmoid",
        Unary::Softplus => "jax.nn:softplus",
        Unary::LnGamma => "jax.scipy.special:gammaln",
        Unary::Digamma => "jax.scipy.special:digamma",
        Unary::Trigamma | Unary::Polygamma2 | Unary::Polygamma3 | Unary::Polygamma4 => {
            "jax.scipy.special:polygamma"
        }
        Unary::Erf => "jax.scipy.special:erf",
        Unary::Erfc => "jax.scipy.special:erfc",
        Unary::NormCdf => "jax.scipy.special:ndtr",
        Unary::NormQuantile => "jax.scipy.special:ndtri",
        _ => return None,
    })
}

fn cupy_path(op: Unary) -> Option<&'static str> {
    Some(match op {
        Unary::Sigmoid => "cupyx.scipy.special:expit",
        Unary::LnGamma => "cupyx.scipy.special:gammaln",
        Unary::Digamma => "cupyx.scipy.special:digamma",
        Unary::Trigamma | Unary::Polygamma2 | Unary::Polygamma3 | Unary::Polygamma4 => {
            "cupyx.scipy.special:polygamma"
        }
        Unary::Erf => "cupyx.scipy.special:erf",
        Unary::Erfc => "cupyx.scipy.special:erfc",
        Unary::Erfcx => "cupyx.scipy.special:erfcx",
        Unary::NormCdf => "cupyx.scipy.special:ndtr",
        Unary::NormLogCdf => "cupyx.scipy.special:log_ndtr",
        Unary::NormQuantile => "cupyx.scipy.special:ndtri",
        _ => return None,
    })
}

/// Runs an elementary function on an array.
pub fn apply<'py>(op: Unary, array: Bound<'py, PyAny>, namespace: &'static Namespace) -> Fa<'py> {
    let py = array.py();
    let called = match namespace.lowering(py, op) {
        Err(error) => Err(error),
        Ok(Lowering::Call(function)) => function.bind(py).call1((array,)),
        Ok(Lowering::Polygamma(function, order)) => function.bind(py).call1((*order, array)),
        Ok(Lowering::NegatedLogSigmoid(function)) => {
            array.neg().and_then(|negated| function.bind(py).call1((negated,))).and_then(|value| value.neg())
        }
        Ok(Lowering::HalfErfc) => {
            let scaled = Fa::Arr(array, namespace) * Fa::Lit(-Constant::OneOverSqrt2.value());
            return Fa::unary_named(scaled, Unary::Erfc) * Fa::Lit(0.5);
        }
        Ok(Lowering::Composite) => {
            let x = Fa::Arr(array, namespace);
            return match composite(op, x) {
                Some(value) => value,
                None => Fa::Lit(f64::NAN),
            };
        }
    };
    Fa::from_call(py, called, namespace, op.name())
}
