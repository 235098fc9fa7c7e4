//! Special functions over arithmetic alone, for namespaces that have none.
//!
//! Each branch is evaluated everywhere at arguments where it is finite, then selected, so that derivatives that pass
//! through hold no NaN. Accuracy is that of double precision; narrower dtypes are as accurate as they can hold.
mod error;
mod gamma;
mod normal;

use isostat_number::{Number, Unary};

fn lit<N: Number>(x: f64) -> N {
    N::literal(x)
}

/// Horner, highest power first.
fn polynomial<N: Number>(x: &N, coefficients: &[f64]) -> N {
    let mut terms = coefficients.iter();
    let mut sum = lit::<N>(terms.next().copied().unwrap_or(0.0));
    for c in terms {
        sum = sum * x.clone() + lit(*c);
    }
    sum
}

/// The composite of an elementary function, if there is one.
pub fn composite<N: Number>(op: Unary, x: N) -> Option<N> {
    Some(match op {
        Unary::Sigmoid => sigmoid(x),
        Unary::Softplus => softplus(x),
        Unary::LnGamma => gamma::ln_gamma(x),
        Unary::Digamma => gamma::digamma(x),
        Unary::Trigamma => gamma::polygamma(1, x),
        Unary::Polygamma2 => gamma::polygamma(2, x),
        Unary::Polygamma3 => gamma::polygamma(3, x),
        Unary::Polygamma4 => gamma::polygamma(4, x),
        Unary::Erf => error::erf(x),
        Unary::Erfc => error::erfc(x),
        Unary::Erfcx => error::erfcx(x),
        Unary::NormCdf => normal::norm_cdf(x),
        Unary::NormLogCdf => normal::norm_log_cdf(x),
        Unary::NormQuantile => normal::norm_quantile(x),
        _ => return None,
    })
}

fn sigmoid<N: Number>(x: N) -> N {
    let negative = x.less(&lit(0.0));
    let small = (-x.abs()).exp();
    N::select(&negative, small.clone(), lit(1.0)) / (small + lit(1.0))
}

fn softplus<N: Number>(x: N) -> N {
    let positive = lit::<N>(0.0).less(&x);
    let magnitude = N::select(&positive, -x.clone(), x.clone());
    N::select(&positive, x, lit(0.0)) + magnitude.exp().ln_1p()
}
