//! Steps of a default fit, as many at a time as are asked for: our side of `cargo xtask bench steps`.
//!
//! It writes a table as compressed sparse rows to a folder, for the other side, and then fits it
//! again and again. Each line of standard input is a number of steps; the answer is how long they
//! took. Before each first answer of a fit comes a line with the time before its second step, in
//! which copies of the table are made, and how many steps the fit has. The fit is the real one, with noise from the operating
//! system: only its watcher makes it wait.
//!
//! Usage: `steps TABLE DATA FOLDER`. Failures panic: a benchmark has no caller to report to.

use std::fs;
use std::io::{BufRead, Write, stdin, stdout};
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Instant;

use reticent::fit::{Facts, FitInput, Ight, Planned, ProgressObserver, Task};
use reticent::matrix::{Csr, Matrix};
use reticent::noise::Generator;
use reticent::privacy::{Adjacency, Budget, Delta, Epsilon};
use reticent::table::{
    ClassPattern, Layout, Reading, RecordBound, Schema, Table, Target, WantedTarget, read,
};

/// The rows, the columns and the entries per row of the made-up table.
const MADE_UP: (usize, usize, usize) = (500_000, 1_000_000, 28);

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [name, data, folder] = &arguments[..] else {
        panic!("usage: steps TABLE DATA FOLDER");
    };
    let (table, rows, task) = named(name, Path::new(data));
    let (count, width) = (table.features.rows(), table.layout.width());
    let entries = write_rows(&table, Path::new(folder));
    let facts = Facts {
        records: count as u64,
        columns: width,
        rows,
    };
    println!("{count} {width} {entries}");
    let delta = Delta::new(1.0 / (count as f64).powi(2)).unwrap();
    let budget = Budget::new(Epsilon::new(1.0).unwrap(), delta);
    let records = table.enforce(rows, None, true, Adjacency::ReplaceOne);
    let records = records.unwrap();
    let plan = Ight::new(task, budget).plan(facts).unwrap();
    let mut randomness = Generator::from_system().unwrap();
    let mut watch = Watch::default();
    while !watch.over {
        watch.fit = Some(Instant::now());
        // A fit that is stopped is an error like any other.
        let _ = plan.run(FitInput::Sealed(&records), &mut randomness, &mut watch);
    }
}

/// Waits before each bunch of steps until it is asked for.
#[derive(Default)]
struct Watch {
    /// When the fit began, until its first step was done.
    fit: Option<Instant>,
    /// When the bunch began, and how many steps of it are left.
    bunch: Option<(Instant, u64)>,
    asked: u64,
    over: bool,
}

impl ProgressObserver for Watch {
    fn step(&mut self, done: u64, total: u64) -> ControlFlow<()> {
        if done == 0 {
            return ControlFlow::Continue(());
        }
        if let Some(start) = self.fit.take() {
            println!("setup {:e} {total}", start.elapsed().as_secs_f64());
            // What the fit before left undone is begun again.
            if let Some((start, left)) = &mut self.bunch {
                (*start, *left) = (Instant::now(), self.asked);
                return ControlFlow::Continue(());
            }
        }
        if let Some((start, left)) = &mut self.bunch {
            *left -= 1;
            if *left > 0 {
                return ControlFlow::Continue(());
            }
            println!("steps {:e}", start.elapsed().as_secs_f64());
        }
        stdout().flush().unwrap();
        let mut line = String::new();
        self.over = stdin().lock().read_line(&mut line).unwrap() == 0;
        if self.over {
            return ControlFlow::Break(());
        }
        self.asked = line.trim().parse().unwrap();
        self.bunch = Some((Instant::now(), self.asked));
        ControlFlow::Continue(())
    }
}

/// A table by its name, the bound of its rows, and what is fitted to it.
fn named(name: &str, data: &Path) -> (Table<'static>, RecordBound, Task) {
    let [box_, ball] = [RecordBound::Linf(1.0), RecordBound::L2(1.0)];
    let schema = Schema::from_toml(include_str!("../../../../docs/schemas/kddcup99.toml"));
    let halves = ClassPattern::parse_list("rest=*,first=1|2|3|4|5|6|7|8|9|10").unwrap();
    let file = |name: &str, wanted, columns| {
        let reading = Reading {
            wanted,
            columns,
            zero_based: false,
            schema: columns.is_none().then_some(schema.as_ref().unwrap()),
            progress: &|_, _| (),
        };
        read(&data.join(name), &reading).unwrap()
    };
    let two = WantedTarget::Classes(None);
    match name {
        "a9a" => (file("a9a.xz", two, Some(123)), box_, Task::Logistic),
        "news20" => {
            let wanted = WantedTarget::Classes(Some(&halves));
            (
                file("news20.xz", wanted, Some(62_061)),
                ball,
                Task::Logistic,
            )
        }
        "news20-classes" => {
            let wanted = WantedTarget::MultipleClasses(None);
            let task = Task::Multinomial { classes: 20 };
            (file("news20.xz", wanted, Some(62_061)), ball, task)
        }
        "kddcup99" => (
            file("kddcup99-10pct.csv.xz", two, None),
            box_,
            Task::Logistic,
        ),
        "made-up" => (made_up(), ball, Task::Logistic),
        _ => panic!("there is no table {name}"),
    }
}

/// Columns and values without a pattern; the first columns, some of which each row has, decide.
fn made_up() -> Table<'static> {
    let (rows, width, per_row) = MADE_UP;
    let mut state = 1u64;
    // Numbers that look random: SplitMix64.
    let mut next = || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    };
    let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
    let mut class = Vec::new();
    for _ in 0..rows {
        let first = columns.len();
        columns.extend((0..per_row).map(|_| (next() % width as u64) as u32));
        columns[first..].sort_unstable();
        let mut kept = first;
        for place in first..columns.len() {
            if kept == first || columns[place] != columns[kept - 1] {
                columns[kept] = columns[place];
                kept += 1;
            }
        }
        columns.truncate(kept);
        values.extend((first..kept).map(|_| (next() >> 40) as f32 / (1 << 24) as f32));
        let left = columns[first..]
            .iter()
            .filter(|c| (**c as usize) < width / 2);
        class.push(u32::from(2 * left.count() > per_row));
        starts.push(kept);
    }
    Table {
        features: Matrix::Sparse(Csr::new(starts, columns, values, width).unwrap()),
        target: Target::Classes {
            class,
            names: vec!["no".into(), "yes".into()],
        },
        layout: Layout::Numbered { first: 1, width },
        assumed: Vec::new(),
        units: None,
    }
}

/// Writes the non-zeros of the rows, and the classes, as arrays of bytes; how many non-zeros.
fn write_rows(table: &Table, folder: &Path) -> usize {
    let (mut starts, mut columns, mut values) = (vec![0u64], Vec::new(), Vec::new());
    for i in 0..table.features.rows() {
        table.features.for_row(i, |column, value| {
            if value != 0.0 {
                columns.push(column as u32);
                values.push(value);
            }
        });
        starts.push(columns.len() as u64);
    }
    let Target::Classes { class, .. } = &table.target else {
        panic!("classes");
    };
    let write = |name, bytes: Vec<u8>| fs::write(folder.join(name), bytes).unwrap();
    fs::create_dir_all(folder).unwrap();
    write(
        "starts",
        starts.iter().flat_map(|x| x.to_le_bytes()).collect(),
    );
    write(
        "columns",
        columns.iter().flat_map(|x| x.to_le_bytes()).collect(),
    );
    write(
        "values",
        values.iter().flat_map(|x| x.to_le_bytes()).collect(),
    );
    write(
        "classes",
        class.iter().flat_map(|x| x.to_le_bytes()).collect(),
    );
    columns.len()
}
