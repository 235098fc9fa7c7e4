//! Engines of isostat: who does array arithmetic.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`engine`] | the trait [`Engine`] |
//! | [`program`] | formulas and loop bodies that run on every engine |
pub mod engine;
pub mod program;

pub use engine::{Engine, IrlsStats, Rows};
pub use program::{Formula, FormulaVisitor, Program, Tree};
