//! Likelihoods, families and links of isostat.
