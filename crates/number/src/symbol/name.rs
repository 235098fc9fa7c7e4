//! Names of variables in LaTeX and Python.
use super::node::Variable;

const GREEK: [&str; 40] = [
    "alpha",
    "beta",
    "gamma",
    "delta",
    "epsilon",
    "varepsilon",
    "zeta",
    "eta",
    "theta",
    "vartheta",
    "iota",
    "kappa",
    "lambda",
    "mu",
    "nu",
    "xi",
    "pi",
    "varpi",
    "rho",
    "varrho",
    "sigma",
    "varsigma",
    "tau",
    "upsilon",
    "phi",
    "varphi",
    "chi",
    "psi",
    "omega",
    "Gamma",
    "Delta",
    "Theta",
    "Lambda",
    "Xi",
    "Pi",
    "Sigma",
    "Upsilon",
    "Phi",
    "Psi",
    "Omega",
];

/// Words that Python keeps.
const RESERVED: [&str; 35] = [
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue", "def",
    "del", "elif", "else", "except", "finally", "for", "from", "global", "if", "import", "in", "is",
    "lambda", "nonlocal", "not", "or", "pass", "raise", "return", "try", "while", "with", "yield",
];

/// `mu` gives `\mu`, `beta0` and `beta_0` give `\beta_{0}`, `rate` gives `\mathrm{rate}`.
pub(super) fn latex(variable: &Variable) -> String {
    let name = variable.name.trim_end_matches('_');
    let (head, tail) = split(name);
    let mut subscripts: Vec<String> = tail.split('_').filter(|s| !s.is_empty()).map(word).collect();
    subscripts.extend(variable.index.map(|index| index.to_string()));
    if subscripts.is_empty() {
        return word(head);
    }
    format!("{}_{{{}}}", word(head), subscripts.join(","))
}

/// Head and subscript: at the first underscore, or before trailing digits.
fn split(name: &str) -> (&str, &str) {
    if let Some((head, tail)) = name.split_once('_').filter(|(head, _)| !head.is_empty()) {
        return (head, tail);
    }
    let head = name.trim_end_matches(|c: char| c.is_ascii_digit());
    if head.is_empty() {
        (name, "")
    } else {
        (head, &name[head.len()..])
    }
}

fn word(text: &str) -> String {
    if GREEK.contains(&text) {
        return format!("\\{text}");
    }
    if text.chars().count() <= 1 || text.chars().all(|c| c.is_ascii_digit()) {
        return escape(text);
    }
    format!("\\mathrm{{{}}}", escape(text))
}

fn escape(text: &str) -> String {
    let mut escaped = String::new();
    for c in text.chars() {
        match c {
            '_' | '%' | '&' | '#' | '$' | '{' | '}' => escaped.extend(['\\', c]),
            '\\' => escaped.push_str("\\backslash "),
            '~' | '^' => escaped.push_str("\\ "),
            c => escaped.push(c),
        }
    }
    escaped
}

/// A name that Python accepts: other characters become underscores, and a reserved word gets one.
pub(super) fn python(name: &str) -> String {
    let mut text: String = name.chars().map(|c| if c.is_alphanumeric() { c } else { '_' }).collect();
    if text.is_empty() || text.starts_with(|c: char| c.is_numeric()) {
        text.insert(0, '_');
    }
    if RESERVED.contains(&text.as_str()) {
        text.push('_');
    }
    text
}
