//! Nodes, and the table that keeps one of each.
use std::collections::hash_map::DefaultHasher;
use std::collections::HashMap;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

use super::Symbol;
use crate::number::Constant;
use crate::ops::Unary;

/// A variable: a name, with an index where it is an element of something.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Variable {
    /// The name.
    pub name: Arc<str>,
    /// The index, counted from 0.
    pub index: Option<usize>,
}

impl std::fmt::Display for Variable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.index {
            Some(index) => write!(f, "{}[{index}]", self.name),
            None => f.write_str(&self.name),
        }
    }
}

/// What a node is. Operands are nodes of the same table, so equal structure means equal pointer.
///
/// The last five are conditions, the others numbers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// An input.
    Variable(Variable),
    /// A float, by its bits.
    Literal(u64),
    /// `p/q` in lowest terms; `q > 1` and not a power of two (a literal holds those).
    Ratio(i32, i32),
    /// A constant.
    Constant(Constant),
    /// A row of the table of elementary functions.
    Unary(Unary, Symbol),
    /// `-a`.
    Neg(Symbol),
    /// `a + b`.
    Add(Symbol, Symbol),
    /// `a - b`.
    Sub(Symbol, Symbol),
    /// `a b`.
    Mul(Symbol, Symbol),
    /// `a / b`.
    Div(Symbol, Symbol),
    /// `a^b`.
    Pow(Symbol, Symbol),
    /// `a ln b`, 0 where a is 0.
    Xlogy(Symbol, Symbol),
    /// `ln(e^a + e^b)`.
    LogAddExp(Symbol, Symbol),
    /// The second where the condition holds, else the third.
    Select(Symbol, Symbol, Symbol),
    /// True or false.
    Truth(bool),
    /// `a < b`.
    Less(Symbol, Symbol),
    /// `a <= b`.
    LessEqual(Symbol, Symbol),
    /// Both conditions.
    And(Symbol, Symbol),
    /// Not.
    Not(Symbol),
}

impl Kind {
    /// The operands, in order.
    pub fn operands(&self) -> impl Iterator<Item = &Symbol> {
        let [a, b, c] = match self {
            Kind::Variable(_) | Kind::Literal(_) | Kind::Ratio(..) | Kind::Constant(_) | Kind::Truth(_) => {
                [None, None, None]
            }
            Kind::Unary(_, a) | Kind::Neg(a) | Kind::Not(a) => [Some(a), None, None],
            Kind::Add(a, b)
            | Kind::Sub(a, b)
            | Kind::Mul(a, b)
            | Kind::Div(a, b)
            | Kind::Pow(a, b)
            | Kind::Xlogy(a, b)
            | Kind::LogAddExp(a, b)
            | Kind::Less(a, b)
            | Kind::LessEqual(a, b)
            | Kind::And(a, b) => [Some(a), Some(b), None],
            Kind::Select(a, b, c) => [Some(a), Some(b), Some(c)],
        };
        [a, b, c].into_iter().flatten()
    }
}

/// A node of the graph. Made by [`intern`] alone.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) kind: Kind,
    /// Depends on structure alone: the same in every thread and run.
    hash: u64,
}

impl Hash for Symbol {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.0.hash);
    }
}

/// Weak references: a node leaves the table when its last user drops it.
type Shard = HashMap<u64, Vec<Weak<Node>>>;
const N_SHARDS: usize = 32;

fn shard(hash: u64) -> MutexGuard<'static, Shard> {
    static SHARDS: OnceLock<Vec<Mutex<Shard>>> = OnceLock::new();
    let shards = SHARDS.get_or_init(|| (0..N_SHARDS).map(|_| Mutex::default()).collect());
    // A shard is whole after every step, so a panic elsewhere leaves it good.
    shards[(hash % N_SHARDS as u64) as usize].lock().unwrap_or_else(PoisonError::into_inner)
}

/// The one node of this kind: found, or made.
pub(super) fn intern(kind: Kind) -> Symbol {
    let mut hasher = DefaultHasher::new();
    kind.hash(&mut hasher);
    let hash = hasher.finish();
    // Nodes with an equal hash but another kind may lose their last user while we look: they must drop after
    // the lock, which their own drop takes.
    let mut others = Vec::new();
    let mut table = shard(hash);
    let bucket = table.entry(hash).or_default();
    for candidate in bucket.iter().filter_map(Weak::upgrade) {
        if candidate.kind == kind {
            drop(table);
            return Symbol(candidate);
        }
        others.push(candidate);
    }
    let node = Arc::new(Node { kind, hash });
    bucket.push(Arc::downgrade(&node));
    drop(table);
    Symbol(node)
}

/// The number of nodes alive in the process.
pub fn node_count() -> usize {
    (0..N_SHARDS as u64)
        .map(|k| shard(k).values().flatten().filter(|node| node.strong_count() > 0).count())
        .sum()
}

impl Drop for Node {
    fn drop(&mut self) {
        {
            let mut table = shard(self.hash);
            if let Some(bucket) = table.get_mut(&self.hash) {
                bucket.retain(|node| node.strong_count() > 0);
                if bucket.is_empty() {
                    table.remove(&self.hash);
                }
            }
        }
        // A long chain must not recurse: operands that die with this node are taken apart in a loop.
        let mut pending = vec![std::mem::replace(&mut self.kind, Kind::Truth(false))];
        while let Some(mut kind) = pending.pop() {
            for operand in take_operands(&mut kind) {
                if let Some(mut node) = Arc::into_inner(operand.0) {
                    pending.push(std::mem::replace(&mut node.kind, Kind::Truth(false)));
                }
            }
        }
    }
}

fn take_operands(kind: &mut Kind) -> Vec<Symbol> {
    let operands = kind.operands().cloned().collect();
    *kind = Kind::Truth(false);
    operands
}
