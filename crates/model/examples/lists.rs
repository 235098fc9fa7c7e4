//! Prints the lists as tables for `docs/reference`: `tools/gen` cuts the output at each line `=== file` and writes the files.
use isostat_model::{AnyFamily, AnyLink, Dispersion, Family, Link, Support};
use isostat_number::Unary;

fn code(text: &str) -> String {
    format!("`{text}`")
}

fn response(support: Support) -> &'static str {
    match support {
        Support::Real => "any real",
        Support::Positive => "positive",
        Support::NonNegative => "0 or more",
        Support::Unit => "0 to 1",
    }
}

fn dispersion(dispersion: Dispersion) -> &'static str {
    match dispersion {
        Dispersion::Fixed => "1",
        Dispersion::PerRow => "estimated; the likelihood takes deviance / rows",
        Dispersion::PerWeight => "estimated; the likelihood takes deviance / sum of weights",
        Dispersion::Maximised => "estimated; the likelihood takes its own maximum",
        Dispersion::Outside => "estimated for standard errors only",
    }
}

/// The rows of the list, each name once, with every parameter at which it is an example.
fn by_name() -> Vec<(String, Vec<AnyFamily>)> {
    let mut found: Vec<(String, Vec<AnyFamily>)> = Vec::new();
    for family in AnyFamily::examples() {
        match found.iter_mut().find(|(name, _)| *name == family.name()) {
            Some((_, examples)) => examples.push(family),
            None => found.push((family.name(), vec![family])),
        }
    }
    found
}

fn canonical(examples: &[AnyFamily]) -> String {
    let first = examples[0].canonical_link();
    if examples.iter().any(|family| family.canonical_link() != first) {
        return "by its parameter".into();
    }
    first.map_or_else(|| "none".into(), |link| code(&link.name()))
}

fn families() {
    println!("=== families.md\n# Families\n");
    println!("As `family=` takes them. `quasi` is shown at `variance=\"mu^2\"`; another variance has its own means and canonical link.\n");
    println!("| family | response | means | link unless named | canonical link | dispersion |");
    println!("| --- | --- | --- | --- | --- | --- |");
    for (name, examples) in by_name() {
        let family = &examples[0];
        println!(
            "| {} | {} | {} | {} | {} | {} |",
            code(&name),
            response(family.support()),
            family.mean_range().words(),
            code(&family.default_link().name()),
            canonical(&examples),
            dispersion(family.dispersion()),
        );
    }
}

fn links() {
    println!("=== links.md\n# Links\n");
    println!("As `link=` takes them. A pair that is not ticked raises `UnsupportedError`, which names the nearest that runs.\n");
    let families = by_name();
    let names: Vec<String> = families.iter().map(|(name, _)| code(name)).collect();
    println!("| link | means it reaches | {} |", names.join(" | "));
    println!("| --- | --- |{}", " --- |".repeat(families.len()));
    for link in AnyLink::examples() {
        let runs = |family: &AnyFamily| if family.check_link(&link).is_ok() { "✓" } else { "" };
        let runs: Vec<&str> = families.iter().map(|(_, examples)| runs(&examples[0])).collect();
        println!("| {} | {} | {} |", code(&link.name()), link.image().words(), runs.join(" | "));
    }
}

fn functions() {
    println!("=== elementary-functions.md\n# Elementary functions\n");
    println!("What a formula may call on any number. A function without an array-API name is composed from those that have one.\n");
    println!("| function | formula | array-API name |\n| --- | --- | --- |");
    for function in Unary::ALL {
        let formula = function.latex().replacen("{}", "x", 1).replace('|', r"\vert ");
        let array_api = function.array_api().map_or_else(|| "composed".into(), code);
        println!("| {} | ${formula}$ | {array_api} |", code(function.name()));
    }
}

fn main() {
    families();
    links();
    functions();
}
