//! Truncated Taylor series: a value with its derivatives to order `L - 1` in one direction.
use std::ops::{Add, Div, Mul, Neg, Sub};

use crate::number::{Constant, Number};
use crate::ops::{Elementary, Unary};

/// `Σ_k coefficient[k] t^k` for k below `L`.
#[derive(Clone, Debug)]
pub struct Jet<N, const L: usize> {
    /// Taylor coefficients: the k-th derivative over k!.
    pub coefficient: [N; L],
}

/// To order 2.
pub type Jet2<N> = Jet<N, 3>;
/// To order 4.
pub type Jet4<N> = Jet<N, 5>;

impl<N: Number, const L: usize> Jet<N, L> {
    /// The independent variable at `value`.
    pub fn variable(value: N) -> Self {
        let mut jet = Self::fixed(value);
        if L > 1 {
            jet.coefficient[1] = N::literal(1.0);
        }
        jet
    }

    /// A constant.
    pub fn fixed(value: N) -> Self {
        Jet { coefficient: std::array::from_fn(|k| if k == 0 { value.clone() } else { N::literal(0.0) }) }
    }

    /// The value.
    pub fn value(&self) -> N {
        self.coefficient[0].clone()
    }

    /// The derivatives of order 0 to L - 1.
    pub fn derivatives(&self) -> [N; L] {
        let mut factorial = 1.0;
        std::array::from_fn(|k| {
            if k > 1 {
                factorial *= k as f64;
            }
            self.coefficient[k].clone() * N::literal(factorial)
        })
    }

    fn convolve(&self, other: &Self, k: usize) -> N {
        let mut sum = self.coefficient[0].clone() * other.coefficient[k].clone();
        for j in 1..=k {
            sum = sum + self.coefficient[j].clone() * other.coefficient[k - j].clone();
        }
        sum
    }

    /// Solves `y' = g(x, y) x'` for the coefficients of y, order by order: the k-th needs g below order k only.
    fn integrate(&self, value: N, g: impl Fn(&Self, &Self) -> Self) -> Self {
        let mut y = Self::fixed(value);
        for k in 1..L {
            let slope = g(self, &y);
            let mut sum = self.coefficient[1].clone() * slope.coefficient[k - 1].clone();
            for j in 2..=k {
                sum = sum
                    + self.coefficient[j].clone() * slope.coefficient[k - j].clone() * N::literal(j as f64);
            }
            y.coefficient[k] = sum / N::literal(k as f64);
        }
        y
    }

    /// The integral of `g x'` for a g that is known.
    fn integrate_slope(&self, value: N, g: &Self) -> Self {
        let mut y = Self::fixed(value);
        for k in 1..L {
            let mut sum = self.coefficient[1].clone() * g.coefficient[k - 1].clone();
            for j in 2..=k {
                let weighted = self.coefficient[j].clone() * N::literal(j as f64);
                sum = sum + weighted * g.coefficient[k - j].clone();
            }
            y.coefficient[k] = sum / N::literal(k as f64);
        }
        y
    }

    /// `Σ_k taylor[k] h^k`, where h is this jet without its value.
    fn compose(&self, taylor: [N; L]) -> Self {
        let mut result = Self::fixed(taylor[L - 1].clone());
        for k in (0..L - 1).rev() {
            let mut next = Self::fixed(taylor[k].clone());
            // h has no value, so an order never reads what stands above it: that may be NaN.
            for order in 1..L {
                let mut sum = result.coefficient[0].clone() * self.coefficient[order].clone();
                for j in 1..order {
                    sum = sum + result.coefficient[j].clone() * self.coefficient[order - j].clone();
                }
                next.coefficient[order] = sum;
            }
            result = next;
        }
        result
    }

    /// `x^p` for a fixed power, given its value: `Σ_k binom(p, k) x0^(p-k) h^k`.
    fn fixed_power(&self, power: &N, value: N) -> Self {
        let (zero, x) = (N::literal(0.0), self.value());
        let is_zero = N::and(&x.less_equal(&zero), &zero.less_equal(&x));
        let inverse = N::select(&is_zero, N::literal(1.0), x).recip();
        let mut binomial = N::literal(1.0);
        let mut scaled = value.clone();
        let taylor = std::array::from_fn(|k| {
            if k == 0 {
                return value.clone();
            }
            binomial = binomial.clone() * (power.clone() - N::literal(k as f64 - 1.0)) / N::literal(k as f64);
            scaled = scaled.clone() * inverse.clone();
            let at_zero = power_of_zero(power, k, &binomial);
            N::select(&is_zero, at_zero, binomial.clone() * scaled.clone())
        });
        self.compose(taylor)
    }
}

/// `binom(p, k) 0^(p-k)`.
fn power_of_zero<N: Number>(power: &N, k: usize, binomial: &N) -> N {
    let (order, zero) = (N::literal(k as f64), N::literal(0.0));
    let vanishes = N::and(&binomial.less_equal(&zero), &zero.less_equal(binomial));
    let pole = N::select(&vanishes, zero.clone(), binomial.clone() * N::literal(f64::INFINITY));
    let at_most = N::select(&order.less_equal(power), N::literal(1.0), pole);
    N::select(&order.less(power), zero, at_most)
}

impl<N: Number, const L: usize> Neg for Jet<N, L> {
    type Output = Self;
    fn neg(self) -> Self {
        Jet { coefficient: self.coefficient.map(|c| -c) }
    }
}

impl<N: Number, const L: usize> Add for Jet<N, L> {
    type Output = Self;
    fn add(self, o: Self) -> Self {
        Jet { coefficient: std::array::from_fn(|k| self.coefficient[k].clone() + o.coefficient[k].clone()) }
    }
}

impl<N: Number, const L: usize> Sub for Jet<N, L> {
    type Output = Self;
    fn sub(self, o: Self) -> Self {
        Jet { coefficient: std::array::from_fn(|k| self.coefficient[k].clone() - o.coefficient[k].clone()) }
    }
}

impl<N: Number, const L: usize> Mul for Jet<N, L> {
    type Output = Self;
    fn mul(self, o: Self) -> Self {
        Jet { coefficient: std::array::from_fn(|k| self.convolve(&o, k)) }
    }
}

impl<N: Number, const L: usize> Div for Jet<N, L> {
    type Output = Self;
    fn div(self, o: Self) -> Self {
        let mut q = self.clone();
        for k in 0..L {
            let mut rest = self.coefficient[k].clone();
            for j in 0..k {
                rest = rest - q.coefficient[j].clone() * o.coefficient[k - j].clone();
            }
            q.coefficient[k] = rest / o.coefficient[0].clone();
        }
        q
    }
}

impl<N: Number, const L: usize> Elementary for Jet<N, L> {
    fn unary(self, op: Unary) -> Self {
        let value = op.apply(self.value());
        match op {
            Unary::Square => self.clone() * self,
            // Sine and cosine name each other: solve the pair together.
            Unary::Sin | Unary::Cos => sine_cosine(&self, op),
            Unary::Sigmoid => sigmoid(&self),
            _ if LADDER.contains(&op) => climb(&self, op),
            _ if BY_ARGUMENT.contains(&op) => {
                let slope = op.derivative(self.clone(), Self::fixed(value.clone()));
                self.integrate_slope(value, &slope)
            }
            _ => self.integrate(value, |x, y| op.derivative(x.clone(), y.clone())),
        }
    }
}

/// The gamma ladder: each function's derivative is the next, which a jet cannot integrate by itself.
const LADDER: [Unary; 6] = [
    Unary::LnGamma,
    Unary::Digamma,
    Unary::Trigamma,
    Unary::Polygamma2,
    Unary::Polygamma3,
    Unary::Polygamma4,
];

/// `f(x0 + h)` by Horner in the increment h, from the ladder's functions at x0.
fn climb<N: Number, const L: usize>(x: &Jet<N, L>, op: Unary) -> Jet<N, L> {
    let start = LADDER.iter().position(|l| *l == op).unwrap_or(LADDER.len());
    let mut factorial = 1.0;
    let taylor: [N; L] = std::array::from_fn(|k| {
        if k > 1 {
            factorial *= k as f64;
        }
        match LADDER.get(start + k) {
            Some(next) => next.apply(x.value()) / N::literal(factorial),
            None => N::literal(f64::NAN),
        }
    });
    x.compose(taylor)
}

/// Functions whose derivative's row does not read the value: it is made once, not order by order.
const BY_ARGUMENT: [Unary; 11] = [
    Unary::Abs,
    Unary::Floor,
    Unary::ExpM1,
    Unary::Ln,
    Unary::Ln1p,
    Unary::Atan,
    Unary::Softplus,
    Unary::Erf,
    Unary::Erfc,
    Unary::NormCdf,
    Unary::NormLogCdf,
];

/// `y' = y (1 - y) x'`, where `1 - y` is a series of its own, so that nothing cancels in the tails.
fn sigmoid<N: Number, const L: usize>(x: &Jet<N, L>) -> Jet<N, L> {
    let (mut y, mut rest) = (Jet::fixed(x.value().sigmoid()), Jet::fixed((-x.value()).sigmoid()));
    for k in 1..L {
        let mut sum = N::literal(0.0);
        for j in 1..=k {
            sum = sum + x.coefficient[j].clone() * y.convolve(&rest, k - j) * N::literal(j as f64 / k as f64);
        }
        rest.coefficient[k] = -sum.clone();
        y.coefficient[k] = sum;
    }
    y
}

fn sine_cosine<N: Number, const L: usize>(x: &Jet<N, L>, op: Unary) -> Jet<N, L> {
    let (mut s, mut c) = (Jet::fixed(x.value().sin()), Jet::fixed(x.value().cos()));
    for k in 1..L {
        let (mut ds, mut dc) = (N::literal(0.0), N::literal(0.0));
        for j in 1..=k {
            let weight = x.coefficient[j].clone() * N::literal(j as f64 / k as f64);
            ds = ds + weight.clone() * c.coefficient[k - j].clone();
            dc = dc - weight * s.coefficient[k - j].clone();
        }
        s.coefficient[k] = ds;
        c.coefficient[k] = dc;
    }
    if op == Unary::Sin {
        s
    } else {
        c
    }
}

impl<N: Number, const L: usize> Number for Jet<N, L> {
    type Mask = N::Mask;
    fn literal(x: f64) -> Self {
        Self::fixed(N::literal(x))
    }
    fn constant(c: Constant) -> Self {
        Self::fixed(N::constant(c))
    }
    fn less(&self, other: &Self) -> N::Mask {
        self.coefficient[0].less(&other.coefficient[0])
    }
    fn less_equal(&self, other: &Self) -> N::Mask {
        self.coefficient[0].less_equal(&other.coefficient[0])
    }
    fn and(a: &N::Mask, b: &N::Mask) -> N::Mask {
        N::and(a, b)
    }
    fn not(a: &N::Mask) -> N::Mask {
        N::not(a)
    }
    fn select(mask: &N::Mask, a: Self, b: Self) -> Self {
        Jet {
            coefficient: std::array::from_fn(|k| {
                N::select(mask, a.coefficient[k].clone(), b.coefficient[k].clone())
            }),
        }
    }
    fn pow(self, power: Self) -> Self {
        // x^p = x^p0 · e^((p - p0) ln x); where x is not positive the power counts as fixed.
        let (x, mut change) = (self.value(), power.clone());
        change.coefficient[0] = N::literal(0.0);
        let is_positive = N::literal(0.0).less(&x);
        let safe = Self::select(&is_positive, self.clone(), Self::literal(1.0));
        let fixed = self.fixed_power(&power.value(), x.pow(power.value()));
        fixed * (change * safe.ln()).exp()
    }
    fn powf(self, power: f64) -> Self {
        const LARGEST_PRODUCT: f64 = 4.0;
        if power.fract() == 0.0 && (1.0..=LARGEST_PRODUCT).contains(&power) {
            return (1..power as usize).fold(self.clone(), |product, _| product * self.clone());
        }
        let value = self.value().powf(power);
        self.fixed_power(&N::literal(power), value)
    }
    fn xlogy(self, y: Self) -> Self {
        let (zero, x) = (N::literal(0.0), self.value());
        let value = x.clone().xlogy(y.value());
        let is_zero = N::and(&x.less_equal(&zero), &zero.less_equal(&x));
        // A zero factor must not meet the infinite logarithm of a zero.
        let guard = N::and(&is_zero, &N::not(&zero.less(&y.value())));
        let safe = Self::select(&guard, Self::literal(1.0), y);
        let mut product = self * safe.ln();
        product.coefficient[0] = value;
        product
    }
}
