//! Named tolerances and the fixture reader of the isostat tests.
