//! Who is in a batch, and how many are, cannot be told from anything that is returned besides releases.

use std::ops::ControlFlow;

use super::*;
use crate::fit::{FitInput, ProgressObserver};
use crate::matrix::{Dense, Matrix};
use crate::mechanism::tape::{self, Difference};
use crate::noise::{Generator, Randomness};
use crate::population::Records;
use crate::table::{Layout, RecordBound, Table, Target};

const WIDTH: usize = 3;
/// The public number that stands for that of the records.
const DECLARED: u64 = 250;

/// The first rows of a table.
fn first(rows: usize) -> Records<'static> {
    let mut rng = Generator::not_private(5);
    let bits: Vec<u64> = (0..rows).map(|_| rng.next_u64()).collect();
    let value = |bits: u64, j: usize| if bits >> j & 1 == 0 { 1.0 } else { -1.0 };
    let row = |bits: &u64| (0..WIDTH).map(|j| value(*bits, j)).collect::<Vec<f32>>();
    let table = Table {
        features: Matrix::Dense(
            Dense::new(bits.iter().flat_map(row).collect(), rows, WIDTH).unwrap(),
        ),
        target: Target::Classes {
            class: bits.iter().map(|bits| (bits & 1) as u32).collect(),
            names: vec!["no".to_owned(), "yes".to_owned()],
        },
        layout: Layout::Numbered {
            first: 1,
            width: WIDTH,
        },
        assumed: Vec::new(),
        units: None,
    };
    let bound = RecordBound::Linf(1.0);
    table
        .enforce(bound, None, false, Adjacency::AddRemove)
        .unwrap()
}

/// Writes down what it is told, and may stop the fit.
struct Notes {
    told: Vec<(u64, u64)>,
    stop_at: Option<u64>,
}

impl ProgressObserver for Notes {
    fn step(&mut self, done: u64, total: u64) -> ControlFlow<()> {
        self.told.push((done, total));
        match self.stop_at == Some(done) {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    }
}

/// One table has a record more, which is in some batches: these are larger by one, and the sums of both
/// tables differ. Along the same path of releases, progress, model, certificate and errors are the same to
/// the last bit; also where the fit is stopped.
#[test]
fn tables_and_batches_of_other_sizes_return_the_same() {
    const ROWS: usize = 300;
    for optimizer in OPTIMIZERS {
        for stop_at in [None, Some(20)] {
            let parameters = Sgd {
                optimizer,
                adjacency: Adjacency::AddRemove,
                batch: NonZeroU64::new(80),
                ..sgd(Task::Logistic, 1.0)
            };
            let facts = Facts {
                records: DECLARED,
                columns: WIDTH,
                rows: RecordBound::Linf(1.0),
            };
            let plan = parameters.plan(facts).unwrap();
            assert!(plan.steps() > 20);
            let run = |rows: usize| {
                let records = first(rows);
                let mut notes = Notes {
                    told: Vec::new(),
                    stop_at,
                };
                let mut randomness = Generator::not_private(3);
                let fitted = plan.run(FitInput::Sealed(&records), &mut randomness, &mut notes);
                assert_eq!(fitted.is_err(), stop_at.is_some());
                format!("{fitted:?} {:?}", notes.told)
            };
            let last = Difference::Removed(ROWS as u32 - 1);
            let (one, two, findings) = tape::coupled(last, || run(ROWS), || run(ROWS - 1));
            assert_eq!(one, two);
            assert!(findings.faults.is_empty(), "{:?}", findings.faults);
            let (_, moved) = findings.worst[&("batch gradient", "subsampled gaussian")];
            assert!(moved > 0.0, "the record is in no batch");
        }
    }
}

/// The table that is refused, whatever its size, is refused in the same words.
#[test]
fn a_refusal_says_nothing_of_how_many_there_are() {
    let parameters = Sgd {
        adjacency: Adjacency::AddRemove,
        ..sgd(Task::Linear, 1.0)
    };
    let facts = Facts {
        records: DECLARED,
        columns: WIDTH,
        rows: RecordBound::Linf(1.0),
    };
    let plan = parameters.plan(facts).unwrap();
    let refusal = |rows: usize| {
        let records = first(rows);
        let mut randomness = Generator::not_private(3);
        let fitted = plan.run(FitInput::Sealed(&records), &mut randomness, &mut ());
        fitted.unwrap_err().to_string()
    };
    assert_eq!(refusal(2), refusal(1000));
}
