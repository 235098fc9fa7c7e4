//! Regression as Python calls it: convert, call, convert back.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`options`] | options from Python values |
//! | [`host`] | NumPy and SciPy memory as designs, without a copy |
//! | [`frame`] | tables |
//! | [`held`] | a fit with the arrays that it came from, whatever the engine |
//! | [`fit`] | the class `GlmFit` |
//! | [`entry`] | the entrances |
//! | [`predict`] | prediction on arrays |
//! | [`functional`] | the pure form for tracing engines |
pub mod entry;
pub mod fit;
pub mod frame;
pub mod functional;
pub mod held;
pub mod host;
pub mod options;
pub mod predict;
