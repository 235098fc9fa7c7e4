//! The list of links: one file and one line each.
use isostat_base::Error;
use isostat_number::{Dual, Number};

use crate::mean::{Mean, Range};

/// A link `g` with `eta = g(mu)`.
///
/// Derivatives come from [`Link::inverse`] by dual numbers; an override, for speed, passes the same laws.
pub trait Link: Clone + Send + Sync + 'static {
    /// Name, as `link=` takes it.
    fn name(&self) -> String;

    /// The means that the inverse reaches.
    fn image(&self) -> Range;

    /// `eta = g(mu)`.
    fn forward<N: Number>(&self, m: &Mean<N>) -> N;

    /// `mu = g⁻¹(eta)`; NaN where `eta` is outside the link's domain.
    fn inverse<N: Number>(&self, eta: N) -> N;

    /// `1 - mu`, accurate where it is small.
    #[inline(always)]
    fn complement<N: Number>(&self, eta: N) -> N {
        N::literal(1.0) - self.inverse(eta)
    }

    /// `mu` and `dmu/deta`.
    #[inline(always)]
    fn inverse_with_slope<N: Number>(&self, eta: N) -> (N, N) {
        let Dual { value, slope: [slope] } = self.inverse(Dual::<N, 1>::variable(eta, 0));
        (value, slope)
    }

    /// Whether `mu` falls as `eta` rises.
    fn is_decreasing(&self) -> bool {
        false
    }
}

macro_rules! links {
    ($($module:ident :: $name:ident at [$($example:expr),+ $(,)?]),+ $(,)?) => {
        $(pub mod $module; pub use $module::$name;)+

        /// Any link of the list.
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub enum AnyLink { $(#[doc = concat!("[`", stringify!($name), "`].")] $name($name)),+ }

        impl AnyLink {
            /// One of each, at the parameters where its laws run.
            pub fn examples() -> Vec<AnyLink> {
                vec![$($(AnyLink::$name($example)),+),+]
            }
        }

        impl Link for AnyLink {
            fn name(&self) -> String {
                match self { $(AnyLink::$name(l) => l.name()),+ }
            }
            fn image(&self) -> Range {
                match self { $(AnyLink::$name(l) => l.image()),+ }
            }
            #[inline(always)]
            fn forward<N: Number>(&self, m: &Mean<N>) -> N {
                match self { $(AnyLink::$name(l) => l.forward(m)),+ }
            }
            #[inline(always)]
            fn inverse<N: Number>(&self, eta: N) -> N {
                match self { $(AnyLink::$name(l) => l.inverse(eta)),+ }
            }
            #[inline(always)]
            fn complement<N: Number>(&self, eta: N) -> N {
                match self { $(AnyLink::$name(l) => l.complement(eta)),+ }
            }
            #[inline(always)]
            fn inverse_with_slope<N: Number>(&self, eta: N) -> (N, N) {
                match self { $(AnyLink::$name(l) => l.inverse_with_slope(eta)),+ }
            }
            fn is_decreasing(&self) -> bool {
                match self { $(AnyLink::$name(l) => l.is_decreasing()),+ }
            }
        }
    };
}

links! {
    identity::Identity at [Identity],
    log::Log at [Log],
    logit::Logit at [Logit],
    probit::Probit at [Probit],
    cloglog::Cloglog at [Cloglog],
    loglog::Loglog at [Loglog],
    cauchit::Cauchit at [Cauchit],
    inverse::Inverse at [Inverse],
    inverse_square::InverseSquare at [InverseSquare],
    sqrt::Sqrt at [Sqrt],
    power::Power at [Power(2.0), Power(-0.5), Power(0.3)],
}

impl AnyLink {
    /// The link of a name.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for a name that is not in the list.
    pub fn parse(name: &str) -> Result<AnyLink, Error> {
        let key = name.trim().to_lowercase().replace(['-', '.', ' '], "_");
        if let Some(found) = Self::examples().into_iter().find(|l| l.name() == key) {
            return Ok(found);
        }
        match key.as_str() {
            "1/mu^2" => return Ok(AnyLink::InverseSquare(InverseSquare)),
            "inverse_squared" => return Ok(AnyLink::InverseSquare(InverseSquare)),
            "reciprocal" => return Ok(AnyLink::Inverse(Inverse)),
            _ => {}
        }
        let inner = name.trim().strip_prefix("power(").and_then(|rest| rest.strip_suffix(')'));
        if let Some(power) = inner.and_then(|p| p.trim().parse::<f64>().ok()) {
            return Self::power(power);
        }
        let names: Vec<String> =
            Self::examples().iter().map(Link::name).filter(|n| !n.contains('(')).collect();
        Err(Error::unsupported(
            format!("link \"{name}\""),
            "there is no link of that name",
            format!("use one of {}, power(p)", names.join(", ")),
        ))
    }

    /// The power link `mu^p`; the identity at 1, the logarithm at 0.
    ///
    /// # Errors
    /// [`Error::Domain`] where the power is not finite.
    pub fn power(power: f64) -> Result<AnyLink, Error> {
        match power {
            p if !p.is_finite() => Err(Error::domain("link power", "power", "be finite", p)),
            0.0 => Ok(AnyLink::Log(Log)),
            1.0 => Ok(AnyLink::Identity(Identity)),
            p => Ok(AnyLink::Power(Power(p))),
        }
    }
}
