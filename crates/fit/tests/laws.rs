//! Laws of a fit, over every family with its default link and others that its means allow.
use isostat_base::Evidence;
use isostat_engine::host::{Block, Design, Host, HostArray, View};
use isostat_engine::Rows;
use isostat_fit::extra::{fit_any, Outcome};
use isostat_fit::inference::Told;
use isostat_fit::{Names, Options, WeightsKind};
use isostat_model::row::Glm;
use isostat_model::{AnyFamily, AnyLink, Family, Link, Range, Support};
use isostat_testkit::{Report, Tolerance, EXACT, SOLVER};
use std::sync::Arc;

/// Two fits that stop at a Newton decrement below 1e-10 and take one more step lie within its square root's square.
const FIT: Tolerance = Tolerance::named("FIT", 1e-8);

/// Numbers in (-1/2, 1/2) by a linear congruence.
struct Draws(u64);
impl Draws {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / 2f64.powi(53) - 0.5
    }
}

/// A small regression: rows, columns (intercept first), responses that scatter around means of the link.
#[derive(Clone)]
struct Case {
    n: usize,
    p: usize,
    x: Vec<f64>,
    y: Vec<f64>,
    weights: Option<Vec<f64>>,
}

const BETA: [f64; 3] = [0.9, 0.25, -0.2];

fn case(glm: &Glm<AnyFamily, AnyLink>, n: usize) -> Case {
    let mut draws = Draws(11);
    let (mut x, mut y) = (Vec::new(), Vec::new());
    for _ in 0..n {
        let row = [1.0, draws.next(), draws.next()];
        let eta: f64 = row.iter().zip(BETA).map(|(x, b)| x * b).sum();
        let mu: f64 = glm.link.inverse(eta);
        y.push(response(&glm.family, mu, draws.next()));
        x.extend(row);
    }
    Case { n, p: 3, x, y, weights: None }
}

/// A response near a mean: scattered by a draw, on the support.
fn response(family: &AnyFamily, mu: f64, draw: f64) -> f64 {
    match family.support() {
        Support::Unit => f64::from(u8::from(mu + draw > 0.5)),
        Support::NonNegative => (mu * (1.0 + 1.6 * draw)).round(),
        Support::Positive => mu * (1.0 + 0.8 * draw),
        Support::Real => mu + 0.5 * draw,
    }
}

fn pairs() -> Vec<Glm<AnyFamily, AnyLink>> {
    let mut out = Vec::new();
    for family in AnyFamily::examples() {
        for link in AnyLink::examples() {
            let reaches = family.check_link(&link).is_ok();
            // Binomial means by links that reach beyond 1 need data that stay inside; the Gaussian's own tests fit
            // its other links.
            let is_tame = match family.mean_range() {
                Range::Unit => link.image() == Range::Unit,
                Range::Real => matches!(link, AnyLink::Identity(_) | AnyLink::Log(_)),
                _ => matches!(
                    link,
                    AnyLink::Log(_) | AnyLink::Sqrt(_) | AnyLink::Identity(_) | AnyLink::Inverse(_)
                ),
            };
            if reaches && is_tame {
                out.push(Glm { family: family.clone(), link });
            }
        }
    }
    out
}

fn named(glm: &Glm<AnyFamily, AnyLink>) -> String {
    format!("{:?} with {}", glm.family, glm.link.name())
}

fn rows_of(case: &Case) -> Rows<HostArray> {
    Rows {
        y: HostArray::vector(case.y.clone()),
        weights: case.weights.clone().map_or(HostArray::Scalar(1.0), HostArray::vector),
        offset: HostArray::Scalar(0.0),
    }
}

fn fit_on(
    host: Host,
    glm: &Glm<AnyFamily, AnyLink>,
    case: &Case,
    kind: WeightsKind,
) -> (Outcome<HostArray>, Vec<f64>) {
    let view = View::matrix(Arc::new(case.x.clone()), 0, [case.n, case.p], [case.p, 1]).expect("fits");
    let x = HostArray::design(Design::from_blocks(vec![Block::Dense(view)]).expect("one block"));
    let mut options = Options::new(Names::of_arrays((0..case.p).map(|j| format!("x{j}")).collect()));
    options.weights_kind = kind;
    let rows = rows_of(case);
    let outcome = fit_any(&host, glm, &x, &rows, &options, &mut Evidence::new("host")).expect("accepted");
    let told = Told { engine: &host, outcome: &outcome, rows: &rows, weights_kind: kind };
    let vcov = told.covariance(None).expect("finite");
    let stderr = vcov.iter().step_by(case.p + 1).map(|v| v.sqrt()).collect();
    (outcome, stderr)
}

fn fit(glm: &Glm<AnyFamily, AnyLink>, case: &Case) -> (Outcome<HostArray>, Vec<f64>) {
    fit_on(Host::default(), glm, case, WeightsKind::Precision)
}

#[test]
fn every_pair_converges() {
    let mut report = Report::new("every pair converges on tame data");
    for glm in pairs() {
        let (outcome, _) = fit(&glm, &case(&glm, 300));
        report.check(outcome.fitted.status.is_converged(), || {
            format!("{}: {}", named(&glm), outcome.fitted.status)
        });
    }
    report.finish();
}

#[test]
fn frequency_weights_are_replicated_rows() {
    let mut report = Report::new("replicated rows = integer weights");
    for glm in pairs() {
        let whole = case(&glm, 200);
        let weights: Vec<f64> = (0..whole.n).map(|i| (i % 4) as f64).collect();
        let mut expanded = Case { n: 0, x: Vec::new(), y: Vec::new(), ..whole.clone() };
        for (i, w) in weights.iter().enumerate() {
            for _ in 0..*w as usize {
                expanded.n += 1;
                expanded.x.extend(&whole.x[i * whole.p..(i + 1) * whole.p]);
                expanded.y.push(whole.y[i]);
            }
        }
        let weighted = Case { weights: Some(weights), ..whole };
        let (a, a_se) = fit_on(Host::default(), &glm, &weighted, WeightsKind::Frequency);
        let (b, b_se) = fit(&glm, &expanded);
        for j in 0..weighted.p {
            let size = FIT.of_size(b_se[j]);
            report.close(a.fitted.coef[j], b.fitted.coef[j], size, || {
                format!("{} coefficient {j}", named(&glm))
            });
            report.close(a_se[j], b_se[j], SOLVER, || format!("{} standard error {j}", named(&glm)));
        }
        let (precision, _) = fit(&glm, &weighted);
        for j in 0..weighted.p {
            let size = FIT.of_size(b_se[j]);
            report.close(precision.fitted.coef[j], b.fitted.coef[j], size, || format!("{} {j}", named(&glm)));
        }
    }
    report.finish();
}

#[test]
fn threads_change_no_bit_and_row_order_nothing_beyond_rounding() {
    let mut report = Report::new("threads and row order");
    for glm in pairs() {
        let forward = case(&glm, 9000);
        let with = |threads| {
            fit_on(Host { threads: Some(threads), ..Host::default() }, &glm, &forward, WeightsKind::Precision)
        };
        let ((one, se), (two, _), (three, _)) = (with(1), with(2), with(3));
        let mut backward = forward.clone();
        backward.y.reverse();
        backward.x = forward.x.chunks(forward.p).rev().flatten().copied().collect();
        let (reversed, _) = fit(&glm, &backward);
        for j in 0..forward.p {
            let b = one.fitted.coef[j];
            report.close(two.fitted.coef[j], b, EXACT, || format!("{} 2 threads, {j}", named(&glm)));
            report.close(three.fitted.coef[j], b, EXACT, || format!("{} 3 threads, {j}", named(&glm)));
            report.close(reversed.fitted.coef[j], b, FIT.of_size(se[j]), || {
                format!("{} reversed, {j}", named(&glm))
            });
        }
    }
    report.finish();
}

#[test]
fn scaling_a_column_scales_its_coefficient_and_nothing_else() {
    let mut report = Report::new("units");
    for glm in pairs() {
        let plain = case(&glm, 250);
        let (a, a_se) = fit(&glm, &plain);
        for unit in [1e-8, 1e3, 1e10] {
            let mut scaled = plain.clone();
            scaled.x.iter_mut().skip(1).step_by(plain.p).for_each(|x| *x *= unit);
            let (b, b_se) = fit(&glm, &scaled);
            for j in 0..plain.p {
                let factor = if j == 1 { unit } else { 1.0 };
                let place = || format!("{} unit {unit:e}, column {j}", named(&glm));
                report.close(b.fitted.coef[j] * factor, a.fitted.coef[j], FIT.of_size(a_se[j]), place);
                report.close(b_se[j] * factor, a_se[j], SOLVER, place);
            }
            report
                .close(b.fitted.deviance, a.fitted.deviance, SOLVER, || format!("{} deviance", named(&glm)));
        }
    }
    report.finish();
}

#[test]
fn the_baseline_and_every_instruction_set_agree() {
    use isostat_engine::host::SimdLevel;
    let mut report = Report::new("baseline = fused on every instruction set");
    for glm in pairs() {
        let data = case(&glm, 777);
        let (base, se) = fit_on(Host::baseline(), &glm, &data, WeightsKind::Precision);
        for level in [SimdLevel::Portable, SimdLevel::Avx2, SimdLevel::Avx512] {
            let host = Host { level: level.available(), ..Host::default() };
            let (fused, _) = fit_on(host, &glm, &data, WeightsKind::Precision);
            report.check(fused.fitted.n_iter == base.fitted.n_iter, || {
                format!(
                    "{} {level:?}: {} iterations, {}",
                    named(&glm),
                    fused.fitted.n_iter,
                    base.fitted.n_iter
                )
            });
            for j in 0..data.p {
                let size = FIT.of_size(se[j]);
                report.close(fused.fitted.coef[j], base.fitted.coef[j], size, || {
                    format!("{} {level:?}", named(&glm))
                });
            }
        }
    }
    report.finish();
}
