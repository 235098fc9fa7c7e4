//! Fitting methods of isostat.
