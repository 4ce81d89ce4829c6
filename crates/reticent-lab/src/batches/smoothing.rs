//! Softmax on pixels of MNIST, with Laplacian smoothing and without: table 5.2 of the thesis.

use std::sync::OnceLock;

use reticent::fit::{Facts, Task};
use reticent::metric;
use reticent::population::Records;
use reticent::privacy::Adjacency;
use reticent::table::{RecordBound, Table, Target};

use super::Lab;
use super::setting::{Trial, best, with_endings};
use crate::budget::budget;
use crate::images::{CLASSES, idx};
use crate::page::note;
use crate::scores::scores;
use crate::split::part;
use crate::summary::Summary;

pub const HEADING: &str = "## Laplacian smoothing: table 5.2";

const DELTA: f64 = 1e-5;
const SEEDS: u64 = 5;
const ROWS: RecordBound = RecordBound::Linf(1.0);
const TASK: Task = Task::Multinomial { classes: CLASSES };
/// Training images, the last ones, that settings are compared on, as in the thesis.
const HELD_OUT: usize = 10_000;
const CHOOSING: u64 = 1000;
const BUDGETS: [f64; 5] = [0.30, 0.25, 0.20, 0.15, 0.10];

/// Rows of the table: how they begin, and what is printed for each ε; the two that are no part of it
/// show what other ways of stepping reach.
const METHODS: [(&str, Option<[f64; 5]>); 6] = [
    (
        "sgd --optimizer sgd",
        Some([81.74, 81.45, 78.92, 77.03, 73.49]),
    ),
    (
        "sgd --optimizer sgd --smoothing 1",
        Some([84.21, 83.27, 81.56, 79.46, 76.29]),
    ),
    (
        "sgd --optimizer sgd --smoothing 2",
        Some([84.23, 83.65, 82.15, 80.77, 76.31]),
    ),
    (
        "sgd --optimizer sgd --smoothing 3",
        Some([85.11, 82.97, 82.22, 80.81, 77.13]),
    ),
    ("sgd", None),
    ("sgd --smoothing 1", None),
];

/// Sizes of steps to choose from; those first that a quick run looks at.
const SIZES: [&str; 6] = [
    "--step-size 16",
    "--step-size 32",
    "--step-size 8",
    "--step-size 64",
    "--step-size 4",
    "--step-size 128",
];

/// What all fits are made from.
struct Images {
    train: Table<'static>,
    test: Table<'static>,
    all: Records<'static>,
    some: Records<'static>,
    rest: Table<'static>,
}

impl Images {
    fn read(lab: &Lab<'_>) -> Self {
        let [train, test] = ["train", "t10k"].map(|name| idx(&lab.data.join("mnist"), name));
        let kept = train.features.rows() - HELD_OUT;
        let rows: Vec<usize> = (0..train.features.rows()).collect();
        let sealed = |table: Table<'static>| {
            let clipped = table.clip(ROWS, None, false);
            clipped
                .expect("the bounds can be enforced")
                .seal(Adjacency::ReplaceOne)
        };
        Self {
            all: sealed(train.clone()),
            some: sealed(part(&train, &rows[..kept])),
            rest: part(&train, &rows[kept..]),
            train,
            test,
        }
    }

    /// Fits to all training images and measures on the test images, or to some and on the rest.
    fn fit(&self, setting: &str, epsilon: f64, seed: u64, choosing: bool) -> Vec<f64> {
        let trial = Trial {
            budget: Some(budget(epsilon, DELTA)),
            adjacency: Adjacency::ReplaceOne,
            task: TASK,
        };
        let (records, measured) = match choosing {
            true => (&self.some, &self.rest),
            false => (&self.all, &self.test),
        };
        let held_out = if choosing { HELD_OUT } else { 0 };
        let facts = Facts {
            records: (self.train.features.rows() - held_out) as u64,
            columns: self.train.features.width(),
            rows: ROWS,
        };
        let (fitted, seconds) = trial.fit(setting, records, facts, seed);
        let Target::Classes { class, .. } = &measured.target else {
            unreachable!("images have classes");
        };
        let held = measured.clone().clip(ROWS, None, false);
        let features = held.expect("the bounds can be enforced").real();
        let scores = scores(fitted.outputs(), &features);
        let metrics = metric::multiclass(&scores, class, fitted.outputs().len());
        let accuracy = 100.0 * metrics.expect("there are images").accuracy;
        vec![accuracy, seconds, fitted.statement.epsilon]
    }
}

/// A figure of the table.
struct Cell {
    accuracy: Summary,
    size: String,
    printed: Option<f64>,
}

pub fn study(lab: &Lab<'_>, page: &mut String) {
    note(page, &format!("\n{HEADING}"));
    note(page, TEXT);
    let images = OnceLock::new();
    let images = || images.get_or_init(|| Images::read(lab));
    let cell = |setting: &str, epsilon: f64, printed: Option<f64>| {
        let candidates = lab.candidates(with_endings(setting, &SIZES));
        let named = |setting: &String| format!("ε = {epsilon}, choosing, {setting}");
        let names: Vec<String> = candidates.iter().map(named).collect();
        let chosen = lab.memo.all("smoothing", &names, |k| {
            images().fit(&candidates[k], epsilon, CHOOSING, true)
        });
        let accuracies: Vec<f64> = chosen.iter().map(|figures| figures[0]).collect();
        let setting = &candidates[best(&accuracies)];
        let names: Vec<String> = (0..lab.seeds(SEEDS))
            .map(|seed| format!("ε = {epsilon}, {setting}, seed {seed}"))
            .collect();
        let figures = lab.memo.all("smoothing", &names, |seed| {
            images().fit(setting, epsilon, seed as u64, false)
        });
        let size = setting.rsplit(' ').next().expect("a step size is last");
        Cell {
            accuracy: Summary::of(&figures.iter().map(|list| list[0]).collect::<Vec<_>>()),
            size: size.to_owned(),
            printed,
        }
    };
    let titles = BUDGETS
        .map(|epsilon| format!(" ε = {epsilon:.2} |"))
        .concat();
    note(page, &format!("\n| chosen |{titles}"));
    note(page, "|---|---|---|---|---|---|");
    let rows: Vec<Vec<Cell>> = METHODS
        .iter()
        .map(|(setting, printed)| {
            let cells: Vec<Cell> = BUDGETS
                .iter()
                .enumerate()
                .map(|(k, epsilon)| cell(setting, *epsilon, printed.map(|printed| printed[k])))
                .collect();
            let shown: String = cells.iter().map(Cell::shown).collect();
            note(page, &format!("| `{setting}` |{shown}"));
            cells
        })
        .collect();
    note(page, &format!("\n{}", verdict(&rows)));
}

impl Cell {
    fn shown(&self) -> String {
        let printed = self
            .printed
            .map_or(String::new(), |printed| format!("; printed {printed:.1}"));
        let Summary {
            mean, deviation, ..
        } = self.accuracy;
        format!(
            " {mean:.2} ± {deviation:.2} (step {}{printed}) |",
            self.size
        )
    }
}

fn verdict(rows: &[Vec<Cell>]) -> String {
    let below: Vec<String> = rows
        .iter()
        .zip(METHODS)
        .flat_map(|(cells, (setting, _))| {
            let cells = cells.iter().zip(BUDGETS);
            cells.filter_map(move |(cell, epsilon)| {
                let printed = cell.printed?;
                (cell.accuracy.mean < printed).then(|| format!("`{setting}` at ε = {epsilon}"))
            })
        })
        .collect();
    let below = match &below[..] {
        [] => "none".to_owned(),
        below => below.join(", "),
    };
    let gain = |smooth: &[Cell], plain: &[Cell]| {
        let of_budget = |(smooth, plain): (&Cell, &Cell)| {
            let by = smooth.accuracy.mean - plain.accuracy.mean;
            let error = |summary: &Summary| summary.deviation.powi(2) / summary.count;
            let error = (error(&smooth.accuracy) + error(&plain.accuracy)).sqrt();
            format!("{by:+.2} ± {error:.2}")
        };
        let gains: Vec<String> = smooth.iter().zip(plain).map(of_budget).collect();
        gains.join(", ")
    };
    format!(
        "Below what is printed: {below}. What smoothing adds to plain steps, in points and for each ε, with the \
         standard error of the difference, each with a step size of its own: σ = 1: {}; σ = 2: {}; σ = 3: \
         {}. To steps with momentum, σ = 1: {}.",
        gain(&rows[1], &rows[0]),
        gain(&rows[2], &rows[0]),
        gain(&rows[3], &rows[0]),
        gain(&rows[5], &rows[4]),
    )
}

const TEXT: &str = "
Accuracy in per cent on the test images of MNIST: a softmax of linear functions of pixels, replace-one.
The size of steps was chosen for each row and ε by itself, from 4, 8, 16, 32, 64 and 128, on the last
10 000 training images. In the thesis all rows had steps of 1/t.";
