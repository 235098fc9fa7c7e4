//! [`Foreign`]: the engine over the arrays of a Python namespace.
use std::cell::RefCell;
use std::rc::Rc;

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyEllipsis, PySlice, PyTuple};

use isostat_base::{Conversion, Error};
use isostat_engine::{Engine, Formula, Program};

use super::array::Fa;
use super::namespace::{shape_tuple, Function, Kind, Namespace};
use super::quiet::Quiet;
use super::{control, dtype, linear, transfer};
use crate::error::ForeignError;

/// Rows of a block where operations run one by one: η, μ and the working vectors stay in the cache.
const EAGER_BLOCK_ROWS: usize = 16_384;

/// What an engine is, apart from the interpreter's lifetime: kept by compiled loops.
pub struct Spec {
    pub(super) namespace: &'static Namespace,
    pub(super) dtype: Py<PyAny>,
    pub(super) dtype_name: String,
    pub(super) device: Option<Py<PyAny>>,
    pub(super) device_name: String,
}

impl Spec {
    pub(super) fn clone_ref(&self, py: Python<'_>) -> Spec {
        Spec {
            namespace: self.namespace,
            dtype: self.dtype.clone_ref(py),
            dtype_name: self.dtype_name.clone(),
            device: self.device.as_ref().map(|device| device.clone_ref(py)),
            device_name: self.device_name.clone(),
        }
    }
}

/// The engine of one call: a namespace, a dtype, a device, and the record of what was converted.
#[derive(Clone)]
pub struct Foreign<'py> {
    pub(super) py: Python<'py>,
    pub(super) spec: Rc<Spec>,
    traced: bool,
    conversions: Rc<RefCell<Vec<Conversion>>>,
    _quiet: Option<Rc<Quiet>>,
}

impl<'py> Foreign<'py> {
    /// An engine over the namespace, dtype and device of an array.
    pub fn new(
        like: &Bound<'py, PyAny>,
        namespace: &'static Namespace,
        traced: bool,
    ) -> Result<Self, ForeignError> {
        let dtype = like.getattr("dtype")?;
        let device = super::namespace::device_of(like, namespace);
        let spec = Spec {
            namespace,
            dtype_name: dtype::name(&dtype)?,
            dtype: dtype.unbind(),
            device_name: transfer::device_name(like, namespace)?,
            device: device.map(Bound::unbind),
        };
        let quiet = Some(Rc::new(Quiet::new(like.py(), namespace)?));
        Ok(Foreign { py: like.py(), spec: Rc::new(spec), traced, conversions: Rc::default(), _quiet: quiet })
    }

    /// The engine that a compiled loop kept.
    pub(super) fn revive(py: Python<'py>, spec: &Spec) -> Self {
        let spec = spec.clone_ref(py);
        Foreign { py, spec: Rc::new(spec), traced: true, conversions: Rc::default(), _quiet: None }
    }

    /// The interpreter.
    pub fn py(&self) -> Python<'py> {
        self.py
    }

    /// The namespace.
    pub fn namespace(&self) -> &'static Namespace {
        self.spec.namespace
    }

    /// Name of the dtype.
    pub fn dtype_name(&self) -> &str {
        &self.spec.dtype_name
    }

    /// Name of the device.
    pub fn device_name(&self) -> &str {
        &self.spec.device_name
    }

    /// Whether any argument of the call is traced.
    pub fn is_traced(&self) -> bool {
        self.traced
    }

    /// Whether the values of an array may be read. Nothing traced comes out of arguments that are not.
    fn reads(&self, array: &Bound<'py, PyAny>) -> bool {
        !self.traced || self.namespace().is_concrete(array)
    }

    /// Records a conversion.
    pub fn record(
        &self,
        what: impl Into<String>,
        from: impl Into<String>,
        to: impl Into<String>,
        bytes: usize,
    ) {
        let conversion = Conversion { what: what.into(), from: from.into(), to: to.into(), bytes };
        self.conversions.borrow_mut().push(conversion);
    }

    /// The conversions so far; the record starts anew.
    pub fn take_conversions(&self) -> Vec<Conversion> {
        std::mem::take(&mut self.conversions.borrow_mut())
    }

    /// Refuses half precision where factorisations are needed.
    pub fn require_solvable(&self) -> Result<(), ForeignError> {
        if dtype::is_solvable(&self.spec.dtype_name) {
            return Ok(());
        }
        Err(Error::Dtype {
            parameter: "X".into(),
            expected: "float32 or float64 where linear systems are solved".into(),
            found: self.spec.dtype_name.clone(),
            remedy: match self.spec.dtype_name.as_str() {
                "float16" | "bfloat16" => "convert the arrays to float32 first".into(),
                _ => "convert the arrays to float64 first".into(),
            },
        }
        .into())
    }

    /// An array as a Python object; a literal becomes a scalar array of the engine.
    pub fn object(&self, a: &Fa<'py>) -> Result<Bound<'py, PyAny>, ForeignError> {
        match a {
            Fa::Arr(array, _) => Ok(array.clone()),
            Fa::Lit(value) => self.full(&[], *value),
            Fa::Bad(error) => Err(error.clone_ref(self.py).into()),
        }
    }

    /// An array of one value.
    pub fn full(&self, shape: &[usize], value: f64) -> Result<Bound<'py, PyAny>, ForeignError> {
        let dtype = self.spec.dtype.bind(self.py);
        let mut pairs: Vec<(&str, &Bound<'py, PyAny>)> = vec![("dtype", dtype)];
        let device = self.spec.device.as_ref().map(|d| d.bind(self.py));
        if let Some(device) = device {
            pairs.push(("device", device));
        }
        let keywords = super::namespace::keywords(self.py, &pairs)?;
        let full = self.namespace().function(self.py, Function::Full)?;
        Ok(full.call((shape_tuple(self.py, shape)?, value), Some(&keywords))?)
    }

    /// An array of this engine's namespace.
    pub fn wrap(&self, array: Bound<'py, PyAny>) -> Fa<'py> {
        Fa::Arr(array, self.namespace())
    }

    /// Repeats a scalar to a shape, without a copy where the namespace can.
    pub(super) fn broadcast(&self, a: &Fa<'py>, shape: &[usize]) -> Result<Fa<'py>, ForeignError> {
        let array = self.object(a)?;
        let function = self.namespace().function(self.py, Function::BroadcastTo)?;
        Ok(self.wrap(function.call1((array, shape_tuple(self.py, shape)?))?))
    }

    /// A reshaped array.
    pub(super) fn reshape(&self, a: &Bound<'py, PyAny>, shape: &[usize]) -> PyResult<Bound<'py, PyAny>> {
        self.namespace().function(self.py, Function::Reshape)?.call1((a, shape_tuple(self.py, shape)?))
    }
}

impl<'py> Engine for Foreign<'py> {
    type Array = Fa<'py>;
    type Error = ForeignError;

    fn name(&self) -> String {
        self.namespace().name().to_string()
    }

    fn map<F, const I: usize, const O: usize>(
        &self,
        formula: &F,
        inputs: [&Fa<'py>; I],
    ) -> Result<[Fa<'py>; O], ForeignError>
    where
        F: Formula<I, O>,
    {
        let mut shape = Vec::new();
        for input in inputs {
            let next = input.shape()?;
            if next.len() > shape.len() {
                shape = next;
            }
        }
        let outputs = formula.eval(inputs.map(Clone::clone));
        let mut finished: Vec<Fa<'py>> = Vec::with_capacity(O);
        for output in outputs {
            let output = output.into_result(self.py)?;
            let whole = shape.is_empty() || !output.shape()?.is_empty();
            finished.push(if whole { output } else { self.broadcast(&output, &shape)? });
        }
        finished
            .try_into()
            .map_err(|_| Error::shape("map", "formula", format!("{O} results"), "another number").into())
    }

    fn sum(&self, v: &Fa<'py>) -> Result<Fa<'py>, ForeignError> {
        match v {
            Fa::Arr(array, _) => {
                Ok(self.wrap(self.namespace().function(self.py, Function::Sum)?.call1((array,))?))
            }
            Fa::Lit(value) => Ok(Fa::Lit(*value)),
            Fa::Bad(error) => Err(error.clone_ref(self.py).into()),
        }
    }

    fn matvec(&self, x: &Fa<'py>, b: &Fa<'py>) -> Result<Fa<'py>, ForeignError> {
        linear::matvec(self, x, b)
    }

    fn xtv(&self, x: &Fa<'py>, v: &Fa<'py>) -> Result<Fa<'py>, ForeignError> {
        linear::xtv(self, x, v)
    }

    fn gram(&self, x: &Fa<'py>, w: &Fa<'py>) -> Result<Fa<'py>, ForeignError> {
        linear::gram(self, x, w)
    }

    fn row_squares(&self, x: &Fa<'py>, t: &[f64], r: usize) -> Result<Fa<'py>, ForeignError> {
        linear::row_squares(self, x, t, r)
    }

    fn solve_spd(&self, h: &Fa<'py>, r: &Fa<'py>) -> Result<Fa<'py>, ForeignError> {
        linear::solve_spd(self, h, r)
    }

    fn triangular_factor(&self, x: &Fa<'py>, w: &Fa<'py>) -> Result<Vec<f64>, ForeignError> {
        linear::triangular_factor(self, x, w)
    }

    fn transform(&self, x: &Fa<'py>, high: &[f64], low: &[f64], r: usize) -> Result<Fa<'py>, ForeignError> {
        linear::transform(self, x, high, low, r)
    }

    fn select_columns(&self, x: &Fa<'py>, columns: &[usize]) -> Result<Fa<'py>, ForeignError> {
        linear::select_columns(self, x, columns)
    }

    fn while_loop<P: Program>(
        &self,
        program: &P,
        data: &P::Data<Fa<'py>>,
        state: P::State<Fa<'py>>,
    ) -> Result<P::State<Fa<'py>>, ForeignError> {
        control::while_loop(self, program, data, state)
    }

    fn repeat<P: Program>(
        &self,
        count: usize,
        program: &P,
        data: &P::Data<Fa<'py>>,
        state: P::State<Fa<'py>>,
    ) -> Result<P::State<Fa<'py>>, ForeignError> {
        control::repeat(self, count, program, data, state)
    }

    fn detach(&self, a: &Fa<'py>) -> Fa<'py> {
        let Fa::Arr(array, namespace) = a else { return a.clone() };
        let detached = match namespace.kind() {
            Kind::Torch => array.call_method0(intern!(self.py, "detach")),
            Kind::Jax => self
                .py
                .import("jax.lax")
                .and_then(|lax| lax.call_method1(intern!(self.py, "stop_gradient"), (array,))),
            _ => return a.clone(),
        };
        Fa::from_call(self.py, detached, namespace, "detach")
    }

    fn peek(&self, a: &Fa<'py>) -> Result<Fa<'py>, ForeignError> {
        match a {
            Fa::Arr(array, _) if self.reads(array) => {
                Ok(Fa::Lit(transfer::scalar_value(array, self.namespace())?))
            }
            Fa::Bad(error) => Err(error.clone_ref(self.py).into()),
            other => Ok(other.clone()),
        }
    }

    fn concrete(&self, a: &Fa<'py>) -> Option<f64> {
        match a {
            Fa::Lit(value) => Some(*value),
            Fa::Arr(array, _) if self.reads(array) => transfer::scalar_value(array, self.namespace()).ok(),
            _ => None,
        }
    }

    fn scalar(&self, value: f64) -> Fa<'py> {
        Fa::Lit(value)
    }

    fn rows(&self, a: &Fa<'py>, from: usize, to: usize) -> Result<Fa<'py>, ForeignError> {
        let Fa::Arr(array, _) = a else { return Ok(a.clone()) };
        let dimensions = a.shape()?.len();
        if dimensions == 0 {
            return Ok(a.clone());
        }
        let slice = PySlice::new(self.py, from as isize, to as isize, 1).into_any();
        let part = if dimensions == 1 {
            array.get_item(slice)?
        } else {
            array.get_item(PyTuple::new(self.py, [slice, PyEllipsis::get(self.py).to_owned().into_any()])?)?
        };
        Ok(self.wrap(part))
    }

    fn shape(&self, a: &Fa<'py>) -> Vec<usize> {
        a.shape().unwrap_or_default()
    }

    fn eps(&self, _: &Fa<'py>) -> f64 {
        dtype::eps(&self.spec.dtype_name)
    }

    fn to_host(&self, a: &Fa<'py>) -> Result<Vec<f64>, ForeignError> {
        transfer::to_host(self, a)
    }

    fn from_host(&self, values: &[f64], shape: &[usize], _: &Fa<'py>) -> Result<Fa<'py>, ForeignError> {
        transfer::from_host(self, values, shape)
    }

    fn first_nonzero(&self, v: &Fa<'py>) -> Result<Option<usize>, ForeignError> {
        transfer::first_nonzero(self, v)
    }

    fn is_concrete(&self, a: &Fa<'py>) -> bool {
        match a {
            Fa::Arr(array, _) => self.reads(array),
            _ => true,
        }
    }

    fn block_rows(&self, n: usize) -> usize {
        if self.traced {
            n
        } else {
            EAGER_BLOCK_ROWS
        }
    }
}
