//! Small dense linear algebra of isostat: a facade over faer.
