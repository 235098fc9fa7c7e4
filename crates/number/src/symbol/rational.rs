//! Exact rational arithmetic on the numbers of a graph.
use super::node::{intern, Kind};
use super::Symbol;

/// `p/q` in lowest terms, `q > 0`; both fit an `i32`, so that products fit an `i64`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rational {
    pub(super) p: i64,
    pub(super) q: i64,
}

fn greatest_common_divisor(a: i64, b: i64) -> i64 {
    if b == 0 {
        a.abs()
    } else {
        greatest_common_divisor(b, a % b)
    }
}

impl Rational {
    /// None where the quotient does not exist or outgrows an `i32`.
    pub(super) fn new(p: i64, q: i64) -> Option<Rational> {
        if q == 0 || p == i64::MIN || q == i64::MIN {
            return None;
        }
        let divisor = greatest_common_divisor(p, q) * q.signum();
        let (p, q) = (p / divisor, q / divisor);
        (i32::try_from(p).is_ok() && i32::try_from(q).is_ok()).then_some(Rational { p, q })
    }

    /// The number that a node is, if it is a small rational; a negative zero is not.
    pub(super) fn of(node: &Symbol) -> Option<Rational> {
        match node.kind() {
            Kind::Ratio(p, q) => Some(Rational { p: i64::from(*p), q: i64::from(*q) }),
            Kind::Literal(bits) => Rational::from_float(f64::from_bits(*bits)),
            _ => None,
        }
    }

    fn from_float(x: f64) -> Option<Rational> {
        // Larger denominators are decimal literals in disguise: 0.1 is no rational of interest.
        const LARGEST_DENOMINATOR: f64 = 1024.0;
        let p = x * LARGEST_DENOMINATOR;
        let is_negative_zero = x == 0.0 && x.is_sign_negative();
        if is_negative_zero || p.fract() != 0.0 || p.abs() > 1e15 {
            return None;
        }
        Rational::new(p as i64, LARGEST_DENOMINATOR as i64)
    }

    pub(super) fn symbol(self) -> Symbol {
        if self.q.count_ones() == 1 {
            return intern(Kind::Literal((self.p as f64 / self.q as f64).to_bits()));
        }
        // `new` has checked both.
        intern(Kind::Ratio(self.p as i32, self.q as i32))
    }

    pub(super) fn add(self, o: Rational) -> Option<Rational> {
        Rational::new(self.p * o.q + o.p * self.q, self.q.checked_mul(o.q)?)
    }

    pub(super) fn negate(self) -> Option<Rational> {
        Rational::new(-self.p, self.q)
    }

    pub(super) fn multiply(self, o: Rational) -> Option<Rational> {
        Rational::new(self.p * o.p, self.q * o.q)
    }

    pub(super) fn divide(self, o: Rational) -> Option<Rational> {
        Rational::new(self.p * o.q, self.q * o.p)
    }

    /// Multiplying a float by it is exact, save at the ends of the range.
    pub(super) fn is_power_of_two(self) -> bool {
        self.p > 0 && self.p.count_ones() == 1 && self.q.count_ones() == 1
    }

    pub(super) fn less(self, o: Rational) -> bool {
        self.p * o.q < o.p * self.q
    }
}
