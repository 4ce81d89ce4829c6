//! Batches beside gradients of all records: as accurate, and where records are many, faster.

use std::sync::OnceLock;

use reticent::fit::{Facts, Task};
use reticent::metric;
use reticent::population::Records;
use reticent::privacy::Adjacency;
use reticent::table::{RecordBound, Table, Target};

use super::Lab;
use super::setting::Trial;
use crate::budget::budget;
use crate::file::Lazy;
use crate::page::note;
use crate::scores::scores;
use crate::split::{joined, parts};
use crate::summary::Summary;
use crate::synthetic::{Source, dense};

pub const HEADING: &str = "## Batches beside all records";

const ROWS: RecordBound = RecordBound::Linf(1.0);
const EPSILON: f64 = 1.0;
const METHODS: [&str; 3] = ["ight", "sgd", "auto"];
/// How far `sgd` may be below `ight` on a9a, and how much faster it has to be on many records.
const GOALS: (f64, f64) = (0.003, 3.0);
/// The table that is made up: records to learn from and to measure on, columns, of which five matter.
const MADE: (usize, usize, usize) = (1_000_000, 100_000, 40);
const WEIGHTS: [f64; 5] = [1.0, -1.0, 1.0, -1.0, 1.0];

/// A table: to learn from and to measure on.
struct Case {
    name: &'static str,
    many: bool,
    seeds: u64,
    make: Box<dyn Fn() -> [Table<'static>; 2] + Sync>,
}

/// A case with its records sealed.
struct Ready {
    records: Records<'static>,
    facts: Facts,
    test: Table<'static>,
}

pub fn study(lab: &Lab<'_>, page: &mut String) {
    note(page, &format!("\n{HEADING}"));
    note(page, TEXT);
    note(page, HEADER);
    let mut verdicts = Vec::new();
    for case in cases(lab) {
        let ready = OnceLock::new();
        let rows = METHODS.map(|setting| {
            let names: Vec<String> = (0..lab.seeds(case.seeds))
                .map(|seed| format!("{}, {setting}, seed {seed}", case.name))
                .collect();
            let figures = lab.memo.all("many-records", &names, |seed| {
                let ready = ready.get_or_init(|| Ready::of(&case));
                ready.fit(setting, seed as u64)
            });
            let over = |place: usize| {
                Summary::of(&figures.iter().map(|list| list[place]).collect::<Vec<_>>())
            };
            let (auc, log_loss, seconds) = (over(0), over(1), over(2));
            note(
                page,
                &format!(
                    "| {} | `{setting}` | {auc} | {log_loss} | {:.2} s |",
                    case.name, seconds.mean
                ),
            );
            (auc, seconds.mean)
        });
        let [(ight, slow), (sgd, fast), _] = rows;
        let (behind, faster) = (ight.mean - sgd.mean, slow / fast);
        let met = |met: bool| if met { "met" } else { "missed" };
        verdicts.push(match case.many {
            false => format!(
                "{}: `sgd` is {behind:.4} behind `ight` (goal: at most {}: {}).",
                case.name,
                GOALS.0,
                met(behind <= GOALS.0)
            ),
            true => format!(
                "{}: `sgd` takes 1/{faster:.1} of the time (goal: 1/{}: {}) and is {behind:.4} behind.",
                case.name,
                GOALS.1,
                met(faster >= GOALS.1)
            ),
        });
    }
    note(page, &format!("\n- {}", verdicts.join("\n- ")));
}

fn cases(lab: &Lab<'_>) -> Vec<Case> {
    let data = lab.data.to_owned();
    let a9a = move || ["a9a", "a9a.t"].map(|name| Lazy::new(&data, name, 123).get().clone());
    let data = lab.data.to_owned();
    let kddcup99 = move || {
        let table = Lazy {
            classes: Some("normal=normal.,attack=*"),
            columns: None,
            schema: Some(include_str!("../../../../docs/schemas/kddcup99.toml")),
            ..Lazy::new(&data, "kddcup99-10pct.csv", 0)
        };
        let table = table.get();
        let (train, test) = parts(table, table.features.rows() * 9 / 10, 0);
        [joined(&train, &train), test]
    };
    let case = |name, many, seeds, make| Case {
        name,
        many,
        seeds,
        make,
    };
    vec![
        case("a9a", false, 10, Box::new(a9a)),
        case("kddcup99, twice", true, 5, Box::new(kddcup99)),
        case("made up", true, 5, Box::new(made)),
    ]
}

/// Uniform columns in [−1, 1].
fn made() -> [Table<'static>; 2] {
    let mut source = Source::new(0);
    [MADE.0, MADE.1].map(|rows| {
        let width = MADE.2;
        let mut values = Vec::with_capacity(rows * width);
        let mut class = Vec::with_capacity(rows);
        for _ in 0..rows {
            let first = values.len();
            values.extend((0..width).map(|_| (2.0 * source.uniform() - 1.0) as f32));
            let terms = WEIGHTS.iter().zip(&values[first..]);
            let margin: f64 = terms.map(|(w, x)| w * f64::from(*x)).sum();
            class.push(u32::from(source.uniform() < 1.0 / (1.0 + (-margin).exp())));
        }
        let names = ["0", "1"].map(str::to_owned).to_vec();
        dense(values, rows, width, Target::Classes { class, names })
    })
}

impl Ready {
    fn of(case: &Case) -> Self {
        let [train, test] = (case.make)();
        let facts = Facts {
            records: train.features.rows() as u64,
            columns: train.features.width(),
            rows: ROWS,
        };
        let clipped = train.clip(ROWS, None, false);
        let records = clipped
            .expect("the bounds can be enforced")
            .seal(Adjacency::ReplaceOne);
        Self {
            records,
            facts,
            test,
        }
    }

    /// AUC, log-loss and time.
    fn fit(&self, setting: &str, seed: u64) -> Vec<f64> {
        let trial = Trial {
            budget: Some(budget(EPSILON, (self.facts.records as f64).powi(-2))),
            adjacency: Adjacency::ReplaceOne,
            task: Task::Logistic,
        };
        let (fitted, seconds) = trial.fit(setting, &self.records, self.facts, seed);
        let Target::Classes { class, .. } = &self.test.target else {
            unreachable!("these tables have classes");
        };
        let held = self.test.clone().clip(ROWS, None, false);
        let features = held.expect("the bounds can be enforced").real();
        let mut scores = scores(fitted.outputs(), &features);
        if let Some(map) = fitted.released.map() {
            let log_odds = |score: &mut f64| *score = map.log_odds(*score);
            scores.iter_mut().for_each(log_odds);
        }
        let metrics = metric::classes(&scores, class).expect("there are records");
        let auc = metrics.auc.expect("both classes occur");
        vec![auc, metrics.log_loss, seconds]
    }
}

const TEXT: &str = "
ε = 1, δ = 1/n², replace-one, defaults throughout. `kddcup99` (attack or not) gives nine tenths of its
records to learn from, each of them twice, so that there are 889 236; the table that is made up has a
million records and 40 uniform columns, of which five matter.";

const HEADER: &str = "
| table | method | AUC | log-loss | time |
|---|---|---|---|---|";
