//! The search for column frames: where the values of each column lie within the bound of rows.
//!
//! Noise is as large as the bound of an entry, and so are the weights that a fit expects: a column
//! whose values lie in a small part of its declared bounds would be lost in it. So the bulk of
//! each column is found first, by histograms that zoom in on it, all columns in one release, and the fit
//! works on columns that fill their bounds. The weights are mapped back by the released frames, and a
//! value beyond its frame counts as the end of it in the model, too, as it did in the fit.
//!
//! A record is in one bin of each histogram, so that noise grows with the root of the number of
//! columns. The search gets as much of ρ as shows half of the records of a column clearly,
//! and is left out where that is more than a small share of it.

use std::num::NonZeroU64;

use super::super::spending::multiplier;
use super::super::{ColumnRange, Facts, FitError, LinearFunction};
use super::defaults;
use super::window::Window;
use crate::mechanism::gaussian;
use crate::noise::Generator;
use crate::population::{ColumnFrame, Counted, Histograms, Population};
use crate::privacy::{Adjacency, Charge, Event, Ledger, NoiseMultiplier};
use crate::table::RecordBound;

/// How many histograms of each column, and how many bins they have: the first, and a closer one of a
/// bulk that takes few of them. The noise of a bulk grows with the root of its bins.
const HISTOGRAMS: u64 = 2;
/// The most columns that are searched: a record is counted once per column, whether it is sparse or not.
const MOST_COLUMNS: usize = 1000;
const BINS: (usize, usize) = (128, 64);
/// The noise of a count that is aimed at, and the most that does not hide a bulk, as a share of the
/// records.
const AIM: f64 = 1.0 / 32.0;
const MOST_NOISE: f64 = 1.0 / 20.0;
/// The least share of ρ, and the largest one that is worth it.
const LEAST: f64 = 0.02;
const MOST: f64 = 0.12;
/// The bulk of a column is the shortest interval with this share of the records.
const BULK: f64 = 0.85;
/// A bulk of fewer bins is looked at again, more closely.
const ENOUGH_BINS: usize = 3;
/// What is kept on either side of the bulk: so many bins, and this share of it.
const MARGIN: f64 = 1.0;
const GROWTH: f64 = 0.35;
/// A bulk of fewer bins looks like a constant, of which the rest is hidden by noise.
const FEWEST_BINS: usize = 2;
/// A frame that is wider than this share of the bound is not worth a change.
const WIDEST: f64 = 0.5;

/// A search for the frames of all columns.
///
/// # Privacy
///
/// *Adjacency*: the ledger's. *Releases*: a fixed number of Gaussians of
/// [histograms](Histograms), one of each column in each. *Sensitivity*: the question's, √(2d) for one
/// record replaced, √d for one added or removed. *Theorem*: the edges of a histogram and the frames
/// are functions of earlier releases and of public numbers; the plan fixes the noise relative to the
/// sensitivity, so that a planned ledger covers it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct ColumnSearch {
    noise: NoiseMultiplier,
}

impl ColumnSearch {
    /// What a plan says of it.
    pub const MEANING: &str = "where in their bounds the columns lie, down to about 1/1000 of them";

    /// What a plan says where there is none.
    pub const WITHOUT: &str = "not searched for, as records or budget are too few for the columns, rows are bounded in l2, or \
         there are more than 1000 columns: declare tight bounds, as a column that lies in a small part \
         of its own counts for little";

    /// The share of about `rho` that it is worth, from public facts: 0 where noise would hide the columns,
    /// where there are very many, or where rows are bounded together.
    pub fn share(facts: &Facts, adjacency: Adjacency, rho: f64) -> f64 {
        if matches!(facts.rows, RecordBound::L2(_)) || facts.columns > MOST_COLUMNS {
            return 0.0;
        }
        let moved = Histograms::moved(facts.columns, adjacency);
        // The noise of a count is moved·√(HISTOGRAMS/(2·share·ρ)).
        let share_for = |of_records: f64| {
            let noise = of_records * facts.records as f64;
            moved * moved * HISTOGRAMS as f64 / (2.0 * rho * noise * noise)
        };
        match share_for(MOST_NOISE) <= MOST {
            true => share_for(AIM).clamp(LEAST, MOST),
            false => 0.0,
        }
    }

    /// Its share of a plan that costs ρ = 1/(2z²).
    pub fn new(z: NoiseMultiplier, share: f64) -> Self {
        let noise = multiplier(z.get() * (HISTOGRAMS as f64 / share).sqrt());
        Self { noise }
    }

    /// What it will charge.
    pub fn charge(&self) -> Charge {
        let count = NonZeroU64::new(HISTOGRAMS).unwrap_or(NonZeroU64::MIN);
        Charge::new(Event::Gaussian { noise: self.noise }, count)
    }

    /// Finds the frames, one place per column; around 0 if they must be `centred` there, as without an
    /// intercept.
    pub fn run(
        &self,
        population: &dyn Population,
        facts: &Facts,
        centred: bool,
        ledger: &mut Ledger,
        randomness: &mut Generator,
    ) -> Result<Vec<Option<ColumnFrame>>, FitError> {
        let bound = defaults::bound(facts);
        let records = facts.records as f64;
        let mut windows: Vec<Window> = (0..facts.columns).map(|_| Window::whole(BINS.0)).collect();
        for left in (0..HISTOGRAMS).rev() {
            let scaled = |window: &Window| -> Vec<f64> {
                window.edges().iter().map(|edge| edge * bound).collect()
            };
            let edges: Vec<Vec<f64>> = windows.iter().map(scaled).collect();
            let of: Vec<Counted<'_>> = (0..)
                .zip(&edges)
                .map(|(column, edges)| Counted::Feature { column, edges })
                .collect();
            let query = Histograms { of: &of }.ask(population);
            let released = gaussian(&query, self.noise, ledger, randomness)?.to_real();
            let mut counts = &released[..];
            for window in &mut windows {
                let of_column;
                (of_column, counts) = counts.split_at(window.bins());
                window.add(of_column);
                match bulk(&window.mean(), records) {
                    Some((start, end)) if left > 0 && end - start < ENOUGH_BINS => {
                        *window = Window::between(around(window, (start, end)), BINS.1);
                    }
                    // Another histogram of the same edges is averaged with this.
                    _ => {}
                }
            }
        }
        let frame = |window: &Window| frame(window, records, centred, bound);
        Ok(windows.iter().map(frame).collect())
    }
}

/// A function of framed columns as one of the columns themselves, and the ranges that those are clipped
/// to: `bound`·(x − location)/half-width has the weight w.
pub(super) fn undo_frames(
    mut function: LinearFunction,
    frames: &[Option<ColumnFrame>],
    bound: f64,
) -> (LinearFunction, Vec<ColumnRange>) {
    let mut ranges = Vec::new();
    for (column, weight) in &mut function.weights {
        let Some(frame) = frames[*column as usize] else {
            continue;
        };
        *weight *= bound / frame.half_width();
        function.intercept -= *weight * frame.location();
        let (low, high) = frame.ends();
        let column = *column;
        ranges.push(ColumnRange { column, low, high });
    }
    (function, ranges)
}

/// The shortest run of bins with the bulk of so many records, from its first bin to just before its
/// last; none if noise hides it.
fn bulk(counts: &[f64], records: f64) -> Option<(usize, usize)> {
    let mut sums = vec![0.0];
    sums.extend(counts.iter().scan(0.0, |sum, count| {
        *sum += count;
        Some(*sum)
    }));
    let fullest = |length: usize| {
        let runs = (0..=counts.len() - length).map(|start| (start, start + length));
        let count = |run: &(usize, usize)| sums[run.1] - sums[run.0];
        let fullest = runs.max_by(|a, b| count(a).total_cmp(&count(b)));
        fullest.filter(|run| count(run) >= BULK * records)
    };
    (1..=counts.len()).find_map(fullest)
}

/// The ends of a bulk with what may lie around it.
fn around(window: &Window, bulk: (usize, usize)) -> (f64, f64) {
    let margin = MARGIN + GROWTH * (bulk.1 - bulk.0) as f64;
    window.around(bulk, margin)
}

/// The frame of a column; none if its values fill their bound, look like a constant, or are hidden by
/// noise.
///
/// A column of which most values are 0 is scaled and not moved: sparse rows stay sparse.
fn frame(window: &Window, records: f64, centred: bool, bound: f64) -> Option<ColumnFrame> {
    let counts = window.mean();
    // Where noise hides the bulk in a closer look, the whole of that is the frame.
    let closer = window.bins() == BINS.1;
    let hidden = closer.then_some((0, BINS.1));
    let (start, end) = bulk(&counts, records).or(hidden)?;
    let (mut low, mut high) = around(window, (start, end));
    let at_zero = (0..window.bins()).filter(|bin| {
        let place = |edge: usize| window.place(edge as f64);
        place(*bin) <= 0.0 && 0.0 <= place(bin + 1)
    });
    let zeros: f64 = at_zero.map(|bin| counts[bin]).sum();
    if centred || zeros >= records / 2.0 {
        high = low.abs().max(high.abs());
        low = -high;
    }
    let changes = end - start >= FEWEST_BINS && high - low <= 2.0 * WIDEST;
    changes.then(|| ColumnFrame::between(low * bound, high * bound))
}
