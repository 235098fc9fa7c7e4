//! Special functions, distribution functions and quantiles on `f64`.
//!
//! Plain functions: NaN in gives NaN out, an argument outside the domain gives NaN, a pole gives what C's
//! `lgamma` gives. Nothing allocates.
mod digamma;
mod erf;
mod gamma;
mod logistic;
mod normal;

pub use digamma::{digamma, polygamma, trigamma};
pub use erf::{erf, erfc, erfcx};
pub use gamma::{gamma, ln_gamma};
pub use logistic::{log1p_exp, sigmoid};
pub use normal::{norm_cdf, norm_log_cdf, norm_log_pdf, norm_pdf, norm_quantile};
