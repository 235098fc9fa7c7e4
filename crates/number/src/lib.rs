//! Numbers of every kind, special functions and the graph of isostat.
