//! Frames, formulas and designs of isostat: from a table and a formula to a model matrix as blocks of columns.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`frame`] | [`Frame`] and [`Column`]: the table, with the import of Arrow streams |
//! | [`formula`] | [`Formula`] and [`Terms`]: the formula language of R, parsed and expanded |
//! | [`eval`] | the value of an expression over a frame, with transforms that remember their training data |
//! | [`design`] | [`ModelSpec`] and [`Design`]: the model matrix with R's columns and names |
//!
//! ```
//! use isostat_data::{Column, DesignOptions, Formula, Frame, ModelSpec};
//!
//! let frame = Frame::new(vec![
//!     ("y".into(), Column::float(vec![1.0, 2.0, 4.0])),
//!     ("g".into(), Column::text(&["b", "a", "c"])),
//! ])?;
//! let formula = Formula::parse("y ~ g")?;
//! let (_spec, design) = ModelSpec::learn(&formula, &frame, &DesignOptions::default())?;
//! assert_eq!(design.coef_names, ["(Intercept)", "gb", "gc"]);
//! # Ok::<(), isostat_base::Error>(())
//! ```
pub mod design;
pub mod eval;
pub mod formula;
pub mod frame;

pub use design::{Block, BuildOptions, Design, DesignOptions, ModelSpec, NaPolicy, NewLevels, Response};
pub use formula::{Expr, Formula, Terms};
pub use frame::{Column, ColumnKind, Frame, MISSING};
