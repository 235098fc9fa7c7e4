//! Instruction sets, chosen at run time.
//!
//! Unsafe code of the host engine lives in this folder alone; each kernel has a portable twin that it is tested
//! against.
#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
pub mod elementwise;
pub mod panel;
pub mod tile;

use std::sync::OnceLock;

/// An instruction set that kernels are compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SimdLevel {
    /// What every processor has.
    Portable,
    /// AVX2 with fused multiply-add.
    Avx2,
    /// AVX-512 (F, DQ, VL).
    Avx512,
}

impl SimdLevel {
    /// The best that this processor has; `ISOSTAT_SIMD=portable|avx2|avx512` lowers it.
    pub fn detect() -> SimdLevel {
        static LEVEL: OnceLock<SimdLevel> = OnceLock::new();
        *LEVEL.get_or_init(|| {
            let asked = match std::env::var("ISOSTAT_SIMD").as_deref() {
                Ok("portable") => SimdLevel::Portable,
                Ok("avx2") => SimdLevel::Avx2,
                _ => SimdLevel::Avx512,
            };
            asked.min(Self::best())
        })
    }

    /// The best that this processor has.
    pub fn best() -> SimdLevel {
        #[cfg(target_arch = "x86_64")]
        {
            let fma = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
            let wide = is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512dq")
                && is_x86_feature_detected!("avx512vl");
            if fma && wide {
                return SimdLevel::Avx512;
            }
            if fma {
                return SimdLevel::Avx2;
            }
        }
        SimdLevel::Portable
    }

    /// The level itself, or the best that this processor has if that is less.
    pub fn available(self) -> SimdLevel {
        self.min(Self::best())
    }

    /// Name, as evidence gives it.
    pub fn name(self) -> &'static str {
        match self {
            SimdLevel::Portable => "portable",
            SimdLevel::Avx2 => "avx2",
            SimdLevel::Avx512 => "avx512",
        }
    }
}
