//! Special functions over arithmetic alone, for namespaces that have none.
//!
//! Each branch is evaluated everywhere at arguments where it is finite, then selected, so that derivatives that pass
//! through hold no NaN. Accuracy is that of double precision; narrower dtypes are as accurate as they can hold.
use isostat_number::{Constant, Number, Unary};

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
        Unary::LnGamma => ln_gamma(x),
        Unary::Digamma => digamma(x),
        Unary::Trigamma => polygamma(1, x),
        Unary::Polygamma2 => polygamma(2, x),
        Unary::Polygamma3 => polygamma(3, x),
        Unary::Polygamma4 => polygamma(4, x),
        Unary::Erf => erf(x),
        Unary::Erfc => erfc(x),
        Unary::Erfcx => erfcx(x),
        Unary::NormCdf => norm_cdf(x),
        Unary::NormLogCdf => norm_log_cdf(x),
        Unary::NormQuantile => norm_quantile(x),
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

// ------------------------------------------------------------------------------------------------ gamma functions

/// `ln Γ(2 + t)/t` for |t| ≤ 1/2, lowest power first: Chebyshev interpolation in 60 digits, error below 7e-17.
const LN_GAMMA_NEAR_TWO: [f64; 19] = [
    0.42278433509846713,
    0.32246703342411326,
    -0.0673523010531981,
    0.02058080842778038,
    -0.0073855510286719986,
    0.002890510331034267,
    -0.0011927539118428156,
    0.0005096695154115458,
    -0.00022315475400520507,
    9.945767355819498e-05,
    -4.49263133791557e-05,
    2.0505590755833454e-05,
    -9.438715099211532e-06,
    4.38470440459836e-06,
    -2.0439048107029907e-06,
    9.200527894968101e-07,
    -4.3252393445604814e-07,
    2.78740805211359e-07,
    -1.3219945666117874e-07,
];

/// `B_2k / (2k (2k - 1))`, k = 1, 2, …: Stirling's series [DLMF 5.11.1].
const STIRLING: [f64; 8] = [
    1.0 / 12.0,
    -1.0 / 360.0,
    1.0 / 1260.0,
    -1.0 / 1680.0,
    1.0 / 1188.0,
    -691.0 / 360_360.0,
    1.0 / 156.0,
    -3617.0 / 122_400.0,
];

/// From here on Stirling's series is used.
const STIRLING_FROM: f64 = 8.0;

/// `ln Γ(x)` for x > 0; NaN for negative x.
///
/// Arguments below 8 are moved to (3/2, 5/2], where no digit is lost beside the zeros at 1 and 2.
fn ln_gamma<N: Number>(x: N) -> N {
    let far = lit::<N>(STIRLING_FROM).less(&x);
    let high = N::select(&far, x.clone(), lit(STIRLING_FROM));
    let square = high.clone().square().recip();
    let reversed: Vec<f64> = STIRLING.iter().rev().copied().collect();
    let series = polynomial(&square, &reversed) / high.clone();
    // (x - 1/2) ln x - x, written so that it is infinite at infinity.
    let main = (high.clone() - lit(0.5)) * (high.ln() - lit(1.0)) - lit(0.5);
    let stirling = main + N::constant(Constant::HalfLn2Pi) + series;

    let valid = lit::<N>(0.0).less(&x);
    let near = N::select(&N::and(&valid, &N::not(&far)), x.clone(), lit(2.0));
    N::select(&far, stirling, ln_gamma_below_eight(near, &x))
}

fn ln_gamma_below_eight<N: Number>(near: N, x: &N) -> N {
    // x > 5/2: Γ(x) = (x-1)(x-2)… Γ(y).  x ≤ 3/2: ln Γ(x) = ln Γ(x+1) - ln x, where ln x = log1p(x - 1) beside 1.
    let below = near.less(&lit(1.5));
    let tiny = near.less(&lit(0.5));
    let one = N::select(&below, near.clone(), lit(1.0));
    let two = N::select(&tiny, near.clone(), lit(0.0));
    let mut y = N::select(&below, lit(2.0), near.clone());
    let mut product = lit::<N>(1.0);
    for _ in 0..6 {
        let above = lit::<N>(2.5).less(&y);
        let less = y.clone() - lit(1.0);
        product = product * N::select(&above, less.clone(), lit(1.0));
        y = N::select(&above, less, y);
    }
    let reversed: Vec<f64> = LN_GAMMA_NEAR_TWO.iter().rev().copied().collect();
    // t = y - 2 from the argument itself, whose last digits y + 1 would drop beside 1 and 0.
    let shifted = N::select(&tiny, near.clone(), near - lit(1.0));
    let t = N::select(&below, shifted, y - lit(2.0));
    let core = t.clone() * polynomial(&t, &reversed);
    let beside_one = (one.clone() - lit(1.0)).ln_1p();
    let log_one = N::select(&tiny, N::select(&tiny, one, lit(1.0)).ln(), beside_one);
    let value = core + product.ln() - log_one - two.ln_1p();
    pole_or_nan(x, value, lit(f64::INFINITY))
}

/// `value`, the pole at 0, NaN below.
fn pole_or_nan<N: Number>(x: &N, value: N, at_zero: N) -> N {
    let zero = lit::<N>(0.0);
    let positive = zero.less(x);
    let negative = x.less(&zero);
    // A NaN argument is neither: it must stay NaN.
    let other = N::select(&negative, lit(f64::NAN), at_zero + x.clone() - x.clone());
    N::select(&positive, value, other)
}

/// `ψ(3/2 + t)/(x - x₀)` on [1, 2], lowest power first: Chebyshev interpolation in 60 digits, error below 8e-17.
const DIGAMMA_BETWEEN: [f64; 22] = [
    0.951055876031833,
    -0.4236274212814605,
    0.2405424842407742,
    -0.14840492305390884,
    0.09498872445494122,
    -0.061922133273064534,
    0.04076083381242074,
    -0.02697579675613825,
    0.0179072524394512,
    -0.011908218001568644,
    0.007926944646403797,
    -0.005279964873257405,
    0.003519006401502276,
    -0.002345267632540769,
    0.0015566317474486838,
    -0.0010376374098418604,
    0.0007233266279287554,
    -0.0004821990530566789,
    0.0002272331660987376,
    -0.00015148586836773365,
    0.00025968482126430747,
    -0.00017312261802727394,
];
/// The positive zero of ψ, in two parts.
const DIGAMMA_ZERO: (f64, f64) = (1.4616321449683622, 9.549995429965697e-17);

/// `B_2k / 2k`, k = 1, 2, …: [DLMF 5.11.2].
const DIGAMMA_SERIES: [f64; 8] = [
    1.0 / 12.0,
    -1.0 / 120.0,
    1.0 / 252.0,
    -1.0 / 240.0,
    1.0 / 132.0,
    -691.0 / 32_760.0,
    1.0 / 12.0,
    -3617.0 / 8160.0,
];

/// `ψ(x)` for x > 0; NaN for negative x.
fn digamma<N: Number>(x: N) -> N {
    let far = lit::<N>(STIRLING_FROM).less(&x);
    let high = N::select(&far, x.clone(), lit(STIRLING_FROM));
    let square = high.clone().square().recip();
    let reversed: Vec<f64> = DIGAMMA_SERIES.iter().rev().copied().collect();
    let series = polynomial(&square, &reversed) * square;
    let asymptotic = high.clone().ln() - high.recip() * lit(0.5) - series;

    let valid = N::and(&lit::<N>(0.0).less(&x), &N::not(&far));
    let near = N::select(&valid, x.clone(), lit(1.5));
    let below = near.less(&lit(1.0));
    let mut sum = N::select(&below, -near.clone().recip(), lit(0.0));
    let mut y = N::select(&below, near.clone() + lit(1.0), near);
    for _ in 0..6 {
        let above = lit::<N>(2.0).less(&y);
        let less = y.clone() - lit(1.0);
        sum = sum + N::select(&above, N::select(&above, less.clone(), lit(1.0)).recip(), lit(0.0));
        y = N::select(&above, less, y);
    }
    let reversed: Vec<f64> = DIGAMMA_BETWEEN.iter().rev().copied().collect();
    let from_zero = (y.clone() - lit(DIGAMMA_ZERO.0)) - lit(DIGAMMA_ZERO.1);
    let value = sum + from_zero * polynomial(&(y - lit(1.5)), &reversed);
    N::select(&far, asymptotic, pole_or_nan(&x, value, lit(f64::NEG_INFINITY)))
}

/// Bernoulli numbers `B_2k`, k = 1, 2, ….
const BERNOULLI: [f64; 10] = [
    1.0 / 6.0,
    -1.0 / 30.0,
    1.0 / 42.0,
    -1.0 / 30.0,
    5.0 / 66.0,
    -691.0 / 2730.0,
    7.0 / 6.0,
    -3617.0 / 510.0,
    43_867.0 / 798.0,
    -174_611.0 / 330.0,
];

/// `ψ⁽ⁿ⁾(x)` for n ≥ 1 and x > 0 [DLMF 5.15.8, 5.15.5]; NaN for negative x.
fn polygamma<N: Number>(n: u32, x: N) -> N {
    let terms = 12 + n;
    let from = f64::from(terms);
    let valid = lit::<N>(0.0).less(&x);
    let mut y = N::select(&valid, x.clone(), lit(from));
    let mut shifted = lit::<N>(0.0);
    let power = -f64::from(n) - 1.0;
    for _ in 0..terms {
        let low = y.less(&lit(from));
        let safe = N::select(&low, y.clone(), lit(1.0));
        shifted = shifted + N::select(&low, safe.powf(power), lit(0.0));
        y = N::select(&low, y.clone() + lit(1.0), y);
    }
    // Coefficients relative to n!: 1/n, 1/2, B_2k (2k+n-1)!/((2k)! n!).
    let order = f64::from(n);
    let mut coefficients = Vec::with_capacity(BERNOULLI.len());
    let mut ratio = 1.0 / order;
    for (index, bernoulli) in BERNOULLI.iter().enumerate() {
        let twice = 2.0 * (index as f64 + 1.0);
        ratio *= (twice + order - 2.0) * (twice + order - 1.0) / ((twice - 1.0) * twice);
        coefficients.push(bernoulli * ratio);
    }
    coefficients.reverse();
    let inverse = y.recip();
    let square = inverse.clone().square();
    let series =
        (polynomial(&square, &coefficients) * square) + inverse.clone() * lit(0.5) + lit(1.0 / order);
    let factorial: f64 = (1..=n).map(f64::from).product();
    let sign = if n % 2 == 0 { -1.0 } else { 1.0 };
    let value = (shifted + series * inverse.powf(order)) * lit(sign * factorial);
    pole_or_nan(&x, value, lit(sign * f64::INFINITY))
}

// ------------------------------------------------------------------------------------------------ error functions
// Rational approximations of Cody, Math. Comp. 23 (1969) 631-637, highest power first.

const ERF_NUMERATOR: [f64; 5] = [
    1.857_777_061_846_031_53e-1,
    3.161_123_743_870_565_60,
    1.138_641_541_510_501_56e2,
    3.774_852_376_853_020_21e2,
    3.209_377_589_138_469_47e3,
];
const ERF_DENOMINATOR: [f64; 5] = [
    1.0,
    2.360_129_095_234_412_09e1,
    2.440_246_379_344_441_73e2,
    1.282_616_526_077_372_28e3,
    2.844_236_833_439_170_62e3,
];
const ERFC_NUMERATOR: [f64; 9] = [
    2.153_115_354_744_038_46e-8,
    5.641_884_969_886_700_89e-1,
    8.883_149_794_388_375_94,
    6.611_919_063_714_162_95e1,
    2.986_351_381_974_001_31e2,
    8.819_522_212_417_690_90e2,
    1.712_047_612_634_070_58e3,
    2.051_078_377_826_071_47e3,
    1.230_339_354_797_997_25e3,
];
const ERFC_DENOMINATOR: [f64; 9] = [
    1.0,
    1.574_492_611_070_983_47e1,
    1.176_939_508_913_124_99e2,
    5.371_811_018_620_098_58e2,
    1.621_389_574_566_690_19e3,
    3.290_799_235_733_459_63e3,
    4.362_619_090_143_247_16e3,
    3.439_367_674_143_721_64e3,
    1.230_339_354_803_749_42e3,
];
const FAR_NUMERATOR: [f64; 6] = [
    1.631_538_713_730_209_78e-2,
    3.053_266_349_612_323_44e-1,
    3.603_448_999_498_044_39e-1,
    1.257_817_261_112_292_46e-1,
    1.608_378_514_874_227_66e-2,
    6.587_491_615_298_378_03e-4,
];
const FAR_DENOMINATOR: [f64; 6] = [
    1.0,
    2.568_520_192_289_822_42,
    1.872_952_849_923_467_25,
    5.279_051_029_514_284_12e-1,
    6.051_834_131_244_131_91e-2,
    2.335_204_976_268_691_85e-3,
];
const ONE_OVER_SQRT_PI: f64 = 0.564_189_583_547_756_286_95;
/// Below this modulus erf is approximated itself, above it `erfcx`.
const ERF_BELOW: f64 = 0.46875;

/// `erf(x)` for |x| < 0.47, NaN at NaN; elsewhere finite, without meaning.
fn erf_core<N: Number>(x: &N) -> N {
    let outside = lit::<N>(0.47).less(&x.clone().abs());
    let small = N::select(&outside, lit(0.0), x.clone());
    let square = small.clone().square();
    small * polynomial(&square, &ERF_NUMERATOR) / polynomial(&square, &ERF_DENOMINATOR)
}

/// `erfcx(y)` for y > 0.46, NaN at NaN; elsewhere finite, without meaning.
fn erfcx_core<N: Number>(y: &N) -> N {
    let far = lit::<N>(4.0).less(y);
    let middle = N::select(&N::or(&y.less(&lit(0.46)), &far), lit(1.0), y.clone());
    let near = polynomial(&middle, &ERFC_NUMERATOR) / polynomial(&middle, &ERFC_DENOMINATOR);
    let high = N::select(&far, y.clone(), lit(4.0));
    let inverse = high.recip();
    let square = inverse.clone().square();
    let ratio = polynomial(&square, &FAR_NUMERATOR) / polynomial(&square, &FAR_DENOMINATOR);
    let tail = (lit::<N>(ONE_OVER_SQRT_PI) - square * ratio) * inverse;
    N::select(&far, tail, near)
}

/// `exp(sign x² scale)` with the square split, so that its rounding is not magnified by the exponential.
fn exp_square<N: Number>(x: N, scale: f64) -> N {
    // Veltkamp: `high` has at most 26 bits, its square is exact. In narrower dtypes it is 0 and nothing is lost.
    let scaled = x.clone() * lit(134_217_729.0);
    let high = scaled.clone() - (scaled - x.clone());
    let rest = (x.clone() - high.clone()) * (x + high.clone());
    (high.square() * lit(scale)).exp() * (rest * lit(scale)).exp()
}

/// The argument where `exp(-x²)` is 0 in double precision: clamped there, or the split would overflow.
const ERFC_ZERO: f64 = 28.0;

fn erf<N: Number>(x: N) -> N {
    let magnitude = x.clone().abs();
    let inside = magnitude.less(&lit(ERF_BELOW));
    let outside = lit::<N>(1.0) - upper_tail(&magnitude);
    let negative = x.less(&lit(0.0));
    let signed = N::select(&negative, -outside.clone(), outside);
    N::select(&inside, erf_core(&x), signed)
}

/// `erfc(y)` for y ≥ 0.46875.
fn upper_tail<N: Number>(y: &N) -> N {
    let clamped = y.clone().minimum(lit(ERFC_ZERO));
    let safe = N::select(&clamped.less(&lit(0.46)), lit(1.0), clamped);
    exp_square(safe.clone(), -1.0) * erfcx_core(&safe)
}

fn erfc<N: Number>(x: N) -> N {
    let magnitude = x.clone().abs();
    let inside = magnitude.less(&lit(ERF_BELOW));
    let tail = upper_tail(&magnitude);
    let outside = N::select(&x.less(&lit(0.0)), lit::<N>(2.0) - tail.clone(), tail);
    N::select(&inside, lit::<N>(1.0) - erf_core(&x), outside)
}

fn erfcx<N: Number>(x: N) -> N {
    let magnitude = x.clone().abs();
    let inside = magnitude.less(&lit(ERF_BELOW));
    let middle = N::select(&inside, x.clone(), lit(0.0));
    let small = middle.clone().square().exp() * (lit::<N>(1.0) - erf_core(&middle));
    let below = x.less(&lit(-ERF_BELOW));
    let left = N::select(&below, x.clone().maximum(lit(-30.0)), lit(-1.0));
    let reflected = exp_square(left.clone(), 1.0) * lit(2.0) - erfcx_core(&-left);
    N::select(&inside, small, N::select(&below, reflected, erfcx_core(&magnitude)))
}

// ------------------------------------------------------------------------------------------- normal distribution

/// Beyond this distance `exp(-x²/2)` is 0 in double precision.
const NORMAL_ZERO: f64 = 39.0;
/// Beyond this distance the tail form is used: `ERF_BELOW √2`, rounded up.
const NORMAL_TAIL: f64 = 0.6630;

/// `Φ(-y)` for y > 0.6630: the square of y itself is split, not that of y/√2.
fn normal_tail<N: Number>(y: &N) -> N {
    let clamped = y.clone().minimum(lit(NORMAL_ZERO));
    let safe = N::select(&clamped.less(&lit(NORMAL_TAIL)), lit(1.0), clamped);
    let scaled = erfcx_core(&(safe.clone() * N::constant(Constant::OneOverSqrt2)));
    exp_square(safe, -0.5) * scaled * lit(0.5)
}

fn norm_cdf<N: Number>(x: N) -> N {
    let magnitude = x.clone().abs();
    let tail = normal_tail(&magnitude);
    let inside = N::not(&lit::<N>(NORMAL_TAIL).less(&magnitude));
    let centre = erf_core(&(x.clone() * N::constant(Constant::OneOverSqrt2))) * lit(0.5) + lit(0.5);
    let outside = N::select(&x.less(&lit(0.0)), tail.clone(), lit::<N>(1.0) - tail);
    N::select(&inside, centre, outside)
}

/// `ln Φ(x)`: below -1 from the scaled tail, which neither underflows nor cancels.
fn norm_log_cdf<N: Number>(x: N) -> N {
    let left = x.less(&lit(-1.0));
    let low = N::select(&left, x.clone(), lit(-1.0));
    let scaled = erfcx_core(&(low.clone() * -N::constant(Constant::OneOverSqrt2)));
    let lower = (scaled * lit(0.5)).ln() - low.square() * lit(0.5);
    let right = N::select(&left, lit(0.0), x);
    let upper = (-norm_cdf(-right)).ln_1p();
    N::select(&left, lower, upper)
}

// Wichura, Applied Statistics 37 (1988) 477-484, algorithm AS 241 (PPND16), highest power first.

const CENTRE_NUMERATOR: [f64; 8] = [
    2.509_080_928_730_122_672_7e3,
    3.343_057_558_358_812_810_5e4,
    6.726_577_092_700_870_085_3e4,
    4.592_195_393_154_987_145_7e4,
    1.373_169_376_550_946_112_5e4,
    1.971_590_950_306_551_442_7e3,
    1.331_416_678_917_843_774_5e2,
    3.387_132_872_796_366_608_0,
];
const CENTRE_DENOMINATOR: [f64; 8] = [
    5.226_495_278_852_854_561_0e3,
    2.872_908_573_572_194_267_4e4,
    3.930_789_580_009_271_061_0e4,
    2.121_379_430_158_659_586_7e4,
    5.394_196_021_424_751_107_7e3,
    6.871_870_074_920_579_083_0e2,
    4.231_333_070_160_091_125_2e1,
    1.0,
];
const TAIL_NUMERATOR: [f64; 8] = [
    7.745_450_142_783_414_076_40e-4,
    2.272_384_498_926_918_458_33e-2,
    2.417_807_251_774_506_117_70e-1,
    1.270_458_252_452_368_382_58,
    3.647_848_324_763_204_605_04,
    5.769_497_221_460_691_405_50,
    4.630_337_846_156_545_295_90,
    1.423_437_110_749_683_577_34,
];
const TAIL_DENOMINATOR: [f64; 8] = [
    1.050_750_071_644_416_843_24e-9,
    5.475_938_084_995_344_946_00e-4,
    1.519_866_656_361_645_719_66e-2,
    1.481_039_764_274_800_745_90e-1,
    6.897_673_349_851_000_045_50e-1,
    1.676_384_830_183_803_849_40,
    2.053_191_626_637_758_821_87,
    1.0,
];
const EXTREME_NUMERATOR: [f64; 8] = [
    2.010_334_399_292_288_132_65e-7,
    2.711_555_568_743_487_578_15e-5,
    1.242_660_947_388_078_438_60e-3,
    2.653_218_952_657_612_309_30e-2,
    2.965_605_718_285_048_912_30e-1,
    1.784_826_539_917_291_335_80,
    5.463_784_911_164_114_369_90,
    6.657_904_643_501_103_777_20,
];
const EXTREME_DENOMINATOR: [f64; 8] = [
    2.044_263_103_389_939_785_64e-15,
    1.421_511_758_316_445_888_70e-7,
    1.846_318_317_510_054_681_80e-5,
    7.868_691_311_456_132_591_00e-4,
    1.487_536_129_085_061_485_25e-2,
    1.369_298_809_227_358_053_10e-1,
    5.998_322_065_558_879_376_90e-1,
    1.0,
];
/// Half width of the central region.
const SPLIT: f64 = 0.425;

/// `Φ⁻¹(p)`; infinite at 0 and 1, NaN outside.
fn norm_quantile<N: Number>(p: N) -> N {
    let zero = lit::<N>(0.0);
    let one = lit::<N>(1.0);
    let q = p.clone() - lit(0.5);
    let central = N::not(&lit::<N>(SPLIT).less(&q.clone().abs()));
    let inner = N::select(&central, q.clone(), zero.clone());
    let r = lit::<N>(SPLIT * SPLIT) - inner.clone().square();
    let centre = inner * polynomial(&r, &CENTRE_NUMERATOR) / polynomial(&r, &CENTRE_DENOMINATOR);

    let lower = q.less(&zero);
    let beyond = N::select(&lower, p.clone(), one.clone() - p.clone());
    let open = N::and(&N::and(&zero.less(&p), &p.less(&one)), &N::not(&central));
    let root = (-N::select(&open, beyond, lit(0.05)).ln()).sqrt();
    let extreme = lit::<N>(5.0).less(&root);
    let near = N::select(&extreme, lit(5.0), root.clone()) - lit(1.6);
    let far = N::select(&extreme, root, lit(5.0)) - lit(5.0);
    let magnitude = N::select(
        &extreme,
        polynomial(&far, &EXTREME_NUMERATOR) / polynomial(&far, &EXTREME_DENOMINATOR),
        polynomial(&near, &TAIL_NUMERATOR) / polynomial(&near, &TAIL_DENOMINATOR),
    );
    let tail = N::select(&lower, -magnitude.clone(), magnitude);
    let edge = N::and(&zero.less_equal(&p), &p.less_equal(&one));
    let infinite = N::select(&lower, lit(f64::NEG_INFINITY), lit(f64::INFINITY));
    let outside = N::select(&edge, infinite, lit(f64::NAN));
    N::select(&central, centre, N::select(&open, tail, outside))
}
