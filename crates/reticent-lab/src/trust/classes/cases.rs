//! The tables, and what is declared about each.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use reticent::fit::{Facts, Task};
use reticent::table::{RecordBound, Table, Target};

use super::patients::patients;
use crate::file::Lazy;
use crate::images;
use crate::split::{joined, part, parts};
use crate::synthetic::{Source, dense};

/// Tables of one kind: what a seed learns from and is measured on.
pub struct Case {
    pub name: &'static str,
    pub task: Task,
    from: From,
    /// How many seeds a private fit has.
    pub seeds: u64,
    /// How many seeds the LASSO without privacy has.
    pub baselines: u64,
}

/// Where the tables come from.
enum From {
    /// A file each: seeds differ in their noise only.
    Files([Lazy; 2]),
    /// The same, of whose second class a seed keeps so many that it is this share.
    Thinned([Lazy; 2], f64),
    /// A file each, whose records a seed shuffles over both.
    Shuffled([Lazy; 2]),
    /// One file, of which a seed draws so many records to learn from; four fifths if `None`.
    Split(Lazy, Option<usize>),
    /// Made up, by the seed.
    Made,
    /// The patients of `reticent demo`, made up by the seed.
    Patients,
    /// MNIST in its folder: a seed draws some of the training images.
    Images(Images),
}

const SEEDS: u64 = 10;
const FEW_SEEDS: u64 = 5;
/// Every table has entries within ±1.
pub const ROWS: RecordBound = RecordBound::Linf(1.0);
/// Training records of kddcup99, as in the paper on Sparsifier, and of MNIST.
const KDDCUP99: usize = 60_000;
const MNIST: usize = 20_000;

/// The table that is made up: how many records and columns, the weights that are not 0, and an intercept
/// at which the second class is 2.3 % of the records.
const MADE: (usize, usize) = (20_000, 30);
const FRESH: usize = 100_000;
/// Patients of the demo: as many as it learns from, and as many again to measure on.
const PATIENTS: usize = 20_000;
/// With these a model without privacy has an AUC of about 0.86.
pub const WEIGHTS: [f64; 5] = [1.27, -1.27, 1.27, -1.27, 1.27];
const INTERCEPT: f64 = -4.908;

/// The name of the made-up table.
pub const RARE: &str = "made up, 2.3 %";

/// All cases: two classes, then several.
pub fn cases(data: &Path) -> Vec<Case> {
    let files = |name: &str, columns| {
        [name.to_owned(), format!("{name}.t")].map(|name| Lazy::new(data, &name, columns))
    };
    let kddcup99 = |classes| Lazy {
        classes: Some(classes),
        columns: None,
        schema: Some(include_str!("../../../../../docs/schemas/kddcup99.toml")),
        ..Lazy::new(data, "kddcup99-10pct.csv", 0)
    };
    let covtype = |classes, several| Lazy {
        classes: Some(classes),
        columns: None,
        several,
        schema: Some(include_str!("../../../../../docs/schemas/covtype.toml")),
        ..Lazy::new(data, "covtype-20k.csv", 0)
    };
    let adult = ["adult.data.csv", "adult.test.csv"].map(|name| Lazy {
        columns: None,
        schema: Some(include_str!("../../../../../docs/schemas/adult.toml")),
        ..Lazy::new(data, name, 0)
    });
    let split_kddcup99 = |classes| From::Split(kddcup99(classes), Some(KDDCUP99));
    vec![
        two("adult", From::Files(adult), SEEDS, 1),
        two("a9a", From::Files(files("a9a", 123)), SEEDS, 1),
        two("ijcnn1", From::Files(files("ijcnn1", 22)), SEEDS, 1),
        two(
            "ijcnn1, shuffled",
            From::Shuffled(files("ijcnn1", 22)),
            SEEDS,
            FEW_SEEDS,
        ),
        two(
            "mushrooms",
            From::Split(Lazy::new(data, "mushrooms", 112), None),
            SEEDS,
            FEW_SEEDS,
        ),
        two(
            "kddcup99, attack",
            split_kddcup99("normal=normal.,attack=*"),
            FEW_SEEDS,
            1,
        ),
        two(
            "covtype-20k, type 2",
            From::Split(covtype("other=*,lodgepole pine=2", false), None),
            SEEDS,
            FEW_SEEDS,
        ),
        two(
            "a9a, 2 %",
            From::Thinned(files("a9a", 123), 0.02),
            SEEDS,
            FEW_SEEDS,
        ),
        two(
            "kddcup99, teardrop",
            split_kddcup99("other=*,teardrop=teardrop."),
            FEW_SEEDS,
            1,
        ),
        two(
            "kddcup99, warezclient",
            split_kddcup99("other=*,warezclient=warezclient."),
            FEW_SEEDS,
            1,
        ),
        two(RARE, From::Made, SEEDS, FEW_SEEDS),
        two("the demo's patients", From::Patients, SEEDS, FEW_SEEDS),
        Case {
            task: Task::Multinomial { classes: 7 },
            ..two(
                "covtype-20k, 7 classes",
                From::Split(covtype("1,2,3,4,5,6,7", true), None),
                SEEDS,
                1,
            )
        },
        Case {
            task: Task::Multinomial { classes: 10 },
            ..two(
                "MNIST, 20 000 images",
                From::Images(Images::new(data)),
                FEW_SEEDS,
                0,
            )
        },
    ]
}

fn two(name: &'static str, from: From, seeds: u64, baselines: u64) -> Case {
    Case {
        name,
        task: Task::Logistic,
        from,
        seeds,
        baselines,
    }
}

impl Case {
    /// To learn from, and to measure on.
    pub fn tables(&self, seed: u64) -> (Table<'static>, Table<'static>) {
        match &self.from {
            From::Files([train, test]) => (train.get().clone(), test.get().clone()),
            From::Shuffled([train, test]) => {
                let (train, test) = (train.get(), test.get());
                parts(&joined(train, test), train.features.rows(), seed)
            }
            From::Thinned([train, test], share) => {
                let mut source = Source::new(seed);
                let mut thin = |table: &Lazy| thinned(table.get(), *share, &mut source);
                (thin(train), thin(test))
            }
            From::Split(table, first) => {
                let table = table.get();
                let first = first.unwrap_or(table.features.rows() * 4 / 5);
                parts(table, first, seed)
            }
            From::Made => {
                let mut source = Source::new(seed);
                let train = made(MADE.0, &mut source);
                (train, made(FRESH, &mut source))
            }
            // Two seeds each, all of them different.
            From::Patients => (
                patients(PATIENTS, 2 * seed + 1),
                patients(PATIENTS, 2 * seed + 2),
            ),
            From::Images(images) => {
                let [train, test] = images.get();
                (parts(train, MNIST, seed).0, test.clone())
            }
        }
    }
}

/// What is public about a table.
pub fn facts(table: &Table) -> Facts {
    Facts {
        records: table.features.rows() as u64,
        columns: table.features.width(),
        rows: ROWS,
    }
}

/// The classes of a table's records.
pub fn classes<'a>(table: &'a Table) -> &'a [u32] {
    match &table.target {
        Target::Classes { class, .. } => class,
        _ => unreachable!("tables of cases have classes"),
    }
}

/// All records of the first class, and so many of the second that they are this share.
fn thinned(table: &Table, share: f64, source: &mut Source) -> Table<'static> {
    let class = classes(table);
    let of_class = |wanted| move |i: &usize| class[*i] == wanted;
    let mut rows: Vec<usize> = (0..class.len()).filter(of_class(0)).collect();
    let mut second: Vec<usize> = (0..class.len()).filter(of_class(1)).collect();
    let kept = (share / (1.0 - share) * rows.len() as f64).round() as usize;
    for i in 0..kept {
        let left = second.len() - i;
        second.swap(i, i + (source.uniform() * left as f64) as usize);
    }
    rows.extend(&second[..kept]);
    rows.sort_unstable();
    part(table, &rows)
}

/// Uniform columns in [−1, 1], of which five matter.
fn made(rows: usize, source: &mut Source) -> Table<'static> {
    let width = MADE.1;
    let (mut values, mut class) = (Vec::with_capacity(rows * width), Vec::new());
    for _ in 0..rows {
        let row: Vec<f32> = (0..width)
            .map(|_| (2.0 * source.uniform() - 1.0) as f32)
            .collect();
        let terms = WEIGHTS.iter().zip(&row).map(|(w, x)| w * f64::from(*x));
        let margin = INTERCEPT + terms.sum::<f64>();
        class.push(u32::from(source.uniform() < 1.0 / (1.0 + (-margin).exp())));
        values.extend(row);
    }
    let names = ["0", "1"].map(str::to_owned).to_vec();
    dense(values, rows, width, Target::Classes { class, names })
}

/// MNIST, read when it is first asked for: to learn from, and to measure on.
struct Images {
    folder: PathBuf,
    tables: OnceLock<[Table<'static>; 2]>,
}

impl Images {
    fn new(data: &Path) -> Self {
        Self {
            folder: data.join("mnist"),
            tables: OnceLock::new(),
        }
    }

    fn get(&self) -> &[Table<'static>; 2] {
        self.tables
            .get_or_init(|| ["train", "t10k"].map(|name| images::idx(&self.folder, name)))
    }
}
