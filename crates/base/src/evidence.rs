//! The record of what ran. A conversion or a fallback takes `&mut Evidence`, so a silent one does not compile.
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// An array that changed its namespace, dtype or device on the way.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Conversion {
    /// What was converted.
    pub what: String,
    /// From where: namespace, dtype, device.
    pub from: String,
    /// To where.
    pub to: String,
    /// Size in bytes.
    pub bytes: usize,
}

/// Something that ran instead of what was asked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fallback {
    /// What was asked.
    pub asked: String,
    /// What ran.
    pub ran: String,
    /// Why.
    pub why: String,
}

/// A phase of the work, with its passes over the data and its seconds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Phase {
    /// Name of the phase.
    pub name: String,
    /// Passes over the rows; those that only shorten a step are not counted.
    pub passes: usize,
    /// Seconds, by the caller's clock.
    pub seconds: f64,
}

/// What the data were.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fingerprint {
    /// Rows used.
    pub rows: usize,
    /// Columns of the design.
    pub columns: usize,
    /// Hash of response, weights, offset and design; empty where the values were not read (tracing).
    pub hash: String,
}

/// The evidence of one fit.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Evidence {
    /// Version of this record's layout.
    pub schema: u32,
    /// Engine that did the arithmetic.
    pub engine: String,
    /// Device.
    pub device: String,
    /// dtype of the arrays.
    pub dtype: String,
    /// Precision policy.
    pub precision: String,
    /// Backend that spread the blocks.
    pub backend: String,
    /// Workers or threads.
    pub workers: usize,
    /// Instruction set of the host kernels, where they ran.
    pub simd: String,
    /// Phases in order.
    pub phases: Vec<Phase>,
    /// Conversions in order.
    pub conversions: Vec<Conversion>,
    /// Fallbacks in order.
    pub fallbacks: Vec<Fallback>,
    /// What was checked, counted or decided, in words.
    pub notes: Vec<String>,
    /// Versions of everything used.
    pub versions: BTreeMap<String, String>,
    /// Seeds by purpose.
    pub seeds: BTreeMap<String, u64>,
    /// The data.
    pub data: Fingerprint,
    /// Numbers of the certificate: score norm, Newton decrement, condition estimate, rank.
    pub certificate: BTreeMap<String, f64>,
    /// How it ended.
    pub status: String,
    /// Parity with the baseline, where it was asked for.
    pub parity: BTreeMap<String, f64>,
}

impl Evidence {
    /// The layout that this version writes.
    pub const SCHEMA: u32 = 1;

    /// An empty record.
    pub fn new(engine: impl Into<String>) -> Self {
        Evidence { schema: Self::SCHEMA, engine: engine.into(), ..Default::default() }
    }

    /// Records a conversion.
    pub fn convert(
        &mut self,
        what: impl Into<String>,
        from: impl Into<String>,
        to: impl Into<String>,
        bytes: usize,
    ) {
        self.conversions.push(Conversion { what: what.into(), from: from.into(), to: to.into(), bytes });
    }

    /// Records a fallback.
    pub fn fall_back(&mut self, asked: impl Into<String>, ran: impl Into<String>, why: impl Into<String>) {
        self.fallbacks.push(Fallback { asked: asked.into(), ran: ran.into(), why: why.into() });
    }

    /// Records a phase.
    pub fn phase(&mut self, name: impl Into<String>, passes: usize, seconds: f64) {
        self.phases.push(Phase { name: name.into(), passes, seconds });
    }

    /// Records a remark.
    pub fn note(&mut self, text: impl Into<String>) {
        self.notes.push(text.into());
    }

    /// The record as JSON.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_else(|e| format!("{{\"error\": \"{e}\"}}"))
    }
}
