//! R's model matrices for many formulas over one mixed frame: names exactly, values to rounding.
mod support;

use isostat_data::{BuildOptions, Column, DesignOptions, Formula, Frame, ModelSpec, NaPolicy, Response};
use serde_json::Value;
use support::{assert_columns, categorical, difference, json, numbers, strings, BASIS, EXPRESSION};

fn column(described: &Value) -> Column {
    let values = described["values"].as_array().unwrap();
    let labels: Vec<Option<&str>> = values.iter().map(Value::as_str).collect();
    match described["kind"].as_str().unwrap() {
        "text" => Column::text_optional(&labels),
        "logical" => Column::boolean_optional(&values.iter().map(Value::as_bool).collect::<Vec<_>>()),
        "numeric" => Column::float_optional(&values.iter().map(Value::as_f64).collect::<Vec<_>>()),
        kind => categorical(&labels, &strings(&described["levels"]), kind == "ordered"),
    }
}

fn frame(columns: &Value) -> Frame {
    let columns = columns.as_array().unwrap();
    Frame::new(
        columns.iter().map(|c| (c["name"].as_str().unwrap().to_string(), column(&c["column"]))).collect(),
    )
    .unwrap()
}

fn tolerance(formula: &str) -> f64 {
    // Ordered factors are coded by orthogonal polynomials, too.
    let is_basis = ["poly", "bs(", "ns(", "o", "ordered"].iter().any(|word| formula.contains(word));
    if is_basis {
        BASIS
    } else {
        EXPRESSION
    }
}

fn response_values(response: &Option<Response>) -> Vec<f64> {
    match response {
        None => Vec::new(),
        Some(Response::Vector { values, .. }) => values.clone(),
        Some(Response::TwoColumn { successes, failures }) => [successes.as_slice(), failures].concat(),
    }
}

#[test]
fn every_formula_gives_the_matrix_of_r() {
    let reference = json("formula.json");
    let frame = frame(&reference["columns"]);
    let options = DesignOptions { na: NaPolicy::Drop, ..DesignOptions::default() };
    let cases = reference["cases"].as_array().unwrap();
    let mut failures = Vec::new();
    for case in cases {
        let text = case["formula"].as_str().unwrap();
        let outcome = std::panic::catch_unwind(|| check(text, case, &frame, &options));
        if outcome.is_err() {
            failures.push(text);
        }
    }
    assert!(cases.len() > 100, "the reference has {} cases", cases.len());
    assert!(failures.is_empty(), "{} of {} fail: {failures:#?}", failures.len(), cases.len());
}

fn check(text: &str, case: &Value, frame: &Frame, options: &DesignOptions) {
    let formula = Formula::parse(text).unwrap_or_else(|e| panic!("{text}: {e}"));
    let (spec, design) = ModelSpec::learn(&formula, frame, options).unwrap_or_else(|e| panic!("{text}: {e}"));
    let names = strings(&case["names"]);
    let values = numbers(&case["values"]);
    assert_columns(text, &design, &names, &values, tolerance(text));
    assert_eq!(design.term_names, strings(&case["terms"]), "{text}");
    let assign: Vec<f64> = design.term_of_column.iter().map(|&t| t as f64).collect();
    assert_eq!(assign, numbers(&case["assign"]), "{text}");
    let rows: Vec<f64> = design.rows.iter().map(|&r| r as f64).collect();
    assert_eq!(rows, numbers(&case["rows"]), "{text}");
    let response = response_values(&design.response);
    if let Value::Null = case["response"] {
        assert!(response.is_empty(), "{text}");
    } else {
        assert!(difference(&response, &numbers(&case["response"])) <= EXPRESSION, "{text}");
        let is_pair = matches!(design.response, Some(Response::TwoColumn { .. }));
        assert_eq!(is_pair, case["n_responses"] == 2, "{text}");
    }
    match (&design.offset, &case["offset"]) {
        (None, Value::Null) => {}
        (Some(ours), theirs) => assert!(difference(ours, &numbers(theirs)) <= EXPRESSION, "{text}"),
        (None, _) => panic!("{text}: the offset is lost"),
    }
    // Saved, read and built again, on the same rows and on some of them, the columns have the same bits.
    let again = ModelSpec::from_json(&spec.to_json().unwrap()).unwrap();
    let request = BuildOptions { na: NaPolicy::Drop, with_response: true, ..BuildOptions::default() };
    assert_eq!(again.build(frame, &request).unwrap(), design, "{text}");
    let some: Vec<usize> = design.rows.iter().copied().filter(|r| r % 4 == 1).collect();
    let part =
        again.build(&frame.take(&some), &BuildOptions::default()).unwrap_or_else(|e| panic!("{text}: {e}"));
    assert_eq!(part.coef_names, design.coef_names, "{text}");
    let (all, part_values) = (design.to_dense(), part.to_dense());
    for c in 0..design.n_columns() {
        for (i, row) in some.iter().enumerate() {
            let at = design.rows.iter().position(|r| r == row).unwrap();
            let (a, b) = (part_values[c * some.len() + i], all[c * design.n_rows + at]);
            assert!(a.to_bits() == b.to_bits() || a == b, "{text}: {a} {b}");
        }
    }
}

#[test]
fn new_data_give_the_matrix_of_r() {
    let reference = json("formula.json");
    let (training, new) = (frame(&reference["columns"]), frame(&reference["new_columns"]));
    for case in reference["predictions"].as_array().unwrap() {
        let text = case["formula"].as_str().unwrap();
        let options = DesignOptions { na: NaPolicy::Drop, ..DesignOptions::default() };
        let (spec, _) = ModelSpec::learn(&Formula::parse(text).unwrap(), &training, &options).unwrap();
        let design = spec.build(&new, &BuildOptions::default()).unwrap_or_else(|e| panic!("{text}: {e}"));
        assert_columns(text, &design, &strings(&case["names"]), &numbers(&case["values"]), tolerance(text));
    }
}
