//! The standard normal distribution.
use super::erf::{erfcx_positive, exp_minus_half_square};
use std::f64::consts::FRAC_1_SQRT_2;

/// `1/√(2π)`.
const INV_SQRT_2PI: f64 = 0.398_942_280_401_432_677_94;
/// `ln √(2π)`.
pub(super) const LN_SQRT_2PI: f64 = 0.918_938_533_204_672_741_78;

/// Standard normal density `e^{-x²/2} / √(2π)`.
///
/// R: `dnorm(x)`. SciPy: `scipy.stats.norm.pdf(x)`.
#[inline]
pub fn norm_pdf(x: f64) -> f64 {
    INV_SQRT_2PI * exp_minus_half_square(x)
}

/// Logarithm of the standard normal density, `-x²/2 - ln √(2π)`.
#[inline]
pub fn norm_log_pdf(x: f64) -> f64 {
    -0.5 * x * x - LN_SQRT_2PI
}

/// `1 - Φ(x)` for `x ≥ 0`: `½ erfcx(x/√2) e^{-x²/2}`.
#[inline]
fn upper_tail(x: f64) -> f64 {
    0.5 * erfcx_positive(x * FRAC_1_SQRT_2) * exp_minus_half_square(x)
}

/// Standard normal distribution function `Φ(x)`, accurate in the lower tail.
///
/// The upper tail is `norm_cdf(-x)`. The tail is `½ erfcx(|x|/√2) e^{-x²/2}` with the square split in two, so
/// that the relative error does not grow with `x²`. R: `pnorm(x)`. SciPy: `scipy.special.ndtr(x)`.
#[inline]
pub fn norm_cdf(x: f64) -> f64 {
    let tail = upper_tail(x.abs());
    if x > 0.0 {
        1.0 - tail
    } else {
        tail
    }
}

/// `ln Φ(x)`, accurate in both tails.
///
/// R: `pnorm(x, log.p = TRUE)`. SciPy: `scipy.special.log_ndtr(x)`.
#[inline]
pub fn norm_log_cdf(x: f64) -> f64 {
    if x > -1.0 {
        // Here Φ > 0.15: its upper complement is small or of the same size.
        if x > 0.0 {
            (-upper_tail(x)).ln_1p()
        } else {
            upper_tail(-x).ln()
        }
    } else {
        (0.5 * erfcx_positive(x.abs() * FRAC_1_SQRT_2)).ln() - 0.5 * x * x
    }
}

/// Standard normal quantile `Φ⁻¹(p)`: `-∞` at 0, `∞` at 1, NaN outside.
///
/// Wichura (1988), Algorithm AS 241, Applied Statistics 37, 477–484, routine PPND16.
/// R: `qnorm(p)`. SciPy: `scipy.special.ndtri(p)`.
pub fn norm_quantile(p: f64) -> f64 {
    if !(0.0..=1.0).contains(&p) {
        return f64::NAN;
    }
    let centred = p - 0.5;
    if centred.abs() <= 0.425 {
        let r = 0.180625 - centred * centred;
        return centred * ratio(r, &CENTRE);
    }
    let tail = if centred < 0.0 { p } else { 1.0 - p };
    if tail == 0.0 {
        return f64::INFINITY.copysign(centred);
    }
    let r = (-tail.ln()).sqrt();
    let z = if r <= 5.0 { ratio(r - 1.6, &MIDDLE) } else { ratio(r - 5.0, &FAR) };
    z.copysign(centred)
}

/// Numerator and denominator of one rational function, ascending powers.
type Rational = ([f64; 8], [f64; 8]);

#[inline]
fn ratio(r: f64, (numerator, denominator): &Rational) -> f64 {
    let horner = |c: &[f64; 8]| c.iter().rev().fold(0.0, |sum, &a| sum * r + a);
    horner(numerator) / horner(denominator)
}

/// AS 241, `|p - ½| ≤ 0.425`.
const CENTRE: Rational = (
    [
        3.387_132_872_796_366_608_0,
        133.141_667_891_784_377_45,
        1_971.590_950_306_551_442_7,
        13_731.693_765_509_461_125,
        45_921.953_931_549_871_457,
        67_265.770_927_008_700_853,
        33_430.575_583_588_128_105,
        2_509.080_928_730_122_672_7,
    ],
    [
        1.0,
        42.313_330_701_600_911_252,
        687.187_007_492_057_908_30,
        5_394.196_021_424_751_107_7,
        21_213.794_301_586_595_867,
        39_307.895_800_092_710_610,
        28_729.085_735_721_942_674,
        5_226.495_278_852_854_561_0,
    ],
);
/// AS 241, `√(-ln tail) ≤ 5`.
const MIDDLE: Rational = (
    [
        1.423_437_110_749_683_577_34,
        4.630_337_846_156_545_295_90,
        5.769_497_221_460_691_405_50,
        3.647_848_324_763_204_605_04,
        1.270_458_252_452_368_382_58,
        0.241_780_725_177_450_611_770,
        0.022_723_844_989_269_184_583_3,
        7.745_450_142_783_414_076_40e-4,
    ],
    [
        1.0,
        2.053_191_626_637_758_821_87,
        1.676_384_830_183_803_849_40,
        0.689_767_334_985_100_004_550,
        0.148_103_976_427_480_074_590,
        0.015_198_666_563_616_457_196_6,
        5.475_938_084_995_344_946_00e-4,
        1.050_750_071_644_416_843_24e-9,
    ],
);
/// AS 241, the far tail.
const FAR: Rational = (
    [
        6.657_904_643_501_103_777_20,
        5.463_784_911_164_114_369_90,
        1.784_826_539_917_291_335_80,
        0.296_560_571_828_504_891_230,
        0.026_532_189_526_576_123_093_0,
        1.242_660_947_388_078_438_60e-3,
        2.711_555_568_743_487_578_15e-5,
        2.010_334_399_292_288_132_65e-7,
    ],
    [
        1.0,
        0.599_832_206_555_887_937_690,
        0.136_929_880_922_735_805_310,
        0.014_875_361_290_850_614_852_5,
        7.868_691_311_456_132_591_00e-4,
        1.846_318_317_510_054_681_80e-5,
        1.421_511_758_316_445_888_70e-7,
        2.044_263_103_389_939_785_64e-15,
    ],
);
