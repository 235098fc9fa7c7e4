//! Numbers of every kind, special functions and the graph of isostat.
//!
//! A formula is written once, over [`Number`]. Floats, SIMD lanes, duals, jets and symbols all run that text.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`number`] | the trait [`Number`] and its constants |
//! | [`ops`] | the table of elementary functions |
//! | [`float`], [`lane`], [`dual`], [`jet`] | number types |
//! | [`symbol`] | formulas as graphs: derivatives, printing, programs |
//! | [`special`] | special functions, distribution functions and quantiles on `f64` |
pub mod dual;
pub mod float;
pub mod jet;
pub mod lane;
pub mod number;
pub mod ops;
pub mod special;
pub mod symbol;

pub use dual::Dual;
pub use jet::{Jet, Jet2, Jet4};
pub use lane::Lane;
pub use number::{Constant, Number};
pub use ops::{Elementary, Unary};
pub use symbol::{Symbol, Tape};
