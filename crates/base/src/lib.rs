//! Errors, endings and the evidence record of isostat.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`error`] | the one [`Error`] of all crates: typed fields, a stable code, a remedy |
//! | [`status`] | how a fit ended: [`Status`] |
//! | [`evidence`] | what ran: [`Evidence`] |
pub mod error;
pub mod evidence;
pub mod status;

pub use error::{Error, Place, Result};
pub use evidence::{Conversion, Evidence, Fallback, Fingerprint, Phase};
pub use status::Status;
