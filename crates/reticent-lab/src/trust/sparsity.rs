//! As sparse as the truth: what `nonzero` auto keeps, where it is known which weights are not 0, and
//! what it costs where it is not.

mod designs;

use reticent::fit::{Auto, Facts, FitInput, Fitted, Nonzero, Task};
use reticent::metric;
use reticent::noise::Generator;
use reticent::privacy::Adjacency;
use reticent::table::{RecordBound, Table, Target, TargetRange};

use super::Lab;
use crate::budget::budget;
use crate::memo::Memo;
use crate::page::note;
use crate::scores::scores;
use crate::sparse::{Case, Cases, Figures, Trial, figures};
use crate::summary::Summary;
use designs::Design;

pub const HEADING: &str = "## As sparse as the truth";

const SEEDS: u64 = 10;
/// ε.
const BUDGETS: [f64; 2] = [1.0, 5.0];
const ROWS: RecordBound = RecordBound::Linf(1.0);
/// Wider than any target of the designs is likely to lie.
const RANGE: TargetRange = TargetRange {
    low: -10.0,
    high: 10.0,
};
/// The goals: the share of false weights among those kept, at most; the share of the true ones above
/// so many deviations of their noise that is kept, at least; what AUC may lose, at most.
const FALSE: f64 = 0.1;
const STRONG: (f64, f64) = (4.0, 0.9);
const LOSS: f64 = 0.01;

pub(super) fn study(lab: &Lab<'_>, page: &mut String) {
    note(page, &format!("\n{HEADING}"));
    note(page, TEXT);
    let mut rows = Vec::new();
    for design in Design::all() {
        for epsilon in BUDGETS {
            let row = Row::of(&design, epsilon, &lab.memo);
            note(page, &row.line());
            rows.push(row);
        }
    }
    note(page, &verdict(&rows));
    note(page, TABLES);
    let cases = Cases::new(lab.data);
    let Cases {
        a9a,
        mushrooms,
        kddcup99_small,
        reuters,
        news20,
        ..
    } = &cases;
    for case in [a9a, mushrooms, kddcup99_small, reuters, news20] {
        for epsilon in BUDGETS {
            note(page, &on_table(case, epsilon, &lab.memo));
        }
    }
}

/// One fit on a table whose weights are known.
struct Outcome {
    /// The weights that are kept, and those of them that are false.
    kept: f64,
    wrong: f64,
    /// R² or AUC, also of a fit that does not find the number of weights, and how many it has.
    figure: f64,
    free: f64,
    free_weights: f64,
    /// The true weights, and what was found for each.
    weights: Vec<(f64, f64)>,
}

impl Outcome {
    fn find(design: &Design, epsilon: f64, seed: u64) -> Self {
        let (truth, [train, test]) = design.tables(seed);
        let fit = |nonzero| {
            let fitted = run(design.task, nonzero, epsilon, train.clone(), seed);
            let function = fitted.outputs()[0].clone();
            (figure(&fitted, &test), function.weights)
        };
        let (figure, kept) = fit(Some(Nonzero::Auto));
        // Without it classes keep what predicts best; numbers would find their number, too.
        let (free, of_free) = fit(match design.task {
            Task::Linear => Some(Nonzero::Count(design.width)),
            _ => None,
        });
        // Numbers are fitted within a declared range that stands for [−1, 1].
        let unit = match design.task {
            Task::Linear => (RANGE.high - RANGE.low) / 2.0,
            _ => 1.0,
        };
        let found = |column: usize| {
            let mut all = kept.iter();
            let weight = all.find(|(other, _)| *other as usize == column);
            weight.map_or(0.0, |(_, weight)| unit * weight)
        };
        let wrong = kept
            .iter()
            .filter(|(column, _)| truth[*column as usize] == 0.0);
        let weights = truth
            .iter()
            .enumerate()
            .filter(|(_, weight)| **weight != 0.0);
        Self {
            kept: kept.len() as f64,
            wrong: wrong.count() as f64,
            figure,
            free,
            free_weights: of_free.len() as f64,
            weights: weights.map(|(j, weight)| (*weight, found(j))).collect(),
        }
    }

    fn list(&self) -> Vec<f64> {
        let first = [
            self.kept,
            self.wrong,
            self.figure,
            self.free,
            self.free_weights,
        ];
        let pairs = self
            .weights
            .iter()
            .flat_map(|(truth, found)| [*truth, *found]);
        first.into_iter().chain(pairs).collect()
    }

    fn of(list: &[f64]) -> Self {
        Self {
            kept: list[0],
            wrong: list[1],
            figure: list[2],
            free: list[3],
            free_weights: list[4],
            weights: list[5..].chunks(2).map(|pair| (pair[0], pair[1])).collect(),
        }
    }

    /// Of the weights that are kept, the share that is false.
    fn false_share(&self) -> f64 {
        self.wrong / self.kept.max(1.0)
    }
}

fn run(
    task: Task,
    nonzero: Option<Nonzero>,
    epsilon: f64,
    train: Table<'static>,
    seed: u64,
) -> Fitted {
    let facts = Facts {
        records: train.features.rows() as u64,
        columns: train.features.width(),
        rows: ROWS,
    };
    let auto = Auto {
        nonzero,
        ..Auto::new(task, budget(epsilon, (facts.records as f64).powi(-2)))
    };
    let (plan, _) = auto.plan(facts).expect("the defaults make a plan");
    let range = (task == Task::Linear).then_some(RANGE);
    let held = train.clip(ROWS, range, range.is_some());
    let records = held
        .expect("the bounds can be enforced")
        .seal(Adjacency::ReplaceOne);
    let mut randomness = Generator::not_private(seed);
    let fitted = plan.run(FitInput::Sealed(&records), &mut randomness, &mut ());
    fitted.expect("the plan runs")
}

/// R² of numbers, AUC of classes.
fn figure(fitted: &Fitted, test: &Table) -> f64 {
    let scores = scores(fitted.outputs(), &test.features);
    match &test.target {
        Target::Values(targets) => {
            let (centre, half) = (
                (RANGE.low + RANGE.high) / 2.0,
                (RANGE.high - RANGE.low) / 2.0,
            );
            let errors = scores.iter().zip(targets);
            let squares = errors.map(|(score, target)| (centre + half * score - target).powi(2));
            let error = squares.sum::<f64>() / targets.len() as f64;
            1.0 - error / Summary::of(targets).deviation.powi(2)
        }
        Target::Classes { class, .. } => {
            let found = metric::classes(&scores, class).and_then(|found| found.auc);
            found.unwrap_or(f64::NAN)
        }
        _ => f64::NAN,
    }
}

/// The outcomes of a design at one ε.
struct Row {
    name: String,
    epsilon: f64,
    seeds: Vec<Outcome>,
}

impl Row {
    fn of(design: &Design, epsilon: f64, memo: &Memo) -> Self {
        let name = design.name();
        let names: Vec<String> = (0..SEEDS)
            .map(|seed| format!("{name}, ε = {epsilon}, seed {seed}"))
            .collect();
        let lists = memo.all("sparsity", &names, |seed| {
            Outcome::find(design, epsilon, seed as u64).list()
        });
        Self {
            name,
            epsilon,
            seeds: lists.iter().map(|list| Outcome::of(list)).collect(),
        }
    }

    fn over(&self, figure: impl Fn(&Outcome) -> f64) -> Summary {
        Summary::of(&self.seeds.iter().map(figure).collect::<Vec<_>>())
    }

    /// The deviation of a weight's error, of all true weights that were kept.
    fn deviation(&self) -> f64 {
        let pairs = self.seeds.iter().flat_map(|seed| &seed.weights);
        let kept: Vec<f64> = pairs
            .filter(|(_, found)| *found != 0.0)
            .map(|(truth, found)| (truth - found).powi(2))
            .collect();
        Summary::of(&kept).mean.sqrt()
    }

    /// The true weights above four deviations, and how many of them are kept.
    fn strong(&self) -> (usize, usize) {
        let least = STRONG.0 * self.deviation();
        let pairs = self.seeds.iter().flat_map(|seed| &seed.weights);
        let strong: Vec<_> = pairs.filter(|(truth, _)| truth.abs() > least).collect();
        let kept = strong.iter().filter(|(_, found)| *found != 0.0);
        (strong.len(), kept.count())
    }

    fn strong_share(&self) -> f64 {
        let (all, kept) = self.strong();
        kept as f64 / all as f64
    }

    fn line(&self) -> String {
        let (strong, kept) = self.strong();
        let false_share = self.over(Outcome::false_share);
        format!(
            "| {} | {} | {:.1} | {:.3} ± {:.3} | {kept} of {strong} | {:.4} | {:.4} | {:.1} |",
            self.name,
            self.epsilon,
            self.over(|one| one.kept).mean,
            false_share.mean,
            false_share.deviation,
            self.over(|one| one.figure).mean,
            self.over(|one| one.free).mean,
            self.over(|one| one.free_weights).mean,
        )
    }
}

/// The goals, and which rows miss them.
fn verdict(rows: &[Row]) -> String {
    let missing = |missed: &dyn Fn(&Row) -> bool| {
        let named = |row: &Row| format!("{} at ε = {}", row.name.replace(" |", ","), row.epsilon);
        let names: Vec<String> = rows.iter().filter(|row| missed(row)).map(named).collect();
        match &names[..] {
            [] => "none".to_owned(),
            names => names.join("; "),
        }
    };
    let mean = Summary::of(&rows.iter().flat_map(false_shares).collect::<Vec<_>>());
    format!(
        "\nOf the weights that are kept, {:.3} are false in the mean over all of these. More than \
         {FALSE}: {}. Fewer than {} of the strong ones kept: {}.",
        mean.mean,
        missing(&|row| row.over(Outcome::false_share).mean > FALSE),
        STRONG.1,
        missing(&|row| row.strong_share() < STRONG.1),
    )
}

fn false_shares(row: &Row) -> Vec<f64> {
    row.seeds.iter().map(Outcome::false_share).collect()
}

/// The line of a table whose true weights nobody knows.
fn on_table(case: &Case, epsilon: f64, memo: &Memo) -> String {
    let trials = [
        Trial::Found { epsilon },
        Trial::Auto {
            epsilon,
            nonzero: None,
        },
    ];
    let found = figures("sparsity", case, &trials, memo);
    let of = |trial: usize, figure: fn(&Figures) -> f64| {
        Summary::of(&found[trial].iter().map(figure).collect::<Vec<_>>())
    };
    let auc: [Summary; 2] = [0, 1].map(|trial| of(trial, |one| one.auc));
    let weights = [0, 1].map(|trial| of(trial, |one| one.nonzero).mean);
    let lost = auc[1].mean - auc[0].mean;
    let verdict = if lost > LOSS { "no" } else { "yes" };
    format!(
        "| {} | {epsilon} | {} | {:.0} | {} | {:.0} | {verdict} |",
        case.name, auc[0], weights[0], auc[1], weights[1]
    )
}

const TEXT: &str = "
What `nonzero=\"auto\"` keeps where the true weights are known: 20 000 records, columns that are uniform in
[−1, 1], of which 5 of 30 or 10 of 200 matter, at random places, with random signs and sizes from 1
down to 0.2 (classes: 1.5 to 0.3 in the log-odds; numbers have a residual deviation of 0.5, and a
declared range of ±10). Correlations are those of the normal numbers whose distribution function columns
are. 10 seeds, each with a table of its own. *False*: of the weights that are kept, the share whose true
weight is 0, in the mean over seeds and ± its deviation. *Strong*: of the true weights above four
deviations of their noise, how many are kept; a deviation is that of the errors of all true weights
that were kept in a row. *R², AUC* are measured on 10 000 fresh records, with `nonzero=\"auto\"` and
without: classes as by default, numbers with all weights, as their default is to find the number.

| task | columns | correlation | ε | kept | false | strong kept | R², AUC | without | its weights |
|---|---|---|---|---|---|---|---|---|---|";

const TABLES: &str = "
On tables whose truth nobody knows, the mean over 10 seeds (`kddcup99`: 60 000 random records to learn
from):

| table | ε | AUC | weights | AUC without | its weights | within 0.01 |
|---|---|---|---|---|---|---|";
