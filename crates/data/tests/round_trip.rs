//! Printing and parsing are inverse, for any text that parses.
use isostat_data::formula::parse::expression;
use isostat_data::Formula;
use proptest::prelude::*;

const OPERATORS: [&str; 20] = [
    "+", "-", "*", "/", "^", "**", ":", "%in%", "%%", "%/%", "<", ">", "<=", ">=", "==", "!=", "&", "|",
    "&&", "||",
];

fn atom() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z][a-z0-9._]{0,4}".prop_filter("reserved", |name| {
            !["if", "else", "for", "in", "next", "break", "while", "repeat"].contains(&name.as_str())
        }),
        "`[a-z +\\-()é~]{1,6}`",
        "[0-9]{1,6}",
        "[0-9]{1,3}\\.[0-9]{0,5}",
        "[1-9]e-?[0-9]{1,2}",
        "\"[a-z ,='é]{0,5}\"",
        Just("TRUE".to_string()),
        Just("NULL".to_string()),
    ]
}

/// Text of an expression: operators without brackets as often as with them, so that precedence is at work.
fn text() -> impl Strategy<Value = String> {
    atom().prop_recursive(4, 24, 4, |inner| {
        let operand = prop_oneof![inner.clone(), inner.clone().prop_map(|e| format!("({e})"))];
        prop_oneof![
            (operand.clone(), prop::sample::select(OPERATORS.as_slice()), operand.clone())
                .prop_map(|(a, op, b)| format!("{a} {op} {b}")),
            (prop::sample::select(["-", "+", "!"].as_slice()), operand.clone())
                .prop_map(|(op, e)| format!("{op}{e}")),
            ("[a-z]{1,4}[0-9]", prop::collection::vec(operand, 0..3), any::<bool>()).prop_map(
                |(f, args, named)| {
                    let args: Vec<String> =
                        args.into_iter().map(|a| if named { format!("k={a}") } else { a }).collect();
                    format!("{f}({})", args.join(" ,"))
                }
            ),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn what_is_printed_parses_to_the_same_tree(text in text()) {
        // Chained comparisons are refused; everything else parses.
        if let Ok(tree) = expression(&text) {
            let printed = tree.to_string();
            prop_assert_eq!(expression(&printed).unwrap(), tree.clone(), "{} printed as {}", text, printed);
            prop_assert_eq!(expression(&printed).unwrap().to_string(), printed);
        } else {
            prop_assert!(expression(&text).unwrap_err().to_string().contains("chained"), "{}", text);
        }
    }

    #[test]
    fn a_formula_comes_back(left in text(), right in text()) {
        if let Ok(formula) = Formula::parse(&format!("{left}~{right}")) {
            prop_assert_eq!(Formula::parse(&formula.to_string()).unwrap(), formula);
        }
    }

    #[test]
    fn no_text_makes_the_parser_fall_over(text in "\\PC{0,40}") {
        let _ = Formula::parse(&text);
        let _ = Formula::parse(&format!("y ~ {text}"));
    }
}
