//! New data, unseen levels, missing values, and what errors say.
mod support;

use std::sync::Arc;

use isostat_base::Error;
use isostat_data::{
    Block, BuildOptions, Column, Design, DesignOptions, Formula, Frame, ModelSpec, NaPolicy, NewLevels,
    Response,
};
use support::{categorical, difference, EXPRESSION};

fn frame(columns: Vec<(&str, Column)>) -> Frame {
    Frame::new(columns.into_iter().map(|(name, column)| (name.to_string(), column)).collect()).unwrap()
}

fn learn_with(
    text: &str,
    frame: &Frame,
    options: &DesignOptions,
) -> isostat_base::Result<(ModelSpec, Design)> {
    ModelSpec::learn(&Formula::parse(text)?, frame, options)
}

fn learn(text: &str, frame: &Frame) -> (ModelSpec, Design) {
    learn_with(text, frame, &DesignOptions::default()).unwrap()
}

fn refused(text: &str, frame: &Frame) -> String {
    learn_with(text, frame, &DesignOptions::default()).unwrap_err().to_string()
}

fn dropping() -> DesignOptions {
    DesignOptions { na: NaPolicy::Drop, ..DesignOptions::default() }
}

fn training() -> Frame {
    frame(vec![
        ("y", Column::float(vec![1.0, 2.0, 3.0, 4.0, 5.0, 7.0])),
        ("x", Column::float(vec![0.5, 1.5, 2.0, 3.5, 4.0, 6.0])),
        ("g", Column::text(&["b", "a", "c", "a", "b", "c"])),
        ("h", Column::text(&["p", "q", "r", "s", "t", "p"])),
    ])
}

/// A column of a design by its name.
fn column(design: &Design, name: &str) -> Vec<f64> {
    let c = design.coef_names.iter().position(|n| n == name).unwrap();
    design.to_dense()[c * design.n_rows..(c + 1) * design.n_rows].to_vec()
}

#[test]
fn new_data_are_centred_by_the_training_data() {
    let (spec, _) = learn("y ~ scale(x) + I(x - mean(x)) + poly(x, 2)", &training());
    let new = frame(vec![("x", Column::float(vec![100.0]))]);
    let design = spec.build(&new, &BuildOptions::default()).unwrap();
    let mean = 17.5 / 6.0;
    let squares: f64 = [0.5, 1.5, 2.0, 3.5, 4.0, 6.0f64].iter().map(|v| (v - mean) * (v - mean)).sum();
    assert!(
        difference(&column(&design, "scale(x)"), &[(100.0 - mean) / (squares / 5.0).sqrt()]) <= EXPRESSION
    );
    assert!(difference(&column(&design, "I(x - mean(x))"), &[100.0 - mean]) <= EXPRESSION);
    assert!(difference(&column(&design, "poly(x, 2)1"), &[(100.0 - mean) / squares.sqrt()]) <= EXPRESSION);
    assert!(design.response.is_none());
}

#[test]
fn new_data_keep_the_codes_of_training() {
    let (spec, _) = learn("y ~ g + unclass(factor(h)) + x:g", &training());
    let new = frame(vec![
        ("x", Column::integer([2])),
        ("g", Column::text(&["c"])),
        ("h", categorical(&[Some("s")], &["s".into(), "p".into()], false)),
    ]);
    let design = spec.build(&new, &BuildOptions::default()).unwrap();
    assert_eq!(design.coef_names, spec.coef_names());
    assert_eq!(column(&design, "gc"), [1.0]);
    assert_eq!(column(&design, "gb"), [0.0]);
    assert_eq!(column(&design, "unclass(factor(h))"), [4.0]);
    assert_eq!(column(&design, "gc:x"), [2.0]);
}

#[test]
fn an_unseen_level_is_refused_left_out_or_taken_for_the_baseline() {
    let (spec, _) = learn("y ~ g + h", &training());
    let new = frame(vec![("g", Column::text(&["a", "zz", "c"])), ("h", Column::text(&["p", "q", "new"]))]);
    let build = |new_levels| spec.build(&new, &BuildOptions { new_levels, ..BuildOptions::default() });
    let error = build(NewLevels::Error).unwrap_err();
    let known = vec!["a".to_string(), "b".into(), "c".into()];
    assert_eq!(error, Error::UnseenLevel { column: "g".into(), levels: vec!["zz".into()], row: 1, known });
    let several = frame(vec![
        ("g", Column::text_optional(&[None, Some("b"), Some("zz"), Some("yy"), Some("zz")])),
        ("h", Column::text(&["p"; 5])),
    ]);
    // Unseen levels come before missing values, with the rows of the table.
    let Err(Error::UnseenLevel { levels, row, .. }) = spec.build(&several, &BuildOptions::default()) else {
        panic!("unseen levels must be refused")
    };
    assert_eq!((levels, row), (vec!["zz".to_string(), "yy".into()], 2));
    let left = build(NewLevels::Na).unwrap();
    assert_eq!((left.rows.as_slice(), left.n_rows, left.n_dropped()), ([0].as_slice(), 1, 2));
    let baseline = build(NewLevels::Baseline).unwrap();
    assert_eq!(column(&baseline, "gb"), [0.0, 0.0, 0.0]);
    assert_eq!(column(&baseline, "gc"), [0.0, 0.0, 1.0]);
    assert_eq!(column(&baseline, "hq"), [0.0, 1.0, 0.0]);
}

#[test]
fn a_level_that_training_dropped_is_unseen() {
    let levels = ["a".to_string(), "b".into(), "never".into()];
    let g = categorical(&[Some("a"), Some("b"), Some("a")], &levels, false);
    let data = frame(vec![("y", Column::float(vec![1.0, 2.0, 3.0])), ("g", g)]);
    let (spec, design) = learn("y ~ g", &data);
    assert_eq!(design.coef_names, ["(Intercept)", "gb"]);
    let new = frame(vec![("g", categorical(&[Some("never")], &levels, false))]);
    assert!(matches!(spec.build(&new, &BuildOptions::default()), Err(Error::UnseenLevel { row: 0, .. })));
}

#[test]
fn a_base_is_named_by_its_level() {
    let (_, design) = learn("y ~ C(g, base = \"b\")", &training());
    assert_eq!(design.coef_names, ["(Intercept)", "C(g, base = \"b\")a", "C(g, base = \"b\")c"]);
    assert_eq!(column(&design, "C(g, base = \"b\")a"), [0.0, 1.0, 0.0, 1.0, 0.0, 0.0]);
    let text = refused("y ~ C(g, base = \"zz\")", &training());
    assert!(text.contains("base \"zz\"") && text.contains("a, b, c"), "{text}");
}

#[test]
fn missing_values_are_refused_with_their_place() {
    let x = Column::float_optional(&[Some(1.0), Some(2.0), None, Some(4.0)]);
    let z = Column::float(vec![1.0, f64::NAN, 3.0, 4.0]);
    let g = Column::text_optional(&[Some("a"), Some("b"), Some("a"), None]);
    let data = frame(vec![("y", Column::float(vec![1.0, 2.0, 3.0, 4.0])), ("x", x), ("z", z), ("g", g)]);
    let remedy = "drop such rows with na=\"drop\", or fill them before the fit";
    let expect = |column: &str, value: &str, row| {
        format!("[missing-value] `{column}` holds {value} in row {row} of column \"{column}\"; {remedy}")
    };
    assert_eq!(refused("y ~ log(x)", &data), expect("x", "null", 2));
    assert_eq!(refused("y ~ z", &data), expect("z", "NaN", 1));
    assert_eq!(refused("y ~ g", &data), expect("g", "null", 3));
    assert_eq!(refused("y ~ log(y - 2)", &data), expect("log(y - 2)", "NaN", 0));
    assert!(learn_with("y ~ 1", &data, &DesignOptions::default()).is_ok(), "an unused column may have holes");
    let one_level = learn_with("y ~ x + z + g", &data, &dropping()).unwrap_err().to_string();
    assert!(
        one_level.contains("`g` must have at least two levels in the rows used, got \"a\" alone"),
        "{one_level}"
    );
    let (_, design) = learn_with("y ~ x + z", &data, &dropping()).unwrap();
    assert_eq!((design.rows.as_slice(), design.n_source_rows), ([0, 3].as_slice(), 4));
    assert_eq!(design.response, Some(Response::Vector { values: vec![1.0, 4.0], levels: None }));
}

#[test]
fn infinite_values_are_refused_under_every_policy() {
    let x = Column::float(vec![1.0, f64::NEG_INFINITY, 0.0]);
    let data = frame(vec![
        ("y", Column::float(vec![1.0, 2.0, 3.0])),
        ("x", x),
        ("v", Column::float(vec![0.0, 1.0, 2.0])),
    ]);
    for text in ["y ~ x", "y ~ exp(x)", "x ~ v"] {
        let error = learn_with(text, &data, &dropping()).unwrap_err();
        assert!(
            matches!(&error, Error::MissingValue { value, place, .. } if value == "-inf" && place.row == Some(1))
        );
    }
    let error = learn_with("y ~ log(v)", &data, &dropping()).unwrap_err();
    assert!(
        matches!(&error, Error::MissingValue { parameter, value, .. } if parameter == "log(v)" && value == "-inf")
    );
}

#[test]
fn weights_decide_which_rows_are_complete() {
    let w = Column::float_optional(&[Some(1.0), None, Some(1.0), Some(1.0), Some(1.0), Some(1.0)]);
    let columns =
        training().columns().map(|(n, c)| (n.to_string(), c.clone())).chain([("w".to_string(), w)]).collect();
    let data = Frame::new(columns).unwrap();
    let outside: Arc<[f64]> = vec![0.0, 0.0, f64::NAN, 0.0, 0.0, 0.0].into();
    let options = DesignOptions {
        na: NaPolicy::Drop,
        extra_columns: vec!["w".into()],
        extra_values: vec![("offset".into(), outside.clone())],
    };
    let (_, design) = learn_with("y ~ x", &data, &options).unwrap();
    assert_eq!(design.rows, [0, 3, 4, 5]);
    let raising = DesignOptions { na: NaPolicy::Raise, extra_columns: vec![], ..options.clone() };
    let text = learn_with("y ~ x", &data, &raising).unwrap_err().to_string();
    assert!(text.starts_with("[missing-value] `offset` holds NaN in row 2;"), "{text}");
    let short =
        DesignOptions { extra_values: vec![("offset".into(), vec![0.0].into())], ..DesignOptions::default() };
    assert!(matches!(learn_with("y ~ x", &data, &short), Err(Error::Shape { .. })));
}

#[test]
fn no_complete_row_is_an_error() {
    let nothing = frame(vec![("y", Column::float(vec![])), ("x", Column::float(vec![]))]);
    assert!(matches!(learn_with("y ~ x", &nothing, &dropping()), Err(Error::Shape { .. })));
    let holes =
        frame(vec![("y", Column::float(vec![f64::NAN, 1.0])), ("x", Column::float(vec![1.0, f64::NAN]))]);
    assert!(matches!(learn_with("y ~ x", &holes, &dropping()), Err(Error::Shape { .. })));
}

#[test]
fn responses_of_every_kind_are_told_apart() {
    let data = training();
    let Some(Response::Vector { values, levels }) = learn("g ~ x", &data).1.response else { panic!() };
    assert_eq!(values, [1.0, 0.0, 1.0, 0.0, 1.0, 1.0]);
    assert_eq!(levels.unwrap(), ["a", "b", "c"]);
    let Some(Response::Vector { values, levels: None }) = learn("x > 2 ~ g", &data).1.response else {
        panic!()
    };
    assert_eq!(values, [0.0, 0.0, 0.0, 1.0, 1.0, 1.0]);
    let text = refused("cbind(x, y, x) ~ g", &data);
    assert!(text.contains("3 columns") && text.contains("cbind(successes, failures)"), "{text}");
}

#[test]
fn blocks_stay_in_the_order_of_columns() {
    let (_, design) = learn("y ~ x + h + g", &training());
    let kinds: Vec<_> = design
        .blocks
        .iter()
        .map(|block| match block {
            Block::Dense { names, .. } => ("dense", names.len()),
            Block::Categorical { names, .. } => ("categorical", names.len()),
        })
        .collect();
    assert_eq!(kinds, [("dense", 2), ("categorical", 4), ("dense", 2)]);
    let names: Vec<String> = design.blocks.iter().flat_map(|b| b.names().to_vec()).collect();
    assert_eq!(names, design.coef_names);
}

#[test]
fn a_column_must_keep_its_kind() {
    let (spec, _) = learn("y ~ x + g", &training());
    let new = frame(vec![("x", Column::text(&["1"])), ("g", Column::text(&["a"]))]);
    assert!(
        matches!(spec.build(&new, &BuildOptions::default()), Err(Error::Dtype { parameter, .. }) if parameter == "x")
    );
    let new = frame(vec![("x", Column::float(vec![1.0]))]);
    assert!(
        matches!(spec.build(&new, &BuildOptions::default()), Err(Error::UnknownColumn { name, .. }) if name == "g")
    );
}

#[test]
fn errors_say_what_is_wrong_and_what_to_do() {
    let data = training();
    let cases = [
        ("y ~ xx", "[unknown-column] there is no column \"xx\"; the data have \"y\", \"x\", \"g\", \"h\"; did you mean"),
        ("y ~ x +", "[formula] a column, number, string or call is needed, but the formula ends here at position 7"),
        ("y ~ (x", "[formula] `)` is needed, but the formula ends here at position 6"),
        ("y x", "[formula] an operator or ~ is needed, but the name `x` stands here at position 2"),
        ("y", "[formula] a formula needs a ~ between response and predictors at position 1"),
        ("", "[formula] a column, number, string or call is needed, but the formula ends here at position 0"),
        ("y ~ x ~ g", "[formula] a formula has one ~ alone at position 6"),
        ("y ~ 'x", "[formula] the ' that opens here is not closed at position 4"),
        ("y ~ x # g", "[formula] the character `#` has no meaning in a formula at position 6"),
        ("y ~ x[1]", "[formula] `[` cannot stand in a formula; make the column first at position 5"),
        ("y ~ x = 2", "[formula] `=` names an argument; write == to compare at position 6"),
        ("y ~ 2 * x", "[formula] 2 is no term; only 0 and 1 are, and arithmetic stands inside I() at position 4"),
        ("y ~ x^k", "[formula] `^` needs a whole number of at least 1 here, not k; a power of a column is I(x^k)"),
        ("y ~ lgo(x)", "[unsupported] the function `lgo` is not supported: formulas do not know it; did you mean `log`?"),
        ("y ~ ln(x)", "[unsupported] the function `ln` is not supported: formulas do not know it; did you mean `log`?"),
        ("y ~ (1 | g)", "[unsupported] the random-effect term (1 | g) is not supported: glm has no random effects"),
        ("y ~ x + (x | g)", "[unsupported] the random-effect term (x | g)"),
        ("y ~ s(x)", "[unsupported] the smooth term s(x) is not supported: glm has no penalised smooths"),
        ("y ~ log(g)", "[formula] `log` needs numbers, but `g` is a column of strings at position 8"),
        ("y ~ log(x, bse = 2)", "[formula] `log` has no argument `bse`; it takes x, base at position 4"),
        ("y ~ log()", "[formula] `log` needs its argument `x` at position 4"),
        ("y ~ as.numeric(g)", "[formula] `as.numeric` needs a factor, but `g` is a column of strings"),
        ("y ~ poly(x, 6)", "[formula] `poly` of degree 6 needs more than the 6 distinct values of `x`"),
        ("y ~ C(g, contr.odd)", "[unsupported] the contrast `contr.odd`"),
        ("y ~ I(\"x\")", "[formula] `I(\"x\")` is a string, which is no variable"),
        ("y ~ x < 2 < 3", "[formula] comparisons cannot be chained; join them with & at position 10"),
    ];
    for (text, start) in cases {
        let error = refused(text, &data);
        assert!(error.starts_with(start), "{text}: {error}");
    }
    let nested = format!("y ~ {}x{}", "(".repeat(5000), ")".repeat(5000));
    assert!(refused(&nested, &data).contains("nest deeper"));
}

#[test]
fn thousands_of_terms_are_no_trouble() {
    let n_columns = 3000;
    let names: Vec<String> = (0..n_columns).map(|c| format!("x{c}")).collect();
    let columns = names.iter().map(|name| (name.clone(), Column::float(vec![1.0, 2.0])));
    let data =
        Frame::new(columns.chain([("y".to_string(), Column::float(vec![0.0, 1.0]))]).collect()).unwrap();
    let (spec, design) = learn(&format!("y ~ {}", names.join(" + ")), &data);
    assert_eq!(design.n_columns(), n_columns + 1);
    assert_eq!(learn("y ~ .", &data).1, design);
    assert!(ModelSpec::from_json(&spec.to_json().unwrap()).is_ok());
    assert_eq!(spec.predictor_columns(), names);
}

#[test]
fn what_is_no_specification_is_refused() {
    let (spec, _) = learn("y ~ x", &training());
    let text = spec.to_json().unwrap();
    assert!(ModelSpec::from_json("{}").is_err());
    let newer =
        ModelSpec::from_json(&text.replace("\"version\":1", "\"version\":99")).unwrap_err().to_string();
    assert!(newer.contains("version 99"), "{newer}");
}

#[test]
fn a_frame_refuses_ragged_columns_and_names_that_stand_twice() {
    let two = |a: &str, b: &str, n| {
        let columns =
            vec![(a.to_string(), Column::float(vec![1.0])), (b.to_string(), Column::float(vec![1.0; n]))];
        Frame::new(columns)
    };
    assert!(matches!(two("a", "b", 2), Err(Error::Shape { parameter, .. }) if parameter == "b"));
    assert!(matches!(two("a", "a", 1), Err(Error::Domain { .. })));
    assert!(matches!(training().numeric("g"), Err(Error::Dtype { .. })));
}

#[test]
fn constants_stand_for_every_row_and_no_rows_give_no_rows() {
    let data = training();
    let (_, design) = learn("y ~ I(2) + poly(3, 2, raw = TRUE) + cbind(x, 1) + ifelse(TRUE, 4, 5)", &data);
    assert_eq!(column(&design, "I(2)"), [2.0; 6]);
    assert_eq!(column(&design, "poly(3, 2, raw = TRUE)2"), [9.0; 6]);
    assert_eq!(column(&design, "ifelse(TRUE, 4, 5)"), [4.0; 6]);
    assert!(refused("y ~ factor(1)", &data).contains("at least two levels"));
    let (spec, _) = learn("y ~ g * poly(x, 2) + ifelse(x > 1, 1, 0) + h + ns(x, df = 2) + (g == h)", &data);
    let none = spec.build(&data.take(&[]), &BuildOptions::default()).unwrap();
    assert_eq!((none.n_rows, none.to_dense().len()), (0, 0));
    assert_eq!(none.coef_names, spec.coef_names());
}
