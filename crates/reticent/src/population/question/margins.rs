//! The margins of a released model, and how many records have which.

use rayon::prelude::*;

use super::counts::{counts_moved, counts_query};
use super::products::Products;
use super::{LocalSum, Sums};
use crate::population::query::Query;
use crate::population::records::Records;
use crate::population::shares::COUNT_BITS;
use crate::population::{Population, Shape};
use crate::privacy::Adjacency;

/// Records that one thread sums at a time.
const BLOCK: usize = 256;

/// The linear functions of a released model of classes, one per class or one for two classes, and
/// what their margins are measured from: the margins of a record are x·w + b − o.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ReleasedFunctions<'a> {
    /// w, function after function, one weight per column.
    pub weights: &'a [f64],
    /// b, one per function.
    pub intercepts: &'a [f64],
    /// o, one per function.
    pub origins: &'a [f64],
}

impl ReleasedFunctions<'_> {
    /// How many functions there are.
    pub(super) fn count(&self) -> usize {
        self.intercepts.len()
    }

    /// # Panics
    ///
    /// If these are not functions of the classes of such records.
    pub(super) fn check(&self, shape: &Shape) {
        let expected = match shape.classes {
            2 => 1..=2,
            classes => classes..=classes,
        };
        assert!(
            shape.classes > 0 && expected.contains(&(self.count() as u32)),
            "one function per class"
        );
        assert_eq!(self.weights.len(), self.count() * shape.width, "weights");
        assert_eq!(self.origins.len(), self.count(), "one origin per function");
    }

    /// Adds up the terms of all records, each a function of its margins and its class: exact
    /// integers, the same on any number of threads.
    pub(super) fn sums(
        &self,
        records: &Records<'_>,
        length: usize,
        terms: impl Fn(&mut [f64], usize, &mut [i64]) + Sync,
    ) -> Sums {
        let rows = records.targets.len();
        let products = Products::new(self.weights, self.count());
        let block = |block: usize| {
            let mut sums = vec![0; length];
            let mut of_record = vec![0; length];
            let rows = block * BLOCK..rows.min((block + 1) * BLOCK);
            let mut margins = vec![0.0; rows.len() * self.count()];
            products.of(&records.features, rows.clone(), &mut margins);
            for (row, margins) in rows.zip(margins.chunks_mut(self.count())) {
                self.shift(margins, records.clip.grid.step());
                // Classes are whole numbers from 0.
                terms(margins, records.targets[row] as usize, &mut of_record);
                let share = records.share(row);
                for (sum, term) in sums.iter_mut().zip(&of_record) {
                    *sum += share.part(*term);
                }
            }
            Sums(sums)
        };
        let blocks = (0..rows.div_ceil(BLOCK)).into_par_iter();
        blocks
            .map(block)
            .reduce(|| Sums(vec![0; length]), Sums::merged)
    }

    /// Margins from products of weights with rows in steps; what is not a number becomes 0.
    fn shift(&self, products: &mut [f64], step: f64) {
        let ends = self.intercepts.iter().zip(self.origins);
        for (margin, (intercept, origin)) in products.iter_mut().zip(ends) {
            *margin = *margin * step + (intercept - origin);
            if margin.is_nan() {
                *margin = 0.0;
            }
        }
    }
}

/// How many records have a margin below each of some edges and not below the one before: one count
/// more than there are edges. With several functions, margins are the lengths ‖t − t̄‖₂ of a record's
/// margins t, less their mean t̄.
///
/// # Privacy
///
/// A record adds 1 to one count, which follows from itself and from public or released numbers.
/// Replacing one moves two counts by 1 each, √2 in ℓ₂, or none; adding or removing one moves one by 1:
/// one group of counts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MarginHistogram<'a> {
    /// The model.
    pub model: ReleasedFunctions<'a>,
    /// The edges, in increasing order.
    pub edges: &'a [f64],
}

impl MarginHistogram<'_> {
    /// How far one record can move the counts.
    pub fn moved(adjacency: Adjacency) -> f64 {
        counts_moved(1, adjacency)
    }

    /// The counts of a population.
    pub fn ask(&self, population: &dyn Population) -> Query<'static> {
        let shape = population.shape();
        self.model.check(&shape);
        counts_query("margin histogram", population.sum(self).0, 1, &shape)
    }
}

impl LocalSum for MarginHistogram<'_> {
    fn over(&self, records: &Records<'_>) -> Sums {
        let length = self.edges.len() + 1;
        self.model.sums(records, length, |margins, _, terms| {
            terms.fill(0);
            let margin = match margins {
                [margin] => *margin,
                several => {
                    centre(several);
                    several.iter().map(|t| t * t).sum::<f64>().sqrt()
                }
            };
            terms[self.edges.partition_point(|edge| *edge <= margin)] = 1 << COUNT_BITS;
        })
    }
}

/// Removes from margins what they have in common: no probability depends on it.
pub(super) fn centre(margins: &mut [f64]) {
    let mean = margins.iter().sum::<f64>() / margins.len() as f64;
    margins.iter_mut().for_each(|margin| *margin -= mean);
    if margins.iter().any(|margin| !margin.is_finite()) {
        margins.fill(0.0);
    }
}
