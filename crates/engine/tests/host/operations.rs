//! The operations one by one.
use isostat_engine::host::{Host, HostArray};
use isostat_engine::{Engine, Formula};
use isostat_number::Number;

use crate::designs::{case, distance, host, Case, Kind, Random, LEVELS, ROUNDING};

fn cases() -> Vec<Case> {
    let mut out: Vec<Case> = Kind::all(7).into_iter().map(|k| case(333, &[k], 3)).collect();
    let mixed = [Kind::Categorical(4), Kind::ColumnMajor(9), Kind::Sparse(3), Kind::Ones, Kind::RowMajor(2)];
    out.extend([case(333, &mixed, 5), case(9001, &[Kind::RowMajor(20)], 6), case(1, &mixed, 5)]);
    out
}

fn engines() -> Vec<Host> {
    LEVELS.iter().flat_map(|l| [host(*l, 1), host(*l, 2)]).chain([Host::baseline()]).collect()
}

fn close(found: &HostArray, truth: &[f64], size: &[f64], what: &str) {
    let d = distance(&found.to_vec(), truth, size);
    assert!(d <= ROUNDING, "{what}: {d}");
}

#[test]
fn matvec_and_its_transpose() {
    for case in cases() {
        let b = Random(1).vector(case.p);
        let v = Random(2).vector(case.n);
        let rows = || case.dense.chunks(case.p);
        let xb: Vec<f64> = rows().map(|x| x.iter().zip(&b).map(|(x, b)| x * b).sum()).collect();
        let xb_size: Vec<f64> = rows().map(|x| x.iter().zip(&b).map(|(x, b)| (x * b).abs()).sum()).collect();
        let column = |f: &dyn Fn(f64) -> f64| -> Vec<f64> {
            (0..case.p).map(|j| rows().zip(&v).map(|(x, v)| f(x[j] * v)).sum()).collect()
        };
        for engine in engines() {
            let what = format!("{} {engine:?}", case.name);
            let found = engine.matvec(&case.x, &HostArray::vector(b.clone())).expect("shapes agree");
            close(&found, &xb, &xb_size, &what);
            let found = engine.xtv(&case.x, &HostArray::vector(v.clone())).expect("shapes agree");
            close(&found, &column(&|x| x), &column(&f64::abs), &what);
        }
    }
}

#[test]
fn gram_with_weights_and_with_one() {
    for case in cases() {
        let w = Random(2).vector(case.n);
        for engine in engines() {
            for scalar in [false, true] {
                let weight = |i: usize| if scalar { 2.0 } else { w[i] };
                let sums = |f: &dyn Fn(f64) -> f64| -> Vec<f64> {
                    let p = case.p;
                    let mut out = vec![0.0; p * p];
                    for (i, x) in case.dense.chunks(p).enumerate() {
                        (0..p * p).for_each(|k| out[k] += f(weight(i) * x[k / p] * x[k % p]));
                    }
                    out
                };
                let array = if scalar { HostArray::Scalar(2.0) } else { HostArray::vector(w.clone()) };
                let found = engine.gram(&case.x, &array).expect("shapes agree");
                close(&found, &sums(&|x| x), &sums(&f64::abs), &format!("{} {engine:?}", case.name));
            }
        }
    }
}

#[test]
fn row_squares_are_the_lengths_of_transformed_rows() {
    for case in cases() {
        let r = 3;
        let t = Random(4).vector(case.p * r);
        let truth: Vec<f64> = case
            .dense
            .chunks(case.p)
            .map(|x| (0..r).map(|k| (0..case.p).map(|j| x[j] * t[j * r + k]).sum::<f64>().powi(2)).sum())
            .collect();
        let size: Vec<f64> = case
            .dense
            .chunks(case.p)
            .map(|x| {
                (0..r).map(|k| (0..case.p).map(|j| (x[j] * t[j * r + k]).abs()).sum::<f64>().powi(2)).sum()
            })
            .collect();
        for engine in engines() {
            let found = engine.row_squares(&case.x, &t, r).expect("shapes agree");
            close(&found, &truth, &size, &format!("{} {engine:?}", case.name));
        }
    }
}

#[test]
fn the_triangular_factor_is_a_root_of_the_gram_matrix() {
    for case in cases() {
        let w: Vec<f64> = Random(2).vector(case.n).iter().map(|x| x.abs()).collect();
        for engine in engines() {
            let w = HostArray::vector(w.clone());
            let gram = engine.gram(&case.x, &w).expect("shapes agree").to_vec();
            let r = engine.triangular_factor(&case.x, &w).expect("shapes agree");
            let p = case.p;
            for i in 0..p {
                assert!((0..i).all(|j| r[i * p + j] == 0.0), "below the diagonal");
                for j in 0..p {
                    let product: f64 = (0..p).map(|k| r[k * p + i] * r[k * p + j]).sum();
                    let size = (gram[i * p + i] * gram[j * p + j]).sqrt();
                    let error = (product - gram[i * p + j]).abs();
                    assert!(
                        error <= ROUNDING * size.max(f64::MIN_POSITIVE),
                        "{} {i} {j}: {error}",
                        case.name
                    );
                }
            }
        }
    }
}

struct Mixed;
impl Formula<2, 2> for Mixed {
    fn eval<N: Number>(&self, [a, b]: [N; 2]) -> [N; 2] {
        [a.clone() * b.clone() + a.clone().exp(), N::select(&a.less(&b), a, b)]
    }
}

#[test]
fn map_broadcasts_and_agrees_with_plain_evaluation() {
    for n in [1, 63, 64, 65, 5000] {
        let (a, b) = (Random(1).vector(n), Random(2).vector(n));
        for engine in engines() {
            let arrays = [&HostArray::vector(a.clone()), &HostArray::vector(b.clone())];
            let [first, second] = engine.map(&Mixed, arrays).expect("shapes agree");
            let [scaled, _] = engine.map(&Mixed, [arrays[0], &HostArray::Scalar(0.5)]).expect("shapes agree");
            let truth: Vec<[f64; 2]> = a.iter().zip(&b).map(|(a, b)| Mixed.eval([*a, *b])).collect();
            let size = vec![4.0; n];
            close(&first, &truth.iter().map(|t| t[0]).collect::<Vec<_>>(), &size, "first");
            assert_eq!(second.to_vec(), truth.iter().map(|t| t[1]).collect::<Vec<_>>());
            let halves: Vec<f64> = a.iter().map(|a| Mixed.eval([*a, 0.5])[0]).collect();
            close(&scaled, &halves, &size, "scaled");
        }
    }
    let [a, b] =
        Host::default().map(&Mixed, [&HostArray::Scalar(1.0), &HostArray::Scalar(2.0)]).expect("scalars");
    assert_eq!([a.scalar_value(), b.scalar_value()], [2.0 + 1_f64.exp(), 1.0]);
    let short = HostArray::vector(vec![1.0; 3]);
    assert!(Host::default().map(&Mixed, [&short, &HostArray::vector(vec![1.0; 4])]).is_err());
}

#[test]
fn a_sum_loses_no_more_than_rounding() {
    for n in [1, 31, 32, 33, 1000, 100_003] {
        let v: Vec<f64> = Random(3).vector(n).iter().map(|x| x + 1.0).collect();
        let mut exact = isostat_linalg::dd::Dd::default();
        v.iter().for_each(|x| exact = exact.add_product(*x, 1.0));
        let found = Host::default().sum(&HostArray::vector(v)).expect("a vector");
        close(&found, &[exact.value()], &[exact.value()], "sum");
    }
    assert_eq!(Host::default().sum(&HostArray::Scalar(3.0)).expect("a scalar").scalar_value(), 3.0);
}
