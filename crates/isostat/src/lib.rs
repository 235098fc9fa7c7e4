//! Statistical models that give the same answer on every compute engine.
//!
//! A *model* owns the likelihood and the statistics, an *engine* owns the arrays. This crate is the Rust entrance:
//! models over tables and over slices, fitted by the fused kernels of the host.
//!
//! ```
//! use isostat::{glm, Column, Frame};
//!
//! let frame = Frame::new(vec![
//!     ("dose".into(), Column::float(vec![0.0, 1.0, 2.0, 3.0, 4.0, 5.0])),
//!     ("count".into(), Column::float(vec![1.0, 2.0, 2.0, 5.0, 8.0, 13.0])),
//! ])?;
//! let fit = glm("count ~ dose", &frame).family("poisson")?.fit()?;
//! assert!(fit.is_converged());
//! assert_eq!(fit.coef_names(), ["(Intercept)", "dose"]);
//! let mean = fit.predict(&Frame::new(vec![("dose".into(), Column::float(vec![2.5]))])?)?;
//! assert!(mean[0] > 2.0 && mean[0] < 5.0);
//! # Ok::<(), isostat::Error>(())
//! ```
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`table`] | from a formula and a table to design, response, weights and offset |
//! | [`regression`] | the builders [`glm`] and [`fit_glm`] |
//! | [`fit`] | [`GlmFit`]: what a regression tells |
pub mod fit;
pub mod regression;
pub mod table;

pub use fit::GlmFit;
pub use isostat_base::{Error, Evidence, Place, Result, Status};
pub use isostat_data::{Column, Formula, Frame, ModelSpec, NaPolicy, NewLevels};
pub use isostat_engine::host::{Host, SimdLevel};
pub use isostat_fit::inference::{Residual, Sandwich};
pub use isostat_fit::WeightsKind;
pub use isostat_model::{AnyFamily, AnyLink, Family, Link};
pub use isostat_number as number;
pub use regression::{fit_glm, glm, Glm};
