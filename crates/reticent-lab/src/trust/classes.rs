//! Classes: whether probabilities are probabilities, also of rare classes.

mod cases;
mod figures;
mod patients;

use std::path::Path;

use reticent::fit::{Auto, Baseline, FitInput, Nonzero, Planned, Select, SelectOnly, Task};
use reticent::noise::Generator;
use reticent::table::Table;

use crate::budget::budget;
use crate::memo::Memo;
use crate::page::note;
use crate::scores::scores;
use crate::summary::Summary;
use cases::{Case, RARE, ROWS, WEIGHTS, cases, classes, facts};
use figures::{Figures, figures};

pub const HEADING: &str = "## Classes";

/// ε.
const BUDGETS: [f64; 2] = [1.0, 5.0];
/// The goals.
const ECE_EXCESS: f64 = 0.01;
const TO_RESCALING: f64 = 0.005;
const MEAN_OVER_RATE: f64 = 0.1;
/// ε at which the columns of the made-up table are looked for.
const SELECTING: f64 = 5.0;

/// What is fitted.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Trial {
    /// `--method auto` at this ε.
    Auto(f64),
    /// A LASSO without privacy, the best by AIC.
    Lasso,
}

impl std::fmt::Display for Trial {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Auto(epsilon) => write!(f, "ε = {epsilon}"),
            Self::Lasso => write!(f, "LASSO, not private"),
        }
    }
}

/// The figures of a trial on a case, over its seeds.
struct Row {
    case: &'static str,
    task: Task,
    trial: Trial,
    seeds: Vec<Figures>,
}

pub fn study(data: &Path, memo: &Memo, page: &mut String) {
    note(page, &format!("\n{HEADING}"));
    note(page, TEXT);
    let cases = cases(data);
    let rows: Vec<Row> = cases.iter().flat_map(|case| rows(case, memo)).collect();
    for (title, several) in [("AUC", false), ("accuracy", true)] {
        note(page, &header(title, several));
        let of_table = |row: &&Row| matches!(row.task, Task::Multinomial { .. }) == several;
        for row in rows.iter().filter(of_table) {
            note(page, &row.line());
        }
    }
    note(page, &verdict(&rows));
    let rare = cases.iter().find(|case| case.name == RARE);
    note(page, &selection(rare.expect("it is a case"), memo));
}

fn rows(case: &Case, memo: &Memo) -> Vec<Row> {
    let of_trial = |trial: Trial| {
        let seeds = match trial {
            Trial::Auto(_) => case.seeds,
            Trial::Lasso => case.baselines,
        };
        let names: Vec<String> = (0..seeds)
            .map(|seed| format!("{}, {trial}, seed {seed}", case.name))
            .collect();
        let lists = memo.all("classes", &names, |seed| {
            one(case, trial, seed as u64).list()
        });
        Row {
            case: case.name,
            task: case.task,
            trial,
            seeds: lists.iter().map(|list| Figures::of(list)).collect(),
        }
    };
    let trials = BUDGETS.map(Trial::Auto).into_iter().chain([Trial::Lasso]);
    let rows = trials.map(of_trial);
    rows.filter(|row| !row.seeds.is_empty()).collect()
}

/// One fit, and its figures on records that it was not fitted on.
fn one(case: &Case, trial: Trial, seed: u64) -> Figures {
    let (train, test) = case.tables(seed);
    let facts = facts(&train);
    let plan = match trial {
        Trial::Auto(epsilon) => {
            let budget = budget(epsilon, (facts.records as f64).powi(-2));
            let auto = Auto::new(case.task, budget);
            auto.plan(facts).expect("the defaults make a plan").0
        }
        Trial::Lasso => {
            let plan = Baseline::new(case.task).plan(facts);
            Box::new(plan.expect("the defaults make a plan"))
        }
    };
    let fitted = run(&*plan, train, seed);
    let class = classes(&test).to_vec();
    let held = test.clip(ROWS, None, false);
    let features = held.expect("the bounds can be enforced").real();
    let functions = fitted.outputs();
    let mut scores = scores(functions, &features);
    if let Some(map) = fitted.released.map() {
        let log_odds = |score: &mut f64| *score = map.log_odds(*score);
        scores.iter_mut().for_each(log_odds);
    }
    figures(scores, &class, functions.len(), seed)
}

fn run(plan: &dyn Planned, train: Table<'static>, seed: u64) -> reticent::fit::Fitted {
    let held = train.clip(ROWS, None, false);
    let held = held.expect("the bounds can be enforced");
    let mut randomness = Generator::not_private(seed);
    let fitted = match plan.spending() {
        Some(spending) => {
            let records = held.seal(spending.adjacency());
            plan.run(FitInput::Sealed(&records), &mut randomness, &mut ())
        }
        None => plan.run(FitInput::Open(&held), &mut randomness, &mut ()),
    };
    fitted.expect("the plan runs")
}

impl Row {
    fn over(&self, figure: impl Fn(&Figures) -> f64) -> Summary {
        Summary::of(&self.seeds.iter().map(figure).collect::<Vec<_>>())
    }

    fn log_loss(&self) -> Summary {
        self.over(|figures| figures.log_loss)
    }

    fn ece_excess(&self) -> f64 {
        self.over(|figures| figures.ece_excess).mean
    }

    fn to_rescaling(&self) -> f64 {
        self.over(|figures| figures.to_rescaling).mean
    }

    /// The mean prediction over the base rate: of several classes, of that which is farthest off.
    fn mean_over_rate(&self) -> Summary {
        let classes = 0..self.seeds[0].mean_over_rate.len();
        let of_class = |k: usize| self.over(|figures| figures.mean_over_rate[k]);
        let off = |summary: &Summary| (summary.mean - 1.0).abs();
        let farthest = classes
            .map(of_class)
            .max_by(|a, b| off(a).total_cmp(&off(b)));
        farthest.expect("there are classes")
    }

    fn line(&self) -> String {
        let log_loss = self.log_loss();
        let ratio = self.mean_over_rate();
        let spread = match ratio.count > 1.0 {
            true => format!(" ± {:.3}", ratio.deviation),
            false => String::new(),
        };
        format!(
            "| {} | {} | {:.4} | {log_loss} | {:.4} | {:.4} | {:.3}{spread} |",
            self.case,
            self.trial,
            self.over(|figures| figures.order).mean,
            self.to_rescaling(),
            self.ece_excess(),
            ratio.mean,
        )
    }

    fn name(&self) -> String {
        format!("{} at {}", self.case, self.trial)
    }
}

fn header(order: &str, several: bool) -> String {
    let ratio = match several {
        true => "mean prediction / rate, of the class farthest off",
        false => "mean prediction / rate",
    };
    format!(
        "\n| table | | {order} | log-loss | less the best rescaling's | ECE excess | {ratio} |\n\
         |---|---|---|---|---|---|---|"
    )
}

/// The goals, and which rows miss them.
fn verdict(rows: &[Row]) -> String {
    let missing = |private: bool, missed: &dyn Fn(&Row) -> Option<f64>| -> String {
        let wanted = rows
            .iter()
            .filter(|row| (row.trial != Trial::Lasso) == private);
        let of_row = |row: &Row| missed(row).map(|by| format!("{} ({by:.4})", row.name()));
        listed(&wanted.filter_map(of_row).collect::<Vec<_>>())
    };
    let above = |figure: f64, most: f64| (figure > most).then_some(figure);
    let ece = |row: &Row| above(row.ece_excess(), ECE_EXCESS);
    let rescaling = |row: &Row| above(row.to_rescaling(), TO_RESCALING);
    let off = |ratio: f64| (ratio - 1.0).abs() > MEAN_OVER_RATE;
    let mean = |row: &Row| {
        let ratio = row.mean_over_rate().mean;
        (row.case == RARE && off(ratio)).then_some(ratio)
    };
    let seeds = |row: &Row| {
        let missed = |figures: &&Figures| off(figures.mean_over_rate[0]);
        let count = row.seeds.iter().filter(missed).count();
        format!("{count} of {} at {}", row.seeds.len(), row.trial)
    };
    let rare = rows.iter().filter(|row| row.case == RARE);
    let seeds = rare.map(seeds).collect::<Vec<_>>().join(", ");
    let rises = |row: &Row| {
        let first = rows.iter().find(|other| other.case == row.case)?;
        let (first, own) = (first.log_loss(), row.log_loss());
        first.clearly_below(&own).then_some(own.mean - first.mean)
    };
    let lines = [
        format!(
            "An ECE excess of at most {ECE_EXCESS} is missed by: {}. The LASSO misses it on: {}.",
            missing(true, &ece),
            missing(false, &ece)
        ),
        format!(
            "A log-loss of at most the best rescaling's + {TO_RESCALING} is missed by: {}. The LASSO \
             misses it on: {}.",
            missing(true, &rescaling),
            missing(false, &rescaling)
        ),
        format!(
            "A mean prediction within a tenth of the base rate, on the table that is made up, is missed \
             by: {}. Single seeds miss it: {seeds}.",
            missing(true, &mean)
        ),
        format!(
            "A log-loss that does not rise with ε, by two standard errors, is missed by: {}.",
            missing(true, &rises)
        ),
    ];
    format!(
        "\nThe goals, of means over seeds:\n\n- {}",
        lines.join("\n- ")
    )
}

fn listed(names: &[String]) -> String {
    match names {
        [] => "none".to_owned(),
        names => names.join("; "),
    }
}

/// How many of the five columns of the made-up table are found.
fn selection(case: &Case, memo: &Memo) -> String {
    let names: Vec<String> = (0..case.seeds)
        .map(|seed| format!("{}, five columns, seed {seed}", case.name))
        .collect();
    let found = memo.all("classes", &names, |seed| {
        let (train, _) = case.tables(seed as u64);
        let facts = facts(&train);
        let budget = budget(SELECTING, (facts.records as f64).powi(-2));
        let fit = Select {
            nonzero: Some(Nonzero::Count(WEIGHTS.len())),
            ..Select::new(case.task, budget)
        };
        let alone = SelectOnly {
            columns: Some(WEIGHTS.len()),
            ..SelectOnly::new(case.task, budget)
        };
        let fit = fit.plan(facts).expect("a plan");
        let alone = alone.plan(facts).expect("a plan");
        let plans: [&dyn Planned; 2] = [&fit, &alone];
        let right = |plan: &dyn Planned| {
            let columns = run(plan, train.clone(), seed as u64).released.columns();
            let matter = |column: &&u32| (**column as usize) < WEIGHTS.len();
            columns.iter().filter(matter).count() as f64
        };
        plans.map(right).to_vec()
    });
    let of = |k: usize| Summary::of(&found.iter().map(|list| list[k]).collect::<Vec<_>>()).mean;
    let (fit, alone) = (of(0), of(1));
    format!(
        "\nOf the five columns that matter in the table that is made up, at ε = {SELECTING}, `--method select` \
         with five columns finds {fit:.1} in the mean, and `reticent select` {alone:.1}."
    )
}

const TEXT: &str = "
Whether the probability of a class can be taken at its word: on records that were not learnt from, the
mean over 10 seeds (5 of `kddcup99` and MNIST, fewer of the LASSO without privacy; ± is the
deviation over them). The best rescaling in hindsight is fitted on the test records: a scale and an
offset, or one scale and an offset per class. The ECE has 10 bins of equal width (several classes:
each against the rest, averaged), and its excess is what it has beyond its mean over labels redrawn
from the predictions: a model whose predictions are true has none. The test file of `ijcnn1` is no
sample of the population that its training file is from: records of both are shuffled in the second case
of it, and there the goals are judged. `a9a, 2 %` keeps so many records of
its second class that they are 2 %; `kddcup99` has 60 000 random records to learn from, and the
rest to be measured on; the table that is made up has 20 000 records and 30 uniform columns, of which
five matter. How far records' terms are shortened in the calibration of several classes was chosen from
six settings by the figures of `covtype` and MNIST below: of that choice they are no independent
test.";
