//! Products, factorisations and solutions in the namespace.
use pyo3::exceptions::PyRuntimeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use isostat_base::Error;
use isostat_engine::Engine;

use super::array::Fa;
use super::engine::Foreign;
use super::namespace::{keywords, Function, Kind};
use super::{dtype, transfer};
use crate::error::ForeignError;

type Answer<'py> = Result<Fa<'py>, ForeignError>;

fn rows_of(engine: &Foreign<'_>, x: &Fa<'_>) -> Result<(usize, usize), ForeignError> {
    match x.shape()?.as_slice() {
        [n, p] => Ok((*n, *p)),
        other => Err(Error::shape(engine.name(), "X", "two dimensions", format!("{other:?}")).into()),
    }
}

/// A vector of length n from a vector or a scalar.
fn column<'py>(engine: &Foreign<'py>, v: &Fa<'py>, n: usize) -> Result<Bound<'py, PyAny>, ForeignError> {
    if v.shape()?.is_empty() {
        engine.object(&engine.broadcast(v, &[n])?)
    } else {
        engine.object(v)
    }
}

/// `X b`.
pub fn matvec<'py>(engine: &Foreign<'py>, x: &Fa<'py>, b: &Fa<'py>) -> Answer<'py> {
    Ok(engine.wrap(engine.object(x)?.matmul(engine.object(b)?)?))
}

/// `X' v`, as `v X`: no transpose.
pub fn xtv<'py>(engine: &Foreign<'py>, x: &Fa<'py>, v: &Fa<'py>) -> Answer<'py> {
    let (n, _) = rows_of(engine, x)?;
    Ok(engine.wrap(column(engine, v, n)?.matmul(engine.object(x)?)?))
}

/// `X' diag(w) X`, as `(X' * w) X`: one temporary of the size of the block.
pub fn gram<'py>(engine: &Foreign<'py>, x: &Fa<'py>, w: &Fa<'py>) -> Answer<'py> {
    rows_of(engine, x)?;
    let design = engine.object(x)?;
    let transposed = engine.wrap(design.getattr(intern!(engine.py(), "T"))?);
    let weighted = (transposed * w.clone()).into_result(engine.py())?;
    Ok(engine.wrap(engine.object(&weighted)?.matmul(design)?))
}

/// The design with the named columns only.
pub fn select_columns<'py>(engine: &Foreign<'py>, x: &Fa<'py>, columns: &[usize]) -> Answer<'py> {
    let py = engine.py();
    let namespace = engine.namespace();
    let indices: Vec<i64> = columns.iter().map(|j| *j as i64).collect();
    let indices = numpy::PyArray1::from_vec(py, indices).into_any();
    let mut pairs = Vec::new();
    let device = engine.spec.device.as_ref().map(|d| d.bind(py));
    if let Some(device) = device {
        pairs.push(("device", device));
    }
    let indices =
        namespace.function(py, Function::AsArray)?.call((indices,), Some(&keywords(py, &pairs)?))?;
    let design = engine.object(x)?;
    let picked = match namespace.kind() {
        Kind::Torch => design.call_method1("index_select", (1, indices))?,
        _ => {
            let axis = keywords(py, &[("axis", &1_i32.into_pyobject(py).map_err(PyErr::from)?.into_any())])?;
            namespace.function(py, Function::Take)?.call((design, indices), Some(&axis))?
        }
    };
    Ok(engine.wrap(picked))
}

/// Runs `body` on blocks of rows and joins the vectors that it gives.
fn by_blocks<'py>(
    engine: &Foreign<'py>,
    x: &Fa<'py>,
    mut body: impl FnMut(&Fa<'py>) -> Answer<'py>,
) -> Answer<'py> {
    let (n, _) = rows_of(engine, x)?;
    let block = engine.block_rows(n).max(1);
    if n <= block {
        return body(x);
    }
    let mut parts = Vec::with_capacity(n.div_ceil(block));
    for from in (0..n).step_by(block) {
        let part = body(&engine.rows(x, from, (from + block).min(n))?)?;
        parts.push(engine.object(&part)?);
    }
    concatenate(engine, parts)
}

fn concatenate<'py>(engine: &Foreign<'py>, parts: Vec<Bound<'py, PyAny>>) -> Answer<'py> {
    let py = engine.py();
    let axis = keywords(py, &[("axis", &0_i32.into_pyobject(py).map_err(PyErr::from)?.into_any())])?;
    let joined =
        engine.namespace().function(py, Function::Concat)?.call((PyTuple::new(py, parts)?,), Some(&axis))?;
    Ok(engine.wrap(joined))
}

/// `Σ_j (X T)_ij²`.
pub fn row_squares<'py>(engine: &Foreign<'py>, x: &Fa<'py>, t: &[f64], r: usize) -> Answer<'py> {
    let py = engine.py();
    let (_, p) = rows_of(engine, x)?;
    let factor = transfer::from_host(engine, t, &[p, r])?;
    let axis = keywords(py, &[("axis", &1_i32.into_pyobject(py).map_err(PyErr::from)?.into_any())])?;
    by_blocks(engine, x, |part| {
        let product = matvec(engine, part, &factor)?;
        let squares = isostat_number::Elementary::square(product).into_result(py)?;
        let sum = engine.namespace().function(py, Function::Sum)?;
        Ok(engine.wrap(sum.call((engine.object(&squares)?,), Some(&axis))?))
    })
}

/// The solution of an equilibrated positive definite system; NaN where the factorisation fails.
pub fn solve_spd<'py>(engine: &Foreign<'py>, h: &Fa<'py>, r: &Fa<'py>) -> Answer<'py> {
    engine.require_solvable()?;
    let py = engine.py();
    let (p, _) = rows_of(engine, h)?;
    let matrix = engine.object(h)?;
    let diagonal = engine.wrap(engine.namespace().function(py, Function::Diagonal)?.call1((&matrix,))?);
    let scale = inverse_root(diagonal).into_result(py)?;
    let scale_object = engine.object(&scale)?;
    let by_row = engine.wrap(engine.reshape(&scale_object, &[p, 1])?);
    let scaled = (h.clone() * by_row.clone() * scale).into_result(py)?;
    let shape = r.shape()?;
    let columns = shape.get(1).copied().unwrap_or(1);
    let right = engine.wrap(engine.reshape(&engine.object(r)?, &[p, columns])?);
    let right = (right * by_row.clone()).into_result(py)?;
    let solution = match factor_and_solve(engine, &engine.object(&scaled)?, &engine.object(&right)?) {
        Ok(solution) => engine.wrap(solution),
        Err(error) if is_numerical(py, &error) => return engine.broadcast(&Fa::Lit(f64::NAN), &shape),
        Err(error) => return Err(error.into()),
    };
    let solution = (solution * by_row).into_result(py)?;
    Ok(engine.wrap(engine.reshape(&engine.object(&solution)?, &shape)?))
}

/// `d^(-1/2)` where d > 0, NaN where it is not: the matrix is not positive definite there.
fn inverse_root(diagonal: Fa<'_>) -> Fa<'_> {
    use isostat_number::{Elementary, Number};
    let positive = Fa::Lit(0.0).less(&diagonal);
    let safe = Fa::select(&positive, diagonal, Fa::Lit(1.0));
    Fa::select(&positive, safe.sqrt().recip(), Fa::Lit(f64::NAN))
}

fn factor_and_solve<'py>(
    engine: &Foreign<'py>,
    matrix: &Bound<'py, PyAny>,
    right: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = engine.py();
    let namespace = engine.namespace();
    let cholesky = namespace.function(py, Function::Cholesky)?;
    match namespace.kind() {
        Kind::Torch => {
            // The status stays on the device: no synchronisation, and no exception under torch.func.
            let (factor, info): (Bound<'py, PyAny>, Bound<'py, PyAny>) =
                cholesky.call1((matrix,))?.extract()?;
            let solution = namespace.function(py, Function::CholeskySolve)?.call1((right, factor))?;
            let good = info.eq_array(0)?;
            namespace.function(py, Function::Where)?.call1((good, solution, f64::NAN))
        }
        Kind::Jax => {
            let factor = cholesky.call1((matrix,))?;
            namespace.function(py, Function::CholeskySolve)?.call1(((factor, true), right))
        }
        _ => {
            // The factorisation decides whether the matrix is positive definite; the standard has no solve from it.
            cholesky.call1((matrix,))?;
            namespace.function(py, Function::Solve)?.call1((matrix, right))
        }
    }
}

trait EqualArray<'py> {
    fn eq_array(&self, value: i32) -> PyResult<Bound<'py, PyAny>>;
}

impl<'py> EqualArray<'py> for Bound<'py, PyAny> {
    fn eq_array(&self, value: i32) -> PyResult<Bound<'py, PyAny>> {
        self.rich_compare(value, pyo3::basic::CompareOp::Eq)
    }
}

/// LinAlgError of any namespace, and torch's RuntimeError of the same name.
fn is_numerical(py: Python<'_>, error: &PyErr) -> bool {
    let name = error.get_type(py).name().map(|n| n.to_string()).unwrap_or_default();
    name == "LinAlgError"
        || name == "_LinAlgError"
        || (name == "RuntimeError"
            && error.is_instance_of::<PyRuntimeError>(py)
            && error.to_string().contains("singular"))
}

/// R of `diag(√w) X = QR`, block after block: the factor of each is stacked on the next.
pub fn triangular_factor(engine: &Foreign<'_>, x: &Fa<'_>, w: &Fa<'_>) -> Result<Vec<f64>, ForeignError> {
    engine.require_solvable()?;
    let (n, p) = rows_of(engine, x)?;
    let block = engine.block_rows(n).max(2 * p).max(1);
    let mut factor: Option<Fa<'_>> = None;
    for from in (0..n).step_by(block) {
        let to = (from + block).min(n);
        let part = weighted_rows(engine, &engine.rows(x, from, to)?, &engine.rows(w, from, to)?)?;
        let stacked = match factor.take() {
            None => part,
            Some(above) => concatenate(engine, vec![engine.object(&above)?, engine.object(&part)?])?,
        };
        factor = Some(qr_factor(engine, &stacked)?);
    }
    let Some(factor) = factor else { return Ok(vec![0.0; p * p]) };
    let rows = factor.shape()?.first().copied().unwrap_or(0);
    let mut values = transfer::to_host(engine, &factor)?;
    values.resize(p * p, 0.0);
    // Fewer rows than columns leave zero rows below; signs are the namespace's, the diagonal becomes non-negative.
    for i in 0..rows.min(p) {
        if values[i * p + i] < 0.0 {
            values[i * p..(i + 1) * p].iter_mut().for_each(|v| *v = -*v);
        }
        values[i * p..i * p + i].iter_mut().for_each(|v| *v = 0.0);
    }
    Ok(values)
}

fn weighted_rows<'py>(engine: &Foreign<'py>, x: &Fa<'py>, w: &Fa<'py>) -> Answer<'py> {
    let root = isostat_number::Elementary::sqrt(w.clone()).into_result(engine.py())?;
    let root = match &root {
        Fa::Arr(array, _) if !root.shape()?.is_empty() => {
            let n = root.shape()?.first().copied().unwrap_or(0);
            engine.wrap(engine.reshape(array, &[n, 1])?)
        }
        _ => root,
    };
    Ok((x.clone() * root).into_result(engine.py())?)
}

fn qr_factor<'py>(engine: &Foreign<'py>, a: &Fa<'py>) -> Answer<'py> {
    let py = engine.py();
    let qr = engine.namespace().function(py, Function::Qr)?;
    let array = engine.object(a)?;
    let factor = match engine.namespace().kind() {
        Kind::NumPy | Kind::Jax | Kind::CuPy => qr.call1((array, "r"))?,
        Kind::Torch => qr.call1((array, "r"))?.get_item(1)?,
        Kind::Standard => qr.call1((array,))?.get_item(1)?,
    };
    Ok(engine.wrap(factor))
}

/// `X (high + low)`. float32 designs are multiplied in float64 where the namespace has it; otherwise every product
/// is split into its rounded value and its error (Dekker 1971), and the sums carry their errors along (Knuth).
pub fn transform<'py>(
    engine: &Foreign<'py>,
    x: &Fa<'py>,
    high: &[f64],
    low: &[f64],
    r: usize,
) -> Answer<'py> {
    let (_, p) = rows_of(engine, x)?;
    if let Some(wide) = wide_dtype(engine)? {
        let narrow = engine.object(x)?.getattr("dtype")?;
        let sum: Vec<f64> = high.iter().zip(low).map(|(h, l)| h + l).collect();
        let factor = transfer::array_of(engine, &sum, &[p, r], &wide)?;
        return by_blocks(engine, x, |part| {
            let lifted = dtype::cast(&engine.object(part)?, &wide, engine.namespace())?;
            Ok(engine.wrap(dtype::cast(&lifted.matmul(&factor)?, &narrow, engine.namespace())?))
        });
    }
    by_blocks(engine, x, |part| compensated_product(engine, part, high, low, (p, r)))
}

fn wide_dtype<'py>(engine: &Foreign<'py>) -> Result<Option<Bound<'py, PyAny>>, ForeignError> {
    if engine.dtype_name() == "float64" || engine.is_traced() {
        return Ok(None);
    }
    let empty = engine.full(&[0], 0.0)?;
    let wide = dtype::default_float(&empty, engine.namespace())?;
    Ok(match wide {
        Some(wide) if dtype::name(&wide)? == "float64" => Some(wide),
        _ => None,
    })
}

fn compensated_product<'py>(
    engine: &Foreign<'py>,
    x: &Fa<'py>,
    high: &[f64],
    low: &[f64],
    (p, r): (usize, usize),
) -> Answer<'py> {
    let py = engine.py();
    let (n, _) = rows_of(engine, x)?;
    let splitter = if engine.dtype_name() == "float64" { 134_217_729.0 } else { 4097.0 };
    let design = engine.object(x)?;
    let mut sum = engine.broadcast(&Fa::Lit(0.0), &[n, r])?;
    let mut rest = sum.clone();
    for k in 0..p {
        let everything = pyo3::types::PySlice::full(py);
        let column = engine.wrap(engine.reshape(&design.get_item((everything, k))?, &[n, 1])?);
        let row = transfer::from_host(engine, &high[k * r..(k + 1) * r], &[1, r])?;
        let fine = transfer::from_host(engine, &low[k * r..(k + 1) * r], &[1, r])?;
        let (product, error) = two_product(column.clone(), row, splitter);
        let (next, lost) = two_sum(sum, product);
        sum = next;
        rest = rest + (error + lost + column * fine);
    }
    Ok((sum + rest).into_result(py)?)
}

fn split<'py>(a: Fa<'py>, splitter: f64) -> (Fa<'py>, Fa<'py>) {
    let scaled = a.clone() * Fa::Lit(splitter);
    let high = scaled.clone() - (scaled - a.clone());
    let low = a - high.clone();
    (high, low)
}

fn two_product<'py>(a: Fa<'py>, b: Fa<'py>, splitter: f64) -> (Fa<'py>, Fa<'py>) {
    let product = a.clone() * b.clone();
    let (ah, al) = split(a, splitter);
    let (bh, bl) = split(b, splitter);
    let error = ((ah.clone() * bh.clone() - product.clone()) + ah * bl.clone() + al.clone() * bh) + al * bl;
    (product, error)
}

fn two_sum<'py>(a: Fa<'py>, b: Fa<'py>) -> (Fa<'py>, Fa<'py>) {
    let sum = a.clone() + b.clone();
    let virtual_b = sum.clone() - a.clone();
    let error = (a - (sum.clone() - virtual_b.clone())) + (b - virtual_b);
    (sum, error)
}
