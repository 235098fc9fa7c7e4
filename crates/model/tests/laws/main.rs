//! The laws of families, links and row formulas: written once, run over every row of the lists.
//!
//! A new family or link is tested by standing in its list; nothing here names one unless its own mathematics differ.
mod density;
mod family;
mod grid;
mod link;
mod number;
mod pair;
mod row;
mod start;
