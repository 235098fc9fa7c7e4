//! Ship damage incidents: a Poisson rate model with an exposure, in Rust.
use isostat::{glm, Column, Frame};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/data/ships.csv");
    let text = std::fs::read_to_string(path)?;
    let rows: Vec<Vec<&str>> = text.lines().skip(1).map(|line| line.split(',').collect()).collect();
    let labels = |k: usize| Column::text(&rows.iter().map(|r| r[k]).collect::<Vec<_>>());
    let numbers = |k: usize| -> Result<Column, std::num::ParseFloatError> {
        Ok(Column::float(rows.iter().map(|r| r[k].parse()).collect::<Result<Vec<f64>, _>>()?))
    };
    let frame = Frame::new(vec![
        ("type".into(), labels(0)),
        ("year".into(), labels(1)),
        ("period".into(), labels(2)),
        ("service".into(), numbers(3)?),
        ("incidents".into(), numbers(4)?),
    ])?;
    let fit = glm("incidents ~ type + year + period", &frame).family("poisson")?.exposure("service").fit()?;
    println!("{} after {} iterations, deviance {:.4}", fit.status(), fit.n_iter(), fit.deviance());
    for ((name, b), s) in fit.coef_names().iter().zip(fit.coef()).zip(fit.stderr()?) {
        println!("{name:<12} {b:>10.5} {s:>9.5}");
    }
    Ok(())
}
