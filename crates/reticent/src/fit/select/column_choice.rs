//! One choice of columns, by the size of the gradient.

use std::num::NonZeroU64;

use super::super::noisy_descent::{set_weights, slope_grid};
use super::super::{ClassRates, Facts, FitError, Task};
use super::defaults;
use super::fit::{clipped, find_scale};
use crate::mechanism::top_k;
use crate::noise::{Aim, Generator};
use crate::population::{Gradient, Population, RowFrame, Slopes};
use crate::privacy::{Adjacency, Charge, Event, Ledger, Range};
use crate::table::RecordBound;

/// One choice among the columns that are not chosen yet.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct ColumnChoice {
    pub task: Task,
    /// b₀; 0 for no intercept.
    pub constant: f64,
    /// Finds the scale of the residuals before the choice, for linear models.
    pub scale: Option<Range>,
    /// How many columns are chosen, and the range of each selection.
    pub count: NonZeroU64,
    pub range: Range,
}

/// Sets the intercepts to those at which the clipped slopes that columns are chosen by add up to 0, in
/// each class: a column then counts by how it differs between classes, not by how large it is.
pub(super) fn start_from(rates: &ClassRates, task: Task, constant: f64, weights: &mut [f64]) {
    let (_, slope) = clipped(task, 1.0, true);
    let intercepts = rates.clipped_log_odds(slope);
    let block = weights.len() / intercepts.len();
    for (weights, intercept) in weights.chunks_mut(block).zip(intercepts) {
        weights[block - 1] = intercept / constant;
    }
}

impl ColumnChoice {
    /// What it will charge.
    pub fn charges(&self) -> impl Iterator<Item = Charge> {
        let scale = self.scale.map(|range| Event::Exponential { range });
        let choice = Charge::new(Event::Exponential { range: self.range }, self.count);
        scale.map(Charge::once).into_iter().chain([choice])
    }

    /// Adds columns to the chosen ones, at the model of `weights`: for each function one per column
    /// and the constant's.
    pub fn run(
        &self,
        (population, facts): (&dyn Population, &Facts),
        weights: &[f64],
        chosen: &mut Vec<u32>,
        ledger: &mut Ledger,
        randomness: &mut Generator,
    ) -> Result<(), FitError> {
        let width = facts.columns;
        let scale = match self.scale {
            Some(range) => {
                let table = (population, weights, self.constant);
                let among = (defaults::LEAST_SCALE, 1.0);
                find_scale(table, among, range, ledger, randomness)?
            }
            None => 1.0,
        };
        let (slopes, slope) = clipped(self.task, scale, chosen.is_empty());
        let noise = self.noise(facts, slope, ledger.adjacency());
        let grid = slope_grid(facts, ledger.adjacency(), slope, noise)?;
        let left: Vec<usize> = (0..width)
            .filter(|j| chosen.binary_search(&(*j as u32)).is_err())
            .collect();
        let frame = RowFrame::clipped(slope);
        let mut gradient = Gradient::ask(population, slopes, grid, &frame)?;
        set_weights(&mut gradient, weights, self.constant, &[]);
        let scores = match slopes {
            Slopes::Classes => gradient.column_norms(&left),
            Slopes::Loss(_) => gradient.columns().at(&left).magnitudes(),
        };
        let count = self.count.get() as usize;
        let winners = top_k(&scores, count, Aim::Highest, self.range, ledger, randomness)?;
        chosen.extend(winners.into_iter().map(|winner| left[winner] as u32));
        chosen.sort_unstable();
        Ok(())
    }

    /// The scale of the Gumbel noise, on the mean gradient.
    fn noise(&self, facts: &Facts, slope: f64, adjacency: Adjacency) -> f64 {
        let (RecordBound::Linf(bound) | RecordBound::L2(bound)) = facts.rows;
        let moved = Gradient::moved(adjacency, slope, bound) / facts.records as f64;
        2.0 * moved / self.range.get()
    }
}
