//! A graph as a linear program, replayed on any number.
use std::collections::HashMap;

use isostat_base::{Error, Result};

use super::node::{Kind, Variable};
use super::{order, Symbol};
use crate::number::Constant;
use crate::ops::Unary;

/// One step; operands are earlier steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Step {
    Input(usize),
    Literal(u64),
    Ratio(i32, i32),
    Constant(Constant),
    Unary(Unary, usize),
    Neg(usize),
    Add(usize, usize),
    Sub(usize, usize),
    Mul(usize, usize),
    Div(usize, usize),
    Pow(usize, usize),
    /// A power that is a literal, by its bits.
    Powf(usize, u64),
    Xlogy(usize, usize),
    LogAddExp(usize, usize),
    Select(usize, usize, usize),
    Truth(bool),
    Less(usize, usize),
    LessEqual(usize, usize),
    And(usize, usize),
    Not(usize),
}

impl Step {
    pub(super) fn operands(self) -> impl Iterator<Item = usize> {
        let [a, b, c] = match self {
            Step::Input(_) | Step::Literal(_) | Step::Ratio(..) | Step::Constant(_) | Step::Truth(_) => {
                [None, None, None]
            }
            Step::Unary(_, a) | Step::Neg(a) | Step::Powf(a, _) | Step::Not(a) => [Some(a), None, None],
            Step::Add(a, b)
            | Step::Sub(a, b)
            | Step::Mul(a, b)
            | Step::Div(a, b)
            | Step::Pow(a, b)
            | Step::Xlogy(a, b)
            | Step::LogAddExp(a, b)
            | Step::Less(a, b)
            | Step::LessEqual(a, b)
            | Step::And(a, b) => [Some(a), Some(b), None],
            Step::Select(a, b, c) => [Some(a), Some(b), Some(c)],
        };
        [a, b, c].into_iter().flatten()
    }

    pub(super) fn is_condition(self) -> bool {
        matches!(self, Step::Truth(_) | Step::Less(..) | Step::LessEqual(..) | Step::And(..) | Step::Not(_))
    }

    /// Operands of a commutative operation in one order, so that `a + b` and `b + a` are one step.
    fn canonical(self) -> Step {
        let sort = |a: usize, b: usize| (a.min(b), a.max(b));
        match self {
            Step::Add(a, b) => {
                let (a, b) = sort(a, b);
                Step::Add(a, b)
            }
            Step::Mul(a, b) => {
                let (a, b) = sort(a, b);
                Step::Mul(a, b)
            }
            Step::And(a, b) => {
                let (a, b) = sort(a, b);
                Step::And(a, b)
            }
            step => step,
        }
    }
}

/// Formulas compiled to a list of steps, each shared part once.
///
/// ```
/// use isostat_number::{Dual, Elementary, Number, Symbol, Tape};
/// let x = Symbol::variable("x");
/// let tape = Tape::compile(&[x.clone().exp(), x.clone().exp() * x]);
/// let values = tape.replay(&[0.0_f64])?;
/// assert_eq!(values, [1.0, 0.0]);
/// let slopes = tape.replay(&[Dual::<f64, 1>::variable(0.0, 0)])?;
/// assert_eq!(slopes[1].slope, [1.0]);
/// # Ok::<(), isostat_base::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Tape {
    pub(super) inputs: Vec<Variable>,
    pub(super) steps: Vec<Step>,
    pub(super) outputs: Vec<usize>,
    /// For each step, the last step that reads it; its own position if none does, the end if it is an output.
    pub(super) last_use: Vec<usize>,
}

impl Tape {
    /// Compiles one or several formulas; the inputs are their variables in order of name and index.
    pub fn compile(outputs: &[Symbol]) -> Tape {
        let nodes = order(outputs);
        let mut inputs: Vec<Variable> = nodes
            .iter()
            .filter_map(|node| match node.kind() {
                Kind::Variable(variable) => Some(variable.clone()),
                _ => None,
            })
            .collect();
        inputs.sort();
        let mut position = HashMap::new();
        let mut known = HashMap::new();
        let mut steps = Vec::new();
        for node in &nodes {
            let step = step_of(node, &inputs, &position).canonical();
            let at = *known.entry(step).or_insert_with(|| {
                steps.push(step);
                steps.len() - 1
            });
            position.insert(node.address(), at);
        }
        let outputs: Vec<usize> = outputs.iter().map(|output| position[&output.address()]).collect();
        let (steps, outputs) = without_dead(steps, outputs);
        let last_use = last_uses(&steps, &outputs);
        Tape { inputs, steps, outputs, last_use }
    }

    /// The variables, in the order in which [`Tape::replay`] takes their values.
    pub fn inputs(&self) -> &[Variable] {
        &self.inputs
    }

    /// The number of formulas.
    pub fn n_outputs(&self) -> usize {
        self.outputs.len()
    }

    /// The number of steps.
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Whether there is nothing to compute.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    pub(super) fn check_inputs(&self, found: usize) -> Result<()> {
        if found == self.inputs.len() {
            return Ok(());
        }
        let names: Vec<String> = self.inputs.iter().map(Variable::to_string).collect();
        let expected = format!("one value for each of ({})", names.join(", "));
        Err(Error::shape("Tape", "inputs", expected, format!("{found} values")))
    }
}

fn step_of(node: &Symbol, inputs: &[Variable], position: &HashMap<usize, usize>) -> Step {
    let at = |operand: &Symbol| position[&operand.address()];
    match node.kind() {
        Kind::Variable(variable) => Step::Input(inputs.partition_point(|input| input < variable)),
        Kind::Literal(bits) => Step::Literal(*bits),
        Kind::Ratio(p, q) => Step::Ratio(*p, *q),
        Kind::Constant(c) => Step::Constant(*c),
        Kind::Unary(op, a) => Step::Unary(*op, at(a)),
        Kind::Neg(a) => Step::Neg(at(a)),
        Kind::Add(a, b) => Step::Add(at(a), at(b)),
        Kind::Sub(a, b) => Step::Sub(at(a), at(b)),
        Kind::Mul(a, b) => Step::Mul(at(a), at(b)),
        Kind::Div(a, b) => Step::Div(at(a), at(b)),
        Kind::Pow(a, b) => match b.kind() {
            Kind::Literal(bits) => Step::Powf(at(a), *bits),
            _ => Step::Pow(at(a), at(b)),
        },
        Kind::Xlogy(a, b) => Step::Xlogy(at(a), at(b)),
        Kind::LogAddExp(a, b) => Step::LogAddExp(at(a), at(b)),
        Kind::Select(condition, a, b) => Step::Select(at(condition), at(a), at(b)),
        Kind::Truth(value) => Step::Truth(*value),
        Kind::Less(a, b) => Step::Less(at(a), at(b)),
        Kind::LessEqual(a, b) => Step::LessEqual(at(a), at(b)),
        Kind::And(a, b) => Step::And(at(a), at(b)),
        Kind::Not(a) => Step::Not(at(a)),
    }
}

/// Drops what no output needs: the literal of a fixed power.
fn without_dead(steps: Vec<Step>, outputs: Vec<usize>) -> (Vec<Step>, Vec<usize>) {
    let mut is_live = vec![false; steps.len()];
    outputs.iter().for_each(|at| is_live[*at] = true);
    for at in (0..steps.len()).rev() {
        if is_live[at] {
            steps[at].operands().for_each(|operand| is_live[operand] = true);
        }
    }
    let mut moved = vec![0; steps.len()];
    let mut kept = Vec::new();
    for (at, step) in steps.into_iter().enumerate() {
        if is_live[at] {
            moved[at] = kept.len();
            kept.push(renumber(step, |operand| moved[operand]));
        }
    }
    (kept, outputs.into_iter().map(|at| moved[at]).collect())
}

fn renumber(step: Step, at: impl Fn(usize) -> usize) -> Step {
    match step {
        Step::Input(_) | Step::Literal(_) | Step::Ratio(..) | Step::Constant(_) | Step::Truth(_) => step,
        Step::Unary(op, a) => Step::Unary(op, at(a)),
        Step::Neg(a) => Step::Neg(at(a)),
        Step::Add(a, b) => Step::Add(at(a), at(b)),
        Step::Sub(a, b) => Step::Sub(at(a), at(b)),
        Step::Mul(a, b) => Step::Mul(at(a), at(b)),
        Step::Div(a, b) => Step::Div(at(a), at(b)),
        Step::Pow(a, b) => Step::Pow(at(a), at(b)),
        Step::Powf(a, p) => Step::Powf(at(a), p),
        Step::Xlogy(a, b) => Step::Xlogy(at(a), at(b)),
        Step::LogAddExp(a, b) => Step::LogAddExp(at(a), at(b)),
        Step::Select(c, a, b) => Step::Select(at(c), at(a), at(b)),
        Step::Less(a, b) => Step::Less(at(a), at(b)),
        Step::LessEqual(a, b) => Step::LessEqual(at(a), at(b)),
        Step::And(a, b) => Step::And(at(a), at(b)),
        Step::Not(a) => Step::Not(at(a)),
    }
}

fn last_uses(steps: &[Step], outputs: &[usize]) -> Vec<usize> {
    let mut last: Vec<usize> = (0..steps.len()).collect();
    for (at, step) in steps.iter().enumerate() {
        step.operands().for_each(|operand| last[operand] = at);
    }
    outputs.iter().for_each(|at| last[*at] = usize::MAX);
    last
}
