//! The Python front of isostat.
