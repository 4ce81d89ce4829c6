//! The tables that fits are compared on, each with a public support.

use std::path::Path;
use std::sync::OnceLock;

use reticent::fit::{Baseline, Facts, FitInput, Planned, Task};
use reticent::noise::Generator;
use reticent::table::{RecordBound, Table, Target, TargetRange};

use super::figure::Figure;
use crate::file::Lazy;
use crate::panel::{Panel, panels};
use crate::split::{on_columns, parts};
use crate::synthetic::{Source, softmax};

/// Tables of one kind, and what is declared about them.
pub struct Case {
    /// The name of jobs and files.
    pub name: String,
    pub title: String,
    pub task: Task,
    pub rows: RecordBound,
    /// Whether there is an intercept: where the truth has none, fits have none.
    pub intercept: bool,
    /// What is measured.
    pub figures: &'static [Figure],
    /// Whether it is drawn as well.
    pub charted: bool,
    from: From,
}

/// Where the tables come from.
enum From {
    /// A paper's design; as many fresh records to measure on.
    Design(Panel),
    /// Labels of the multinomial model on uniform columns.
    Softmax,
    /// a9a on the columns of its LASSO: a file to learn from and one to measure on, and the columns.
    A9a(Box<[Lazy; 2]>, OnceLock<Vec<usize>>),
    /// A random four fifths of covtype, with elevation as the target.
    Elevation(Box<Lazy>),
    /// A random four fifths of covtype, with its classes.
    Covtype(Box<Lazy>),
}

/// What a seed draws.
pub struct Sample {
    pub train: Table<'static>,
    pub test: Table<'static>,
    pub range: Option<TargetRange>,
    /// The linear functions that the targets follow, where they are known.
    pub truth: Option<Vec<Vec<f64>>>,
}

/// The sizes of the multinomial design: classes, columns and records.
const CLASSES: u32 = 5;
const COLUMNS: usize = 10;
const RECORDS: usize = 4000;
/// How many columns of a9a: ⌊1.5√123⌋.
const A9A_COLUMNS: usize = 16;
/// covtype: elevation is the first of ten measured columns; four of wilderness areas follow.
const MEASURED: usize = 10;
const COVTYPE_COLUMNS: usize = 14;

/// All cases, by task.
pub fn cases(data: &Path) -> Vec<Case> {
    let designs = |task: Task| {
        let all = panels().into_iter().filter(move |panel| panel.task == task);
        all.map(design)
    };
    let covtype = |classes, several| Lazy {
        classes: Some(classes),
        columns: None,
        several,
        schema: Some(include_str!("../../../../docs/schemas/covtype.toml")),
        ..Lazy::new(data, "covtype-20k.csv", 0)
    };
    let a9a = |name| Lazy::new(data, name, 123);
    let mut cases: Vec<Case> = designs(Task::Linear).collect();
    cases.push(real(
        ("covtype-elevation", "covtype-20k, elevation from 9 columns"),
        Task::Linear,
        &[Figure::R2],
        From::Elevation(Box::new(covtype("other=*,two=2", false))),
    ));
    cases.extend(designs(Task::Logistic));
    cases.push(real(
        ("a9a", "a9a on the 16 columns of its LASSO"),
        Task::Logistic,
        &[Figure::Auc],
        From::A9a(Box::new(["a9a", "a9a.t"].map(a9a)), OnceLock::new()),
    ));
    cases.push(Case {
        name: "softmax".to_owned(),
        title: format!("Softmax of {CLASSES} classes: n = {RECORDS}, s = {COLUMNS}"),
        intercept: false,
        charted: true,
        ..real(
            ("", ""),
            Task::Multinomial { classes: CLASSES },
            &[Figure::Accuracy],
            From::Softmax,
        )
    });
    cases.push(real(
        ("covtype-classes", "covtype-20k, 7 classes from 14 columns"),
        Task::Multinomial { classes: 7 },
        &[Figure::Accuracy],
        From::Covtype(Box::new(covtype("1,2,3,4,5,6,7", true))),
    ));
    cases
}

fn design(panel: Panel) -> Case {
    Case {
        name: panel.name(),
        title: panel.title(),
        task: panel.task,
        rows: panel.facts().rows,
        intercept: false,
        figures: match panel.task {
            Task::Linear => &[Figure::Error],
            _ => &[Figure::Error, Figure::Accuracy],
        },
        charted: panel.nonzero == 50,
        from: From::Design(panel),
    }
}

fn real((name, title): (&str, &str), task: Task, figures: &'static [Figure], from: From) -> Case {
    Case {
        name: name.to_owned(),
        title: title.to_owned(),
        task,
        rows: RecordBound::Linf(1.0),
        intercept: true,
        figures,
        charted: false,
        from,
    }
}

impl Case {
    /// What a seed draws: tables of the columns of the support only.
    pub fn sample(&self, seed: u64) -> Sample {
        let (train, test) = match &self.from {
            From::Design(panel) => {
                let drawn = panel.draw_support(seed, 2 * panel.records);
                let (train, test) = halves(&drawn.table);
                return Sample {
                    train,
                    test,
                    range: (self.task == Task::Linear).then(|| panel.range()),
                    truth: Some(vec![drawn.weights]),
                };
            }
            From::Softmax => {
                let mut source = Source::new(seed);
                let weights = || (0..COLUMNS).map(|_| source.normal()).collect();
                let truth: Vec<Vec<f64>> = std::iter::repeat_with(weights)
                    .take(CLASSES as usize)
                    .collect();
                return Sample {
                    train: softmax(RECORDS, &truth, &mut source),
                    test: softmax(5 * RECORDS, &truth, &mut source),
                    range: None,
                    truth: Some(truth),
                };
            }
            From::A9a(files, columns) => {
                let [train, test] = &**files;
                let columns = columns.get_or_init(|| lasso(train.get(), self.rows));
                let on = |file: &Lazy| on_columns(file.get(), columns);
                (on(train), on(test))
            }
            From::Elevation(file) => split(&elevation(file.get()), seed),
            From::Covtype(file) => {
                let columns: Vec<usize> = (0..COVTYPE_COLUMNS).collect();
                split(&on_columns(file.get(), &columns), seed)
            }
        };
        let whole = TargetRange {
            low: -1.0,
            high: 1.0,
        };
        Sample {
            train,
            test,
            range: (self.task == Task::Linear).then_some(whole),
            truth: None,
        }
    }

    /// What is public about a table to learn from.
    pub fn facts(&self, train: &Table) -> Facts {
        Facts {
            records: train.features.rows() as u64,
            columns: train.features.width(),
            rows: self.rows,
        }
    }
}

fn split(table: &Table, seed: u64) -> (Table<'static>, Table<'static>) {
    parts(table, table.features.rows() * 4 / 5, seed)
}

/// The first half of the records, and the second.
fn halves(table: &Table) -> (Table<'static>, Table<'static>) {
    let rows = table.features.rows();
    let half =
        |range: std::ops::Range<usize>| crate::split::part(table, &range.collect::<Vec<_>>());
    (half(0..rows / 2), half(rows / 2..rows))
}

/// Elevation, within ±1 for 0 to 4500 m, from the other columns that were measured.
fn elevation(covtype: &Table) -> Table<'static> {
    let columns: Vec<usize> = (1..MEASURED).collect();
    let mut heights = vec![0.0; covtype.features.rows()];
    for (i, height) in heights.iter_mut().enumerate() {
        let first = |column, x| {
            if column == 0 {
                *height = f64::from(x);
            }
        };
        covtype.features.for_row(i, first);
    }
    Table {
        target: Target::Values(heights),
        ..on_columns(covtype, &columns)
    }
}

/// The columns of a LASSO, without privacy: the support is taken as public here.
fn lasso(table: &Table, rows: RecordBound) -> Vec<usize> {
    let facts = Facts {
        records: table.features.rows() as u64,
        columns: table.features.width(),
        rows,
    };
    let held = table.clone().clip(rows, None, false);
    let baseline = Baseline {
        nonzero: Some(A9A_COLUMNS),
        ..Baseline::new(Task::Logistic)
    };
    let plan = baseline.plan(facts).expect("the defaults make a plan");
    let held = held.expect("the bounds can be enforced");
    // Nothing is drawn.
    let mut randomness = Generator::not_private(0);
    let fitted = plan.run(FitInput::Open(&held), &mut randomness, &mut ());
    let fitted = fitted.expect("a baseline can be fitted");
    let weights = fitted.outputs()[0].weights.iter();
    weights.map(|(column, _)| *column as usize).collect()
}
