//! The table of elementary functions: one row each.
//!
//! A row gives name, value on `f64`, derivative (from the argument `x` and the value `v`), LaTeX, the array-API
//! name, Python and SymPy text. From it come the trait methods of [`Number`], the derivatives of every number type
//! and of the graph, the printed forms and the lowering to array namespaces.
use crate::number::{Constant, Number};
use crate::special;

macro_rules! elementary {
    ($($(#[doc = $doc:literal])* $variant:ident $method:ident = $value:expr, |$x:ident, $v:ident| $derivative:expr, $latex:literal, $array_api:expr, $python:literal, $sympy:literal;)*) => {
        /// An elementary function of one argument.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Unary { $($(#[doc = $doc])* $variant,)* }

        impl Unary {
            /// Every row, in order.
            pub const ALL: &'static [Unary] = &[$(Unary::$variant,)*];

            /// The method's name.
            pub const fn name(self) -> &'static str {
                match self { $(Unary::$variant => stringify!($method),)* }
            }

            /// LaTeX with `{}` where the argument goes.
            pub const fn latex(self) -> &'static str {
                match self { $(Unary::$variant => $latex,)* }
            }

            /// Name in the array-API standard, where it has one.
            pub const fn array_api(self) -> Option<&'static str> {
                match self { $(Unary::$variant => $array_api,)* }
            }

            /// Python text with `{}` where the argument goes; `xp` is an array namespace, `special` is SciPy's.
            pub const fn python(self) -> &'static str {
                match self { $(Unary::$variant => $python,)* }
            }

            /// SymPy text with `{}` where the argument goes.
            pub const fn sympy(self) -> &'static str {
                match self { $(Unary::$variant => $sympy,)* }
            }

            /// The value on a float.
            #[inline]
            pub fn value(self, x: f64) -> f64 {
                match self { $(Unary::$variant => { let f: fn(f64) -> f64 = $value; f(x) })* }
            }

            /// The derivative at `x`, where `v` is the value there.
            pub fn derivative<N: Number>(self, x: N, v: N) -> N {
                match self { $(Unary::$variant => { let ($x, $v) = (x, v); let _ = (&$x, &$v); $derivative })* }
            }

            /// The trait method of this row.
            pub fn apply<N: Number>(self, x: N) -> N {
                match self { $(Unary::$variant => x.$method(),)* }
            }
        }

        /// The methods that the table gives to every number.
        pub trait Elementary: Sized {
            /// Applies a row of the table; the methods default to it.
            fn unary(self, op: Unary) -> Self;
            $($(#[doc = $doc])* #[inline(always)] fn $method(self) -> Self { self.unary(Unary::$variant) })*
        }
    };
}

fn lit<N: Number>(x: f64) -> N {
    N::literal(x)
}

elementary! {
    /// `|x|`.
    Abs abs = f64::abs, |x, v| N::select(&x.less(&lit(0.0)), lit(-1.0), lit(1.0)), r"\left|{}\right|", Some("abs"), "xp.abs({})", "sympy.Abs({})";
    /// The largest integer not above x; its derivative is 0.
    Floor floor = f64::floor, |x, v| lit(0.0), r"\left\lfloor {} \right\rfloor", Some("floor"), "xp.floor({})", "sympy.floor({})";
    /// `e^x`.
    Exp exp = f64::exp, |x, v| v, r"\exp\left({}\right)", Some("exp"), "xp.exp({})", "sympy.exp({})";
    /// `e^x - 1`, accurate near 0.
    ExpM1 exp_m1 = f64::exp_m1, |x, v| x.exp(), r"\left(e^{{}} - 1\right)", Some("expm1"), "xp.expm1({})", "(sympy.exp({}) - 1)";
    /// Natural logarithm.
    Ln ln = f64::ln, |x, v| lit::<N>(1.0) / x, r"\log\left({}\right)", Some("log"), "xp.log({})", "sympy.log({})";
    /// `ln(1 + x)`, accurate near 0.
    Ln1p ln_1p = f64::ln_1p, |x, v| lit::<N>(1.0) / (x + lit(1.0)), r"\log\left(1 + {}\right)", Some("log1p"), "xp.log1p({})", "sympy.log(1 + ({}))";
    /// Square root.
    Sqrt sqrt = f64::sqrt, |x, v| lit::<N>(0.5) / v, r"\sqrt{{}}", Some("sqrt"), "xp.sqrt({})", "sympy.sqrt({})";
    /// `x²`.
    Square square = |x| x * x, |x, v| x * lit(2.0), r"{}^{2}", Some("square"), "xp.square({})", "({})**2";
    /// Sine.
    Sin sin = f64::sin, |x, v| x.cos(), r"\sin\left({}\right)", Some("sin"), "xp.sin({})", "sympy.sin({})";
    /// Cosine.
    Cos cos = f64::cos, |x, v| -x.sin(), r"\cos\left({}\right)", Some("cos"), "xp.cos({})", "sympy.cos({})";
    /// Tangent.
    Tan tan = f64::tan, |x, v| v.square() + lit(1.0), r"\tan\left({}\right)", Some("tan"), "xp.tan({})", "sympy.tan({})";
    /// Inverse tangent.
    Atan atan = f64::atan, |x, v| lit::<N>(1.0) / (x.square() + lit(1.0)), r"\arctan\left({}\right)", Some("atan"), "xp.atan({})", "sympy.atan({})";
    /// Hyperbolic tangent.
    Tanh tanh = f64::tanh, |x, v| lit::<N>(1.0) - v.square(), r"\tanh\left({}\right)", Some("tanh"), "xp.tanh({})", "sympy.tanh({})";
    /// Logistic function `1/(1 + e^-x)`.
    Sigmoid sigmoid = special::sigmoid, |x, v| v / (x.exp() + lit(1.0)), r"\operatorname{logit}^{-1}\left({}\right)", None, "special.expit({})", "(1/(1 + sympy.exp(-({}))))";
    /// `ln(1 + e^x)`, without overflow.
    Softplus softplus = special::log1p_exp, |x, v| x.sigmoid(), r"\log\left(1 + e^{{}}\right)", None, "xp.logaddexp({}, 0.0)", "sympy.log(1 + sympy.exp({}))";
    /// Logarithm of the absolute gamma function.
    LnGamma ln_gamma = special::ln_gamma, |x, v| x.digamma(), r"\log\Gamma\left({}\right)", None, "special.gammaln({})", "sympy.loggamma({})";
    /// Derivative of [`Unary::LnGamma`].
    Digamma digamma = special::digamma, |x, v| x.trigamma(), r"\psi\left({}\right)", None, "special.digamma({})", "sympy.digamma({})";
    /// Second derivative of [`Unary::LnGamma`].
    Trigamma trigamma = special::trigamma, |x, v| x.polygamma2(), r"\psi_{1}\left({}\right)", None, "special.polygamma(1, {})", "sympy.polygamma(1, {})";
    /// Third derivative of [`Unary::LnGamma`].
    Polygamma2 polygamma2 = |x| special::polygamma(2, x), |x, v| x.polygamma3(), r"\psi_{2}\left({}\right)", None, "special.polygamma(2, {})", "sympy.polygamma(2, {})";
    /// Fourth derivative of [`Unary::LnGamma`].
    Polygamma3 polygamma3 = |x| special::polygamma(3, x), |x, v| x.polygamma4(), r"\psi_{3}\left({}\right)", None, "special.polygamma(3, {})", "sympy.polygamma(3, {})";
    /// Fifth derivative of [`Unary::LnGamma`]; its own derivative is not in the table and is NaN.
    Polygamma4 polygamma4 = |x| special::polygamma(4, x), |x, v| x * lit(f64::NAN), r"\psi_{4}\left({}\right)", None, "special.polygamma(4, {})", "sympy.polygamma(4, {})";
    /// Error function.
    Erf erf = special::erf, |x, v| (-x.square()).exp() * N::constant(Constant::TwoOverSqrtPi), r"\operatorname{erf}\left({}\right)", None, "special.erf({})", "sympy.erf({})";
    /// `1 - erf(x)`, accurate in the upper tail.
    Erfc erfc = special::erfc, |x, v| -((-x.square()).exp() * N::constant(Constant::TwoOverSqrtPi)), r"\operatorname{erfc}\left({}\right)", None, "special.erfc({})", "sympy.erfc({})";
    /// `e^{x²} erfc(x)`.
    Erfcx erfcx = special::erfcx, |x, v| x * v * lit(2.0) - N::constant(Constant::TwoOverSqrtPi), r"\operatorname{erfcx}\left({}\right)", None, "special.erfcx({})", "(sympy.exp(({})**2)*sympy.erfc({}))";
    /// Standard normal distribution function.
    NormCdf norm_cdf = special::norm_cdf, |x, v| (x.square() * lit(-0.5)).exp() * N::constant(Constant::OneOverSqrt2Pi), r"\Phi\left({}\right)", None, "special.ndtr({})", "(sympy.erfc(-({})/sympy.sqrt(2))/2)";
    /// Logarithm of [`Unary::NormCdf`], accurate in both tails.
    NormLogCdf norm_log_cdf = special::norm_log_cdf, |x, v| N::constant(Constant::SqrtTwoOverPi) / (x * -N::constant(Constant::OneOverSqrt2)).erfcx(), r"\log\Phi\left({}\right)", None, "special.log_ndtr({})", "sympy.log(sympy.erfc(-({})/sympy.sqrt(2))/2)";
    /// Standard normal quantile.
    NormQuantile norm_quantile = special::norm_quantile, |x, v| (v.square() * lit(0.5)).exp() * N::constant(Constant::Sqrt2Pi), r"\Phi^{-1}\left({}\right)", None, "special.ndtri({})", "(sympy.sqrt(2)*sympy.erfinv(2*({}) - 1))";
}
