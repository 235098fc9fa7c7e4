//! Symmetric eigenvalues and vectors.
use faer::{MatRef, Side};

/// Eigenvalues in ascending order and eigenvectors (row-major, one in each column); `None` where it fails.
pub fn symmetric(a: &[f64], p: usize) -> Option<(Vec<f64>, Vec<f64>)> {
    if a.len() != p * p || a.iter().any(|x| !x.is_finite()) {
        return None;
    }
    let eigen = MatRef::from_row_major_slice(a, p, p).self_adjoint_eigen(Side::Lower).ok()?;
    let values = (0..p).map(|i| eigen.S().column_vector()[i]).collect();
    let vectors = (0..p * p).map(|k| eigen.U()[(k / p, k % p)]).collect();
    Some((values, vectors))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_diagonalisable_matrix_is_rebuilt() {
        let a = [2.0, 1.0, 0.0, 1.0, 3.0, -1.0, 0.0, -1.0, 4.0];
        let (values, vectors) = symmetric(&a, 3).expect("finite");
        assert!(values.windows(2).all(|w| w[0] <= w[1]));
        for i in 0..3 {
            for j in 0..3 {
                let rebuilt: f64 = (0..3).map(|k| vectors[i * 3 + k] * values[k] * vectors[j * 3 + k]).sum();
                assert!((rebuilt - a[i * 3 + j]).abs() < 1e-13);
            }
        }
    }
}
