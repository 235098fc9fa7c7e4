//! Named tolerances and the fixture reader of the isostat tests.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`tolerance`] | the named tolerances and [`close`] |
//! | [`report`] | the failures of a law over a whole list, shown together |
//! | [`fixture`] | reference answers under `reference/` |
//! | [`quadrature`] | integrals of densities |
pub mod fixture;
pub mod quadrature;
pub mod report;
pub mod tolerance;

pub use fixture::fixture;
pub use quadrature::{integral, Interval};
pub use report::Report;
pub use tolerance::{close, Tolerance, EXACT, MONTE_CARLO, ROUNDING, SOLVER};
