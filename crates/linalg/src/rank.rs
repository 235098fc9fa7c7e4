//! Which columns of a design depend on earlier ones, as R decides it: a column whose part orthogonal to the
//! columns kept before it is shorter than `tolerance` times its own length is aliased.

/// A column that the kept ones reproduce.
#[derive(Clone, Debug, PartialEq)]
pub struct Alias {
    /// The aliased column.
    pub column: usize,
    /// Its coefficients on the kept columns: (column, coefficient), zeros left out.
    pub relation: Vec<(usize, f64)>,
}

/// The columns kept and those aliased.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rank {
    /// Kept columns, in order.
    pub kept: Vec<usize>,
    /// Aliased columns, in order.
    pub aliased: Vec<Alias>,
}

/// Decides from the upper triangular factor `r` (row-major, p × p) of the design.
pub fn alias(r: &[f64], p: usize, tolerance: f64) -> Rank {
    let mut rank = Rank::default();
    let mut basis: Vec<Vec<f64>> = Vec::new();
    let mut triangle: Vec<Vec<f64>> = Vec::new();
    for j in 0..p {
        let column: Vec<f64> = (0..p).map(|i| r[i * p + j]).collect();
        let length = norm(&column);
        let (rest, coordinates) = orthogonalise(&basis, column);
        let remaining = norm(&rest);
        if length > 0.0 && remaining > tolerance * length {
            basis.push(rest.iter().map(|x| x / remaining).collect());
            let mut with_diagonal = coordinates;
            with_diagonal.push(remaining);
            triangle.push(with_diagonal);
            rank.kept.push(j);
        } else {
            rank.aliased.push(Alias { column: j, relation: relation(&triangle, &rank.kept, coordinates) });
        }
    }
    rank
}

/// Twice is enough: the second sweep removes what rounding left of the first.
fn orthogonalise(basis: &[Vec<f64>], mut v: Vec<f64>) -> (Vec<f64>, Vec<f64>) {
    let mut coordinates = vec![0.0; basis.len()];
    for _ in 0..2 {
        for (c, q) in coordinates.iter_mut().zip(basis) {
            let dot: f64 = q.iter().zip(&v).map(|(a, b)| a * b).sum();
            v.iter_mut().zip(q).for_each(|(x, q)| *x -= dot * q);
            *c += dot;
        }
    }
    (v, coordinates)
}

fn relation(triangle: &[Vec<f64>], kept: &[usize], mut c: Vec<f64>) -> Vec<(usize, f64)> {
    for i in (0..c.len()).rev() {
        c[i] /= triangle[i][i];
        for k in 0..i {
            c[k] -= triangle[i][k] * c[i];
        }
    }
    let largest = c.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    // Coefficients that are rounding beside the largest are zero.
    let negligible = largest * 1e-9;
    kept.iter().copied().zip(c).filter(|(_, x)| x.abs() > negligible).collect()
}

fn norm(v: &[f64]) -> f64 {
    let largest = v.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    if largest == 0.0 || !largest.is_finite() {
        return largest;
    }
    largest * v.iter().map(|x| (x / largest).powi(2)).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::qr::qr_r;

    #[test]
    fn an_aliased_column_is_named_with_its_relation() {
        // columns: 1, x, 2x - 1, z
        let x = [0.0, 0.0, 1.0, 1.0, 1.0, 0.0];
        let z = [0.3, -1.2, 0.7, 2.0, -0.4, 0.1];
        let mut a: Vec<f64> = (0..6).flat_map(|i| [1.0, x[i], 2.0 * x[i] - 1.0, z[i]]).collect();
        let r = qr_r(&mut a, 6, 4);
        let rank = alias(&r, 4, 1e-11);
        assert_eq!(rank.kept, [0, 1, 3]);
        assert_eq!(rank.aliased[0].column, 2);
        let relation = &rank.aliased[0].relation;
        assert_eq!(relation.iter().map(|r| r.0).collect::<Vec<_>>(), [0, 1]);
        assert!((relation[0].1 + 1.0).abs() < 1e-12 && (relation[1].1 - 2.0).abs() < 1e-12);
    }
}
