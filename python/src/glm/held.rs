//! A fit with the arrays that it came from, whatever the engine.
use pyo3::prelude::*;

use isostat_engine::host::{Host, HostArray};
use isostat_engine::Rows;
use isostat_fit::extra::Outcome;
use isostat_fit::inference::Told;
use isostat_fit::WeightsKind;

use crate::error::ForeignError;
use crate::foreign::{Fa, Foreign, Namespace};

/// A foreign array that outlives the call.
pub enum Kept {
    /// A weak scalar.
    Number(f64),
    /// An array.
    Array(Py<PyAny>),
}

impl Kept {
    /// Keeps an array.
    pub fn keep(a: &Fa<'_>, engine: &Foreign<'_>) -> Result<Kept, ForeignError> {
        Ok(match a {
            Fa::Lit(value) => Kept::Number(*value),
            other => Kept::Array(engine.object(other)?.unbind()),
        })
    }

    fn lend<'py>(&self, engine: &Foreign<'py>) -> Fa<'py> {
        match self {
            Kept::Number(value) => Fa::Lit(*value),
            Kept::Array(array) => engine.wrap(array.bind(engine.py()).clone()),
        }
    }
}

/// A fit, by engine.
pub enum Held {
    /// On the host.
    Host {
        /// The engine.
        engine: Host,
        /// The fit.
        outcome: Box<Outcome<HostArray>>,
        /// Response, weights, offset.
        rows: Rows<HostArray>,
        /// Whether results are handed out in single precision.
        is_single: bool,
    },
    /// On a foreign engine.
    Foreign {
        /// The namespace.
        namespace: &'static Namespace,
        /// The fit.
        outcome: Box<Outcome<Kept>>,
        /// Response, weights, offset.
        rows: Rows<Kept>,
    },
}

/// What is asked of a fit on any engine, and how its arrays go back to the caller.
pub trait Question {
    /// The answer.
    type Answer;
    /// Asks.
    fn ask<E: isostat_engine::Engine>(
        self,
        told: &Told<'_, E>,
        give: &dyn Fn(E::Array) -> Result<Py<PyAny>, E::Error>,
    ) -> Result<Self::Answer, E::Error>;
}

impl Held {
    /// Asks the fit on its own engine.
    pub fn ask<Q: Question>(
        &self,
        py: Python<'_>,
        weights_kind: WeightsKind,
        question: Q,
    ) -> Result<Q::Answer, ForeignError> {
        match self {
            Held::Host { engine, outcome, rows, is_single } => {
                let told = Told { engine, outcome, rows, weights_kind };
                let give = |a: HostArray| {
                    Ok(super::host::to_numpy(py, isostat_engine::Engine::to_host(engine, &a)?, *is_single)
                        .unbind())
                };
                Ok(question.ask(&told, &give)?)
            }
            Held::Foreign { namespace, outcome, rows } => {
                let Kept::Array(x) = &outcome.fitted.x else {
                    return Err(isostat_base::Error::shape("fit", "X", "two dimensions", "a scalar").into());
                };
                let engine = Foreign::new(x.bind(py), namespace, false)?;
                let outcome = outcome.with_design(engine.wrap(x.bind(py).clone()));
                let rows = Rows {
                    y: rows.y.lend(&engine),
                    weights: rows.weights.lend(&engine),
                    offset: rows.offset.lend(&engine),
                };
                let told = Told { engine: &engine, outcome: &outcome, rows: &rows, weights_kind };
                let give = |a: Fa<'_>| match a {
                    Fa::Lit(_) => Ok(engine.object(&a)?.unbind()),
                    Fa::Arr(array, _) => Ok(array.unbind()),
                    Fa::Bad(error) => Err(error.clone_ref(py).into()),
                };
                question.ask(&told, &give)
            }
        }
    }
}
