//! Large data start at the answer of a part of their rows: the answer stays, whatever the part holds.
use std::sync::Arc;

use isostat_base::{Evidence, Status};
use isostat_engine::host::{Block, Design, Host, HostArray, View};
use isostat_engine::Rows;
use isostat_fit::{fit, Fitted, Names, Options};
use isostat_model::family::Poisson;
use isostat_model::link::Log;
use isostat_model::row::Glm;
use isostat_testkit::{close, SOLVER};

/// Enough rows for a warm start of two columns.
const ROWS: usize = 60_000;

/// A Poisson regression on an indicator: its maximum is the mean of each group. Counts cycle, so means are exact.
fn groups(
    is_in_group: impl Fn(usize) -> bool,
    start: Option<Vec<f64>>,
) -> (Fitted<HostArray>, Evidence, [f64; 2]) {
    let indicator: Vec<f64> = (0..ROWS).map(|i| f64::from(u8::from(is_in_group(i)))).collect();
    let y: Vec<f64> = (0..ROWS).map(|i| (i % 5) as f64 + 3.0 * indicator[i]).collect();
    let mean = |group: f64| {
        let inside: Vec<f64> = (0..ROWS).filter(|i| indicator[*i] == group).map(|i| y[i]).collect();
        inside.iter().sum::<f64>() / inside.len() as f64
    };
    let truth = [mean(0.0).ln(), (mean(1.0) / mean(0.0)).ln()];
    let view = View::matrix(Arc::new(indicator), 0, [ROWS, 1], [1, 1]).expect("fits");
    let blocks = vec![Block::Ones(ROWS), Block::Dense(view)];
    let x = HostArray::design(Design::from_blocks(blocks).expect("rows agree"));
    let rows =
        Rows { y: HostArray::vector(y), weights: HostArray::Scalar(1.0), offset: HostArray::Scalar(0.0) };
    let options = Options { start, ..Options::new(Names::of_arrays(vec!["a".into(), "b".into()])) };
    let mut evidence = Evidence::new("host");
    let glm = Glm { family: Poisson, link: Log };
    let found = fit(&Host::default(), &glm, &x, &rows, &options, &mut evidence).expect("accepted");
    (found, evidence, truth)
}

fn is_warm(evidence: &Evidence) -> bool {
    evidence.notes.iter().any(|note| note.contains("one row in twenty"))
}

fn check(found: &Fitted<HostArray>, truth: [f64; 2]) {
    assert_eq!(found.status, Status::Converged);
    close(found.coef[0], truth[0], SOLVER).expect("first group");
    close(found.coef[1], truth[1], SOLVER).expect("ratio of the groups");
}

#[test]
fn sorted_rows_are_in_the_part_as_well() {
    let (found, evidence, truth) = groups(|i| i >= ROWS / 3, None);
    assert!(is_warm(&evidence));
    check(&found, truth);
}

#[test]
fn a_group_outside_the_part_falls_back_to_the_usual_start() {
    let (found, evidence, truth) = groups(|i| i >= ROWS - 10, None);
    assert!(!is_warm(&evidence));
    check(&found, truth);
}

#[test]
fn start_values_of_the_caller_come_first() {
    let (found, evidence, truth) = groups(|i| i % 2 == 0, Some(vec![0.5, 0.5]));
    assert!(!is_warm(&evidence));
    check(&found, truth);
}

#[test]
fn passes_are_counted() {
    let (_, evidence, _) = groups(|i| i % 3 == 0, None);
    let passes: Vec<usize> = evidence.phases.iter().map(|phase| phase.passes).collect();
    // One at the warm start, at least one after a step, and no more than Newton's method needs from there.
    assert_eq!(passes[0], 1);
    assert!((1..=4).contains(&passes[1]) && passes[2] <= 1, "{passes:?}");
}
