//! Threads and the fixed reduction tree.
//!
//! Which thread works on which chunk is left to chance; how partial results join is not: node `i` of a level joins
//! nodes `2i` and `2i + 1` of the level below. So the number of threads never changes a bit.
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, TryLockError};

use rayon::{ThreadPool, ThreadPoolBuilder};

/// Pools by (process, helpers). The process is part of the key: after a fork the threads of the parent are gone.
static POOLS: Mutex<Vec<(u32, usize, Arc<ThreadPool>)>> = Mutex::new(Vec::new());

/// A pool of `helpers` threads; `None` (work alone) where the system gives none.
fn pool(helpers: usize) -> Option<Arc<ThreadPool>> {
    let mut pools = match POOLS.try_lock() {
        Ok(pools) => pools,
        Err(TryLockError::Poisoned(pools)) => pools.into_inner(),
        // Never wait: a lock that was held while the process forked stays locked for ever.
        Err(TryLockError::WouldBlock) => return None,
    };
    let process = std::process::id();
    if let Some((_, _, pool)) = pools.iter().find(|(id, count, _)| *id == process && *count == helpers) {
        return Some(pool.clone());
    }
    // Dropping the pool of a parent process would wait for threads that do not exist here.
    let (ours, parents): (Vec<_>, Vec<_>) = pools.drain(..).partition(|(id, _, _)| *id == process);
    std::mem::forget(parents);
    *pools = ours;
    let name = |i: usize| format!("isostat-{i}");
    let pool = Arc::new(ThreadPoolBuilder::new().num_threads(helpers).thread_name(name).build().ok()?);
    pools.push((process, helpers, pool.clone()));
    Some(pool)
}

/// Runs `work` on `threads` threads, this one among them, and waits for all.
fn together(threads: usize, work: impl Fn() + Sync) {
    match if threads > 1 { pool(threads - 1) } else { None } {
        None => work(),
        Some(pool) => pool.in_place_scope(|scope| {
            for _ in 1..threads {
                scope.spawn(|_| work());
            }
            work();
        }),
    }
}

/// Folds `leaf` of every chunk by the fixed tree; `None` where there are no chunks.
pub(crate) fn fold<S, T: Send>(
    chunks: usize,
    threads: usize,
    scratch: impl Fn() -> S + Sync,
    leaf: impl Fn(&mut S, usize) -> T + Sync,
    merge: impl Fn(&mut T, T) + Sync,
) -> Option<T> {
    if chunks <= 1 {
        return (chunks == 1).then(|| leaf(&mut scratch(), 0));
    }
    let next = AtomicUsize::new(0);
    let tree = Tree { chunks, waiting: Mutex::new(BTreeMap::new()) };
    together(threads.min(chunks), || {
        let mut own = None;
        loop {
            let chunk = next.fetch_add(1, Ordering::Relaxed);
            if chunk >= chunks {
                return;
            }
            let part = leaf(own.get_or_insert_with(&scratch), chunk);
            tree.join(chunk, part, &merge);
        }
    });
    tree.waiting.into_inner().unwrap_or_else(PoisonError::into_inner).into_values().next()
}

struct Tree<T> {
    chunks: usize,
    /// Parts whose sibling is not done yet, by (level, index).
    waiting: Mutex<BTreeMap<(u32, usize), T>>,
}

impl<T> Tree<T> {
    fn join(&self, chunk: usize, mut part: T, merge: impl Fn(&mut T, T)) {
        let (mut level, mut index, mut width) = (0, chunk, self.chunks);
        while width > 1 {
            let sibling = index ^ 1;
            if sibling < width {
                let other = {
                    let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
                    match waiting.remove(&(level, sibling)) {
                        None => {
                            waiting.insert((level, index), part);
                            return;
                        }
                        Some(other) => other,
                    }
                };
                if index < sibling {
                    merge(&mut part, other);
                } else {
                    let right = std::mem::replace(&mut part, other);
                    merge(&mut part, right);
                }
            }
            (level, index, width) = (level + 1, index / 2, width.div_ceil(2));
        }
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).insert((level, index), part);
    }
}

/// Calls `body(scratch, task)` for each task, in no order.
pub(crate) fn for_each<S, T: Send>(
    threads: usize,
    tasks: Vec<T>,
    scratch: impl Fn() -> S + Sync,
    body: impl Fn(&mut S, T) + Sync,
) {
    let threads = threads.min(tasks.len());
    let queue = Mutex::new(tasks.into_iter());
    together(threads, || {
        let mut own = scratch();
        loop {
            let task = queue.lock().unwrap_or_else(PoisonError::into_inner).next();
            match task {
                None => return,
                Some(task) => body(&mut own, task),
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tree_is_the_same_for_any_number_of_threads() {
        let show = |threads| fold(11, threads, || (), |(), i| i.to_string(), |a, b| *a = format!("({a}{b})"));
        assert_eq!(show(1).as_deref(), Some("((((01)(23))((45)(67)))((89)10))"));
        for threads in [2, 3, 8] {
            assert_eq!(show(threads), show(1));
        }
        assert_eq!(fold(0, 2, || (), |(), i| i, |a, b| *a += b), None);
    }

    #[test]
    fn every_task_is_done_once() {
        let done: Vec<AtomicUsize> = (0..100).map(|_| AtomicUsize::new(0)).collect();
        for_each(
            3,
            (0..100).collect(),
            || (),
            |(), i: usize| {
                done[i].fetch_add(1, Ordering::Relaxed);
            },
        );
        assert!(done.iter().all(|d| d.load(Ordering::Relaxed) == 1));
    }
}
