//! The model matrix of every GLM case that R has fitted, from its formula and its CSV file.
mod support;

use isostat_data::{Block, DesignOptions, Formula, ModelSpec, NaPolicy, Response};
use serde_json::Value;
use support::{assert_columns, csv, difference, json, numbers, strings, BASIS, EXPRESSION};

/// `glm(FORMULA, …)` or `glm.nb(FORMULA, …)`: the text up to the first comma that no bracket holds.
fn formula_of(call: &str) -> &str {
    let start = call.find('(').unwrap() + 1;
    let mut depth = 0;
    for (i, c) in call[start..].char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            ',' if depth == 0 => return &call[start..start + i],
            _ => {}
        }
    }
    panic!("no formula in {call}");
}

/// The value of `weights = …`, where it names one column.
fn weights_of(call: &str) -> Option<&str> {
    let after = call.split("weights = ").nth(1)?;
    after.split([',', ' ']).next()
}

fn row_major(matrix: &Value) -> (usize, Vec<f64>) {
    let rows: Vec<Vec<f64>> = matrix.as_array().unwrap().iter().map(numbers).collect();
    let columns = (0..rows[0].len()).flat_map(|c| rows.iter().map(move |row| row[c])).collect();
    (rows.len(), columns)
}

fn check(id: &str) {
    let case = json(&format!("cases/{id}.json"));
    let call = case["r_call"].as_str().unwrap();
    let mut frame = csv(case["data"].as_str().unwrap()).frame(&case["columns"]);
    if call.contains("subset(d, Species != \"virginica\")") {
        let species = csv(case["data"].as_str().unwrap());
        let at = species.header.iter().position(|h| h == "Species").unwrap();
        let rows: Vec<usize> = (0..frame.n_rows()).filter(|&r| species.rows[r][at] != "virginica").collect();
        frame = frame.take(&rows);
    }
    let text = formula_of(call);
    let extra_columns = weights_of(call).map(str::to_string).into_iter().collect();
    let options = DesignOptions { na: NaPolicy::Drop, extra_columns, ..DesignOptions::default() };
    let formula = Formula::parse(text).unwrap_or_else(|e| panic!("{id}: {e}"));
    let (_, design) = ModelSpec::learn(&formula, &frame, &options).unwrap_or_else(|e| panic!("{id}: {e}"));
    let result = &case["result"];
    let names = strings(&result["coef_names"]);
    let (n_rows, values) = row_major(&result["model_matrix"]);
    assert_eq!(design.n_rows, n_rows, "{id}");
    let is_basis = case["columns"].as_object().unwrap().values().any(|c| c["type"] == "ordered");
    assert_columns(id, &design, &names, &values, if is_basis { BASIS } else { EXPRESSION });
    let response = match design.response.as_ref().unwrap() {
        Response::Vector { values, .. } => values.clone(),
        // R reports the proportion of successes, 0 where there was no trial.
        Response::TwoColumn { successes, failures } => {
            let proportion = |(s, f): (&f64, &f64)| if s + f == 0.0 { 0.0 } else { s / (s + f) };
            successes.iter().zip(failures).map(proportion).collect()
        }
    };
    assert!(difference(&response, &numbers(&result["response"])) <= EXPRESSION, "{id}: response");
    if let Some(offset) = &design.offset {
        assert!(difference(offset, &numbers(&result["offset"])) <= EXPRESSION, "{id}: offset");
    }
}

#[test]
fn every_case_gives_the_matrix_of_r() {
    let index = json("index.json");
    let ids: Vec<&str> = index.as_array().unwrap().iter().map(|case| case["id"].as_str().unwrap()).collect();
    assert!(ids.len() > 50, "the index has {} cases", ids.len());
    let failed: Vec<&&str> =
        ids.iter().filter(|id| std::panic::catch_unwind(|| check(id)).is_err()).collect();
    assert!(failed.is_empty(), "{failed:?}");
}

#[test]
fn a_main_effect_of_many_levels_stays_codes() {
    let case = json("cases/glm_gaussian_noint_chickwts.json");
    let frame = csv("data/chickwts.csv").frame(&case["columns"]);
    let formula = Formula::parse("weight ~ feed").unwrap();
    let (_, design) = ModelSpec::learn(&formula, &frame, &DesignOptions::default()).unwrap();
    let [Block::Dense { names, .. }, Block::Categorical { column_of_level, n_levels, .. }] =
        design.blocks.as_slice()
    else {
        panic!("{:?}", design.blocks);
    };
    assert_eq!(names, &["(Intercept)"]);
    assert_eq!(*n_levels, 6);
    assert_eq!(column_of_level, &[None, Some(0), Some(1), Some(2), Some(3), Some(4)]);
}
