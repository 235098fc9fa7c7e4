//! Numbers as R prints them.

/// How many significant digits R's `deparse` and `as.character` show.
const DIGITS: usize = 15;

/// A number with the fewest digits that give its value to 15 significant ones, fixed or scientific, whichever
/// is shorter: `0.1`, `123456`, `1e+05`, `1e-04`.
pub fn format_number(value: f64) -> String {
    if value.is_nan() {
        return "NaN".into();
    }
    if value.is_infinite() {
        return if value > 0.0 { "Inf".into() } else { "-Inf".into() };
    }
    if value == 0.0 {
        return "0".into();
    }
    let scientific = format!("{value:.*e}", DIGITS - 1);
    let Some((mantissa, exponent)) = scientific.split_once('e') else { return scientific };
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let mantissa = mantissa.trim_end_matches('0').trim_end_matches('.');
    let n_digits = mantissa.chars().filter(char::is_ascii_digit).count() as i32;
    let decimals = (n_digits - 1 - exponent).max(0);
    let point = |digits: i32| if digits > 0 { digits + 1 } else { 0 };
    let fixed_width = exponent.max(0) + 1 + point(decimals);
    let exponent_width = if exponent.abs() >= 100 { 5 } else { 4 };
    let scientific_width = 1 + point(n_digits - 1) + exponent_width;
    if fixed_width <= scientific_width {
        format!("{value:.*}", decimals as usize)
    } else {
        let sign = if exponent < 0 { '-' } else { '+' };
        format!("{mantissa}e{sign}{:02}", exponent.abs())
    }
}

#[cfg(test)]
mod tests {
    use super::format_number;

    #[test]
    fn numbers_print_as_in_r() {
        let cases = [
            (0.1, "0.1"),
            (123456.0, "123456"),
            (1e5, "1e+05"),
            (1e-4, "1e-04"),
            (2.0, "2"),
            (1e15, "1e+15"),
            (1e-300, "1e-300"),
            (1.0 / 3.0, "0.333333333333333"),
            (-2.5, "-2.5"),
        ];
        for (value, text) in cases {
            assert_eq!(format_number(value), text);
        }
    }
}
