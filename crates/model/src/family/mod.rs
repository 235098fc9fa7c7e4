//! The list of families: one file and one line each.
use isostat_number::Number;

use crate::link::AnyLink;
use crate::mean::{Mean, Range};

/// What a family says of one response that it cannot have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Support {
    /// Any real.
    Real,
    /// `y > 0`.
    Positive,
    /// `y >= 0`.
    NonNegative,
    /// `0 <= y <= 1`.
    Unit,
}

impl Support {
    /// The rule, as a predicate.
    pub fn rule(self) -> &'static str {
        match self {
            Support::Real => "be finite",
            Support::Positive => "be positive and finite",
            Support::NonNegative => "be 0 or more and finite",
            Support::Unit => "lie between 0 and 1",
        }
    }

    /// 0 where the response is inside, 1 where it is outside or not finite.
    #[inline(always)]
    pub fn violation<N: Number>(self, y: N) -> N {
        let (zero, one) = (N::literal(0.0), N::literal(1.0));
        let finite = N::and(&y.less(&N::literal(f64::INFINITY)), &N::literal(f64::NEG_INFINITY).less(&y));
        let inside = match self {
            Support::Real => finite,
            Support::Positive => N::and(&finite, &zero.less(&y)),
            Support::NonNegative => N::and(&finite, &zero.less_equal(&y)),
            Support::Unit => N::and(&zero.less_equal(&y), &y.less_equal(&one)),
        };
        N::select(&inside, zero, one)
    }
}

/// How a family's dispersion enters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dispersion {
    /// It is 1: Poisson, binomial.
    Fixed,
    /// Estimated; the likelihood takes `deviance / number of rows with weight`: Gaussian.
    PerRow,
    /// Estimated; the likelihood takes `deviance / sum of weights`: gamma, inverse Gaussian.
    PerWeight,
    /// Estimated; the likelihood takes its own maximum over the dispersion: Tweedie.
    Maximised,
    /// Estimated for standard errors, while the likelihood knows none: quasi families, fixed-theta negative binomial.
    Outside,
}

impl Dispersion {
    /// Whether standard errors are scaled by an estimate.
    pub fn is_free(self) -> bool {
        self != Dispersion::Fixed
    }
    /// Whether the likelihood counts the dispersion as a parameter.
    pub fn counts(self) -> bool {
        matches!(self, Dispersion::PerRow | Dispersion::PerWeight | Dispersion::Maximised)
    }
}

/// An exponential dispersion family: `Var(y) = phi V(mu) / w`.
pub trait Family: Clone + Send + Sync + 'static {
    /// Name, as `family=` takes it and summaries print it.
    fn name(&self) -> String;

    /// The family that a key of [`AnyFamily::parse`] means, in lower case with underscores; `None` for another's.
    /// Parameters that a name leaves open are estimated.
    fn by_name(key: &str) -> Option<Self>;

    /// The means that exist.
    fn mean_range(&self) -> Range;

    /// The responses that exist.
    fn support(&self) -> Support;

    /// The link used unless another is named.
    fn default_link(&self) -> AnyLink;

    /// The link whose observed and expected information agree.
    fn canonical_link(&self) -> Option<AnyLink>;

    /// How the dispersion enters.
    fn dispersion(&self) -> Dispersion;

    /// `V(mu)`.
    fn variance<N: Number>(&self, m: &Mean<N>) -> N;

    /// The deviance of one row with weight 1: `2 (ℓ(y; y) - ℓ(y; mu))` in units of the dispersion.
    fn unit_deviance<N: Number>(&self, y: N, m: &Mean<N>) -> N;

    /// The log-likelihood of one row with prior weight `w` and dispersion `phi`; NaN for quasi families.
    fn log_density<N: Number>(&self, y: N, m: &Mean<N>, w: N, phi: N) -> N;

    /// `y - mu`.
    #[inline(always)]
    fn residual<N: Number>(&self, y: N, m: &Mean<N>) -> N {
        y - m.mu.clone()
    }

    /// A mean near `y`, inside the range: where the iteration starts.
    fn start<N: Number>(&self, y: N, w: N) -> N;

    /// Whether responses are counts or trials, so that a non-integer deserves a remark.
    fn is_discrete(&self) -> bool {
        false
    }
}

macro_rules! families {
    ($($module:ident :: $name:ident at [$($example:expr),+ $(,)?]),+ $(,)?) => {
        $(pub mod $module; pub use $module::$name;)+

        /// Any family of the list.
        #[derive(Clone, Debug, PartialEq)]
        pub enum AnyFamily { $(#[doc = concat!("[`", stringify!($name), "`].")] $name($name)),+ }

        impl AnyFamily {
            /// One of each, at the parameters where its laws run.
            pub fn examples() -> Vec<AnyFamily> {
                vec![$($(AnyFamily::$name($example)),+),+]
            }
        }

        impl Family for AnyFamily {
            fn name(&self) -> String {
                match self { $(AnyFamily::$name(f) => f.name()),+ }
            }
            fn by_name(key: &str) -> Option<Self> {
                None$(.or_else(|| $name::by_name(key).map(AnyFamily::$name)))+
            }
            fn mean_range(&self) -> Range {
                match self { $(AnyFamily::$name(f) => f.mean_range()),+ }
            }
            fn support(&self) -> Support {
                match self { $(AnyFamily::$name(f) => f.support()),+ }
            }
            fn default_link(&self) -> AnyLink {
                match self { $(AnyFamily::$name(f) => f.default_link()),+ }
            }
            fn canonical_link(&self) -> Option<AnyLink> {
                match self { $(AnyFamily::$name(f) => f.canonical_link()),+ }
            }
            fn dispersion(&self) -> Dispersion {
                match self { $(AnyFamily::$name(f) => f.dispersion()),+ }
            }
            #[inline(always)]
            fn variance<N: Number>(&self, m: &Mean<N>) -> N {
                match self { $(AnyFamily::$name(f) => f.variance(m)),+ }
            }
            #[inline(always)]
            fn unit_deviance<N: Number>(&self, y: N, m: &Mean<N>) -> N {
                match self { $(AnyFamily::$name(f) => f.unit_deviance(y, m)),+ }
            }
            #[inline(always)]
            fn log_density<N: Number>(&self, y: N, m: &Mean<N>, w: N, phi: N) -> N {
                match self { $(AnyFamily::$name(f) => f.log_density(y, m, w, phi)),+ }
            }
            #[inline(always)]
            fn residual<N: Number>(&self, y: N, m: &Mean<N>) -> N {
                match self { $(AnyFamily::$name(f) => f.residual(y, m)),+ }
            }
            #[inline(always)]
            fn start<N: Number>(&self, y: N, w: N) -> N {
                match self { $(AnyFamily::$name(f) => f.start(y, w)),+ }
            }
            fn is_discrete(&self) -> bool {
                match self { $(AnyFamily::$name(f) => f.is_discrete()),+ }
            }
        }
    };
}

families! {
    gaussian::Gaussian at [Gaussian],
    binomial::Binomial at [Binomial],
    poisson::Poisson at [Poisson],
    gamma::Gamma at [Gamma],
    inverse_gaussian::InverseGaussian at [InverseGaussian],
    negative_binomial::NegativeBinomial at [NegativeBinomial::with_theta(1.7), NegativeBinomial::with_theta(40.0)],
    tweedie::Tweedie at [Tweedie::with_power(1.5), Tweedie::with_power(1.2)],
    quasi::Quasi at [
        Quasi::poisson(), Quasi::binomial(), Quasi::of(quasi::Variance::MuSquared),
        Quasi::of(quasi::Variance::Constant), Quasi::of(quasi::Variance::MuCubed),
    ],
}

mod parse;
mod ratio;
