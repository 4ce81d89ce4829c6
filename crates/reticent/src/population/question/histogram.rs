//! Histograms: how many records have which target, which value of a feature, which level.

use rayon::prelude::*;

use super::counts::{counts_moved, counts_query};
use super::{LocalSum, Sums};
use crate::population::Population;
use crate::population::query::Query;
use crate::population::records::Records;
use crate::privacy::Adjacency;

/// Records that one thread counts at a time.
const BLOCK: usize = 1 << 14;

/// What of a record is counted. Edges are in increasing order, public or released before: a value
/// lies below the first edge, between one edge and the next (on an edge, above it), or from the last
/// edge on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Counted<'a> {
    /// Its target, on the scale of enforced targets: a number in [−1, 1], or a class by its number.
    Target(&'a [f64]),
    /// One of its features, within the bound of rows.
    Feature {
        /// Which.
        column: u32,
        /// The edges between bins.
        edges: &'a [f64],
    },
    /// The level of a categorical column: the first of its features that is above 0, or the last if
    /// none is.
    Levels {
        /// The first of the features.
        first: u32,
        /// How many there are.
        count: u32,
    },
}

impl Counted<'_> {
    /// How many counts it has.
    pub fn bins(&self) -> usize {
        match self {
            Self::Target(edges) | Self::Feature { edges, .. } => edges.len() + 1,
            Self::Levels { count, .. } => *count as usize,
        }
    }
}

/// Several histograms of the same records, as one vector: bin after bin.
///
/// # Privacy
///
/// In each histogram a record adds 1 to one count, whose place is a function of that record and of
/// public or released edges: of a value there is one bin, of features that stand for levels the
/// first above 0 decides, whatever the others are. So g histograms are g groups of counts: one
/// record replaced moves them by √(2g) in ℓ₂, one added or removed by √g.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Histograms<'a> {
    /// One histogram each.
    pub of: &'a [Counted<'a>],
}

impl Histograms<'_> {
    /// How far one record can move so many histograms, in records.
    pub fn moved(histograms: usize, adjacency: Adjacency) -> f64 {
        counts_moved(histograms, adjacency)
    }

    /// The counts of a population.
    ///
    /// # Panics
    ///
    /// If a feature does not exist or is asked for twice, or if levels have no feature.
    pub fn ask(&self, population: &dyn Population) -> Query<'static> {
        let shape = population.shape();
        // Found here, whether or not there are records.
        Places::new(self.of, shape.width);
        counts_query("histogram", population.sum(self).0, self.of.len(), &shape)
    }
}

/// Where the counts of each histogram begin, and which histogram a feature is for.
struct Places {
    starts: Vec<usize>,
    bins: usize,
    of_feature: Vec<Option<u32>>,
}

impl Places {
    fn new(of: &[Counted<'_>], width: usize) -> Self {
        let mut places = Self {
            starts: Vec::with_capacity(of.len()),
            bins: 0,
            of_feature: vec![None; width],
        };
        for (histogram, counted) in (0u32..).zip(of) {
            places.starts.push(places.bins);
            places.bins += counted.bins();
            let features = match *counted {
                Counted::Target(_) => 0..0,
                Counted::Feature { column, .. } => column..column + 1,
                Counted::Levels { first, count } => {
                    assert!(count > 0, "levels have features");
                    first..first + count
                }
            };
            for feature in features {
                let place = &mut places.of_feature[feature as usize];
                assert!(place.is_none(), "a feature is in one histogram");
                *place = Some(histogram);
            }
        }
        places
    }
}

/// The bin of a value.
fn bin(edges: &[f64], value: f64) -> usize {
    edges.partition_point(|edge| *edge <= value)
}

impl LocalSum for Histograms<'_> {
    fn over(&self, records: &Records<'_>) -> Sums {
        let places = Places::new(self.of, records.features.width());
        let rows = records.targets.len();
        let unit = records.clip.grid.step();
        // Of a record without entries.
        let empty: Vec<usize> = self.of.iter().map(|counted| counted.empty()).collect();
        let features = places.of_feature.iter().any(Option::is_some);
        let block = |block: usize| {
            let mut counts = vec![0i64; places.bins];
            let mut bins = empty.clone();
            for row in block * BLOCK..rows.min((block + 1) * BLOCK) {
                bins.copy_from_slice(&empty);
                for (bin_of, counted) in bins.iter_mut().zip(self.of) {
                    if let Counted::Target(edges) = counted {
                        *bin_of = bin(edges, records.targets[row]);
                    }
                }
                if features {
                    records.features.for_row(row, |column, x| {
                        let Some(histogram) = places.of_feature[column] else {
                            return;
                        };
                        let found = &mut bins[histogram as usize];
                        match self.of[histogram as usize] {
                            Counted::Feature { edges, .. } => {
                                *found = bin(edges, f64::from(x) * unit);
                            }
                            // Columns come in order, and the last level is where it began.
                            Counted::Levels { first, count } => {
                                if x > 0.0 && *found == count as usize - 1 {
                                    *found = column - first as usize;
                                }
                            }
                            Counted::Target(_) => {}
                        }
                    });
                }
                let share = records.share(row).steps();
                for (start, bin) in places.starts.iter().zip(&bins) {
                    counts[start + bin] += share;
                }
            }
            Sums(counts)
        };
        let blocks = (0..rows.div_ceil(BLOCK)).into_par_iter();
        blocks
            .map(block)
            .reduce(|| Sums(vec![0; places.bins]), Sums::merged)
    }
}

impl Counted<'_> {
    /// The bin of a record whose features are all 0.
    fn empty(&self) -> usize {
        match self {
            Self::Target(_) => 0,
            Self::Feature { edges, .. } => bin(edges, 0.0),
            Self::Levels { count, .. } => *count as usize - 1,
        }
    }
}

#[cfg(test)]
mod tests;
