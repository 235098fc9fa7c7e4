//! Fitting methods of isostat.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`irls`] | iteratively reweighted least squares as loop bodies that run on every engine |
//! | [`glm`] | the fit of a GLM: start, rank, loop, status |
//! | [`options`] | what a caller asks |
//! | [`check`] | what is refused before a fit |
//! | [`start`] | where the iteration starts |
//! | [`rank`] | aliased columns and ill-conditioned designs |
//! | [`separation`] | maxima at infinity, and who causes them |
//! | [`predict`] | predictions at new rows |
//! | [`inference`] | covariances, residuals, leverage, prediction |
//! | [`extra`] | theta and power, estimated beside the coefficients |
//! | [`functional`] | the pure form that tracing engines differentiate |
pub mod check;
pub mod extra;
pub mod functional;
pub mod glm;
pub mod inference;
pub mod irls;
pub mod options;
pub mod predict;
pub mod rank;
pub mod separation;
pub mod start;

pub use glm::{fit, Fitted};
pub use options::{Names, Options, WeightsKind};
