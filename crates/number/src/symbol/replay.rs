//! Replaying a tape on any number.
use isostat_base::{Error, Result};

use super::node::Variable;
use super::tape::{Step, Tape};
use super::Symbol;
use crate::number::Number;

impl Tape {
    /// The values of the formulas on any number. Each step runs once; a value is dropped after its last use.
    ///
    /// # Errors
    /// [`Error::Shape`] unless there is one value for each of [`Tape::inputs`].
    pub fn replay<N: Number>(&self, inputs: &[N]) -> Result<Vec<N>> {
        self.check_inputs(inputs.len())?;
        let mut registers =
            Registers { tape: self, values: std::iter::repeat_with(|| None).take(self.len()).collect() };
        for (at, step) in self.steps.iter().enumerate() {
            let value = registers.run(at, *step, inputs);
            registers.values[at] = Some(value);
        }
        Ok(self.outputs.iter().map(|at| registers.number(usize::MAX, *at)).collect())
    }
}

enum Value<N: Number> {
    Number(N),
    Condition(N::Mask),
}

struct Registers<'tape, N: Number> {
    tape: &'tape Tape,
    values: Vec<Option<Value<N>>>,
}

impl<N: Number> Registers<'_, N> {
    /// The number that step `at` reads; moved out if nobody reads it later.
    fn number(&mut self, at: usize, operand: usize) -> N {
        match self.read(at, operand) {
            Some(Value::Number(x)) => x,
            _ => unreachable!("operands precede their users and have their users' kind"),
        }
    }

    /// `at` is `usize::MAX` for a reader that leaves the value where it is.
    fn read(&mut self, at: usize, operand: usize) -> Option<Value<N>> {
        if self.tape.last_use[operand] == at && at != usize::MAX {
            return self.values[operand].take();
        }
        self.values[operand].as_ref().map(|value| match value {
            Value::Number(x) => Value::Number(x.clone()),
            Value::Condition(mask) => Value::Condition(mask.clone()),
        })
    }

    /// Two operands, which may be the same step.
    fn pair(&mut self, at: usize, a: usize, b: usize) -> (N, N) {
        if a == b {
            let x = self.number(at, a);
            return (x.clone(), x);
        }
        (self.number(at, a), self.number(at, b))
    }

    fn mask(&mut self, at: usize, operand: usize) -> N::Mask {
        match self.read(at, operand) {
            Some(Value::Condition(mask)) => mask,
            _ => unreachable!("operands precede their users and have their users' kind"),
        }
    }

    fn run(&mut self, at: usize, step: Step, inputs: &[N]) -> Value<N> {
        if step.is_condition() {
            return Value::Condition(self.condition(at, step));
        }
        let mut binary = |f: fn(N, N) -> N, a: usize, b: usize| {
            let (x, y) = self.pair(at, a, b);
            f(x, y)
        };
        Value::Number(match step {
            Step::Add(a, b) => binary(|x, y| x + y, a, b),
            Step::Sub(a, b) => binary(|x, y| x - y, a, b),
            Step::Mul(a, b) => binary(|x, y| x * y, a, b),
            Step::Div(a, b) => binary(|x, y| x / y, a, b),
            Step::Pow(a, b) => binary(N::pow, a, b),
            Step::Xlogy(a, b) => binary(N::xlogy, a, b),
            Step::LogAddExp(a, b) => binary(N::log_add_exp, a, b),
            Step::Select(condition, a, b) => {
                let mask = self.mask(at, condition);
                let (x, y) = self.pair(at, a, b);
                N::select(&mask, x, y)
            }
            Step::Unary(op, a) => op.apply(self.number(at, a)),
            Step::Neg(a) => -self.number(at, a),
            Step::Powf(a, bits) => self.number(at, a).powf(f64::from_bits(bits)),
            Step::Input(k) => inputs[k].clone(),
            Step::Literal(bits) => N::literal(f64::from_bits(bits)),
            Step::Ratio(p, q) => N::ratio(p, q),
            Step::Constant(c) => N::constant(c),
            _ => unreachable!("conditions are run apart"),
        })
    }

    fn condition(&mut self, at: usize, step: Step) -> N::Mask {
        match step {
            Step::Less(a, b) => {
                let (x, y) = self.pair(at, a, b);
                x.less(&y)
            }
            Step::LessEqual(a, b) => {
                let (x, y) = self.pair(at, a, b);
                x.less_equal(&y)
            }
            Step::And(a, b) => {
                // Read before taken: both may be the same step.
                let (x, y) = (self.mask(usize::MAX, a), self.mask(at, b));
                N::and(&x, &y)
            }
            Step::Not(a) => N::not(&self.mask(at, a)),
            step => {
                let bound = N::literal(f64::from(u8::from(step == Step::Truth(true))));
                N::literal(0.0).less(&bound)
            }
        }
    }
}

impl Symbol {
    /// The value on any number, by the variables' names (`"mu"`, or `"beta[0]"` for an element).
    ///
    /// # Errors
    /// [`Error::Domain`] if a variable has no value.
    pub fn evaluate<N: Number>(&self, bindings: &[(&str, N)]) -> Result<N> {
        self.evaluate_with(|variable| {
            let name = variable.to_string();
            bindings.iter().find(|(bound, _)| *bound == name).map(|(_, value)| value.clone())
        })
    }

    /// The value on any number; `binding` gives each variable's.
    ///
    /// # Errors
    /// [`Error::Domain`] if a variable has no value.
    pub fn evaluate_with<N: Number>(&self, binding: impl Fn(&Variable) -> Option<N>) -> Result<N> {
        let tape = Tape::compile(std::slice::from_ref(self));
        let missing =
            |v: &Variable| Error::domain("Symbol", "bindings", format!("give a value for `{v}`"), "none");
        let inputs: Vec<N> =
            tape.inputs.iter().map(|v| binding(v).ok_or_else(|| missing(v))).collect::<Result<_>>()?;
        Ok(tape.replay(&inputs)?.swap_remove(0))
    }
}
