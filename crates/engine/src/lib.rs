//! Engines of isostat: who does array arithmetic.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`engine`] | the trait [`Engine`] |
//! | [`host`] | the engine of NumPy-like memory: fused kernels and their baseline |
//! | [`program`] | formulas and loop bodies that run on every engine |
pub mod engine;
pub mod host;
pub mod program;

pub use engine::{Engine, IrlsStats, Rows};
pub use program::{Formula, FormulaVisitor, Program, Tree};
