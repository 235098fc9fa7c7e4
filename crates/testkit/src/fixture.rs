//! Reference answers under `reference/`, as the scripts beside them wrote them.
use std::path::{Path, PathBuf};

use isostat_base::{Error, Result};
use serde::de::DeserializeOwned;
use serde_json::Value;

/// The folder `reference/` of the repository.
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../reference")
}

/// Reads `reference/<name>`, such as `r/family.json`.
///
/// # Errors
/// [`Error::Unsupported`] where the file is absent or does not have the shape of `T`, naming the file.
pub fn fixture<T: DeserializeOwned>(name: &str) -> Result<T> {
    let path = folder().join(name);
    let text = std::fs::read_to_string(&path).map_err(|cause| refuse(name, &cause))?;
    serde_json::from_str(&text).map_err(|cause| refuse(name, &cause))
}

fn refuse(name: &str, cause: &dyn std::fmt::Display) -> Error {
    Error::unsupported(
        format!("fixture \"{name}\""),
        cause.to_string(),
        format!("write it again with the script of that name in {}", folder().display()),
    )
}

/// A number of a fixture: JSON's own, or a text for what JSON cannot say (`"inf"`, `"-inf"`, `"nan"`) or for more
/// digits than it keeps. `None` for anything else, null included.
pub fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Number(n) => n.as_f64(),
        Value::String(text) => text.parse().ok(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_to_the_last_bit() {
        let value: Value =
            serde_json::from_str("[0.69999999999999996, \"-inf\", \"nan\", null, 1e-300]").unwrap();
        let read: Vec<Option<f64>> = value.as_array().unwrap().iter().map(number).collect();
        assert_eq!(read[0], Some(0.7));
        assert_eq!(read[1], Some(f64::NEG_INFINITY));
        assert!(read[2].is_some_and(f64::is_nan));
        assert_eq!(read[3], None);
        assert_eq!(read[4], Some(1e-300));
    }

    #[test]
    fn an_absent_fixture_is_named() {
        let error = fixture::<Value>("nowhere/none.json").unwrap_err();
        assert!(error.to_string().contains("nowhere/none.json"), "{error}");
    }
}
