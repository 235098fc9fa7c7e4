//! Which links a family takes, and that specialised code is the same code.
use isostat_base::Error;
use isostat_engine::{Formula, FormulaVisitor};
use isostat_model::row::{Curvature, Fisher, Fit, Glm, Observed};
use isostat_model::{AnyFamily, AnyLink, Family, Link, Mean, Range};
use isostat_number::{Lane, Number};
use isostat_testkit::Report;

use crate::grid::{moderate_means, name, pairs, responses, show};

/// Whether the link has a predictor for the mean, and leads back from it.
fn reaches(link: &AnyLink, m: &Mean<f64>) -> bool {
    let eta = link.forward(m);
    eta.is_finite() && (link.inverse(eta) - m.mu).abs() <= 1e-9 * m.mu.abs()
}

#[test]
fn a_link_is_refused_where_it_cannot_reach_the_means() {
    let mut report =
        Report::new("check_link refuses the links that some mean of the family has no predictor for");
    for family in AnyFamily::examples() {
        let range = family.mean_range();
        for link in AnyLink::examples() {
            let reaches_all = moderate_means(range).iter().all(|m| reaches(&link, &Mean::unit(m.mu)));
            // The mean of a family on all reals may be restricted at will.
            let expected = reaches_all || range == Range::Real;
            let answer = family.check_link(&link);
            report.check(answer.is_ok() == expected, || {
                format!("{} with {}: {answer:?}", show(&family), link.name())
            });
            let Err(error) = answer else { continue };
            let Error::Unsupported { what, nearest, .. } = &error else {
                report.check(false, || format!("{error:?} is of another kind"));
                continue;
            };
            let named = nearest.split('"').nth(1).map(AnyLink::parse);
            let is_supported = matches!(&named, Some(Ok(near)) if family.check_link(near).is_ok());
            report.check(is_supported, || format!("{}: the nearest is {nearest}", show(&family)));
            report.check(what.contains(&link.name()) && what.contains(&family.name()), || what.clone());
        }
    }
    report.finish();
}

#[test]
fn default_and_canonical_links_are_supported() {
    let mut report = Report::new("check_link takes the default and the canonical link");
    for family in AnyFamily::examples() {
        let is_free = matches!(family, AnyFamily::Quasi(_));
        for link in [Some(family.default_link()), family.canonical_link()].into_iter().flatten() {
            // R's `quasi` has the identity for its default whatever the variance.
            let is_taken = family.check_link(&link).is_ok();
            report.check(is_taken || is_free, || format!("{} with {}", show(&family), link.name()));
        }
    }
    report.finish();
}

/// The bits of a formula's values on a type of number.
struct Bits<const O: usize, const I: usize>([f64; I]);

impl<const I: usize, const O: usize> FormulaVisitor<I, O> for Bits<O, I> {
    type Output = Vec<u64>;
    fn run<F: Formula<I, O>>(self, formula: &F) -> Vec<u64> {
        bits(formula, self.0)
    }
}

fn bits<const I: usize, const O: usize, F: Formula<I, O>>(formula: &F, x: [f64; I]) -> Vec<u64> {
    // NaN has many bit patterns and one meaning.
    let canonical = |v: f64| if v.is_nan() { f64::NAN.to_bits() } else { v.to_bits() };
    let mut all: Vec<u64> = formula.eval(x).map(canonical).to_vec();
    all.extend(formula.eval(x.map(Lane::<true>::literal)).map(|v| canonical(v.0)));
    all.extend(formula.eval(x.map(Lane::<false>::literal)).map(|v| canonical(v.0)));
    all
}

fn compare<F: Formula<3, 3>>(report: &mut Report, formula: &F, x: [f64; 3], place: impl Fn() -> String) {
    report.check(formula.visit(Bits(x)) == bits(formula, x), place);
}

#[test]
fn specialised_code_has_the_same_bits() {
    let mut report = Report::new("visit gives the bits of the enum, on f64 and on SIMD lanes");
    for glm in pairs() {
        for eta in [-700.0, -38.0, -2.3, -0.1, 0.0, 0.7, 3.1, 37.0, 700.0, f64::NAN] {
            for y in responses(&glm.family) {
                let place = || format!("{} at y = {y}, eta = {eta}", name(&glm));
                compare(&mut report, &Fisher(glm.clone()), [y, 2.0, eta], place);
                compare(&mut report, &Observed(glm.clone()), [y, 2.0, eta], place);
                compare(&mut report, &Curvature(glm.clone()), [y, 2.0, eta], place);
                compare(&mut report, &Fit(glm.clone()), [y, 2.0, eta], place);
            }
        }
    }
    report.finish();
}

/// The type that a visitor meets.
struct TypeName;
impl FormulaVisitor<3, 3> for TypeName {
    type Output = &'static str;
    fn run<F: Formula<3, 3>>(self, _: &F) -> &'static str {
        std::any::type_name::<F>()
    }
}

#[test]
fn hot_pairs_are_specialised() {
    let mut report = Report::new("the default link of a fixed family is met as a concrete type");
    for name in ["gaussian", "binomial", "poisson"] {
        let family = AnyFamily::parse(name).unwrap();
        let link = family.default_link();
        let met = Fisher(Glm { family, link }).visit(TypeName);
        report.check(!met.contains("AnyFamily") && !met.contains("AnyLink"), || met.to_string());
    }
    report.finish();
}
