//! Loops: run from Rust where the values can be read, compiled by the namespace where they are traced.
use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::PyTuple;

use isostat_base::Error;
use isostat_engine::{Engine, Program, Tree};

use super::array::Fa;
use super::engine::{Foreign, Spec};
use super::namespace::Kind;
use crate::error::{guard, ForeignError};

/// `go` above this is yes: it is 0 or 1.
const HALF: f64 = 0.5;

/// Repeats `step` while `go`.
pub fn while_loop<'py, P: Program>(
    engine: &Foreign<'py>,
    program: &P,
    data: &P::Data<Fa<'py>>,
    mut state: P::State<Fa<'py>>,
) -> Result<P::State<Fa<'py>>, ForeignError> {
    if is_traced(engine, data, &state) {
        return traced_while(engine, program, data, state);
    }
    loop {
        let go = program.go(engine, data, &state)?.into_result(engine.py())?;
        match engine.concrete(&go) {
            Some(value) if value > HALF => state = program.step(engine, data, &state)?,
            Some(_) => return Ok(state),
            None => return Err(undecidable(engine).into()),
        }
    }
}

/// Repeats `step` a fixed number of times.
pub fn repeat<'py, P: Program>(
    engine: &Foreign<'py>,
    count: usize,
    program: &P,
    data: &P::Data<Fa<'py>>,
    mut state: P::State<Fa<'py>>,
) -> Result<P::State<Fa<'py>>, ForeignError> {
    if engine.namespace().kind() == Kind::Jax && is_traced(engine, data, &state) {
        let lax = engine.py().import("jax.lax")?;
        let (_, body) = callables(engine, program, data)?;
        let result = lax.call_method1("fori_loop", (0, count, body, carry(engine, &state)?))?;
        return from_carry(engine, &result);
    }
    for _ in 0..count {
        state = program.step(engine, data, &state)?;
    }
    Ok(state)
}

fn undecidable(engine: &Foreign<'_>) -> Error {
    Error::unsupported(
        format!("a loop with a stopping rule on traced {} arrays", engine.name()),
        "the namespace cannot branch on values that do not exist yet",
        "use a fixed number of iterations: n_iter=",
    )
}

fn is_traced<'py, D: Tree<Fa<'py>>, S: Tree<Fa<'py>>>(engine: &Foreign<'py>, data: &D, state: &S) -> bool {
    // Nothing traced comes out of arguments that are not.
    engine.is_traced()
        && data.leaves().iter().chain(state.leaves().iter()).any(|leaf| !engine.is_concrete(leaf))
}

fn traced_while<'py, P: Program>(
    engine: &Foreign<'py>,
    program: &P,
    data: &P::Data<Fa<'py>>,
    state: P::State<Fa<'py>>,
) -> Result<P::State<Fa<'py>>, ForeignError> {
    if engine.namespace().kind() != Kind::Jax {
        return Err(undecidable(engine).into());
    }
    let lax = engine.py().import("jax.lax")?;
    let (condition, body) = callables(engine, program, data)?;
    let result = lax.call_method1("while_loop", (condition, body, carry(engine, &state)?))?;
    from_carry(engine, &result)
}

/// A state as the tuple that a compiled loop carries: literals become arrays of the engine's dtype.
fn carry<'py, S: Tree<Fa<'py>>>(
    engine: &Foreign<'py>,
    state: &S,
) -> Result<Bound<'py, PyTuple>, ForeignError> {
    carry_leaves(engine, &state.leaves())
}

fn carry_leaves<'py>(engine: &Foreign<'py>, leaves: &[Fa<'py>]) -> Result<Bound<'py, PyTuple>, ForeignError> {
    let arrays = leaves.iter().map(|leaf| engine.object(leaf)).collect::<Result<Vec<_>, _>>()?;
    Ok(PyTuple::new(engine.py(), arrays)?)
}

fn from_carry<'py, S: Tree<Fa<'py>>>(
    engine: &Foreign<'py>,
    result: &Bound<'py, PyAny>,
) -> Result<S, ForeignError> {
    let mut leaves = Vec::new();
    for item in result.try_iter()? {
        leaves.push(engine.wrap(item?));
    }
    S::from_leaves(leaves).ok_or_else(|| wrong_count().into())
}

fn wrong_count() -> Error {
    Error::shape("loop", "state", "as many arrays as its record has", "another number")
}

/// A loop body without its types: what a compiled loop keeps and calls again, with any interpreter lifetime.
trait Erased: Send + Sync {
    fn go<'q>(
        &self,
        engine: &Foreign<'q>,
        data: Vec<Fa<'q>>,
        state: Vec<Fa<'q>>,
    ) -> Result<Fa<'q>, ForeignError>;
    fn step<'q>(
        &self,
        engine: &Foreign<'q>,
        data: Vec<Fa<'q>>,
        state: Vec<Fa<'q>>,
    ) -> Result<Vec<Fa<'q>>, ForeignError>;
}

impl<P: Program> Erased for P {
    fn go<'q>(
        &self,
        engine: &Foreign<'q>,
        data: Vec<Fa<'q>>,
        state: Vec<Fa<'q>>,
    ) -> Result<Fa<'q>, ForeignError> {
        let data = <P::Data<Fa<'q>> as Tree<Fa<'q>>>::from_leaves(data).ok_or_else(wrong_count)?;
        let state = <P::State<Fa<'q>> as Tree<Fa<'q>>>::from_leaves(state).ok_or_else(wrong_count)?;
        Program::go(self, engine, &data, &state)
    }

    fn step<'q>(
        &self,
        engine: &Foreign<'q>,
        data: Vec<Fa<'q>>,
        state: Vec<Fa<'q>>,
    ) -> Result<Vec<Fa<'q>>, ForeignError> {
        let data = <P::Data<Fa<'q>> as Tree<Fa<'q>>>::from_leaves(data).ok_or_else(wrong_count)?;
        let state = <P::State<Fa<'q>> as Tree<Fa<'q>>>::from_leaves(state).ok_or_else(wrong_count)?;
        Ok(Program::step(self, engine, &data, &state)?.leaves())
    }
}

/// A leaf of the data, without the interpreter's lifetime.
enum Kept {
    Lit(f64),
    Arr(Py<PyAny>),
}

#[derive(Clone, Copy)]
enum Part {
    Go,
    Step,
}

/// A part of a loop body as a Python callable; JAX keeps weak references to what it traces.
#[pyclass(weakref, frozen, module = "isostat._core")]
pub struct LoopPart {
    program: Arc<dyn Erased>,
    data: Arc<Vec<Kept>>,
    spec: Spec,
    part: Part,
}

#[pymethods]
impl LoopPart {
    /// Called with the carry, or with the counter and the carry.
    #[pyo3(signature = (*arguments))]
    fn __call__<'py>(&self, py: Python<'py>, arguments: &Bound<'py, PyTuple>) -> PyResult<Bound<'py, PyAny>> {
        guard(py, || self.run(py, arguments))
    }
}

impl LoopPart {
    fn run<'py>(
        &self,
        py: Python<'py>,
        arguments: &Bound<'py, PyTuple>,
    ) -> Result<Bound<'py, PyAny>, ForeignError> {
        let engine = Foreign::revive(py, &self.spec);
        let carried = arguments.get_item(arguments.len().saturating_sub(1))?;
        let mut state = Vec::new();
        for item in carried.try_iter()? {
            state.push(engine.wrap(item?));
        }
        let data = self.data.iter().map(|kept| match kept {
            Kept::Lit(value) => Fa::Lit(*value),
            Kept::Arr(array) => engine.wrap(array.bind(py).clone()),
        });
        let data = data.collect();
        match self.part {
            Part::Go => {
                let go = self.program.go(&engine, data, state)?.into_result(py)?;
                Ok(engine.object(&go)?.rich_compare(HALF, pyo3::basic::CompareOp::Gt)?)
            }
            Part::Step => Ok(carry_leaves(&engine, &self.program.step(&engine, data, state)?)?.into_any()),
        }
    }
}

fn callables<'py, P: Program>(
    engine: &Foreign<'py>,
    program: &P,
    data: &P::Data<Fa<'py>>,
) -> Result<(Bound<'py, LoopPart>, Bound<'py, LoopPart>), ForeignError> {
    let py = engine.py();
    let kept = data.leaves().into_iter().map(|leaf| match leaf {
        Fa::Lit(value) => Ok(Kept::Lit(value)),
        Fa::Arr(array, _) => Ok(Kept::Arr(array.unbind())),
        Fa::Bad(error) => Err(ForeignError::from(error.clone_ref(py))),
    });
    let data = Arc::new(kept.collect::<Result<Vec<_>, _>>()?);
    let program: Arc<dyn Erased> = Arc::new(program.clone());
    let part = |part| {
        let (program, data) = (program.clone(), data.clone());
        Bound::new(py, LoopPart { program, data, spec: engine.spec.clone_ref(py), part })
    };
    Ok((part(Part::Go)?, part(Part::Step)?))
}
