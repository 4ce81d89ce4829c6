//! Every storage of the features gives the same integers as plain rows, on any number of threads.

use super::*;
use crate::matrix::csc::Csc;
use crate::matrix::ranked::Ranked;
use crate::matrix::tiles::Tiles;
use crate::matrix::tokens::Tokens;
use crate::population::gradient::storage::Storage;

const WIDTH: usize = 40;
/// More than two blocks, and no whole number of groups.
const ROWS: usize = 2 * follow::BLOCK + 301;
const CLASSES: u32 = 3;

/// Numbers without a pattern.
fn scrambled(place: usize) -> usize {
    let z = (place as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    ((z ^ (z >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 40) as usize
}

/// Sparse rows of few different values, a stored zero among them; or dense ones.
fn features(dense: bool) -> Matrix<'static> {
    let value = |place: usize| [0.25, 0.5, 0.0, -1.0][scrambled(place) % 4];
    if dense {
        let values = (0..ROWS * WIDTH).map(value).collect();
        return Matrix::Dense(Dense::new(values, ROWS, WIDTH).unwrap());
    }
    let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
    for i in 0..ROWS {
        for j in (0..WIDTH).filter(|j| scrambled(i * 64 + j).is_multiple_of(5)) {
            columns.push(j as u32);
            values.push(value(i * WIDTH + j));
        }
        starts.push(columns.len());
    }
    Matrix::Sparse(Csr::new(starts, columns, values, WIDTH).unwrap())
}

fn records(dense: bool) -> Records<'static> {
    let table = Table {
        features: features(dense),
        target: Target::Classes {
            class: (0..ROWS).map(|i| (scrambled(i) % 2) as u32).collect(),
            names: vec!["no".into(), "yes".into()],
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
        .enforce(bound, None, false, Adjacency::ReplaceOne)
        .unwrap()
}

/// Weights of all functions at a step: some are 0, and at the last one is infinite.
fn weights(step: usize, functions: usize) -> Vec<f64> {
    let weight = |place: usize| match scrambled(place + 1000 * step) % 100 {
        0..30 => 0.0,
        size => (size as f64 - 65.0) / 37.0,
    };
    let mut weights: Vec<f64> = (0..functions * WIDTH).map(weight).collect();
    if step == 3 {
        weights[7] = f64::INFINITY;
    }
    weights
}

/// The sums along a path of weights, which are set, or stepped to in full.
fn path(mut state: Following<'_>, functions: usize, set: bool) -> Vec<(Vec<i64>, Vec<i64>)> {
    let look = |state: &mut Following<'_>| {
        let sums = state.sums();
        (sums.columns.to_vec(), sums.totals.to_vec())
    };
    let mut seen = vec![look(&mut state)];
    for step in 0..4 {
        let weights = weights(step, functions);
        if set {
            state.advance(&follow::Move::Weights(&weights));
        } else {
            let points = weights.chunks(WIDTH).map(|w| Vertex::Point(w.to_vec()));
            let towards: Vec<_> = points.enumerate().collect();
            let towards = &towards[..];
            state.advance(&follow::Move::Step { towards, size: 1.0 });
        }
        seen.push(look(&mut state));
    }
    seen
}

#[test]
fn every_storage_gives_the_integers_of_plain_rows() {
    let grid = Grid::new(-9).unwrap();
    for (dense, several) in [(false, false), (true, false), (false, true), (true, true)] {
        let (mut records, mut slopes) = (records(dense), Slopes::Loss(Loss::Logistic));
        if several {
            let classes: Vec<u32> = (0..ROWS as u32).map(|i| i % CLASSES).collect();
            records = records.of_classes(&classes, CLASSES);
            slopes = Slopes::Classes;
        }
        let frame = Frame::new(records.shape(), slopes, grid, &RowFrame::plain()).unwrap();
        let frame = Arc::new(frame);
        let functions = frame.outputs();
        let plain = path(Following::new(&records, &frame), functions, false);
        let storages = || {
            let tokens = Storage::Tokens(Tokens::new(&records.features).unwrap());
            let sparse = match &*records.features {
                Matrix::Sparse(csr) => vec![
                    Storage::Tiles(Tiles::new(csr)),
                    Storage::Columns(Csc::new(csr)),
                    Storage::Ranked(Ranked::new(csr)),
                ],
                Matrix::Dense(_) => Vec::new(),
            };
            [Storage::of_rows(&records.features), tokens]
                .into_iter()
                .chain(sparse)
        };
        for threads in [1, 3] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            let pool = pool.unwrap();
            for storage in storages() {
                let found = pool.install(|| {
                    let state = Following::stored(&records, &frame, storage);
                    path(state, functions, true)
                });
                assert_eq!(found, plain, "dense {dense}, several {several}, {threads}");
            }
        }
    }
}

/// Weights that were set are known to what comes next, whatever that is.
#[test]
fn a_step_after_weights_continues_from_them() {
    let records = records(false);
    let grid = Grid::new(-9).unwrap();
    let slopes = Slopes::Loss(Loss::Logistic);
    let frame = Frame::new(records.shape(), slopes, grid, &RowFrame::plain()).unwrap();
    let frame = Arc::new(frame);
    let after = |set: bool| {
        let mut state = Following::new(&records, &frame);
        let weights = weights(0, 1);
        let point = [(0, Vertex::Point(weights.clone()))];
        let whole = follow::Move::Step {
            towards: &point,
            size: 1.0,
        };
        let axis = [(
            0,
            Vertex::Axis {
                column: 3,
                value: 2.0,
            },
        )];
        let half = follow::Move::Step {
            towards: &axis,
            size: 0.5,
        };
        let set_weights = follow::Move::Weights(&weights);
        state.advance(if set { &set_weights } else { &whole });
        state.advance(&half);
        state.sums().columns.to_vec()
    };
    assert_eq!(after(true), after(false));
}
