//! Double-double scalars: a sum `hi + lo` of two doubles, about 32 digits, by error-free transformations.
use std::ops::{Add, Div, Mul, Neg, Sub};

/// `hi + lo` with `|lo| <= ulp(hi)/2`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Dd {
    /// The leading part: the value rounded to double.
    pub hi: f64,
    /// The rest.
    pub lo: f64,
}

/// `a + b = s + e` exactly (Knuth).
#[inline(always)]
pub fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let s = a + b;
    let t = s - a;
    (s, (a - (s - t)) + (b - t))
}

/// `a b = p + e` exactly, by fused multiply-add.
#[inline(always)]
pub fn two_product(a: f64, b: f64) -> (f64, f64) {
    let p = a * b;
    (p, a.mul_add(b, -p))
}

impl Dd {
    /// A double.
    pub fn new(x: f64) -> Dd {
        Dd { hi: x, lo: 0.0 }
    }
    fn renormalise(hi: f64, lo: f64) -> Dd {
        let s = hi + lo;
        Dd { hi: s, lo: lo - (s - hi) }
    }
    /// `self + a b`.
    #[inline(always)]
    pub fn add_product(self, a: f64, b: f64) -> Dd {
        let (p, e) = two_product(a, b);
        let (s, t) = two_sum(self.hi, p);
        Dd::renormalise(s, t + (e + self.lo))
    }
    /// The nearest double.
    pub fn value(self) -> f64 {
        self.hi
    }
}

impl Neg for Dd {
    type Output = Dd;
    fn neg(self) -> Dd {
        Dd { hi: -self.hi, lo: -self.lo }
    }
}
impl Add for Dd {
    type Output = Dd;
    fn add(self, o: Dd) -> Dd {
        let (s, e) = two_sum(self.hi, o.hi);
        let (t, f) = two_sum(self.lo, o.lo);
        let first = Dd::renormalise(s, e + t);
        Dd::renormalise(first.hi, first.lo + f)
    }
}
impl Sub for Dd {
    type Output = Dd;
    fn sub(self, o: Dd) -> Dd {
        self + -o
    }
}
impl Mul for Dd {
    type Output = Dd;
    fn mul(self, o: Dd) -> Dd {
        let (p, e) = two_product(self.hi, o.hi);
        Dd::renormalise(p, e + (self.hi * o.lo + self.lo * o.hi))
    }
}
impl Div for Dd {
    type Output = Dd;
    fn div(self, o: Dd) -> Dd {
        let q = self.hi / o.hi;
        let rest = self - o * Dd::new(q);
        let q2 = rest.hi / o.hi;
        let rest = rest - o * Dd::new(q2);
        Dd::renormalise(q, q2 + rest.hi / o.hi)
    }
}

/// The inverse of an upper triangle (row-major, p × p) as `(high, low)`, row-major.
pub fn upper_inverse(r: &[f64], p: usize) -> (Vec<f64>, Vec<f64>) {
    let mut inverse = vec![Dd::default(); p * p];
    for j in 0..p {
        for i in (0..=j).rev() {
            let mut sum = Dd::new(f64::from(u8::from(i == j)));
            for k in i + 1..=j {
                sum = sum - Dd::new(r[i * p + k]) * inverse[k * p + j];
            }
            inverse[i * p + j] = sum / Dd::new(r[i * p + i]);
        }
    }
    (inverse.iter().map(|x| x.hi).collect(), inverse.iter().map(|x| x.lo).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Double-double keeps 104 bits at least.
    const DD: f64 = 1e-30;

    #[test]
    fn arithmetic_keeps_thirty_digits() {
        let third = Dd::new(1.0) / Dd::new(3.0);
        let one = third + third + third;
        assert!(((one - Dd::new(1.0)).hi).abs() < DD);
        let back = third * Dd::new(3.0) - Dd::new(1.0);
        assert!(back.hi.abs() < DD);
        assert!((Dd::new(1e16).add_product(1.0, 1.0) - Dd::new(1e16)).hi == 1.0);
    }

    #[test]
    fn a_triangle_times_its_inverse_is_one_beyond_double_precision() {
        let r = [3.0, 1e8, -7.0, 0.0, 1e-7, 2.0, 0.0, 0.0, 5.0];
        let (high, low) = upper_inverse(&r, 3);
        for i in 0..3 {
            for j in 0..3 {
                let sum = (0..3).fold(Dd::default(), |s, k| {
                    s + Dd::new(r[i * 3 + k]) * Dd { hi: high[k * 3 + j], lo: low[k * 3 + j] }
                });
                let identity = f64::from(u8::from(i == j));
                assert!((sum - Dd::new(identity)).hi.abs() < 1e-14, "{i} {j} {sum:?}");
            }
        }
    }
}
