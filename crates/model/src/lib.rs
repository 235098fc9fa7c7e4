//! Likelihoods, families and links of isostat.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`family`] | the list of families |
//! | [`link`] | the list of links |
//! | [`mean`] | means with their complements, and ranges of means |
//! | [`row`] | what one row of a GLM contributes |
pub mod family;
pub mod link;
pub mod mean;
pub mod row;

pub use family::{AnyFamily, Dispersion, Family, Support};
pub use link::{AnyLink, Link};
pub use mean::{Mean, Range};
