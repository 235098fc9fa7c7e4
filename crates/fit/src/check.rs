//! What is refused before a fit: shapes, values that are not numbers, responses and weights out of range.
use isostat_base::{Error, Place};
use isostat_engine::{Engine, Formula, Rows};
use isostat_model::{Family, Support};
use isostat_number::Number;

use crate::options::Names;

struct Violation(Support);
impl Formula<1, 1> for Violation {
    fn eval<N: Number>(&self, [y]: [N; 1]) -> [N; 1] {
        [self.0.violation(y)]
    }
}

/// 0 where two numbers are equal.
struct Differs;
impl Formula<2, 1> for Differs {
    fn eval<N: Number>(&self, [a, b]: [N; 2]) -> [N; 1] {
        let is_equal = N::and(&N::not(&a.less(&b)), &N::not(&b.less(&a)));
        [N::select(&is_equal, N::literal(0.0), N::literal(1.0))]
    }
}

/// Arrays have no `na=`: their rows are the caller's.
const FILL: &str = "drop such rows, or fill them before the fit";

/// What the checks count on the way.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    /// Rows.
    pub rows: usize,
    /// Columns of the design.
    pub columns: usize,
    /// Rows whose weight is not 0.
    pub weighted: f64,
    /// The sum of the weights.
    pub total_weight: f64,
}

/// Shapes: concrete for traced arrays too.
///
/// # Errors
/// [`Error::Shape`], naming the argument.
pub fn shapes<E: Engine>(e: &E, x: &E::Array, rows: &Rows<E::Array>, names: &Names) -> Result<Counts, Error> {
    let shape = e.shape(x);
    let [n, p] = shape[..] else {
        let found = format!("shape {shape:?}");
        return Err(Error::shape(&names.owner, &names.x, "two dimensions (rows, columns)", found));
    };
    if n == 0 {
        return Err(Error::shape(&names.owner, &names.x, "at least one row", "0 rows"));
    }
    if p == 0 {
        return Err(Error::shape(&names.owner, &names.x, "at least one column", "0 columns"));
    }
    let vectors = [
        (&names.y, &rows.y, false),
        (&names.weights, &rows.weights, true),
        (&names.offset, &rows.offset, true),
    ];
    for (name, array, may_be_scalar) in vectors {
        let found = e.shape(array);
        if found[..] != [n] && !(found.is_empty() && may_be_scalar) {
            let expected = format!("length {n}, one value for each row of `{}`", names.x);
            let found =
                if found.len() == 1 { format!("length {}", found[0]) } else { format!("shape {found:?}") };
            return Err(Error::shape(&names.owner, name, expected, found));
        }
    }
    Ok(Counts { rows: n, columns: p, weighted: n as f64, total_weight: n as f64 })
}

/// Values of response, weights and offset; concrete arrays only.
///
/// # Errors
/// [`Error::MissingValue`], [`Error::Domain`] or [`Error::DegenerateWeights`], with row and value.
pub fn values<E: Engine, F: Family>(
    e: &E,
    family: &F,
    rows: &Rows<E::Array>,
    names: &Names,
    counts: &mut Counts,
) -> Result<(), E::Error> {
    refuse(e, &rows.y, Support::Real, &names.y, "")?;
    refuse(e, &rows.offset, Support::Real, &names.offset, "")?;
    refuse(e, &rows.weights, Support::NonNegative, &names.weights, &names.owner)?;
    refuse(e, &rows.y, family.support(), &names.y, &family.name())?;
    if e.shape(&rows.weights).is_empty() {
        return Ok(());
    }
    let [nonzero] = e.sums(&Differs, [&rows.weights, &e.scalar(0.0)])?;
    counts.weighted = number(e, &nonzero)?;
    counts.total_weight = number(e, &e.sum(&rows.weights)?)?;
    if counts.weighted == 0.0 {
        let reason = format!("every value of `{}` is 0, so no row is left to fit", names.weights);
        return Err(Error::DegenerateWeights { owner: names.owner.clone(), reason }.into());
    }
    Ok(())
}

fn refuse<E: Engine>(e: &E, v: &E::Array, support: Support, name: &str, owner: &str) -> Result<(), E::Error> {
    let [violations] = e.sums(&Violation(support), [v])?;
    if number(e, &violations)? == 0.0 {
        return Ok(());
    }
    let [violation] = e.map(&Violation(support), [v])?;
    let row = e.first_nonzero(&violation)?.unwrap_or(0);
    let value = element(e, v, row)?;
    let place = if e.shape(v).is_empty() { Place::default() } else { Place::row(row) };
    if !value.is_finite() {
        return Err(Error::missing(name, printed(value), place).or_else_missing(FILL).into());
    }
    Err(Error::domain_at(owner, name, support.rule(), printed(value), place).into())
}

/// 1 where `a b` is not an integer.
struct Fraction;
impl Formula<2, 1> for Fraction {
    fn eval<N: Number>(&self, [a, b]: [N; 2]) -> [N; 1] {
        let product = a * b;
        Differs.eval([product.clone(), product.floor()])
    }
}

/// The first response that is not an integer multiple of one trial, for families of counts.
pub fn first_fraction<E: Engine>(
    e: &E,
    rows: &Rows<E::Array>,
    is_proportion: bool,
) -> Result<Option<usize>, E::Error> {
    let one = e.scalar(1.0);
    let inputs = [&rows.y, if is_proportion { &rows.weights } else { &one }];
    let [fractions] = e.sums(&Fraction, inputs)?;
    if number(e, &fractions)? == 0.0 {
        return Ok(None);
    }
    let [differs] = e.map(&Fraction, inputs)?;
    e.first_nonzero(&differs)
}

/// The cell of a design that is not finite, for the error that names it.
///
/// # Errors
/// Always: [`Error::MissingValue`] with row and column, if one is found.
pub fn design<E: Engine>(e: &E, x: &E::Array, names: &Names) -> Result<(), E::Error> {
    let p = e.shape(x).get(1).copied().unwrap_or(0);
    let zero = e.from_host(&vec![0.0; p], &[p], x)?;
    // 0 · NaN and 0 · inf are NaN: the product spots every row with a bad cell.
    let product = e.matvec(x, &zero)?;
    let [violation] = e.map(&Violation(Support::Real), [&product])?;
    let Some(row) = e.first_nonzero(&violation)? else { return Ok(()) };
    let cells = e.to_host(&dense_row(e, x, row)?)?;
    let column = cells.iter().position(|c| !c.is_finite()).unwrap_or(0);
    let name = names.columns.get(column).cloned().unwrap_or_else(|| format!("{column}"));
    let value = cells.get(column).copied().unwrap_or(f64::NAN);
    Err(Error::missing(&names.x, printed(value), Place::cell(row, name)).or_else_missing(FILL).into())
}

/// One row as a vector of length p: `X' e_row` on the row alone.
fn dense_row<E: Engine>(e: &E, x: &E::Array, row: usize) -> Result<E::Array, E::Error> {
    let one = e.rows(x, row, row + 1)?;
    let weight = e.from_host(&[1.0], &[1], x)?;
    e.xtv(&one, &weight)
}

/// A concrete scalar.
pub fn number<E: Engine>(e: &E, a: &E::Array) -> Result<f64, E::Error> {
    match e.concrete(a) {
        Some(value) => Ok(value),
        None => Ok(e.to_host(a)?.first().copied().unwrap_or(f64::NAN)),
    }
}

fn element<E: Engine>(e: &E, v: &E::Array, row: usize) -> Result<f64, E::Error> {
    if e.shape(v).is_empty() {
        return number(e, v);
    }
    Ok(e.to_host(&e.rows(v, row, row + 1)?)?.first().copied().unwrap_or(f64::NAN))
}

fn printed(value: f64) -> String {
    match value {
        v if v.is_nan() => "NaN".into(),
        v if v == f64::INFINITY => "inf".into(),
        v if v == f64::NEG_INFINITY => "-inf".into(),
        v => format!("{v}"),
    }
}
