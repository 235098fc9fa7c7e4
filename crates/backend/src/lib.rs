//! Backends of isostat: where blocks of rows are folded.
