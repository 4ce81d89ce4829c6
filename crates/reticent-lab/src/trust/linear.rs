//! Numbers: ranges that are too wide, targets that are skewed, budgets that are too small.

mod cases;
mod columns;

use rayon::prelude::*;
use reticent::fit::{
    Auto, Baseline, BaselineMethod, Facts, FitInput, LinearFunction, Planned, Released, Task,
};
use reticent::noise::Generator;
use reticent::privacy::{Adjacency, Budget, Charge, Event, calibrate};
use reticent::table::{ClippedTable, RecordBound, TargetRange};

use crate::budget::budget;
use crate::page::note;
use crate::summary::Summary;
use crate::synthetic::Source;
use cases::{Case, DIABETES, LINEAR, LOGNORMAL, SMALL, Sample};

pub const HEADING: &str = "## Numbers";

/// Seeds of a mean of R², and of a median of squared errors.
const SEEDS: u64 = 10;
const MANY_SEEDS: u64 = 100;
/// ε.
const BUDGETS: [f64; 3] = [1.0, 0.1, 0.05];
const MORE_BUDGETS: [f64; 5] = [3.0, 1.0, 0.3, 0.1, 0.05];
const ROWS: RecordBound = RecordBound::Linf(1.0);

pub fn study(page: &mut String) {
    note(page, &format!("\n{HEADING}"));
    note(page, TEXT);
    for case in [&LINEAR, &LOGNORMAL] {
        means(page, case);
    }
    columns::study(page);
    note(page, MEDIANS);
    let header = "| table | declared range | ε = 3 | ε = 1 | ε = 0.3 | ε = 0.1 | ε = 0.05 |";
    note(page, &format!("\n{header}\n|---|---|---|---|---|---|---|"));
    for case in SMALL.iter().chain([&LINEAR, &LOGNORMAL, &DIABETES]) {
        medians(page, case);
    }
}

/// Mean R² by range and budget.
fn means(page: &mut String, case: &Case) {
    note(page, &format!("\n### {}\n", case.title));
    note(
        page,
        "| declared range | ε = 1 | ε = 0.1 | ε = 0.05 | least squares |",
    );
    note(page, "|---|---|---|---|---|");
    for &range in case.ranges {
        let of_budget = |epsilon: &f64| {
            let figures: Vec<f64> = (0..SEEDS)
                .into_par_iter()
                .map(|seed| {
                    let trial = Trial::new(case, range, *epsilon, seed);
                    trial.r2(&trial.private())
                })
                .collect();
            format!("{:.3}", Summary::of(&figures).mean)
        };
        let least_squares: Vec<f64> = (0..SEEDS)
            .into_par_iter()
            .map(|seed| {
                let trial = Trial::new(case, range, 1.0, seed);
                trial.r2(&trial.least_squares())
            })
            .collect();
        let cells: Vec<String> = BUDGETS.iter().map(of_budget).collect();
        let (low, high) = range;
        let last = Summary::of(&least_squares).mean;
        note(
            page,
            &format!("| {low} to {high} | {} | {last:.3} |", cells.join(" | ")),
        );
    }
}

/// The median squared error over that of a private mean.
fn medians(page: &mut String, case: &Case) {
    for &range in case.ranges {
        let of_budget = |epsilon: &f64| {
            let pairs: Vec<(f64, f64)> = (0..MANY_SEEDS)
                .into_par_iter()
                .map(|seed| {
                    let trial = Trial::new(case, range, *epsilon, seed);
                    (
                        trial.squared_error(&trial.private()),
                        trial.squared_error(&trial.private_mean()),
                    )
                })
                .collect();
            let (ours, means) = pairs.into_iter().unzip();
            format!("{:.3}", median(ours) / median(means))
        };
        let cells: Vec<String> = MORE_BUDGETS.iter().map(of_budget).collect();
        let (low, high) = range;
        let title = case.title;
        note(
            page,
            &format!("| {title} | {low} to {high} | {} |", cells.join(" | ")),
        );
    }
}

fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    let middle = figures.len() / 2;
    (figures[middle - 1] + figures[middle]) / 2.0
}

/// One table, what is declared about it, and a budget.
struct Trial {
    sample: Sample,
    range: TargetRange,
    budget: Budget,
    seed: u64,
}

impl Trial {
    fn new(case: &Case, (low, high): (f64, f64), epsilon: f64, seed: u64) -> Self {
        let sample = (case.sample)(seed);
        let records = sample.train.features.rows() as f64;
        Self {
            sample,
            range: TargetRange { low, high },
            budget: budget(epsilon, records.powi(-2)),
            seed,
        }
    }

    fn facts(&self) -> Facts {
        Facts {
            records: self.sample.train.features.rows() as u64,
            columns: self.sample.train.features.width(),
            rows: ROWS,
        }
    }

    fn held(&self) -> ClippedTable<'static> {
        let held = self.sample.train.clone().clip(ROWS, Some(self.range), true);
        held.expect("the bounds can be enforced")
    }

    /// The model that `auto` fits.
    fn private(&self) -> Released {
        let auto = Auto::new(Task::Linear, self.budget);
        let (plan, _) = auto.plan(self.facts()).expect("the defaults make a plan");
        let records = self.held().seal(Adjacency::ReplaceOne);
        let mut randomness = Generator::not_private(self.seed);
        let fitted = plan.run(FitInput::Sealed(&records), &mut randomness, &mut ());
        fitted.expect("the plan runs").released
    }

    /// The mean of the clipped targets and Gaussian noise for the whole budget.
    fn private_mean(&self) -> Released {
        let plan = |noise| vec![Charge::once(Event::Gaussian { noise })];
        let found = calibrate(plan, Adjacency::ReplaceOne, self.budget);
        let noise = found.expect("a Gaussian fits any budget").noise.get();
        let held = self.held();
        let (targets, count) = (held.targets(), held.targets().len() as f64);
        let mean = targets.iter().sum::<f64>() / count;
        // Another seed than the table's.
        let mut source = Source::new(self.seed + (1 << 40));
        let mean = mean + 2.0 * noise / count * source.normal();
        Released::Linear(vec![LinearFunction::of(&[], mean)])
    }

    fn least_squares(&self) -> Released {
        let baseline = Baseline {
            method: BaselineMethod::Ight,
            nonzero: Some(self.facts().columns),
            ..Baseline::new(Task::Linear)
        };
        let plan = baseline
            .plan(self.facts())
            .expect("the defaults make a plan");
        let mut randomness = Generator::not_private(0);
        let held = self.held();
        let fitted = plan.run(FitInput::Open(&held), &mut randomness, &mut ());
        fitted.expect("a baseline can be fitted").released
    }

    /// The mean squared error on fresh records, in the units of the target.
    fn squared_error(&self, model: &Released) -> f64 {
        let centre = (self.range.low + self.range.high) / 2.0;
        let half = (self.range.high - self.range.low) / 2.0;
        let features = &self.sample.test.features;
        let function = &model.outputs()[0];
        let mut row = vec![0.0; features.width()];
        let error = |(i, target): (usize, &f64)| {
            row.fill(0.0);
            features.for_row(i, |column, x| row[column] = f64::from(x));
            for range in model.ranges() {
                let value = &mut row[range.column as usize];
                *value = range.clip(*value);
            }
            let terms = function.weights.iter().map(|&(j, w)| w * row[j as usize]);
            let score = terms.sum::<f64>() + function.intercept;
            (centre + half * score - target).powi(2)
        };
        let errors = self.sample.targets().iter().enumerate().map(error);
        errors.sum::<f64>() / features.rows() as f64
    }

    fn r2(&self, model: &Released) -> f64 {
        let targets = self.sample.targets();
        let spread = Summary::of(targets).deviation;
        1.0 - self.squared_error(model) / (spread * spread)
    }
}

const TEXT: &str = "
R² on 5000 fresh records, the mean over 10 seeds. The range is declared, and honest: no target lies
outside it, and it may be far too wide.";

const MEDIANS: &str = "
### Against a private mean

The median squared error over 100 seeds, divided by that of a private mean with the whole budget and
the same declared range: above 1, features did harm. (At very small budgets both are noise.)";
