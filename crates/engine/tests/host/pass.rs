//! The fused pass: its sums, for every kind of block, level and size.
use std::sync::Arc;

use isostat_engine::host::{Block, Design, Host, HostArray, SimdLevel, View};
use isostat_engine::{Engine, Rows};

use crate::designs::{case, distance, host, pass, Case, Kind, Poisson, Random, Sums, LEVELS, ROUNDING};

fn check(case: &Case, engines: &[Host]) {
    let rows = case.rows(7);
    let beta = case.beta(8);
    let [truth, size] = case.truth(&rows, &beta);
    for engine in engines {
        let found = pass(engine, case, &rows, &beta).distance(&truth, &size);
        assert!(found <= ROUNDING, "{} {engine:?}: {found}", case.name);
    }
}

fn engines() -> Vec<Host> {
    LEVELS.iter().map(|l| host(*l, 1)).chain([Host::baseline()]).collect()
}

#[test]
fn every_pair_of_blocks() {
    for (i, first) in Kind::all(3).into_iter().enumerate() {
        check(&case(150, &[first], 1), &engines());
        for second in Kind::all(5) {
            check(&case(150, &[first, second], i as u64), &engines());
        }
    }
}

#[test]
fn three_blocks_with_panels_apart() {
    let kinds = [Kind::Categorical(4), Kind::RowMajor(9), Kind::Sparse(3), Kind::Ones, Kind::Categorical(2)];
    check(&case(700, &kinds, 3), &engines());
}

#[test]
fn every_width() {
    for p in 1..=70 {
        for kind in [Kind::RowMajor(p), Kind::ColumnMajor(p), Kind::Strided(p)] {
            check(&case(131, &[kind], p as u64), &engines());
        }
    }
}

#[test]
fn every_number_of_rows() {
    for n in (1..=130).chain([191, 192, 193, 1000, 1999]) {
        for kind in [Kind::RowMajor(9), Kind::ColumnMajor(9), Kind::Single(3)] {
            check(&case(n, &[kind], n as u64), &engines());
        }
    }
}

#[test]
fn several_leaves_and_their_last() {
    for n in [2047, 2048, 2049, 6000, 20_001] {
        check(&case(n, &[Kind::RowMajor(11)], 5), &engines());
        check(&case(n, &[Kind::Ones, Kind::ColumnMajor(4), Kind::Categorical(3)], 5), &engines());
    }
}

#[test]
fn threads_change_no_bit() {
    for kinds in [vec![Kind::RowMajor(13)], vec![Kind::Ones, Kind::Sparse(3), Kind::ColumnMajor(4)]] {
        let case = case(30_011, &kinds, 9);
        let (rows, beta) = (case.rows(1), case.beta(2));
        for level in LEVELS {
            let alone = pass(&host(level, 1), &case, &rows, &beta);
            for threads in [2, 3] {
                assert_eq!(pass(&host(level, threads), &case, &rows, &beta), alone, "{level:?} {threads}");
            }
        }
    }
}

#[test]
fn a_range_of_rows_is_those_rows() {
    let kinds = [Kind::Ones, Kind::RowMajor(5), Kind::Categorical(3), Kind::Sparse(2)];
    let whole = case(500, &kinds, 4);
    let (rows, beta) = (whole.rows(1), whole.beta(2));
    let engine = Host::default();
    let cut = |a: &HostArray| engine.rows(a, 77, 300).expect("rows exist");
    let part = Case {
        name: "rows 77..300".into(),
        n: 223,
        p: whole.p,
        x: cut(&cut_first(&engine, &whole.x)),
        dense: whole.dense[(77 + 10) * whole.p..310 * whole.p].to_vec(),
    };
    let rows = Rows { y: rows.y, weights: rows.weights, offset: rows.offset };
    let shifted = |a: &HostArray| engine.rows(a, 87, 310).expect("rows exist");
    let rows = Rows { y: shifted(&rows.y), weights: shifted(&rows.weights), offset: shifted(&rows.offset) };
    let [truth, size] = part.truth(&rows, &beta);
    for level in LEVELS {
        assert!(pass(&host(level, 1), &part, &rows, &beta).distance(&truth, &size) <= ROUNDING, "{level:?}");
    }
}

fn cut_first(engine: &Host, x: &HostArray) -> HostArray {
    engine.rows(x, 10, 500).expect("rows exist")
}

#[test]
fn the_order_of_rows_is_rounding() {
    let (n, p) = (3000, 6);
    let forward = case(n, &[Kind::RowMajor(p)], 4);
    let (rows, beta) = (forward.rows(1), forward.beta(2));
    let turn = |a: &HostArray| HostArray::vector(a.to_vec().into_iter().rev().collect());
    let turned: Vec<f64> = forward.dense.chunks(p).rev().flatten().copied().collect();
    let view = View::matrix(Arc::new(turned.clone()), 0, [n, p], [p, 1]).expect("the view fits");
    let x = HostArray::design(Design::from_blocks(vec![Block::Dense(view)]).expect("one block"));
    let backward = Case { name: "turned".into(), n, p, x, dense: turned };
    let rows_back = Rows { y: turn(&rows.y), weights: turn(&rows.weights), offset: turn(&rows.offset) };
    let [_, size] = forward.truth(&rows, &beta);
    let engine = Host::default();
    let found = pass(&engine, &backward, &rows_back, &beta);
    assert!(found.distance(&pass(&engine, &forward, &rows, &beta), &size) <= ROUNDING);
}

#[test]
fn a_scalar_weight_is_the_same_weight_everywhere() {
    let case = case(777, &[Kind::Ones, Kind::ColumnMajor(10), Kind::Categorical(3)], 4);
    let (rows, beta) = (case.rows(1), case.beta(2));
    let scalar = Rows { weights: HostArray::Scalar(2.5), offset: HostArray::Scalar(0.25), ..rows.clone() };
    let vector = Rows {
        weights: HostArray::vector(vec![2.5; case.n]),
        offset: HostArray::vector(vec![0.25; case.n]),
        ..rows
    };
    for level in LEVELS {
        let engine = host(level, 2);
        assert_eq!(pass(&engine, &case, &scalar, &beta), pass(&engine, &case, &vector, &beta));
    }
}

#[test]
fn the_start_takes_the_offset_itself() {
    let case = case(777, &[Kind::RowMajor(10), Kind::Categorical(3)], 4);
    let rows = case.rows(1);
    let [truth, size] = case.truth(&rows, &vec![0.0; case.p]);
    for engine in engines() {
        let stats = engine.irls_pass(&Poisson, &case.x, &rows, None).expect("shapes agree");
        assert!(Sums::of(&stats).distance(&truth, &size) <= ROUNDING, "{engine:?}");
    }
}

#[test]
fn a_bad_cell_gives_not_a_number_and_nothing_else_does() {
    for kind in [Kind::RowMajor(11), Kind::ColumnMajor(11)] {
        for bad in [f64::NAN, f64::INFINITY] {
            let good = case(200, &[kind], 6);
            let (n, p) = (good.n, good.p);
            let mut values = good.dense.clone();
            values[150 * p + 3] = bad;
            let (strides, stored) = match kind {
                Kind::RowMajor(_) => ([p, 1], values),
                _ => ([1, n], (0..n * p).map(|k| values[k % n * p + k / n]).collect()),
            };
            let view = View::matrix(Arc::new(stored), 0, [n, p], strides).expect("the view fits");
            let x = HostArray::design(Design::from_blocks(vec![Block::Dense(view)]).expect("one block"));
            let spoilt = Case { x: x.clone(), ..case(200, &[kind], 6) };
            let (rows, beta) = (good.rows(1), good.beta(2));
            let [truth, size] = good.truth(&rows, &beta);
            for level in LEVELS {
                let engine = host(level, 1);
                let found = pass(&engine, &spoilt, &rows, &beta);
                // An infinite η may end in weight 0: 0 · inf is then the one mark that is left.
                let p_of = |k: usize| [k / p, k % p];
                let is_marked = |k: usize| bad.is_nan() || p_of(k).contains(&3);
                assert!(
                    (0..p * p).all(|k| !is_marked(k) || !found.gram[k].is_finite()),
                    "{kind:?} {level:?}"
                );
                // With η from elsewhere, only products with the bad column are spoilt.
                let start = engine.irls_pass(&Poisson, &x, &rows, None).expect("shapes agree").gram.to_vec();
                for (k, g) in start.iter().enumerate() {
                    assert_eq!(g.is_finite(), k / p != 3 && k % p != 3, "{kind:?} {level:?} {k}");
                }
                // The rows before it are sound.
                let cut = |a: &HostArray| engine.rows(a, 0, 150).expect("rows exist");
                let head = Rows { y: cut(&rows.y), weights: cut(&rows.weights), offset: cut(&rows.offset) };
                let beta = HostArray::vector(beta.clone());
                let stats = engine.irls_pass(&Poisson, &cut(&x), &head, Some(&beta)).expect("shapes agree");
                assert!(stats.gram.to_vec().iter().all(|g| g.is_finite()));
            }
            let found = pass(&Host::default(), &good, &rows, &beta).distance(&truth, &size);
            assert!(found <= ROUNDING);
        }
    }
}

#[test]
fn selected_columns_in_any_order_of_panels() {
    let kinds = [Kind::Categorical(4), Kind::RowMajor(9), Kind::Sparse(3), Kind::Ones, Kind::ColumnMajor(4)];
    let whole = case(300, &kinds, 3);
    let mut random = Random(5);
    for _ in 0..10 {
        let columns: Vec<usize> = (0..whole.p).filter(|_| random.next() > 0.0).collect();
        let dense: Vec<f64> =
            whole.dense.chunks(whole.p).flat_map(|row| columns.iter().map(|j| row[*j])).collect();
        let x = Host::default().select_columns(&whole.x, &columns).expect("columns exist");
        assert_eq!(x.to_vec(), dense);
        let name = format!("columns {columns:?}");
        check(&Case { name, n: whole.n, p: columns.len(), x, dense }, &engines());
    }
}

#[test]
fn row_sums_are_the_sums_of_the_pass() {
    for kinds in [vec![Kind::RowMajor(10)], vec![Kind::Sparse(3), Kind::Ones]] {
        let case = case(5001, &kinds, 4);
        let (rows, beta) = (case.rows(1), case.beta(2));
        let [truth, size] = case.truth(&rows, &beta);
        let beta = HostArray::vector(beta);
        for level in LEVELS {
            let [_, _, deviance] =
                host(level, 2).row_sums(&Poisson, &case.x, &rows, Some(&beta)).expect("shapes agree");
            let found = distance(&deviance.to_vec(), &[truth.deviance], &[size.deviance]);
            assert!(found <= ROUNDING, "{level:?}: {found}");
        }
    }
}

#[test]
fn the_gram_of_a_transformed_design_is_exact_where_columns_are_nearly_dependent() {
    // A cubic in the calendar year: the Gram matrix of the columns themselves is useless. In the coordinates of
    // their triangular factor it is the identity, to a rounding of each entry.
    let n = 400;
    let year = |i: usize| 2000.0 + i as f64 / 16.0;
    let dense: Vec<f64> = (0..n).flat_map(|i| (0..4).map(move |k| year(i).powi(k))).collect();
    let view = View::matrix(Arc::new(dense), 0, [n, 4], [4, 1]).expect("the view fits");
    let x = HostArray::design(Design::from_blocks(vec![Block::Dense(view)]).expect("one block"));
    let engine = Host::default();
    let r = engine.triangular_factor(&x, &HostArray::Scalar(1.0)).expect("a design");
    let (high, low) = isostat_linalg::dd::upper_inverse(&r, 4);
    let q = engine.transform(&x, &high, &low, 4).expect("a design");
    // The columns of Q are as orthogonal as R is right: backward error eps times the condition, 1e10 here,
    // for X R⁻¹ against R⁻¹; measured with R itself, Q R = X to rounding.
    let rows = q.to_vec();
    for i in 0..n {
        for k in 0..4 {
            let back: f64 = (0..=k).map(|j| rows[i * 4 + j] * r[j * 4 + k]).sum();
            let truth = year(i).powi(k as i32);
            assert!((back - truth).abs() <= ROUNDING * truth, "row {i}, power {k}: {back} {truth}");
        }
    }
    for level in LEVELS {
        let gram = host(level, 1).gram(&q, &HostArray::Scalar(1.0)).expect("a design").to_vec();
        for i in 0..4 {
            for j in 0..4 {
                let truth: f64 = (0..n).map(|r| rows[r * 4 + i] * rows[r * 4 + j]).sum();
                assert!((gram[i * 4 + j] - truth).abs() <= ROUNDING, "{level:?} {i} {j}");
            }
        }
    }
}

#[test]
fn levels_of_the_processor_only() {
    assert!(SimdLevel::Avx512.available() <= SimdLevel::best());
    assert_eq!(SimdLevel::Portable.available(), SimdLevel::Portable);
}
