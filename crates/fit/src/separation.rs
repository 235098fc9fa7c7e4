//! Maxima at infinity: a direction along which every response at the edge of its range is fitted ever better and
//! no other fitted value moves.
use isostat_base::Status;
use isostat_engine::{Engine, Formula};
use isostat_model::row::Glm;
use isostat_model::{Family, Link, Range, Support};
use isostat_number::Number;

use crate::check::number;
use crate::irls::Data;
use crate::options::Names;
use crate::rank::Prepared;

/// A direction of recession.
#[derive(Clone, Debug)]
pub struct Infinity {
    /// Separation, quasi-separation, or another infinite maximum.
    pub status: Status,
    /// Columns that move, with the sign of infinity.
    pub columns: Vec<(usize, f64)>,
    /// Rows that the direction fits ever better.
    pub n_rows: usize,
}

impl Infinity {
    /// What a user is told.
    pub fn describe(&self, names: &Names) -> String {
        let moves: Vec<String> = self
            .columns
            .iter()
            .map(|(j, sign)| {
                let name = names.columns.get(*j).cloned().unwrap_or_else(|| format!("column {j}"));
                format!("{name} → {}∞", if *sign > 0.0 { "+" } else { "-" })
            })
            .collect();
        let what = match self.status {
            Status::Separation => "complete separation: a combination of columns tells the responses apart",
            Status::QuasiSeparation => {
                "quasi-complete separation: a combination of columns tells some responses apart"
            }
            _ => "no finite maximum: the likelihood rises as fitted means go to 0",
        };
        format!(
            "{what}, so no finite maximum likelihood estimate exists ({} rows; direction: {}); {}",
            self.n_rows,
            moves.join(", "),
            self.status.remedy()
        )
    }
}

/// A Newton step that moves a linear predictor by more than this is no longer converging.
const MOVING: f64 = 1e-2;
/// Movements below this share of the largest are rounding or unfinished convergence of the finite part.
const STILL: f64 = 1e-3;

/// A deviance below this is that of a perfect fit.
const NOTHING_LEFT: f64 = 1e-6;

/// (y, w, dη / largest) → 1 where the row moves the wrong way, 1 where it moves the right way.
struct Direction {
    has_upper: bool,
    sign: f64,
}

impl Formula<3, 2> for Direction {
    fn eval<N: Number>(&self, [y, w, movement]: [N; 3]) -> [N; 2] {
        let (zero, one, still) = (N::literal(0.0), N::literal(1.0), N::literal(STILL));
        let movement = movement * N::literal(self.sign);
        let is_counted = zero.less(&w);
        let is_lower = N::not(&zero.less(&y));
        let rises = still.less(&movement);
        let falls = movement.less(&-still);
        let is_upper = if self.has_upper { N::not(&y.less(&one)) } else { zero.less(&zero) };
        let right = N::or(&N::and(&is_lower, &falls), &N::and(&is_upper, &rises));
        let wrong = N::and(&N::or(&rises, &falls), &N::not(&right));
        let flag = |mask: &N::Mask| N::select(&N::and(&is_counted, mask), one.clone(), zero.clone());
        [flag(&wrong), flag(&right)]
    }
}

struct SixteenthPower;
impl Formula<1, 1> for SixteenthPower {
    fn eval<N: Number>(&self, [a]: [N; 1]) -> [N; 1] {
        [a.square().square().square().square()]
    }
}

struct Scaled;
impl Formula<2, 1> for Scaled {
    fn eval<N: Number>(&self, [a, b]: [N; 2]) -> [N; 1] {
        [a / b]
    }
}

/// The direction of the last Newton step, if it proves that no finite maximum exists.
///
/// # Errors
/// What the engine refuses.
pub fn find<E: Engine, F: Family, L: Link>(
    e: &E,
    glm: &Glm<F, L>,
    data: &Data<E::Array>,
    prepared: &Prepared<E::Array>,
    delta: &[f64],
    scales: &[f64],
    deviance: f64,
) -> Result<Option<Infinity>, E::Error> {
    let has_edge = matches!(glm.family.support(), Support::Unit | Support::NonNegative);
    let steps = prepared.steps(delta);
    let is_moving = steps.iter().zip(scales).any(|(d, s)| (d * s).abs() > MOVING);
    if !has_edge || !vanishes_at_infinity(&glm.link) || !is_moving || delta.iter().any(|d| !d.is_finite()) {
        return Ok(None);
    }
    let direction = e.from_host(delta, &[delta.len()], &data.x)?;
    let movement = e.matvec(&data.x, &direction)?;
    // The 16-norm lies between the largest movement and n^(1/16) times it: no engine needs a maximum for it.
    let [power] = e.map(&SixteenthPower, [&movement])?;
    let largest = number(e, &e.sum(&power)?)?.powf(1.0 / 16.0);
    if !(largest > MOVING) {
        return Ok(None);
    }
    let [relative] = e.map(&Scaled, [&movement, &e.scalar(largest)])?;
    let has_upper = glm.family.support() == Support::Unit && glm.link.image() == Range::Unit;
    let sign = if glm.link.is_decreasing() { -1.0 } else { 1.0 };
    let flags = e.map(&Direction { has_upper, sign }, [&data.y, &data.weights, &relative])?;
    let (wrong, right) = (number(e, &e.sum(&flags[0])?)?, number(e, &e.sum(&flags[1])?)?);
    if wrong > 0.0 || right == 0.0 {
        return Ok(None);
    }
    // Where every row is told apart, nothing is left of the deviance.
    let status = match (has_upper, deviance < NOTHING_LEFT) {
        (true, true) => Status::Separation,
        (true, false) => Status::QuasiSeparation,
        _ => Status::InfiniteMle,
    };
    Ok(Some(Infinity { status, columns: moving_columns(&steps, scales), n_rows: right as usize }))
}

fn moving_columns(steps: &[f64], scales: &[f64]) -> Vec<(usize, f64)> {
    let sizes: Vec<f64> = steps.iter().zip(scales).map(|(d, s)| (d * s).abs()).collect();
    let largest = sizes.iter().copied().fold(0.0, f64::max);
    (0..steps.len()).filter(|j| sizes[*j] > largest * STILL).map(|j| (j, steps[j].signum())).collect()
}

/// Whether a mean of 0 needs an infinite linear predictor.
fn vanishes_at_infinity<L: Link>(link: &L) -> bool {
    let near_zero: f64 = link.forward(&isostat_model::Mean { mu: 1e-200, complement: 1.0 });
    near_zero.abs() > 10.0
}
