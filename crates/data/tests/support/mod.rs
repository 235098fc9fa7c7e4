//! What the tests share: tolerances, reading of reference files, frames made of them.
#![allow(dead_code)]
use std::path::PathBuf;

use isostat_data::{Column, Design, Frame, MISSING};
use serde_json::Value;

/// Rounding of a handful of operations, relative to the size of the column.
pub const EXPRESSION: f64 = 1e-12;
/// Two ways to the same orthogonal polynomials or splines (recurrence here, QR in R).
pub const BASIS: f64 = 1e-10;

/// The folder of R's answers.
pub fn reference() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../reference/r")
}

/// A JSON file of that folder.
pub fn json(path: &str) -> Value {
    let path = reference().join(path);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    serde_json::from_str(&text).unwrap()
}

pub fn strings(value: &Value) -> Vec<String> {
    value.as_array().unwrap().iter().map(|v| v.as_str().unwrap().to_string()).collect()
}

pub fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|v| v.as_f64().unwrap_or(f64::NAN)).collect()
}

/// A factor with the given order of levels.
pub fn categorical(labels: &[Option<&str>], levels: &[String], ordered: bool) -> Column {
    let code = |label: &Option<&str>| match label {
        None => MISSING,
        Some(label) => levels.iter().position(|l| l == label).unwrap() as u32,
    };
    let codes: Vec<u32> = labels.iter().map(code).collect();
    Column::categorical(codes, levels.to_vec(), ordered).unwrap()
}

/// The greatest difference of two columns, relative to the greatest number of the second.
pub fn difference(ours: &[f64], theirs: &[f64]) -> f64 {
    assert_eq!(ours.len(), theirs.len());
    let scale = theirs.iter().fold(f64::MIN_POSITIVE, |m, v| m.max(v.abs()));
    let worst =
        ours.iter()
            .zip(theirs)
            .map(|(a, b)| (a - b).abs())
            .fold(0.0, |m: f64, d| if d >= m { d } else { d.max(m) });
    assert!(ours.iter().all(|v| v.is_finite()), "{ours:?}");
    worst / scale
}

/// Every column of a design against R's, which is column-major.
pub fn assert_columns(case: &str, design: &Design, names: &[String], values: &[f64], tolerance: f64) {
    assert_eq!(design.coef_names, names, "{case}");
    let ours = design.to_dense();
    assert_eq!(ours.len(), values.len(), "{case}");
    let n = design.n_rows;
    for (c, name) in names.iter().enumerate() {
        let d = difference(&ours[c * n..(c + 1) * n], &values[c * n..(c + 1) * n]);
        assert!(d <= tolerance, "{case}: column {name} differs by {d:e}");
    }
}

/// A CSV file without quotes, as R writes with `quote = FALSE`.
pub struct Csv {
    pub header: Vec<String>,
    pub rows: Vec<Vec<String>>,
}

pub fn csv(path: &str) -> Csv {
    let text = std::fs::read_to_string(reference().join(path)).unwrap();
    let mut lines = text.lines().map(|l| l.split(',').map(str::to_string).collect::<Vec<_>>());
    let header = lines.next().unwrap();
    Csv { header, rows: lines.collect() }
}

impl Csv {
    /// A frame by the description of the columns that a case gives.
    pub fn frame(&self, columns: &Value) -> Frame {
        let columns = self.header.iter().enumerate().map(|(c, name)| {
            let cells: Vec<Option<&str>> =
                self.rows.iter().map(|row| (row[c] != "NA").then_some(row[c].as_str())).collect();
            let described = &columns[name];
            let column = match described["type"].as_str().unwrap() {
                kind @ ("factor" | "ordered") => {
                    categorical(&cells, &strings(&described["levels"]), kind == "ordered")
                }
                "logical" => Column::boolean_optional(
                    &cells.iter().map(|v| v.map(|v| v == "TRUE")).collect::<Vec<_>>(),
                ),
                _ => Column::float_optional(
                    &cells.iter().map(|v| v.map(|v| v.parse().unwrap())).collect::<Vec<Option<f64>>>(),
                ),
            };
            (name.clone(), column)
        });
        Frame::new(columns.collect()).unwrap()
    }
}
