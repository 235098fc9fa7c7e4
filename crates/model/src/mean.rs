//! A mean with its distance from 1, and the ranges that means live in.
use isostat_number::Number;

/// A mean. Families on the unit interval need `1 - mu` to full relative accuracy, which a subtraction would lose.
#[derive(Clone, Debug)]
pub struct Mean<N> {
    /// The mean.
    pub mu: N,
    /// `1 - mu`; NaN for families that have no use for it.
    pub complement: N,
}

impl<N: Number> Mean<N> {
    /// A mean whose complement nobody asks for.
    pub fn plain(mu: N) -> Self {
        Mean { mu, complement: N::literal(f64::NAN) }
    }

    /// A mean on the unit interval, where `mu` itself is all that is known.
    pub fn unit(mu: N) -> Self {
        Mean { complement: N::literal(1.0) - mu.clone(), mu }
    }
}

/// A set of means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Range {
    /// All reals.
    Real,
    /// All reals but 0.
    NonZero,
    /// `mu > 0`.
    Positive,
    /// `0 < mu < 1`.
    Unit,
}

impl Range {
    /// Whether every mean of `inner` lies in this range.
    pub fn contains(self, inner: Range) -> bool {
        use Range::{NonZero, Positive, Real, Unit};
        match self {
            Real => true,
            NonZero => inner != Real,
            Positive => matches!(inner, Positive | Unit),
            Unit => inner == Unit,
        }
    }

    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Range::Real => "all reals",
            Range::NonZero => "all reals but 0",
            Range::Positive => "positive means",
            Range::Unit => "means between 0 and 1",
        }
    }

    /// 1 where `m` lies in the range, else NaN: a factor that spoils what it multiplies.
    pub fn guard<N: Number>(self, m: &Mean<N>) -> N {
        let (one, nan) = (N::literal(1.0), N::literal(f64::NAN));
        let zero = N::literal(0.0);
        match self {
            Range::Real | Range::NonZero => one,
            Range::Positive => N::select(&zero.less(&m.mu), one, nan),
            Range::Unit => N::select(&N::and(&zero.less(&m.mu), &zero.less(&m.complement)), one, nan),
        }
    }
}
