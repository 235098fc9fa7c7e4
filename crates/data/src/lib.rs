//! Frames, formulas and designs of isostat.
