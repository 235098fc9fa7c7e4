//! The host engine against its baseline and against mathematics.
mod designs;
mod operations;
mod pass;
