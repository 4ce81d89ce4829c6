//! How accurate private models are, for budgets from small to large.

use std::path::Path;

use rayon::prelude::*;
use reticent::fit::{Facts, FitInput, FrankWolfe, Planned, Task};
use reticent::loss::Loss;
use reticent::metric::{ClassMetrics, classes};
use reticent::noise::Generator;
use reticent::privacy::Adjacency;
use reticent::solve::{Problem, Region, Stop, frank_wolfe};
use reticent::table::{Reading, RecordBound, Table, Target, WantedTarget, read};

use super::{note, save};
use crate::budget::budget;
use crate::chart::{Axis, Chart, Line, Point, Scale};
use crate::summary::Summary;
use crate::synthetic::{Source, paper_logistic};

const BUDGETS: [f64; 7] = [0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0];
const DELTA: f64 = 1e-6;
const SEEDS: u64 = 10;
/// The ℓ₁ radius of the model without privacy: wide enough that it hardly binds.
const RADIUS: f64 = 50.0;

/// A table to learn from, one to measure on, and what is declared about both.
struct Case {
    name: &'static str,
    train: Table<'static>,
    test: Table<'static>,
    rows: RecordBound,
}

/// What is measured: a name and how to get it from the metrics.
type Measure = (&'static str, fn(&ClassMetrics) -> f64);

const AUC: Measure = ("AUC", |metrics| metrics.auc.unwrap_or(f64::NAN));
const ACCURACY: Measure = ("accuracy", |metrics| metrics.accuracy);

/// Measures every case at every budget.
pub fn study(data: &Path, results: &Path, page: &mut String) {
    let a9a = Case {
        name: "a9a",
        train: libsvm(data, "a9a.xz"),
        test: libsvm(data, "a9a.t.xz"),
        rows: RecordBound::Linf(1.0),
    };
    let synthetic = Case {
        name: "synthetic",
        train: paper_logistic(10_000, &mut Source::new(1)),
        test: paper_logistic(10_000, &mut Source::new(2)),
        rows: RecordBound::Linf(3.0),
    };
    note(page, "\n## Accuracy against privacy\n");
    note(
        page,
        &format!("δ = {DELTA:e}, replace-one, {SEEDS} seeds.\n"),
    );
    note(page, "| table | ε proved | AUC | accuracy | non-zeros |");
    note(page, "|---|---|---|---|---|");
    let mut lines = Vec::new();
    for case in [&a9a, &synthetic] {
        lines.extend(measure(case, page));
    }
    note(page, SETTINGS);
    let chart = Chart {
        title: "Privacy against accuracy, default settings".to_owned(),
        x: Axis {
            label: "ε (smaller is more private), δ = 1e-6",
            scale: Scale::Logarithmic,
        },
        y: Axis {
            label: "on data not trained on",
            scale: Scale::Linear,
        },
        lines,
    };
    save(results, "privacy-accuracy.svg", &chart.svg());
}

const SETTINGS: &str = "
*a9a*: the LIBSVM table, 32 561 records and 123 columns, `--rows linf=1`, measured on its test
set. The paper prints an AUC of 0.676 at a claimed ε of 1. *synthetic*: the set of the same paper
(10 000 records, 100 normal features with correlations 0.5^|i−j|, the class by the sign of w*·x),
`--rows linf=3`, measured on 10 000 fresh records; the paper prints an accuracy of 0.852.
";

fn libsvm(data: &Path, name: &str) -> Table<'static> {
    let reading = Reading {
        wanted: WantedTarget::Classes(None),
        columns: Some(123),
        zero_based: false,
        schema: None,
        progress: &|_, _| (),
    };
    read(&data.join(name), &reading).expect("the data set can be read")
}

/// A row of the table for each budget, and the lines of the chart.
fn measure(case: &Case, page: &mut String) -> [Line; 2] {
    let (label, figure) = if case.name == "a9a" { AUC } else { ACCURACY };
    let mut points = Vec::new();
    for epsilon in BUDGETS {
        let fits: Vec<Fit> = (0..SEEDS)
            .into_par_iter()
            .map(|seed| fit(case, epsilon, seed))
            .collect();
        let over =
            |read: &dyn Fn(&Fit) -> f64| Summary::of(&fits.iter().map(read).collect::<Vec<_>>());
        let shown = over(&|fit| figure(&fit.metrics));
        note(
            page,
            &format!(
                "| {} | {:.3} | {} | {} | {:.0} |",
                case.name,
                fits[0].epsilon,
                over(&|fit| AUC.1(&fit.metrics)),
                over(&|fit| ACCURACY.1(&fit.metrics)),
                over(&|fit| fit.nonzero).mean,
            ),
        );
        points.push(Point {
            x: epsilon,
            mean: shown.mean,
            deviation: shown.deviation,
        });
    }
    let best = without_privacy(case);
    note(
        page,
        &format!(
            "| {} | without privacy | {:.4} | {:.4} | |",
            case.name,
            AUC.1(&best),
            ACCURACY.1(&best)
        ),
    );
    let reference = BUDGETS.map(|x| Point {
        x,
        mean: figure(&best),
        deviation: 0.0,
    });
    [
        Line {
            name: format!("{}, {label}", case.name),
            points,
            dashed: false,
        },
        Line {
            name: "without privacy".to_owned(),
            points: reference.to_vec(),
            dashed: true,
        },
    ]
}

/// The result of one fit.
struct Fit {
    epsilon: f64,
    nonzero: f64,
    metrics: ClassMetrics,
}

fn fit(case: &Case, epsilon: f64, seed: u64) -> Fit {
    let budget = budget(epsilon, DELTA);
    let facts = Facts {
        records: case.train.features.rows() as u64,
        columns: case.train.features.width(),
        rows: case.rows,
    };
    let plan = FrankWolfe::new(Task::Logistic, budget)
        .plan(facts)
        .expect("the defaults make a plan");
    let records = case
        .train
        .clone()
        .enforce(case.rows, None, false, Adjacency::ReplaceOne)
        .expect("the bounds can be enforced");
    let fitted = plan
        .run(
            FitInput::Sealed(&records),
            &mut Generator::not_private(seed),
            &mut (),
        )
        .expect("the plan can be run");
    let weights: Vec<(usize, f64)> = fitted.outputs()[0]
        .weights
        .iter()
        .map(|&(column, weight)| (column as usize, weight))
        .collect();
    Fit {
        epsilon: fitted.statement.epsilon,
        nonzero: weights.len() as f64,
        metrics: measured(
            &case.test,
            &weights,
            fitted.outputs()[0].intercept,
            case.rows,
        ),
    }
}

/// The model without privacy, on the ball that the largest budget would take.
fn without_privacy(case: &Case) -> ClassMetrics {
    let Target::Classes { class, .. } = &case.train.target else {
        unreachable!("both cases have classes");
    };
    let targets: Vec<f64> = class.iter().map(|&class| f64::from(class)).collect();
    let region = Region::L1 { radius: RADIUS };
    let problem = Problem {
        features: &case.train.features,
        targets: &targets,
        loss: Loss::Logistic,
        region: &region,
        intercept: true,
    };
    let stop = Stop {
        gap: 1e-3,
        steps: 3000,
    };
    let solution = frank_wolfe(problem, stop);
    let weights: Vec<(usize, f64)> = solution.weights.into_iter().enumerate().collect();
    measured(&case.test, &weights, solution.intercept, case.rows)
}

/// Metrics on a test table whose rows are clipped to the same bound, as a model would do.
fn measured(
    test: &Table,
    weights: &[(usize, f64)],
    intercept: f64,
    rows: RecordBound,
) -> ClassMetrics {
    let RecordBound::Linf(bound) = rows else {
        unreachable!("both cases are bounded in each entry");
    };
    let mut dense = vec![0.0; test.features.width()];
    for &(column, weight) in weights {
        dense[column] = weight;
    }
    let score = |i: usize| {
        let mut score = intercept;
        test.features.for_row(i, |column, x| {
            score += dense[column] * f64::from(x).clamp(-bound, bound);
        });
        score
    };
    let scores: Vec<f64> = (0..test.features.rows()).map(score).collect();
    let Target::Classes { class, .. } = &test.target else {
        unreachable!("both cases have classes");
    };
    classes(&scores, class).expect("a test table has records")
}
