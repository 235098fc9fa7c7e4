//! Error functions: rational approximations of Cody, Math. Comp. 23 (1969) 631-637, highest power first.
use isostat_number::Number;

use super::{lit, polynomial};

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
pub(super) fn erf_core<N: Number>(x: &N) -> N {
    let outside = lit::<N>(0.47).less(&x.clone().abs());
    let small = N::select(&outside, lit(0.0), x.clone());
    let square = small.clone().square();
    small * polynomial(&square, &ERF_NUMERATOR) / polynomial(&square, &ERF_DENOMINATOR)
}

/// `erfcx(y)` for y > 0.46, NaN at NaN; elsewhere finite, without meaning.
pub(super) fn erfcx_core<N: Number>(y: &N) -> N {
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
pub(super) fn exp_square<N: Number>(x: N, scale: f64) -> N {
    // Veltkamp: `high` has at most 26 bits, its square is exact. In narrower dtypes it is 0 and nothing is lost.
    let scaled = x.clone() * lit(134_217_729.0);
    let high = scaled.clone() - (scaled - x.clone());
    let rest = (x.clone() - high.clone()) * (x + high.clone());
    (high.square() * lit(scale)).exp() * (rest * lit(scale)).exp()
}

/// The argument where `exp(-x²)` is 0 in double precision: clamped there, or the split would overflow.
const ERFC_ZERO: f64 = 28.0;

pub(super) fn erf<N: Number>(x: N) -> N {
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

pub(super) fn erfc<N: Number>(x: N) -> N {
    let magnitude = x.clone().abs();
    let inside = magnitude.less(&lit(ERF_BELOW));
    let tail = upper_tail(&magnitude);
    let outside = N::select(&x.less(&lit(0.0)), lit::<N>(2.0) - tail.clone(), tail);
    N::select(&inside, lit::<N>(1.0) - erf_core(&x), outside)
}

pub(super) fn erfcx<N: Number>(x: N) -> N {
    let magnitude = x.clone().abs();
    let inside = magnitude.less(&lit(ERF_BELOW));
    let middle = N::select(&inside, x.clone(), lit(0.0));
    let small = middle.clone().square().exp() * (lit::<N>(1.0) - erf_core(&middle));
    let below = x.less(&lit(-ERF_BELOW));
    let left = N::select(&below, x.clone().maximum(lit(-30.0)), lit(-1.0));
    let reflected = exp_square(left.clone(), 1.0) * lit(2.0) - erfcx_core(&-left);
    N::select(&inside, small, N::select(&below, reflected, erfcx_core(&magnitude)))
}
