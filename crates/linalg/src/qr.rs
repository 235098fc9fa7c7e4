//! Triangular factors by Householder reflections, on row-major matrices.

/// The upper triangular R (row-major, n × n, diagonal not negative) of the row-major m × n matrix `a`.
///
/// `a` is destroyed. Where m < n the last rows of R are zero. Stacking two factors and factoring again merges
/// them: `R'R` adds.
pub fn qr_r(a: &mut [f64], m: usize, n: usize) -> Vec<f64> {
    let mut dots = vec![0.0; n];
    for k in 0..n.min(m) {
        reflect(a, m, n, k, &mut dots);
    }
    let mut r = vec![0.0; n * n];
    for i in 0..n.min(m) {
        let sign = if a[i * n + i] < 0.0 { -1.0 } else { 1.0 };
        for j in i..n {
            r[i * n + j] = sign * a[i * n + j];
        }
    }
    r
}

/// One reflection that clears column k below the diagonal.
fn reflect(a: &mut [f64], m: usize, n: usize, k: usize, dots: &mut [f64]) {
    let largest = (k..m).map(|i| a[i * n + k].abs()).fold(0.0, f64::max);
    if largest == 0.0 || !largest.is_finite() {
        return;
    }
    let norm = largest * (k..m).map(|i| (a[i * n + k] / largest).powi(2)).sum::<f64>().sqrt();
    let head = a[k * n + k];
    let alpha = if head > 0.0 { -norm } else { norm };
    // v = x - alpha e_1; H = I - v v' / (alpha (alpha - head))
    let divisor = alpha * (alpha - head);
    a[k * n + k] = head - alpha;
    let tail = &mut dots[k + 1..n];
    tail.fill(0.0);
    for i in k..m {
        let row = &a[i * n..(i + 1) * n];
        let v = row[k];
        if v != 0.0 {
            tail.iter_mut().zip(&row[k + 1..]).for_each(|(d, x)| *d += v * x);
        }
    }
    tail.iter_mut().for_each(|d| *d /= divisor);
    for i in k..m {
        let row = &mut a[i * n..(i + 1) * n];
        let v = row[k];
        if v != 0.0 {
            row[k + 1..].iter_mut().zip(tail.iter()).for_each(|(x, d)| *x -= v * d);
        }
    }
    a[k * n + k] = alpha;
    for i in k + 1..m {
        a[i * n + k] = 0.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_factor_reproduces_the_gram_matrix_and_merges() {
        let (m, n) = (7, 3);
        let a: Vec<f64> = (0..m * n).map(|i| ((i * i + 3) % 11) as f64 - 4.0).collect();
        let whole = qr_r(&mut a.clone(), m, n);
        let top = qr_r(&mut a[..4 * n].to_vec(), 4, n);
        let mut stacked = top;
        stacked.extend_from_slice(&a[4 * n..]);
        let merged = qr_r(&mut stacked, 6, n);
        for i in 0..n {
            for j in 0..n {
                let gram: f64 = (0..m).map(|r| a[r * n + i] * a[r * n + j]).sum();
                let product: f64 = (0..n).map(|k| whole[k * n + i] * whole[k * n + j]).sum();
                assert!((gram - product).abs() < 1e-12 * gram.abs().max(1.0));
                assert!((whole[i * n + j] - merged[i * n + j]).abs() < 1e-13 * 10.0);
            }
        }
    }
}
