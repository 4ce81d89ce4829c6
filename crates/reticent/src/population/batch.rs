//! Sums over a secret batch of the records.
//!
//! ```text
//! fit ──question──> BatchQuery ──> mechanism: draws the batch, asks, draws the noise ──> released
//! ```
//!
//! A question about a batch is posed before there is a batch. Only a mechanism can draw one: how many
//! units there are may be private, and which of them are drawn always is.

use super::Population;
use super::query::{Query, Sensitivity};
use super::records::Records;
use crate::mechanism::ReleaseKey;
use crate::noise::Grid;
use crate::privacy::Adjacency;

/// Which units of a population take part in one release.
///
/// # Privacy
///
/// It is secret, its size included: amplification by sampling holds against those alone who do not know
/// who was drawn. So it has no getter, `Debug` or `Clone`; a mechanism draws it once over the whole
/// population, wherever the records are, uses it for one question and forgets it.
pub(crate) struct Batch {
    /// In increasing order; units are numbered over the tables of the population, in their order.
    units: Vec<u32>,
}

impl Batch {
    /// Of these units, in increasing order.
    pub fn of(units: Vec<u32>, _: &ReleaseKey) -> Self {
        debug_assert!(units.is_sorted_by(|a, b| a < b), "each unit once");
        Self { units }
    }
}

/// Units of one population, by their numbers in it, in increasing order: sealed, as only this module can
/// name it.
pub struct Members<'a>(pub(super) &'a [u32]);

impl Members<'_> {
    /// Those of each of several populations that follow one another, by their numbers there.
    pub(super) fn split(&self, counts: impl Iterator<Item = usize>) -> Vec<Vec<u32>> {
        let mut rest = self.0;
        let mut first = 0usize;
        let own = |count: usize| {
            let end = first + count;
            let (own, others) = rest.split_at(rest.partition_point(|unit| (*unit as usize) < end));
            // No unit of the list lies before the first.
            let numbers = own.iter().map(|unit| unit - first as u32).collect();
            (first, rest) = (end, others);
            numbers
        };
        counts.map(own).collect()
    }
}

/// Rows of a table in memory.
pub enum Rows {
    /// All of them.
    All,
    /// These, in any order, each once.
    Some(Vec<u32>),
}

/// A sealed sum over some records, in 128 bits: no number of records makes it overflow.
#[derive(Default)]
pub struct WideSums(pub(super) Vec<i128>);

impl WideSums {
    /// The sum over the records of both. One that has no numbers is the sum of nothing.
    pub(super) fn merged(mut self, other: Self) -> Self {
        self.0.resize(self.0.len().max(other.0.len()), 0);
        for (sum, other) in self.0.iter_mut().zip(other.0) {
            *sum += other;
        }
        self
    }
}

/// What a question about a batch sums over records in one place: integers, which are added over places.
///
/// What a record adds is a function of that record alone, of public numbers and of what was released.
pub trait BatchSum: Sync {
    /// The sum over these rows, sealed: any code that can name a question may call this.
    fn over(&self, records: &Records<'_>, rows: &Rows) -> WideSums;

    /// What is computed from the sum over the whole batch, limited to what a query holds.
    fn finished(&self, total: WideSums) -> Vec<i64>;

    /// How many numbers that is.
    fn dimension(&self) -> usize;
}

/// A vector of sums over a batch that is not drawn yet, with how far one record can move it.
///
/// # Privacy
///
/// The sensitivity is that of the sum over any *one* batch: under add-remove adjacency of a batch that
/// has one unit more than another, under replace-one of two batches of which one unit differs. Each
/// holds whatever the batch, since what a unit adds is bounded by itself. (Which batches are compared
/// with which is the amplification theorem's: see the mechanism.)
pub struct BatchQuery<'a> {
    question: &'static str,
    population: &'a dyn Population,
    sum: Box<dyn BatchSum + 'a>,
    grid: Grid,
    sensitivity: Sensitivity,
}

impl<'a> BatchQuery<'a> {
    /// The caller proves the sensitivity at the call.
    pub(super) fn new(
        question: &'static str,
        population: &'a dyn Population,
        sum: Box<dyn BatchSum + 'a>,
        grid: Grid,
        sensitivity: Sensitivity,
    ) -> Self {
        Self {
            question,
            population,
            sum,
            grid,
            sensitivity,
        }
    }

    /// What was asked, in a few words.
    pub fn question(&self) -> &'static str {
        self.question
    }

    /// Which tables count as neighbours.
    pub fn adjacency(&self) -> Adjacency {
        self.population.shape().adjacency()
    }

    /// How many units the population has, where that is public.
    pub fn count(&self) -> Option<usize> {
        self.population.shape().count()
    }

    /// Δ₂: how far one record can move it in ℓ₂, in real units. It follows from bounds, and is public.
    pub fn sensitivity(&self) -> f64 {
        self.sensitivity.l2 * self.grid.step()
    }

    /// The number of coordinates, which is public.
    pub fn dimension(&self) -> usize {
        self.sum.dimension()
    }

    /// Δ₂ in grid steps.
    pub(crate) fn steps(&self) -> f64 {
        self.sensitivity.l2
    }

    /// How many units there are to draw from, which may be private.
    pub(crate) fn units(&self, _: &ReleaseKey) -> u32 {
        let of_tables = self
            .population
            .tables()
            .into_iter()
            .map(|table| table.units);
        // A table in parts has fewer than 2³² rows.
        of_tables.sum::<usize>() as u32
    }

    /// The sum over a batch.
    pub(crate) fn over(&self, batch: &Batch, _: &ReleaseKey) -> Query<'static> {
        let members = Members(&batch.units);
        let sums = self.population.sum_of_batch(&*self.sum, &members);
        let values = self.sum.finished(sums);
        let adjacency = self.adjacency();
        Query::new(
            self.question,
            values,
            self.grid,
            adjacency,
            self.sensitivity,
        )
    }
}
