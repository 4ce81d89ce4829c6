//! One pass over the records: margins of weights that were set, slopes renewed from them, and what
//! has changed added to sums, block of records after block.
//!
//! A block's rows are read from memory once, for their margins, and are still in the cache when they
//! are added. Each thread takes the next block and has sums of its own, which are added up at the
//! end: integers, so that it does not matter which thread took which block.

use std::sync::Mutex;

use super::dense::{BlockRows, Sums};
use super::margins::Margins;
use super::scatter::{self, Change};
use super::storage::Storage;
use crate::matrix::phrases::{GROUP, LANE, PhraseSums, Phrases, phrase_sums};
use crate::matrix::ranked::{RANKS, Ranked};
use crate::matrix::tokens::Tokens;
use crate::matrix::{Dense, Matrix};
use crate::parallel::{self, COORDINATES};

/// Some records, and what is kept of them.
pub(super) struct Block<'a> {
    /// The number of the first.
    pub first: usize,
    /// Their k, record after record.
    pub kept: &'a mut [i32],
    /// Their margins before scale and intercept, one slice per function.
    pub scaled: Vec<&'a mut [f64]>,
    pub targets: &'a [f64],
}

/// All records, so many in a block after another: at most [`BLOCK`](super::follow::BLOCK).
pub(super) fn blocks<'a>(
    slopes: &'a mut [i32],
    margins: &'a mut [Margins],
    targets: &'a [f64],
    size: usize,
) -> Vec<Block<'a>> {
    let functions = margins.len();
    let mut scaled: Vec<_> = margins
        .iter_mut()
        .map(|margins| margins.scaled.chunks_mut(size))
        .collect();
    let of_records = slopes
        .chunks_mut(size * functions)
        .zip(targets.chunks(size));
    let block = |(number, (kept, targets)): (usize, (_, _))| Block {
        first: number * size,
        kept,
        scaled: scaled.iter_mut().filter_map(Iterator::next).collect(),
        targets,
    };
    of_records.enumerate().map(block).collect()
}

/// What one thread keeps during a pass, and its buffers, which are used again.
#[derive(Default)]
pub(super) struct Worker {
    /// Of each function, by how much the slope of each record of a block has changed.
    moves: Vec<Vec<i32>>,
    /// Of each function, what is to be added later.
    pub changes: Vec<Vec<Change>>,
    /// Σ k by function.
    totals: Vec<i64>,
    /// Σ k of the rows with a phrase of pairs, by function.
    phrases: Vec<PhraseSums>,
    /// Σ k·x by column, function after function, or by rank.
    sums: Vec<i64>,
}

/// Where changes go during a pass.
#[derive(Clone, Copy)]
pub(super) enum Sink<'a> {
    /// To sums by pair of column and value.
    Pairs(&'a Tokens),
    /// To sums by column, of one function of sparse rows.
    Columns(&'a Matrix<'a>),
    /// To sums by column, of dense rows.
    Dense(&'a Dense),
    /// To sums by rank, of one function.
    Ranks(&'a Ranked),
    /// Nowhere: they are added afterwards.
    Later,
}

impl<'a> Sink<'a> {
    /// The sink of a pass on so many threads, in which many slopes will have changed.
    pub fn of(
        storage: &'a Storage,
        features: &'a Matrix<'a>,
        functions: usize,
        threads: usize,
    ) -> Self {
        // The sums of all threads together take no more memory than the matrix.
        let sums = (threads * functions).saturating_mul(features.width());
        match storage {
            _ if sums > features.entries() => Self::Later,
            Storage::Tokens(tokens) => Self::Pairs(tokens),
            Storage::Rows if functions == 1 => Self::Columns(features),
            Storage::Dense if let Matrix::Dense(dense) = features => Self::Dense(dense),
            Storage::Ranked(rows) if functions == 1 => Self::Ranks(rows),
            _ => Self::Later,
        }
    }
}

impl Worker {
    /// Makes room, and begins with sums of 0.
    fn prepare(&mut self, sink: Sink<'_>, functions: usize, width: usize) {
        self.moves.resize_with(functions, Vec::new);
        self.changes.resize_with(functions, Vec::new);
        self.totals.clear();
        self.totals.resize(functions, 0);
        self.sums.clear();
        match sink {
            Sink::Pairs(_) => {
                self.phrases.resize_with(functions, phrase_sums);
                self.sums.resize(functions * width, 0);
            }
            Sink::Columns(_) | Sink::Dense(_) => self.sums.resize(functions * width, 0),
            Sink::Ranks(_) => self.sums.resize(RANKS, 0),
            Sink::Later => {}
        }
    }

    /// Adds what the block of records from `first` on has changed.
    fn add(&mut self, sink: Sink<'_>, first: usize) {
        for (moves, total) in self.moves.iter().zip(&mut self.totals) {
            *total += moves.iter().map(|by| i64::from(*by)).sum::<i64>();
        }
        match sink {
            Sink::Pairs(tokens) => {
                for (moves, sums) in self.moves.iter().zip(&mut self.phrases) {
                    add_groups(&tokens.phrases, first / GROUP, moves, sums);
                }
            }
            Sink::Columns(features) => {
                for moves in &self.moves {
                    let changes = scatter::changes(first, moves);
                    scatter::add_alone(features, changes, &mut self.sums);
                }
            }
            Sink::Dense(dense) => self.add_dense(dense, first),
            Sink::Ranks(rows) => {
                let sums: Result<&mut [i64; RANKS], _> = (&mut self.sums[..]).try_into();
                if let (Ok(sums), [moves]) = (sums, &self.moves[..]) {
                    scatter::add_ranked(rows, scatter::changes(first, moves), sums);
                }
            }
            Sink::Later => {
                for (moves, changes) in self.moves.iter().zip(&mut self.changes) {
                    changes.extend(scatter::changes(first, moves));
                }
            }
        }
    }

    /// Adds the rows of the block of which some slope has changed.
    fn add_dense(&mut self, dense: &Dense, first: usize) {
        let changed = |place: &usize| self.moves.iter().any(|moves| moves[*place] != 0);
        let count = self.moves.first().map_or(0, Vec::len);
        let places: Vec<usize> = (0..count).filter(changed).collect();
        let rows: Vec<u32> = places.iter().map(|place| (first + place) as u32).collect();
        let of_function = |moves: &Vec<i32>| {
            let own = places.iter().map(|place| f64::from(moves[*place]));
            own.collect::<Vec<f64>>()
        };
        let steps: Vec<f64> = self.moves.iter().flat_map(of_function).collect();
        pulp::Arch::new().dispatch(Sums {
            dense,
            rows: BlockRows::Some(&rows),
            steps: &steps,
            sums: &mut self.sums,
        });
    }

    /// Passes sums of phrases on to the columns.
    fn finish(&mut self, sink: Sink<'_>, width: usize) {
        let Sink::Pairs(tokens) = sink else { return };
        let of_functions = self.sums.chunks_mut(width.max(1)).zip(&mut self.phrases);
        for (sums, phrases) in of_functions {
            let of_pairs = tokens.phrases.pass_on(phrases, tokens.pairs().len());
            // No more than the sum over records of |k·x|, which is below 2⁶². (The first pair,
            // which ends short rows, has the value 0.)
            for (sum, (column, x)) in of_pairs.into_iter().zip(tokens.pairs()) {
                sums[*column as usize] += scatter::whole(*x) * sum;
            }
        }
    }
}

/// Adds what all workers have added up, on several threads if there are many columns.
fn collect(workers: &[Worker], sink: Sink<'_>, sums: &mut [i64], totals: &mut [i64]) {
    for worker in workers {
        for (all, total) in totals.iter_mut().zip(&worker.totals) {
            *all += total;
        }
    }
    let threads = parallel::threads(sums.len());
    let chunks = sums.chunks_mut(COORDINATES).enumerate();
    let of_chunk = |(chunk, sums): (usize, &mut [i64])| {
        let first = chunk * COORDINATES;
        for worker in workers {
            if let Sink::Ranks(rows) = sink {
                for (sum, rank) in sums.iter_mut().zip(&rows.ranks()[first..]) {
                    *sum += worker.sums[usize::from(*rank)];
                }
            } else {
                for (sum, other) in sums.iter_mut().zip(&worker.sums[first..]) {
                    *sum += other;
                }
            }
        }
    };
    match sink {
        Sink::Later => {}
        _ => parallel::share(chunks, threads, of_chunk),
    }
}

/// Adds what has changed to the sums of phrases: rows of a group together, from a group on.
fn add_groups(rows: &Phrases, group: usize, moves: &[i32], sums: &mut [i64]) {
    let ([first, second, third, fourth], []) = sums.as_chunks_mut::<LANE>() else {
        unreachable!("one lane for each row of a group");
    };
    for (group, moves) in (group..).zip(moves.chunks(GROUP)) {
        if moves.iter().all(|by| *by == 0) {
            continue;
        }
        let by: [i64; GROUP] =
            std::array::from_fn(|lane| moves.get(lane).map_or(0, |by| i64::from(*by)));
        for [a, b, c, d] in rows.group(group) {
            first[usize::from(*a)] += by[0];
            second[usize::from(*b)] += by[1];
            third[usize::from(*c)] += by[2];
            fourth[usize::from(*d)] += by[3];
        }
    }
}

/// Runs `renew` on all blocks, on as many threads as there are workers; it sets by how much the slopes
/// of each function have moved. Adds that to the sums, unless it is to be added later.
pub(super) fn run<'a>(
    blocks: Vec<Block<'a>>,
    workers: &mut [Worker],
    sink: Sink<'_>,
    (sums, totals): (&mut [i64], &mut [i64]),
    renew: impl Fn(&mut Block<'a>, &mut [Vec<i32>]) + Sync,
) {
    let functions = totals.len();
    let width = sums.len() / functions.max(1);
    let blocks = Mutex::new(blocks.into_iter());
    // A panic reaches the caller after the other threads have done the rest; nothing is looked at again.
    let next = || blocks.lock().ok().and_then(|mut blocks| blocks.next());
    let threads = workers.len();
    parallel::share(workers.iter_mut(), threads, |worker| {
        worker.prepare(sink, functions, width);
        while let Some(mut block) = next() {
            for moves in &mut worker.moves {
                moves.clear();
                moves.resize(block.targets.len(), 0);
            }
            renew(&mut block, &mut worker.moves);
            worker.add(sink, block.first);
        }
        worker.finish(sink, width);
    });
    collect(workers, sink, sums, totals);
}
