//! From weights of rows as a descent sees them to those of the rows as they are enforced.

use super::centre::CentreAndScales;
use super::slopes::{product, times_scales};
use crate::fit::ClassRates;

impl CentreAndScales {
    /// The rates of the classes as an offset of the margins, where slopes are clipped to `slope`.
    ///
    /// Where rows are centred it is fixed where the clipped slopes of all records add up to 0: steps then
    /// find how classes differ, and the error of the centre, which enters times that sum, does not matter.
    /// Where they are not, it is at the log-odds: the more frequent class then says a little more.
    pub fn offsets(&self, rates: Option<&ClassRates>, slope: f64) -> Vec<f64> {
        match rates {
            Some(rates) if self.centre.is_empty() => rates.log_odds(),
            Some(rates) => rates.clipped_log_odds(slope),
            None => Vec::new(),
        }
    }

    /// The weights of rows as they are enforced, from those of rows that were scaled and centred: functions
    /// one after another, of one weight per column and then that of the constant b₀ each.
    ///
    /// Weights are still to be divided by a `length`. The intercepts are the log-odds of the class rates,
    /// where these are known: the calibration that follows finds others.
    pub fn for_enforced_rows(
        &self,
        weights: Vec<f64>,
        rates: Option<&ClassRates>,
        length: f64,
        (constant, columns): (f64, usize),
    ) -> Vec<f64> {
        let mut weights = times_scales(weights, &self.scales);
        if let Some(rates) = rates {
            let functions = weights.chunks_mut(columns + 1);
            for (weights, log_odds) in functions.zip(rates.log_odds()) {
                weights[columns] = length * log_odds / constant;
            }
        }
        if constant > 0.0 {
            // A margin is w·(x − m) + b₀·w₀ = w·x + b₀·(w₀ − w·m/b₀).
            for weights in weights.chunks_mut(columns + 1) {
                weights[columns] -= product(&self.centre, weights) / constant;
            }
        }
        weights
    }
}
