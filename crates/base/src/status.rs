//! How a fit ended. Not converging is an answer, with a remedy.
use std::fmt;

use serde::{Deserialize, Serialize};

/// The ending of a fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// The certificate holds: score, Newton decrement and rank.
    Converged,
    /// The budget of iterations ran out.
    IterationLimit,
    /// The optimum lies on the boundary of a parameter.
    Boundary,
    /// A hyperplane separates the responses completely.
    Separation,
    /// A hyperplane separates some responses.
    QuasiSeparation,
    /// The information matrix cannot be inverted.
    Singular,
    /// The data do not determine the parameters.
    NotIdentifiable,
    /// The likelihood rises towards infinite parameters.
    InfiniteMle,
    /// No step improves the objective, yet the certificate does not hold.
    Stalled,
}

impl Status {
    /// The name, as Python and JSON give it.
    pub fn name(self) -> &'static str {
        match self {
            Status::Converged => "converged",
            Status::IterationLimit => "iteration_limit",
            Status::Boundary => "boundary",
            Status::Separation => "separation",
            Status::QuasiSeparation => "quasi_separation",
            Status::Singular => "singular",
            Status::NotIdentifiable => "not_identifiable",
            Status::InfiniteMle => "infinite_mle",
            Status::Stalled => "stalled",
        }
    }

    /// Whether the estimate may be used as a maximum.
    pub fn is_converged(self) -> bool {
        matches!(self, Status::Converged | Status::Boundary)
    }

    /// What to do about it; empty for [`Status::Converged`].
    pub fn remedy(self) -> &'static str {
        match self {
            Status::Converged => "",
            Status::IterationLimit => "raise max_iter, or give start values",
            Status::Boundary => {
                "the boundary value is the estimate; the simpler model that it names fits as well"
            }
            Status::Separation | Status::QuasiSeparation => {
                "drop or merge the separating columns or levels, or collect rows that overlap"
            }
            Status::Singular => "drop columns that carry the same information",
            Status::NotIdentifiable => "drop parameters that the data do not determine",
            Status::InfiniteMle => {
                "the maximum lies at infinity: drop the columns that it names, or merge empty cells"
            }
            Status::Stalled => "rescale or centre extreme columns, or give start values",
        }
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
