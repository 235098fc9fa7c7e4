//! Prediction at new rows.
use isostat_base::Error;
use isostat_engine::{Engine, Formula};
use isostat_model::row::Glm;
use isostat_model::{Family, Link};
use isostat_number::Number;

use crate::glm::Fitted;

/// η → mean and absolute slope.
pub struct MeanRow<F, L>(pub Glm<F, L>);
impl<F: Family, L: Link> Formula<1, 2> for MeanRow<F, L> {
    fn eval<N: Number>(&self, [eta]: [N; 1]) -> [N; 2] {
        let (m, slope) = self.0.mean_with_slope(eta);
        [m.mu, slope.abs()]
    }
}

/// Linear predictors at new rows, offset excluded.
#[derive(Clone, Debug)]
pub struct Prediction<A> {
    /// `x β`.
    pub eta: A,
    /// `x V x'`: V of the given root, else `(X'WX)⁻¹` without the dispersion.
    pub variance: A,
    /// Whether each row's prediction is the same for all solutions; `None` where no column is aliased.
    pub estimable: Option<Vec<bool>>,
}

/// A row that misses an alias relation by more than this share of its size predicts differently by solution.
const ESTIMABLE: f64 = 1e-7;

/// Predicts at the rows of `x`, whose columns are those of the fit. `root` (row-major, p × p) is a root of another
/// covariance of the coefficients.
///
/// # Errors
/// [`Error::Shape`] where the number of columns differs.
pub fn at<E: Engine>(
    e: &E,
    fitted: &Fitted<E::Array>,
    x: &E::Array,
    root: Option<&[f64]>,
) -> Result<Prediction<E::Array>, E::Error> {
    let (p, r) = (fitted.counts.columns, fitted.rank());
    let shape = e.shape(x);
    if shape.get(1) != Some(&p) {
        let found = format!("shape {shape:?}");
        return Err(Error::shape("predict", "X", format!("{p} columns, as the fit"), found).into());
    }
    let own = match &fitted.basis {
        None => x.clone(),
        Some(basis) => e.transform(x, &basis.high, &basis.low, r)?,
    };
    let gamma = e.from_host(&fitted.gamma, &[r], x)?;
    let variance = match root {
        None => e.row_squares(&own, &fitted.root, r)?,
        Some(root) => e.row_squares(x, root, p)?,
    };
    Ok(Prediction { eta: e.matvec(&own, &gamma)?, variance, estimable: estimable(e, fitted, x)? })
}

fn estimable<E: Engine>(
    e: &E,
    fitted: &Fitted<E::Array>,
    x: &E::Array,
) -> Result<Option<Vec<bool>>, E::Error> {
    if fitted.aliased.is_empty() {
        return Ok(None);
    }
    let p = fitted.counts.columns;
    let n = e.shape(x)[0];
    let mut out = vec![true; n];
    for alias in &fitted.aliased {
        let mut relation = vec![0.0; p];
        relation[alias.column] = 1.0;
        alias.relation.iter().for_each(|(j, c)| relation[*j] = -c);
        let miss = e.to_host(&e.matvec(x, &e.from_host(&relation, &[p], x)?)?)?;
        let sizes: Vec<f64> = relation.iter().map(|c| c.abs()).collect();
        let column = e.to_host(&e.matvec(x, &e.from_host(&unit(alias.column, p), &[p], x)?)?)?;
        let scale = sizes.iter().copied().fold(1.0, f64::max);
        for ((flag, m), c) in out.iter_mut().zip(miss).zip(column) {
            *flag &= m.abs() <= ESTIMABLE * (c.abs() + scale);
        }
    }
    Ok(Some(out))
}

fn unit(j: usize, p: usize) -> Vec<f64> {
    let mut v = vec![0.0; p];
    v[j] = 1.0;
    v
}
