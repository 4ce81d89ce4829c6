//! The excess risk against the theorem: it must fall with n as fast as promised, and lie below
//! the bound with its constants.

use std::num::NonZeroU64;
use std::path::Path;

use reticent::fit::{Facts, FitInput, FrankWolfe, Planned, Task};
use reticent::loss::Loss;
use reticent::noise::Generator;
use reticent::privacy::Adjacency;
use reticent::solve::{Problem, Region, Stop, frank_wolfe};
use reticent::table::{RecordBound, Table, Target, TargetRange};

use super::{note, save};
use crate::budget::budget;
use crate::chart::{Axis, Chart, Line, Point, Scale};
use crate::summary::{Summary, slope};
use crate::synthetic::{Source, signs_linear};

const RECORDS: [usize; 7] = [1_000, 3_162, 10_000, 31_623, 100_000, 316_228, 1_000_000];
const COLUMNS: usize = 50;
const EPSILON: f64 = 1.0;
const DELTA: f64 = 1e-6;
const SEEDS: u64 = 5;

/// Targets lie within this, and residuals within twice it on the unit ball: the slope of the
/// square is never clipped.
const RANGE: TargetRange = TargetRange {
    low: -1.0,
    high: 1.0,
};
const HUBER_THRESHOLD: f64 = 2.0;

/// Measures the excess risk at every size.
pub fn study(results: &Path, page: &mut String) {
    note(page, "\n## Excess risk against the theorem\n");
    note(page, SETTINGS);
    note(
        page,
        "| records | steps | excess risk | the theorem's bound |",
    );
    note(page, "|---|---|---|---|");
    let mut excess = Vec::new();
    let mut bounds = Vec::new();
    for records in RECORDS {
        let measured = measure(records);
        let Summary {
            mean, deviation, ..
        } = measured.excess;
        note(
            page,
            &format!(
                "| {records} | {} | {mean:.3e} ± {deviation:.1e} | {:.3e} |",
                measured.steps, measured.bound
            ),
        );
        assert!(mean < measured.bound, "above the theorem's bound");
        let x = records as f64;
        excess.push(Point { x, mean, deviation });
        bounds.push(Point {
            x,
            mean: measured.bound,
            deviation: 0.0,
        });
    }
    let logarithms: Vec<(f64, f64)> = excess
        .iter()
        .map(|point| (point.x.ln(), point.mean.ln()))
        .collect();
    let fall = slope(&logarithms);
    note(
        page,
        &format!(
            "\nThe slope of log(excess risk) over log(n) is **{fall:.2}**; the theorem promises −⅔ up \
         to logarithms."
        ),
    );
    let line = |name: &str, points, dashed| Line {
        name: name.to_owned(),
        points,
        dashed,
    };
    let chart = Chart {
        title: format!("Excess risk of private Frank–Wolfe, ε = {EPSILON}"),
        x: Axis {
            label: "records",
            scale: Scale::Logarithmic,
        },
        y: Axis {
            label: "excess empirical risk",
            scale: Scale::Logarithmic,
        },
        lines: vec![
            line("measured", excess, false),
            line("the theorem\u{2019}s bound", bounds, true),
        ],
    };
    save(results, "excess-risk.svg", &chart.svg());
}

const SETTINGS: &str = "\
Linear data: 50 features of ±1, five true weights with ‖w‖₁ = 0.75 inside the unit ball, uniform
noise; ½·square, no intercept, ε = 1, δ = 1e-6, 5 seeds, T = n^⅔/10 steps of 2/(t+2). The excess is over the
least mean loss on the ball, found by Frank–Wolfe without noise to a duality gap of 1e-6, which is
counted in.
The bound is `FrankWolfePlan::excess_risk_bound`, derived in
[derivations/frank-wolfe.md](../derivations/frank-wolfe.md).
";

struct Measured {
    steps: u64,
    excess: Summary,
    bound: f64,
}

fn measure(records: usize) -> Measured {
    let table = signs_linear(records, COLUMNS, &mut Source::new(records as u64));
    let least = least_loss(&table);
    let plan = plan(records);
    let enforced = table
        .clone()
        .enforce(
            RecordBound::Linf(1.0),
            Some(RANGE),
            false,
            Adjacency::ReplaceOne,
        )
        .expect("the bounds can be enforced");
    let excess: Vec<f64> = (0..SEEDS)
        .map(|seed| {
            let fitted = plan
                .run(
                    FitInput::Sealed(&enforced),
                    &mut Generator::not_private(seed),
                    &mut (),
                )
                .expect("the plan can be run");
            let mut weights = vec![0.0; COLUMNS];
            for &(column, weight) in &fitted.outputs()[0].weights {
                weights[column as usize] = weight;
            }
            mean_loss(&table, &weights) - least
        })
        .collect();
    Measured {
        steps: plan.iterations().get(),
        excess: Summary::of(&excess),
        bound: plan
            .excess_risk_bound()
            .expect("proved for the ball without an intercept"),
    }
}

fn plan(records: usize) -> reticent::fit::FrankWolfePlan {
    let budget = budget(EPSILON, DELTA);
    let steps = ((records as f64).powf(2.0 / 3.0) / 10.0).round() as u64;
    FrankWolfe {
        region: Some(Region::L1 { radius: 1.0 }),
        iterations: NonZeroU64::new(steps),
        step_rule: reticent::fit::StepRule::Standard,
        intercept: false,
        huber_threshold: Some(HUBER_THRESHOLD),
        ..FrankWolfe::new(Task::Linear, budget)
    }
    .plan(Facts {
        records: records as u64,
        columns: COLUMNS,
        rows: RecordBound::Linf(1.0),
    })
    .expect("the parameters make a plan")
}

/// The least mean loss on the ball, from below by no more than the gap.
fn least_loss(table: &Table) -> f64 {
    let problem = Problem {
        features: &table.features,
        targets: values(table),
        loss: Loss::Squared {
            threshold: HUBER_THRESHOLD,
        },
        region: &Region::L1 { radius: 1.0 },
        intercept: false,
    };
    let stop = Stop {
        gap: 1e-6,
        steps: 100_000,
    };
    let solution = frank_wolfe(problem, stop);
    solution.loss - solution.gap
}

fn mean_loss(table: &Table, weights: &[f64]) -> f64 {
    let loss = Loss::Squared {
        threshold: HUBER_THRESHOLD,
    };
    let targets = values(table);
    let total: f64 = (0..targets.len())
        .map(|i| {
            let mut margin = 0.0;
            table
                .features
                .for_row(i, |column, x| margin += weights[column] * f64::from(x));
            loss.value(margin, targets[i])
        })
        .sum();
    total / targets.len() as f64
}

fn values<'a>(table: &'a Table) -> &'a [f64] {
    match &table.target {
        Target::Values(values) => values,
        _ => unreachable!("the target is a number"),
    }
}
