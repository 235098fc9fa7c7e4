//! Replaying a tape over rows on the host: chunk by chunk, one loop for each step.
use isostat_base::{Error, Result};

use super::tape::{Step, Tape};
use crate::lane::Lane;
use crate::number::Number;
use crate::ops::Unary;

/// Rows of one chunk: all registers of a usual formula stay in the first-level cache.
const CHUNK: usize = 256;

/// A number that is one machine float.
pub trait Scalar: Number<Mask = bool> + Copy {
    /// The value.
    fn to_f64(self) -> f64;
}

impl Scalar for f64 {
    #[inline(always)]
    fn to_f64(self) -> f64 {
        self
    }
}

impl Scalar for f32 {
    #[inline(always)]
    fn to_f64(self) -> f64 {
        f64::from(self)
    }
}

impl<const FMA: bool> Scalar for Lane<FMA> {
    #[inline(always)]
    fn to_f64(self) -> f64 {
        self.0
    }
}

/// The values of one input.
#[derive(Clone, Copy, Debug)]
pub enum Column<'a> {
    /// One value for each row.
    Each(&'a [f64]),
    /// The same value in every row.
    Same(f64),
}

impl Tape {
    /// The values of the formulas for every row; `N` is the number that computes.
    ///
    /// Steps that depend on no column run once. A row's value does not depend on the other rows, so any split
    /// of the rows gives the same bits.
    ///
    /// # Errors
    /// [`Error::Shape`] unless there is one column for each of [`Tape::inputs`], one output for each formula, and
    /// all have one length.
    #[inline(always)]
    pub fn replay_rows<N: Scalar>(&self, inputs: &[Column<'_>], outputs: &mut [&mut [f64]]) -> Result<()> {
        self.check_inputs(inputs.len())?;
        let n = self.check_rows(inputs, outputs)?;
        let width = n.min(CHUNK);
        let is_uniform = self.uniform_steps(inputs);
        let mut bank: Bank<N> = Bank::new(self, &is_uniform, width);
        for (at, step) in self.steps.iter().enumerate().filter(|(at, _)| is_uniform[*at]) {
            bank.run(at, *step, inputs, 0, width);
        }
        for from in (0..n).step_by(CHUNK) {
            let rows = CHUNK.min(n - from);
            for (at, step) in self.steps.iter().enumerate().filter(|(at, _)| !is_uniform[*at]) {
                bank.run(at, *step, inputs, from, rows);
            }
            for (output, at) in outputs.iter_mut().zip(&self.outputs) {
                let values = &bank.numbers[bank.slot[*at]];
                output[from..from + rows].iter_mut().zip(values).for_each(|(o, v)| *o = v.to_f64());
            }
        }
        Ok(())
    }

    fn check_rows(&self, inputs: &[Column<'_>], outputs: &[&mut [f64]]) -> Result<usize> {
        if outputs.len() != self.n_outputs() {
            let expected = format!("{} outputs", self.n_outputs());
            return Err(Error::shape("Tape", "outputs", expected, format!("{} outputs", outputs.len())));
        }
        let n = outputs.first().map_or(0, |output| output.len());
        for output in outputs {
            if output.len() != n {
                return Err(Error::shape(
                    "Tape",
                    "outputs",
                    format!("{n} rows"),
                    format!("{} rows", output.len()),
                ));
            }
        }
        for (column, variable) in inputs.iter().zip(self.inputs()) {
            if let Column::Each(values) = column {
                if values.len() != n {
                    let found = format!("{} rows", values.len());
                    return Err(Error::shape("Tape", variable.to_string(), format!("{n} rows"), found));
                }
            }
        }
        Ok(n)
    }

    /// Steps whose value is the same in every row.
    fn uniform_steps(&self, inputs: &[Column<'_>]) -> Vec<bool> {
        let mut is_uniform: Vec<bool> = Vec::with_capacity(self.len());
        for step in &self.steps {
            is_uniform.push(match step {
                Step::Input(k) => matches!(inputs[*k], Column::Same(_)),
                step => step.operands().all(|operand| is_uniform[operand]),
            });
        }
        is_uniform
    }
}

/// Registers of one chunk. Uniform values keep theirs; the others share, by last use.
struct Bank<N> {
    numbers: Vec<Vec<N>>,
    masks: Vec<Vec<bool>>,
    /// The register of each step, among the numbers or the masks.
    slot: Vec<usize>,
}

/// Hands out registers of one sort.
#[derive(Default)]
struct Slots {
    free: Vec<usize>,
    n: usize,
}

impl Slots {
    fn take(&mut self) -> usize {
        self.free.pop().unwrap_or_else(|| {
            self.n += 1;
            self.n - 1
        })
    }
}

impl<N: Scalar> Bank<N> {
    fn new(tape: &Tape, is_uniform: &[bool], width: usize) -> Self {
        let (mut numbers, mut masks) = (Slots::default(), Slots::default());
        let mut slot = vec![0; tape.len()];
        for uniform in [true, false] {
            for (at, step) in tape.steps.iter().enumerate().filter(|(at, _)| is_uniform[*at] == uniform) {
                // Taken before the operands' are freed: a step never writes over what it reads.
                slot[at] = if step.is_condition() { masks.take() } else { numbers.take() };
                let mut dying: Vec<usize> =
                    step.operands().filter(|o| !is_uniform[*o] && tape.last_use[*o] == at).collect();
                dying.sort_unstable();
                dying.dedup();
                for operand in dying {
                    let slots = if tape.steps[operand].is_condition() { &mut masks } else { &mut numbers };
                    slots.free.push(slot[operand]);
                }
            }
        }
        let fill = || vec![N::literal(0.0); width];
        Bank {
            numbers: std::iter::repeat_with(fill).take(numbers.n).collect(),
            masks: vec![vec![false; width]; masks.n],
            slot,
        }
    }

    #[inline(always)]
    fn run(&mut self, at: usize, step: Step, inputs: &[Column<'_>], from: usize, rows: usize) {
        if step.is_condition() {
            let mut out = std::mem::take(&mut self.masks[self.slot[at]]);
            self.condition(step, &mut out[..rows]);
            self.masks[self.slot[at]] = out;
            return;
        }
        let mut out = std::mem::take(&mut self.numbers[self.slot[at]]);
        self.number(step, &mut out[..rows], inputs, from);
        self.numbers[self.slot[at]] = out;
    }

    #[inline(always)]
    fn each(&self, out: &mut [N], a: usize, f: impl Fn(N) -> N) {
        out.iter_mut().zip(&self.numbers[self.slot[a]]).for_each(|(o, x)| *o = f(*x));
    }

    #[inline(always)]
    fn both<T>(&self, out: &mut [T], a: usize, b: usize, f: impl Fn(N, N) -> T) {
        let (a, b) = (&self.numbers[self.slot[a]], &self.numbers[self.slot[b]]);
        out.iter_mut().zip(a.iter().zip(b)).for_each(|(o, (x, y))| *o = f(*x, *y));
    }

    #[inline(always)]
    fn number(&self, step: Step, out: &mut [N], inputs: &[Column<'_>], from: usize) {
        match step {
            Step::Input(k) => match inputs[k] {
                Column::Same(x) => out.fill(N::literal(x)),
                Column::Each(values) => {
                    out.iter_mut().zip(&values[from..]).for_each(|(o, x)| *o = N::literal(*x));
                }
            },
            Step::Literal(bits) => out.fill(N::literal(f64::from_bits(bits))),
            Step::Ratio(p, q) => out.fill(N::ratio(p, q)),
            Step::Constant(c) => out.fill(N::constant(c)),
            Step::Unary(op, a) => self.unary(op, out, a),
            Step::Neg(a) => self.each(out, a, |x| -x),
            Step::Add(a, b) => self.both(out, a, b, |x, y| x + y),
            Step::Sub(a, b) => self.both(out, a, b, |x, y| x - y),
            Step::Mul(a, b) => self.both(out, a, b, |x, y| x * y),
            Step::Div(a, b) => self.both(out, a, b, |x, y| x / y),
            Step::Pow(a, b) => self.both(out, a, b, N::pow),
            Step::Powf(a, bits) => self.each(out, a, |x| x.powf(f64::from_bits(bits))),
            Step::Xlogy(a, b) => self.both(out, a, b, N::xlogy),
            Step::LogAddExp(a, b) => self.both(out, a, b, N::log_add_exp),
            Step::Select(condition, a, b) => {
                let masks = &self.masks[self.slot[condition]];
                let (a, b) = (&self.numbers[self.slot[a]], &self.numbers[self.slot[b]]);
                let arms = a.iter().zip(b).zip(masks);
                out.iter_mut().zip(arms).for_each(|(o, ((x, y), mask))| *o = N::select(mask, *x, *y));
            }
            _ => unreachable!("conditions are run apart"),
        }
    }

    /// The functions that a lane has without a branch get a loop of their own, which vectorises.
    #[inline(always)]
    fn unary(&self, op: Unary, out: &mut [N], a: usize) {
        match op {
            Unary::Exp => self.each(out, a, N::exp),
            Unary::ExpM1 => self.each(out, a, N::exp_m1),
            Unary::Ln => self.each(out, a, N::ln),
            Unary::Ln1p => self.each(out, a, N::ln_1p),
            Unary::Sqrt => self.each(out, a, N::sqrt),
            Unary::Square => self.each(out, a, N::square),
            Unary::Abs => self.each(out, a, N::abs),
            Unary::Sigmoid => self.each(out, a, N::sigmoid),
            Unary::Softplus => self.each(out, a, N::softplus),
            op => self.each(out, a, |x| op.apply(x)),
        }
    }

    #[inline(always)]
    fn condition(&self, step: Step, out: &mut [bool]) {
        let mask = |at: usize| &self.masks[self.slot[at]];
        match step {
            Step::Less(a, b) => self.both(out, a, b, |x, y| x.less(&y)),
            Step::LessEqual(a, b) => self.both(out, a, b, |x, y| x.less_equal(&y)),
            Step::And(a, b) => {
                out.iter_mut().zip(mask(a).iter().zip(mask(b))).for_each(|(o, (x, y))| *o = N::and(x, y));
            }
            Step::Not(a) => out.iter_mut().zip(mask(a)).for_each(|(o, x)| *o = N::not(x)),
            step => out.fill(step == Step::Truth(true)),
        }
    }
}
