//! Cholesky of a symmetric positive definite matrix whose rows and columns are first scaled to a unit diagonal,
//! so that the units of a column never change an answer.
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::{cholesky_in_place, cholesky_in_place_scratch};
use faer::{MatMut, Par};

/// Below this size plain loops beat a blocked factorisation.
const SMALL: usize = 64;

/// `S H S = L L'` with `S = diag(scale)` and a unit diagonal.
#[derive(Clone, Debug)]
pub struct Factor {
    size: usize,
    scale: Vec<f64>,
    lower: Vec<f64>,
}

impl Factor {
    /// Factors `h` (row-major, p × p, the lower triangle is read); `None` if it is not positive definite.
    pub fn new(h: &[f64], p: usize) -> Option<Factor> {
        if h.len() != p * p {
            return None;
        }
        let mut scale = Vec::with_capacity(p);
        for j in 0..p {
            let d = h[j * p + j];
            if !(d > 0.0 && d.is_finite()) {
                return None;
            }
            scale.push(1.0 / d.sqrt());
        }
        let mut lower = vec![0.0; p * p];
        for i in 0..p {
            for j in 0..=i {
                lower[i * p + j] = h[i * p + j] * scale[i] * scale[j];
            }
        }
        let done = if p <= SMALL { factor_small(&mut lower, p) } else { factor_large(&mut lower, p) };
        done.then_some(Factor { size: p, scale, lower })
    }

    /// The number of rows.
    pub fn size(&self) -> usize {
        self.size
    }

    /// The solution of `H d = r`.
    pub fn solve(&self, r: &[f64]) -> Vec<f64> {
        let mut d: Vec<f64> = r.iter().zip(&self.scale).map(|(r, s)| r * s).collect();
        self.forward(&mut d);
        self.backward(&mut d);
        d.iter_mut().zip(&self.scale).for_each(|(d, s)| *d *= s);
        d
    }

    fn forward(&self, d: &mut [f64]) {
        let p = self.size;
        for i in 0..p {
            let row = &self.lower[i * p..i * p + i];
            let dot: f64 = row.iter().zip(d.iter()).map(|(l, x)| l * x).sum();
            d[i] = (d[i] - dot) / self.lower[i * p + i];
        }
    }

    fn backward(&self, d: &mut [f64]) {
        let p = self.size;
        for i in (0..p).rev() {
            d[i] /= self.lower[i * p + i];
            let x = d[i];
            let row = &self.lower[i * p..i * p + i];
            d[..i].iter_mut().zip(row).for_each(|(d, l)| *d -= l * x);
        }
    }

    /// `T` (row-major, upper triangular) with `T T' = H⁻¹`, that is `T = S L'⁻¹`.
    pub fn inverse_root(&self) -> Vec<f64> {
        let p = self.size;
        // Rows of L⁻¹, by forward substitution on whole rows.
        let mut inverse = vec![0.0; p * p];
        for i in 0..p {
            let (done, rest) = inverse.split_at_mut(i * p);
            let row = &mut rest[..p];
            for k in 0..i {
                let l = self.lower[i * p + k];
                let other = &done[k * p..k * p + k + 1];
                row.iter_mut().zip(other).for_each(|(r, o)| *r -= l * o);
            }
            row[i] = 1.0;
            let d = self.lower[i * p + i];
            row[..=i].iter_mut().for_each(|r| *r /= d);
        }
        let mut root = vec![0.0; p * p];
        for i in 0..p {
            for j in i..p {
                root[i * p + j] = self.scale[i] * inverse[j * p + i];
            }
        }
        root
    }

    /// `H⁻¹`, row-major.
    pub fn inverse(&self) -> Vec<f64> {
        times_transpose(&self.inverse_root(), self.size)
    }

    /// `√(‖C‖₁ ‖C⁻¹‖₁)` of the scaled matrix C: an upper bound, up to √p, of the condition of the design's
    /// scaled columns.
    pub fn condition(&self) -> f64 {
        let p = self.size;
        let unscaled = Factor { size: p, scale: vec![1.0; p], lower: self.lower.clone() };
        let inverse = unscaled.inverse();
        let scaled = self.scaled();
        (norm_one(&scaled, p) * norm_one(&inverse, p)).sqrt()
    }

    fn scaled(&self) -> Vec<f64> {
        times_transpose(&self.lower, self.size)
    }

    /// `log det H`.
    pub fn log_determinant(&self) -> f64 {
        let p = self.size;
        (0..p).map(|i| 2.0 * (self.lower[i * p + i].ln() - self.scale[i].ln())).sum()
    }
}

/// The solution of `H d = r` (row-major, p × p); NaN where `H` is not positive definite.
pub fn solve_spd(h: &[f64], r: &[f64], p: usize) -> Vec<f64> {
    match Factor::new(h, p) {
        Some(factor) => factor.solve(r),
        None => vec![f64::NAN; p],
    }
}

/// `A A'` of a row-major square matrix.
pub fn times_transpose(a: &[f64], p: usize) -> Vec<f64> {
    let mut out = vec![0.0; p * p];
    for i in 0..p {
        for j in 0..=i {
            let dot: f64 = a[i * p..(i + 1) * p].iter().zip(&a[j * p..(j + 1) * p]).map(|(x, y)| x * y).sum();
            out[i * p + j] = dot;
            out[j * p + i] = dot;
        }
    }
    out
}

fn norm_one(a: &[f64], p: usize) -> f64 {
    (0..p).map(|j| (0..p).map(|i| a[i * p + j].abs()).sum::<f64>()).fold(0.0, f64::max)
}

fn factor_small(a: &mut [f64], p: usize) -> bool {
    for i in 0..p {
        let (above, rest) = a.split_at_mut(i * p);
        let row = &mut rest[..p];
        for j in 0..i {
            let other = &above[j * p..j * p + j + 1];
            let dot: f64 = row[..j].iter().zip(other).map(|(x, y)| x * y).sum();
            row[j] = (row[j] - dot) / other[j];
        }
        let pivot = row[i] - row[..i].iter().map(|x| x * x).sum::<f64>();
        if !(pivot > 0.0) {
            return false;
        }
        row[i] = pivot.sqrt();
    }
    true
}

fn factor_large(a: &mut [f64], p: usize) -> bool {
    // The lower triangle in row-major order is the upper one in column-major order: mirror it first.
    for i in 0..p {
        for j in 0..i {
            a[j * p + i] = a[i * p + j];
        }
    }
    let mut memory = MemBuffer::new(cholesky_in_place_scratch::<f64>(p, Par::Seq, Default::default()));
    let matrix = MatMut::from_column_major_slice_mut(a, p, p);
    let stack = MemStack::new(&mut memory);
    if cholesky_in_place(matrix, Default::default(), Par::Seq, stack, Default::default()).is_err() {
        return false;
    }
    // faer leaves L column-major: transpose it back and clear the other triangle.
    for i in 0..p {
        for j in 0..i {
            a[i * p + j] = a[j * p + i];
            a[j * p + i] = 0.0;
        }
    }
    (0..p).all(|i| a[i * p + i].is_finite() && a[i * p + i] > 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spd(p: usize) -> Vec<f64> {
        // B B' + I with B from a fixed linear congruence, columns of very different units.
        let mut state = 7_u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / 2f64.powi(53) - 0.5
        };
        let b: Vec<f64> = (0..p * p).map(|_| next()).collect();
        let mut h = times_transpose(&b, p);
        for i in 0..p {
            h[i * p + i] += 1.0;
        }
        let unit = |i: usize| 10f64.powi((i % 7) as i32 - 3);
        for i in 0..p {
            for j in 0..p {
                h[i * p + j] *= unit(i) * unit(j);
            }
        }
        h
    }

    /// `p` roundings of a well-conditioned solve.
    const ROUNDING: f64 = 1e-11;

    #[test]
    fn solves_and_inverts_at_every_size() {
        for p in [1, 2, 5, 63, 64, 65, 130] {
            let h = spd(p);
            let factor = Factor::new(&h, p).expect("positive definite");
            let truth: Vec<f64> = (0..p).map(|i| (i as f64 + 1.0) / 10f64.powi((i % 7) as i32 - 3)).collect();
            let r: Vec<f64> = (0..p).map(|i| (0..p).map(|j| h[i * p + j] * truth[j]).sum()).collect();
            for (d, t) in factor.solve(&r).iter().zip(&truth) {
                assert!((d - t).abs() <= ROUNDING * t.abs(), "p={p}: {d} {t}");
            }
            let inverse = factor.inverse();
            for i in 0..p {
                let row: f64 = (0..p).map(|j| h[i * p + j] * inverse[j * p + i]).sum();
                assert!((row - 1.0).abs() < ROUNDING, "p={p}: {row}");
            }
            assert!(factor.condition() >= 1.0 - ROUNDING);
        }
    }

    #[test]
    fn refuses_what_is_not_positive_definite() {
        assert!(Factor::new(&[1.0, 2.0, 2.0, 1.0], 2).is_none());
        assert!(Factor::new(&[0.0], 1).is_none());
        assert!(solve_spd(&[f64::NAN], &[1.0], 1)[0].is_nan());
    }
}
