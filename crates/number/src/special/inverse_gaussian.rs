//! The inverse Gaussian distribution.
use super::double::Double;
use super::erf::erfcx;
use std::f64::consts::{FRAC_1_SQRT_2, PI};

/// Distribution function of the inverse Gaussian with mean `mean` and shape `shape` (variance `mean³/shape`).
///
/// With `z± = √(λ/x) (x/μ ± 1)`: `F = ½ e^{-z₋²/2} [erfcx(-z₋/√2) + erfcx(z₊/√2)]`, from
/// `F = Φ(z₋) + e^{2λ/μ} Φ(-z₊)` and `z₊² = z₋² + 4λ/μ`, so that nothing overflows.
/// R: `statmod::pinvgauss(x, mean, shape)`. SciPy: `scipy.stats.invgauss.cdf(x, mean/shape, scale=shape)`.
pub fn inverse_gaussian_cdf(x: f64, mean: f64, shape: f64) -> f64 {
    both(x, mean, shape).0
}

/// Upper tail of the inverse Gaussian. R: `statmod::pinvgauss(…, lower.tail = FALSE)`.
pub fn inverse_gaussian_sf(x: f64, mean: f64, shape: f64) -> f64 {
    both(x, mean, shape).1
}

fn both(x: f64, mean: f64, shape: f64) -> (f64, f64) {
    if x.is_nan() || !(mean > 0.0 && shape > 0.0 && shape.is_finite()) {
        return (f64::NAN, f64::NAN);
    }
    if x <= 0.0 {
        return (0.0, 1.0);
    }
    if x.is_infinite() {
        return if mean.is_infinite() { (f64::NAN, f64::NAN) } else { (1.0, 0.0) };
    }
    let scale = (shape / x).sqrt() * FRAC_1_SQRT_2;
    let ratio = x / mean;
    let (minus, plus) = (scale * ((x - mean) / mean), scale * (ratio + 1.0));
    let exponential = half_square(x, mean, shape).exp_minus();
    // z₊ - z₋ = 2 √(λ/x) is known without cancellation.
    let upper = || 0.5 * exponential * scaled_difference(minus, 2.0 * scale);
    if minus > 0.0 {
        let upper = upper();
        return (1.0 - upper, upper);
    }
    let lower = 0.5 * exponential * (erfcx(-minus) + erfcx(plus));
    // Below the mean of a skew distribution the upper tail may still be the small one.
    (lower, if lower > 0.5 { upper() } else { 1.0 - lower })
}

/// `z₋²/2 = λ (x - μ)² / (2 μ² x)` in double-double: its rounding would cost digits in far tails.
fn half_square(x: f64, mean: f64, shape: f64) -> Double {
    if mean.is_infinite() {
        return Double::quotient(0.5 * shape, x);
    }
    let relative = Double::sum(x, -mean) / mean;
    relative * relative * (0.5 * shape) / x
}

/// `erfcx(a) - erfcx(a + gap)`, without cancellation for small gaps.
fn scaled_difference(a: f64, gap: f64) -> f64 {
    if gap > 0.1 * (1.0 + a.abs()) {
        return erfcx(a) - erfcx(a + gap);
    }
    // The integral of -erfcx' by Gauss and Legendre: six nodes, half on each side.
    const NODES: [(f64, f64); 3] = [
        (0.238_619_186_083_196_908_63, 0.467_913_934_572_691_047_39),
        (0.661_209_386_466_264_513_66, 0.360_761_573_048_138_607_57),
        (0.932_469_514_203_152_027_81, 0.171_324_492_379_170_345_04),
    ];
    let (half, middle) = (0.5 * gap, a + 0.5 * gap);
    let pair = |(node, weight): &(f64, f64)| {
        weight * (minus_erfcx_slope(middle - half * node) + minus_erfcx_slope(middle + half * node))
    };
    half * NODES.iter().map(pair).sum::<f64>()
}

/// `-erfcx'(t) = 2/√π - 2t erfcx(t)`.
fn minus_erfcx_slope(t: f64) -> f64 {
    let two_over_root_pi = 2.0 / PI.sqrt();
    if t < 2.0 {
        return two_over_root_pi - 2.0 * t * erfcx(t);
    }
    // Repeated integrals of erfc, DLMF 7.18.7: r_k = 1/(2t + 2(k + 1) r_{k+1}) downwards, and -erfcx' = 4/√π r₀ r₁.
    // The rest of the fraction after n terms is about e^{-4t √(n/2)}: below 1e-21 with 80 at 2 and 40 at 3.
    let terms = if t < 3.0 { 80 } else { 40 };
    let (mut ratio, mut previous) = (0.0, 0.0);
    for k in (0..terms).rev() {
        previous = ratio;
        ratio = 1.0 / (2.0 * t + 2.0 * (k + 1) as f64 * ratio);
    }
    2.0 * two_over_root_pi * ratio * previous
}
