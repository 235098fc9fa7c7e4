//! A family of the caller's own, written once over `Number`: it is fitted like any other, with its derivatives.
use isostat_base::{Evidence, Status};
use isostat_engine::host::{Block, Design, Host, HostArray, View};
use isostat_engine::Rows;
use isostat_fit::{fit, Names, Options};
use isostat_model::link::Log;
use isostat_model::row::Glm;
use isostat_model::{AnyLink, Dispersion, Family, Mean, Range, Support};
use isostat_number::Number;
use isostat_testkit::{close, SOLVER};
use std::sync::Arc;

/// Counts of failures before a success: `V(mu) = mu (1 + mu)`.
#[derive(Clone)]
struct Geometric;

impl Family for Geometric {
    fn name(&self) -> String {
        "geometric".into()
    }
    fn by_name(key: &str) -> Option<Self> {
        (key == "geometric").then_some(Geometric)
    }
    fn mean_range(&self) -> Range {
        Range::Positive
    }
    fn support(&self) -> Support {
        Support::NonNegative
    }
    fn default_link(&self) -> AnyLink {
        AnyLink::Log(Log)
    }
    fn canonical_link(&self) -> Option<AnyLink> {
        None
    }
    fn dispersion(&self) -> Dispersion {
        Dispersion::Fixed
    }
    fn variance<N: Number>(&self, m: &Mean<N>) -> N {
        m.mu.clone() * (m.mu.clone() + N::literal(1.0))
    }
    fn unit_deviance<N: Number>(&self, y: N, m: &Mean<N>) -> N {
        let one = N::literal(1.0);
        let first = y.clone().xlogy(y.clone() / m.mu.clone());
        let ratio = (y.clone() + one.clone()) / (m.mu.clone() + one.clone());
        (first - (y + one) * ratio.ln()) * N::literal(2.0)
    }
    fn log_density<N: Number>(&self, y: N, m: &Mean<N>, w: N, _: N) -> N {
        let total = m.mu.clone() + N::literal(1.0);
        w * (y.xlogy(m.mu.clone() / total.clone()) - total.ln())
    }
    fn start<N: Number>(&self, y: N, _: N) -> N {
        y + N::literal(0.1)
    }
}

#[test]
fn a_custom_family_finds_its_maximum() {
    // One binary column: the maximum is the mean of each group, and the information is known in closed form.
    let y = vec![0.0, 1.0, 2.0, 1.0, 3.0, 5.0, 8.0, 4.0];
    let x: Vec<f64> = (0..8).flat_map(|i| [1.0, f64::from(u8::from(i >= 4))]).collect();
    let view = View::matrix(Arc::new(x), 0, [8, 2], [2, 1]).expect("fits");
    let design = HostArray::design(Design::from_blocks(vec![Block::Dense(view)]).expect("one block"));
    let rows =
        Rows { y: HostArray::vector(y), weights: HostArray::Scalar(1.0), offset: HostArray::Scalar(0.0) };
    let options = Options::new(Names::of_arrays(vec!["a".into(), "b".into()]));
    let glm = Glm { family: Geometric, link: Log };
    let found =
        fit(&Host::default(), &glm, &design, &rows, &options, &mut Evidence::new("host")).expect("accepted");
    assert_eq!(found.status, Status::Converged);
    let (low, high) = (1.0_f64, 5.0_f64);
    close(found.coef[0] + 1.0, low.ln() + 1.0, SOLVER).expect("group mean");
    close(found.coef[1], (high / low).ln(), SOLVER).expect("ratio of group means");
    // W = mu / (1 + mu) each: the variance of the first coefficient is 1 / (4 W).
    let variance: f64 = found.root[..2].iter().map(|t| t * t).sum();
    close(variance, (1.0 + low) / low / 4.0, SOLVER).expect("information");
}
