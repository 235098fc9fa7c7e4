//! Engines of isostat: who does array arithmetic.
