//! What one row of a GLM contributes: the formulas that engines run, written once for every family and link.
use isostat_engine::{Formula, FormulaVisitor};
use isostat_number::{Dual, Number};

use crate::family::{AnyFamily, Family};
use crate::link::{AnyLink, Link};
use crate::mean::{Mean, Range};

/// A family with a link.
#[derive(Clone, Debug)]
pub struct Glm<F, L> {
    /// The family.
    pub family: F,
    /// The link.
    pub link: L,
}

impl<F: Family, L: Link> Glm<F, L> {
    /// The mean at `eta`, and its slope.
    #[inline(always)]
    pub fn mean_with_slope<N: Number>(&self, eta: N) -> (Mean<N>, N) {
        let (mu, slope) = self.link.inverse_with_slope(eta.clone());
        (self.with_complement(mu, eta), slope)
    }

    /// The mean at `eta`.
    #[inline(always)]
    pub fn mean<N: Number>(&self, eta: N) -> Mean<N> {
        let mu = self.link.inverse(eta.clone());
        self.with_complement(mu, eta)
    }

    #[inline(always)]
    fn with_complement<N: Number>(&self, mu: N, eta: N) -> Mean<N> {
        match self.family.mean_range() {
            Range::Unit => Mean { mu, complement: self.link.complement(eta) },
            _ => Mean::plain(mu),
        }
    }

    /// A mean that is known as a number alone.
    #[inline(always)]
    pub fn mean_of<N: Number>(&self, mu: N) -> Mean<N> {
        match self.family.mean_range() {
            Range::Unit => Mean::unit(mu),
            _ => Mean::plain(mu),
        }
    }

    /// Whether the observed information equals the expected one.
    pub fn is_canonical(&self) -> bool {
        self.family.canonical_link().is_some_and(|c| c.name() == self.link.name())
    }

    /// Whether every linear predictor gives a mean that the family has.
    pub fn is_range_safe(&self) -> bool {
        self.family.mean_range().contains(self.link.image())
    }

    /// `w (y - mu) (dmu/deta) / V`: the score of one row in units of the dispersion, with `dmu/deta / V` beside it.
    #[inline(always)]
    fn score<N: Number>(&self, y: N, w: N, eta: N) -> (Mean<N>, N, N, N) {
        let (m, slope) = self.mean_with_slope(eta);
        let variance = divisor(self.family.variance(&m));
        let ratio = w * slope.clone() / variance;
        let score = ratio.clone() * self.family.residual(y, &m);
        (m, slope, ratio, score)
    }

    /// The weighted deviance of one row; NaN where the mean left its range.
    #[inline(always)]
    fn deviance<N: Number>(&self, y: N, w: N, m: &Mean<N>) -> N {
        let value = w * self.family.unit_deviance(y, m);
        if self.is_range_safe() {
            value
        } else {
            value * self.family.mean_range().guard(m)
        }
    }
}

/// A variance to divide by. A mean that underflows to the edge of its range has weight 0, not 0/0: its slope has
/// underflowed as well, whatever the precision.
#[inline(always)]
fn divisor<N: Number>(variance: N) -> N {
    let is_spent = variance.less_equal(&N::literal(0.0));
    N::select(&is_spent, N::literal(1.0), variance)
}

/// Expected information: (y, w, η) → (W, weighted working residual, deviance).
#[derive(Clone, Debug)]
pub struct Fisher<F, L>(pub Glm<F, L>);

impl<F: Family, L: Link> Formula<3, 3> for Fisher<F, L> {
    #[inline(always)]
    fn eval<N: Number>(&self, [y, w, eta]: [N; 3]) -> [N; 3] {
        let (m, slope, ratio, score) = self.0.score(y.clone(), w.clone(), eta);
        [ratio * slope, score, self.0.deviance(y, w, &m)]
    }
    fn visit<V: FormulaVisitor<3, 3>>(&self, visitor: V) -> V::Output {
        self.0.specialise(SpecialiseFisher(visitor))
    }
}

/// Observed information, kept above a quarter of the expected one so that every step descends.
#[derive(Clone, Debug)]
pub struct Observed<F, L>(pub Glm<F, L>);

impl<F: Family, L: Link> Formula<3, 3> for Observed<F, L> {
    #[inline(always)]
    fn eval<N: Number>(&self, [y, w, eta]: [N; 3]) -> [N; 3] {
        let (m, slope, ratio, score) = self.0.score(y.clone(), w.clone(), eta.clone());
        let curvature = self.0.curvature(y.clone(), w.clone(), eta);
        let floor = ratio * slope * N::literal(0.25);
        [curvature.maximum(floor), score, self.0.deviance(y, w, &m)]
    }
}

/// Observed information as it is: the last steps of an implicit derivative need it exactly.
#[derive(Clone, Debug)]
pub struct Curvature<F, L>(pub Glm<F, L>);

impl<F: Family, L: Link> Formula<3, 3> for Curvature<F, L> {
    #[inline(always)]
    fn eval<N: Number>(&self, [y, w, eta]: [N; 3]) -> [N; 3] {
        let (m, _, _, score) = self.0.score(y.clone(), w.clone(), eta.clone());
        [self.0.curvature(y.clone(), w.clone(), eta), score, self.0.deviance(y, w, &m)]
    }
}

impl<F: Family, L: Link> Glm<F, L> {
    /// `-d score / d eta`, by a dual number.
    #[inline(always)]
    fn curvature<N: Number>(&self, y: N, w: N, eta: N) -> N {
        let (y, w) = (Dual::<N, 1>::fixed(y), Dual::fixed(w));
        let (_, _, _, score) = self.score(y, w, Dual::variable(eta, 0));
        let [slope] = score.slope;
        -slope
    }
}

/// The first pass: (y, w, offset) → the working regression at the family's start value for each row.
#[derive(Clone, Debug)]
pub struct Start<F, L> {
    /// Family and link.
    pub glm: Glm<F, L>,
    /// Whether the first input is a mean already, rather than a response.
    pub is_mean: bool,
}

impl<F: Family, L: Link> Formula<3, 3> for Start<F, L> {
    #[inline(always)]
    fn eval<N: Number>(&self, [y, w, offset]: [N; 3]) -> [N; 3] {
        let mu = if self.is_mean { y.clone() } else { self.glm.family.start(y.clone(), w.clone()) };
        let m = self.glm.mean_of(mu);
        let eta = self.glm.link.forward(&m);
        let (_, slope) = self.glm.link.inverse_with_slope(eta.clone());
        let variance = divisor(self.glm.family.variance(&m));
        let weight = w.clone() * slope.clone() / variance * slope.clone();
        let residual =
            if self.is_mean { N::literal(0.0) } else { self.glm.family.residual(y.clone(), &m) / slope };
        let working = eta - offset + residual;
        let deviance = w * self.glm.family.unit_deviance(y, &m);
        [weight.clone(), weight * working, deviance]
    }
}

/// (y, w, η) → log-likelihood of the row at a given dispersion, and Pearson's `w (y - mu)² / V`.
#[derive(Clone, Debug)]
pub struct Likelihood<F, L> {
    /// Family and link.
    pub glm: Glm<F, L>,
    /// The dispersion.
    pub phi: f64,
}

impl<F: Family, L: Link> Formula<3, 1> for Likelihood<F, L> {
    #[inline(always)]
    fn eval<N: Number>(&self, [y, w, eta]: [N; 3]) -> [N; 1] {
        let m = self.glm.mean(eta);
        [self.glm.family.log_density(y, &m, w, N::literal(self.phi))]
    }
}

/// (y, w, η, phi) → log-likelihood: the dispersion may be traced.
impl<F: Family, L: Link> Formula<4, 1> for Glm<F, L> {
    #[inline(always)]
    fn eval<N: Number>(&self, [y, w, eta, phi]: [N; 4]) -> [N; 1] {
        let m = self.mean(eta);
        [self.family.log_density(y, &m, w, phi)]
    }
}

/// (y, w, η) → Pearson's statistic, deviance, and 1 where the row has weight.
#[derive(Clone, Debug)]
pub struct Fit<F, L>(pub Glm<F, L>);

impl<F: Family, L: Link> Formula<3, 3> for Fit<F, L> {
    #[inline(always)]
    fn eval<N: Number>(&self, [y, w, eta]: [N; 3]) -> [N; 3] {
        let m = self.0.mean(eta);
        let square = w.clone() * self.0.family.residual(y.clone(), &m).square();
        // A mean that underflowed with the variance fits a response of 0.
        let is_zero = square.less_equal(&N::literal(0.0));
        let pearson = N::select(&is_zero, N::literal(0.0), square / self.0.family.variance(&m));
        let counted = N::select(&N::literal(0.0).less(&w), N::literal(1.0), N::literal(0.0));
        [pearson, self.0.deviance(y, w, &m), counted]
    }
}

/// Hands hot pairs of family and link to an engine as concrete types, so that its inner loop knows them.
trait PairVisitor {
    type Output;
    fn run<F: Family, L: Link>(self, glm: &Glm<F, L>) -> Self::Output;
}

struct SpecialiseFisher<V>(V);
impl<V: FormulaVisitor<3, 3>> PairVisitor for SpecialiseFisher<V> {
    type Output = V::Output;
    fn run<F: Family, L: Link>(self, glm: &Glm<F, L>) -> V::Output {
        self.0.run(&Fisher(glm.clone()))
    }
}

impl<F: Family, L: Link> Glm<F, L> {
    fn specialise<V: PairVisitor>(&self, visitor: V) -> V::Output {
        use std::any::Any;
        let any: &dyn Any = self;
        let Some(glm) = any.downcast_ref::<Glm<AnyFamily, AnyLink>>() else {
            return visitor.run(self);
        };
        macro_rules! hot {
            ($($family:ident $link:ident;)*) => {
                match (&glm.family, &glm.link) {
                    $((AnyFamily::$family(f), AnyLink::$link(l)) => visitor.run(&Glm { family: f.clone(), link: l.clone() }),)*
                    _ => visitor.run(self),
                }
            };
        }
        hot! {
            Gaussian Identity;
            Binomial Logit;
            Poisson Log;
            Gamma Log;
            NegativeBinomial Log;
            Tweedie Log;
            Binomial Probit;
            Binomial Cloglog;
        }
    }
}
