//! Options from Python values.
use pyo3::prelude::*;

use isostat_base::Error;
use isostat_fit::{Names, Options, WeightsKind};
use isostat_model::family::{quasi::Variance, NegativeBinomial, Quasi, Tweedie};
use isostat_model::row::Glm;
use isostat_model::{AnyFamily, AnyLink, Family, Link};

/// Family and link: a name, or an object with `name` and parameters.
pub fn glm_of(
    family: &Bound<'_, PyAny>,
    link: Option<&Bound<'_, PyAny>>,
) -> PyResult<Result<Glm<AnyFamily, AnyLink>, Error>> {
    let (family, default_link) = match family_of(family)? {
        Ok(found) => found,
        Err(error) => return Ok(Err(error)),
    };
    let link = match link.map(link_of).transpose()? {
        Some(Ok(link)) => link,
        Some(Err(error)) => return Ok(Err(error)),
        None => default_link.unwrap_or_else(|| family.default_link()),
    };
    if let Err(error) = family.check_link(&link) {
        return Ok(Err(error));
    }
    Ok(Ok(Glm { family, link }))
}

fn family_of(family: &Bound<'_, PyAny>) -> PyResult<Result<(AnyFamily, Option<AnyLink>), Error>> {
    if let Ok(name) = family.extract::<String>() {
        return Ok(AnyFamily::parse(&name).map(|f| (f, None)));
    }
    let Ok(name) = family.getattr("name").and_then(|n| n.extract::<String>()) else {
        let found = family.get_type().name()?.to_string();
        return Ok(Err(Error::Dtype {
            parameter: "family".into(),
            expected: "a name or an object of isostat.families".into(),
            found,
            remedy: "use a name such as \"poisson\", or isostat.families".into(),
        }));
    };
    let number = |attribute: &str| -> PyResult<Option<f64>> {
        match family.getattr_opt(attribute)? {
            Some(value) if !value.is_none() => Ok(Some(value.extract()?)),
            _ => Ok(None),
        }
    };
    let text = |attribute: &str| -> PyResult<Option<String>> {
        match family.getattr_opt(attribute)? {
            Some(value) if !value.is_none() => Ok(Some(value.extract()?)),
            _ => Ok(None),
        }
    };
    let link = match text("link")?.map(|l| AnyLink::parse(&l)).transpose() {
        Ok(link) => link,
        Err(error) => return Ok(Err(error)),
    };
    let family = family_named(&name, number("theta")?, number("power")?, text("variance")?.as_deref());
    Ok(family.map(|family| (family, link)))
}

/// A family by name with the parameters that are given.
fn family_named(
    name: &str,
    theta: Option<f64>,
    power: Option<f64>,
    variance: Option<&str>,
) -> Result<AnyFamily, Error> {
    Ok(match (AnyFamily::parse(name)?, theta, power, variance) {
        (AnyFamily::NegativeBinomial(_), Some(theta), _, _) => {
            AnyFamily::NegativeBinomial(NegativeBinomial::with_theta(theta))
        }
        (AnyFamily::Tweedie(_), _, Some(power), _) => AnyFamily::Tweedie(Tweedie::with_power(power)),
        (AnyFamily::Quasi(_), _, _, Some(variance)) => match Variance::parse(variance) {
            Some(variance) => AnyFamily::Quasi(Quasi::of(variance)),
            None => {
                let rule = "be constant, mu, mu^2, mu^3 or mu(1-mu)";
                return Err(Error::domain("quasi", "variance", rule, format!("\"{variance}\"")));
            }
        },
        (family, ..) => family,
    })
}

/// Family and link by name and parameters, as a saved fit holds them.
pub fn glm_named(
    name: &str,
    theta: Option<f64>,
    power: Option<f64>,
    variance: Option<&str>,
    link: &str,
) -> Result<Glm<AnyFamily, AnyLink>, Error> {
    Ok(Glm { family: family_named(name, theta, power, variance)?, link: AnyLink::parse(link)? })
}

fn link_of(link: &Bound<'_, PyAny>) -> PyResult<Result<AnyLink, Error>> {
    if let Ok(name) = link.extract::<String>() {
        return Ok(AnyLink::parse(&name));
    }
    match link.getattr("name").and_then(|n| n.extract::<String>()) {
        Ok(name) => Ok(AnyLink::parse(&name)),
        Err(_) => Ok(Err(Error::Dtype {
            parameter: "link".into(),
            expected: "a name or an object of isostat.links".into(),
            found: link.get_type().name()?.to_string(),
            remedy: "use a name such as \"log\", or isostat.links".into(),
        })),
    }
}

/// The options that every entrance shares, as Python hands them over.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Shared {
    weights_kind: String,
    max_iter: usize,
    tol: f64,
    start: Option<Vec<f64>>,
    /// "fused" or "numpy" where the arrays are NumPy's.
    pub host: String,
    /// Threads of the host.
    pub threads: Option<usize>,
}

impl Shared {
    /// The options of the fit.
    pub fn options(&self, names: Names) -> Result<Options, Error> {
        let mut options = Options::new(names);
        options.weights_kind = WeightsKind::parse(&self.weights_kind)?;
        options.max_iter = self.max_iter;
        options.tol = self.tol;
        if let Some(start) = &self.start {
            let p = options.names.columns.len();
            if start.len() != p {
                let expected = format!("length {p}, one value for each coefficient");
                return Err(Error::shape(
                    &options.names.owner,
                    "start",
                    expected,
                    format!("length {}", start.len()),
                ));
            }
        }
        options.start = self.start.clone();
        Ok(options)
    }
}

/// What a link and a family are called, for Python.
pub fn named(glm: &Glm<AnyFamily, AnyLink>) -> (String, String) {
    (glm.family.name(), glm.link.name())
}

/// Refuses families whose parameters are still to be estimated: the pure form estimates coefficients alone.
pub fn require_given(glm: &Glm<AnyFamily, AnyLink>) -> Result<(), Error> {
    let open = match &glm.family {
        AnyFamily::NegativeBinomial(f) if f.is_estimated => "theta",
        AnyFamily::Tweedie(f) if f.is_estimated => "power",
        _ => return Ok(()),
    };
    Err(Error::unsupported(
        format!("family \"{}\" without {open}=", glm.family.name()),
        "the pure form estimates coefficients only",
        format!("give it: isostat.families.{}({open}=…), or use fit_glm", glm.family.name()),
    ))
}

/// A family as Python's families write it: (name, theta, power, variance).
pub fn given(glm: &Glm<AnyFamily, AnyLink>) -> (String, Option<f64>, Option<f64>, Option<&'static str>) {
    let name = glm.family.name();
    match &glm.family {
        AnyFamily::NegativeBinomial(f) => (name, Some(f.theta), None, None),
        AnyFamily::Tweedie(f) => (name, None, Some(f.power), None),
        AnyFamily::Quasi(f) => ("quasi".into(), None, None, Some(f.variance.name())),
        _ => (name, None, None, None),
    }
}
