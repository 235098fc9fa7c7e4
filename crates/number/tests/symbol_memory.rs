//! The table of nodes holds no node that nobody uses. Alone in its process: it counts.
use isostat_number::symbol::node_count;
use isostat_number::{Elementary, Number, Symbol};

fn formula(k: usize) -> Symbol {
    let x = Symbol::element("x", k);
    (0..20).fold(x, |sum, j| (sum + Symbol::literal(j as f64 + 0.1)).sin())
}

#[test]
fn nodes_leave_with_their_last_user() {
    let before = node_count();
    let kept = formula(0);
    let with_one = node_count();
    assert!(with_one > before);
    // Threads that build and drop the same and other formulas meet in the table.
    std::thread::scope(|scope| {
        for thread in 0..4 {
            scope.spawn(move || {
                (0..300).for_each(|k| drop(formula(k % 7).derivative_by_element("x", thread)))
            });
        }
    });
    assert_eq!(node_count(), with_one);
    let slopes: Vec<Symbol> = (0..50).map(|k| formula(k).derivative_by_element("x", k)).collect();
    assert!(node_count() > with_one + 50 * 20);
    drop(slopes);
    assert_eq!(node_count(), with_one);
    drop(kept);
    assert_eq!(node_count(), before);
}
