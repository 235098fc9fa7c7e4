//! Formulas and loop bodies: structs with generic methods, not closures, so that one text runs on every engine.
use isostat_number::Number;

use crate::engine::Engine;

/// A function of `I` numbers with `O` results, on any number type.
///
/// A formula that chooses among many (an enum of families) forwards [`Formula::visit`] to the chosen one, so that
/// an engine's inner loop sees the concrete formula.
pub trait Formula<const I: usize, const O: usize>: Sync {
    /// The value.
    fn eval<N: Number>(&self, x: [N; I]) -> [N; O];

    /// Hands the concrete formula to the visitor.
    fn visit<V: FormulaVisitor<I, O>>(&self, visitor: V) -> V::Output
    where
        Self: Sized,
    {
        visitor.run(self)
    }
}

/// Code that an engine runs on a concrete formula.
pub trait FormulaVisitor<const I: usize, const O: usize> {
    /// What the code gives.
    type Output;
    /// The code.
    fn run<F: Formula<I, O>>(self, formula: &F) -> Self::Output;
}

/// A record of arrays: flattened for engines whose loops carry lists.
pub trait Tree<A: Clone>: Clone {
    /// The arrays in order.
    fn leaves(&self) -> Vec<A>;
    /// The record from its arrays; `None` if their number is wrong.
    fn from_leaves(leaves: Vec<A>) -> Option<Self>;
}

/// A loop body. It holds options only, no arrays, so that an engine may keep it and call it again.
pub trait Program: Clone + Send + Sync + 'static {
    /// What stays the same in all rounds.
    type Data<A: Clone>: Tree<A>;
    /// What each round renews.
    type State<A: Clone>: Tree<A>;

    /// 1 to go on, 0 to stop: a scalar array, as a traced engine cannot answer yes or no.
    fn go<E: Engine>(
        &self,
        engine: &E,
        data: &Self::Data<E::Array>,
        state: &Self::State<E::Array>,
    ) -> Result<E::Array, E::Error>;

    /// One round.
    fn step<E: Engine>(
        &self,
        engine: &E,
        data: &Self::Data<E::Array>,
        state: &Self::State<E::Array>,
    ) -> Result<Self::State<E::Array>, E::Error>;
}

/// Declares a record of arrays and its [`Tree`].
#[macro_export]
macro_rules! tree {
    ($(#[$meta:meta])* $name:ident { $($(#[$field_meta:meta])* $field:ident),+ $(,)? }) => {
        $(#[$meta])*
        #[derive(Clone, Debug)]
        pub struct $name<A> { $($(#[$field_meta])* pub $field: A),+ }
        impl<A: Clone> $crate::Tree<A> for $name<A> {
            fn leaves(&self) -> Vec<A> {
                vec![$(self.$field.clone()),+]
            }
            fn from_leaves(leaves: Vec<A>) -> Option<Self> {
                let mut leaves = leaves.into_iter();
                let record = $name { $($field: leaves.next()?),+ };
                leaves.next().is_none().then_some(record)
            }
        }
    };
}
