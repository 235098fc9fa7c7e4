//! The normal distribution.
use isostat_number::{Constant, Number};

use super::error::{erf_core, erfcx_core, exp_square};
use super::{lit, polynomial};

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

pub(super) fn norm_cdf<N: Number>(x: N) -> N {
    let magnitude = x.clone().abs();
    let tail = normal_tail(&magnitude);
    let inside = N::not(&lit::<N>(NORMAL_TAIL).less(&magnitude));
    let centre = erf_core(&(x.clone() * N::constant(Constant::OneOverSqrt2))) * lit(0.5) + lit(0.5);
    let outside = N::select(&x.less(&lit(0.0)), tail.clone(), lit::<N>(1.0) - tail);
    N::select(&inside, centre, outside)
}

/// `ln Φ(x)`: below -1 from the scaled tail, which neither underflows nor cancels.
pub(super) fn norm_log_cdf<N: Number>(x: N) -> N {
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
pub(super) fn norm_quantile<N: Number>(p: N) -> N {
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
