//! Special functions, distribution functions and quantiles on `f64`.
//!
//! Plain functions: NaN in gives NaN out, an argument outside the domain gives NaN, a pole gives what C's
//! `lgamma` gives. Nothing allocates.
//!
//! | topic | functions |
//! | --- | --- |
//! | gamma | [`gamma()`], [`ln_gamma`], [`ln_beta`], [`digamma()`], [`trigamma`], [`polygamma`] |
//! | error function | [`erf()`], [`erfc`], [`erfcx`] |
//! | normal | [`norm_cdf`], [`norm_log_cdf`], [`norm_pdf`], [`norm_log_pdf`], [`norm_quantile`] |
//! | logistic | [`sigmoid`], [`log1p_exp`] |
//! | incomplete gamma | [`gamma_p`], [`gamma_q`], [`inv_gamma_p`], [`inv_gamma_q`], `gamma_*`, `chi2_*` |
//! | incomplete beta | [`beta_inc()`], [`beta_inc_complement`], [`inv_beta_inc`], `student_t_*`, `f_*` |
//! | counts | `poisson_*`, `binomial_*`, `neg_binomial_*` |
//! | positive | `inverse_gaussian_*`, [`tweedie_log_density`] |
mod beta_inc;
mod count;
mod deviance;
mod digamma;
mod double;
mod erf;
mod fisher;
mod gamma;
mod gamma_distribution;
mod gamma_inc;
mod inverse_gaussian;
mod logistic;
mod normal;
mod solve;
mod student;
mod tails;
mod tweedie;
mod uniform;

pub use beta_inc::{beta_inc, beta_inc_complement, inv_beta_inc};
pub use count::{binomial_cdf, binomial_sf, neg_binomial_cdf, neg_binomial_sf, poisson_cdf, poisson_sf};
pub use digamma::{digamma, polygamma, trigamma};
pub use erf::{erf, erfc, erfcx};
pub use fisher::{f_cdf, f_quantile, f_sf, f_upper_quantile};
pub use gamma::{gamma, ln_beta, ln_gamma};
pub use gamma_distribution::{
    chi2_cdf, chi2_quantile, chi2_sf, chi2_upper_quantile, gamma_cdf, gamma_quantile, gamma_sf,
};
pub use gamma_inc::{gamma_p, gamma_q, inv_gamma_p, inv_gamma_q};
pub use inverse_gaussian::{inverse_gaussian_cdf, inverse_gaussian_sf};
pub use logistic::{log1p_exp, sigmoid};
pub use normal::{norm_cdf, norm_log_cdf, norm_log_pdf, norm_pdf, norm_quantile};
pub use student::{student_t_cdf, student_t_quantile, student_t_sf};
pub use tweedie::tweedie_log_density;
