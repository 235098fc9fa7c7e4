//! Foreign engines: arrays of NumPy, torch, JAX, CuPy and of any array-API namespace, driven through PyO3.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`namespace`] | a module and its functions, looked up once |
//! | [`registry`] | which namespace an object belongs to |
//! | [`array`], [`mask`] | an array as a [`Number`](isostat_number::Number) |
//! | [`elementary`], [`composite`] | elementary functions: the namespace's own, or over its arithmetic |
//! | [`engine`] | [`Foreign`], the [`Engine`](isostat_engine::Engine) |
//! | [`linear`] | products, factorisations and solutions |
//! | [`control`] | loops, compiled where the data are traced |
//! | [`transfer`] | values to and from the host, recorded |
//! | [`dtype`] | names and casts of dtypes |
//! | [`quiet`] | NumPy's warnings, switched off meanwhile |
//! | [`front`] | what Python sees |
pub mod array;
pub mod composite;
pub mod control;
pub mod dtype;
pub mod elementary;
pub mod engine;
pub mod front;
pub mod linear;
pub mod mask;
pub mod namespace;
pub mod quiet;
pub mod registry;
pub mod transfer;

pub use array::Fa;
pub use engine::Foreign;
pub use namespace::{Kind, Namespace};
