//! Families by name, and which links they take.
use isostat_base::Error;

use super::{AnyFamily, Family};
use crate::link::{AnyLink, Link, Log, Logit};
use crate::mean::Range;

impl AnyFamily {
    /// The family of a name; parameters that the name leaves open are estimated.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for a name that is not in the list.
    pub fn parse(name: &str) -> Result<AnyFamily, Error> {
        let key = name.trim().to_lowercase().replace(['-', '.', ' '], "_");
        Self::by_name(&key).ok_or_else(|| {
            let mut names: Vec<String> = Self::examples().iter().map(Family::name).collect();
            names.dedup();
            Error::unsupported(
                format!("family \"{name}\""),
                "there is no family of that name for a GLM",
                format!("use one of {}", names.join(", ")),
            )
        })
    }

    /// Checks that the means of `link` meet those of this family.
    ///
    /// A pair is refused where the link cannot reach means that the family has; the Gaussian, whose mean may be
    /// restricted at will, takes every link.
    ///
    /// # Errors
    /// [`Error::Unsupported`], naming the nearest link.
    pub fn check_link(&self, link: &AnyLink) -> Result<(), Error> {
        let range = self.mean_range();
        if range == Range::Real || link.image().contains(range) {
            return Ok(());
        }
        let nearest = match range {
            Range::Unit => AnyLink::Logit(Logit),
            _ => AnyLink::Log(Log),
        };
        Err(Error::unsupported(
            format!("family \"{}\" with link \"{}\"", self.name(), link.name()),
            format!("the link reaches {} only, the family has {}", link.image().words(), range.words()),
            format!("the nearest link is \"{}\"", nearest.name()),
        ))
    }
}
