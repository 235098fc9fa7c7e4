//! Small dense linear algebra of isostat: a facade over faer, on row-major slices.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`cholesky`] | equilibrated Cholesky factor: solve, inverse, condition, log-determinant |
//! | [`qr`] | triangular factors and their merge |
//! | [`rank`] | which columns are aliased, and by what relation |
//! | [`dd`] | double-double scalars and the inverse of a triangle in them |
//! | [`eigen`] | symmetric eigenvalues |
pub mod cholesky;
pub mod dd;
pub mod eigen;
pub mod qr;
pub mod rank;

pub use cholesky::{solve_spd, Factor};
pub use qr::qr_r;
pub use rank::{alias, Alias, Rank};
