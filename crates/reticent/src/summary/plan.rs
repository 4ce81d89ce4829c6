//! What a summary releases and charges, from public facts alone.

use std::num::NonZeroU64;

use serde::{Deserialize, Serialize};

use crate::population::{FramedSums, Histograms};
use crate::privacy::{
    Account, Adjacency, Budget, CalibrateError, Charge, Event, NoiseMultiplier, calibrate,
};

/// Histograms that look for the values, each with bins about a hundred times as narrow as the last.
const SEARCHES: u64 = 3;
/// Shares of ρ: of the number of records where that is private, and of what is left after it, of
/// the search (all of it), of the histogram that quantiles are read off, of the histogram that is
/// shown and of the means.
const COUNT: f64 = 0.03;
const SEARCH: f64 = 0.2;
const QUANTILES: f64 = 0.4;
const SHOWN: f64 = 0.2;
const MEANS: f64 = 0.2;
/// Cells of a histogram that is searched, and of the one that quantiles are read off.
const SEARCH_CELLS: (usize, usize) = (16, 128);
const QUANTILE_CELLS: (usize, usize) = (8, 256);

/// What is asked for: everything that a plan depends on besides the number of records.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SummaryRequest {
    /// What may be spent.
    pub budget: Budget,
    /// Which tables count as neighbours.
    pub adjacency: Adjacency,
    /// How many columns are numbers.
    pub numeric: usize,
    /// How many have levels.
    pub categorical: usize,
}

/// Why there is no plan.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SummaryPlanError {
    /// No noise fits the budget.
    #[error(transparent)]
    Calibrate(#[from] CalibrateError),
    /// There is nothing to summarise.
    #[error("a summary needs at least one column and one record")]
    Nothing,
}

/// The noise of each release, relative to its sensitivity.
///
/// # Privacy
///
/// *Adjacency*: the request's. *Releases*, all Gaussian: under add-remove the number of records,
/// Δ₂ = 1; for k numeric columns three [`Histograms`] that look for their values and one more for
/// quantiles, Δ₂ = √(2k) for one record replaced and √k for one added or removed; the histogram
/// that is shown, of these and of categorical columns; [`FramedSums`] of numeric columns.
/// *Theorem*: k releases of a Gaussian with noise that is fixed beforehand, relative to the
/// sensitivity; their edges and frames are functions of what was released before and of public
/// numbers, so that a planned ledger covers them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Releases {
    /// Of the number of records, where it is private.
    pub count: Option<NoiseMultiplier>,
    /// Of numeric columns, if there are any.
    pub(super) numeric: Option<NumericReleases>,
    /// Of the histogram that is shown.
    pub(super) shown: NoiseMultiplier,
}

/// What only numeric columns need.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct NumericReleases {
    pub search: NoiseMultiplier,
    pub quantiles: NoiseMultiplier,
    pub means: NoiseMultiplier,
}

/// A summary that is planned: what it charges, and what that costs.
#[derive(Debug, Clone, PartialEq)]
pub struct SummaryPlan {
    pub(super) request: SummaryRequest,
    pub(super) records: u64,
    pub(super) releases: Releases,
    charges: Vec<Charge>,
    account: Account,
}

impl SummaryRequest {
    /// The plan for so many records, or for the public number in their place: the least noise that
    /// fits the budget.
    pub fn plan(self, records: u64) -> Result<SummaryPlan, SummaryPlanError> {
        if self.numeric + self.categorical == 0 || records == 0 {
            return Err(SummaryPlanError::Nothing);
        }
        let charges = |z| self.releases(z).charges();
        let found = calibrate(charges, self.adjacency, self.budget)?;
        Ok(SummaryPlan {
            request: self,
            records,
            releases: self.releases(found.noise),
            charges: found.charges,
            account: found.account,
        })
    }

    /// The releases of a plan that costs ρ = 1/(2z²).
    fn releases(&self, z: NoiseMultiplier) -> Releases {
        let of = |share: f64| {
            // A calibration may probe beyond the ends, but never settles there.
            let noise = (z.get() / share.sqrt()).clamp(1e-6, 1e12);
            NoiseMultiplier::new(noise).expect("between 1e-6 and 1e12")
        };
        let (count, left) = match self.adjacency {
            Adjacency::ReplaceOne => (None, 1.0),
            Adjacency::AddRemove => (Some(of(COUNT)), 1.0 - COUNT),
        };
        let numeric = (self.numeric > 0).then(|| NumericReleases {
            search: of(left * SEARCH / SEARCHES as f64),
            quantiles: of(left * QUANTILES),
            means: of(left * MEANS),
        });
        let shown = if numeric.is_some() {
            left * SHOWN
        } else {
            left
        };
        Releases {
            count,
            numeric,
            shown: of(shown),
        }
    }
}

impl Releases {
    fn charges(&self) -> Vec<Charge> {
        let gaussian = |noise| Charge::once(Event::Gaussian { noise });
        let mut charges: Vec<Charge> = self.count.map(gaussian).into_iter().collect();
        if let Some(numeric) = self.numeric {
            let noise = numeric.search;
            let searches = NonZeroU64::new(SEARCHES).unwrap_or(NonZeroU64::MIN);
            charges.push(Charge::new(Event::Gaussian { noise }, searches));
            charges.push(gaussian(numeric.quantiles));
        }
        charges.push(gaussian(self.shown));
        charges.extend(self.numeric.map(|numeric| gaussian(numeric.means)));
        charges
    }
}

impl SummaryPlan {
    /// What was asked for.
    pub fn request(&self) -> SummaryRequest {
        self.request
    }

    /// The number of records, or the public number in its place.
    pub fn records(&self) -> u64 {
        self.records
    }

    /// Everything that will be charged.
    pub fn charges(&self) -> &[Charge] {
        &self.charges
    }

    /// What it costs.
    pub fn account(&self) -> &Account {
        &self.account
    }

    /// How many histograms look for the values.
    pub(super) fn searches(&self) -> u64 {
        SEARCHES
    }

    /// The standard deviation of the noise of a histogram of all numeric columns, in records.
    pub(super) fn numeric_noise(&self, noise: NoiseMultiplier) -> f64 {
        Histograms::moved(self.request.numeric, self.request.adjacency) * noise.get()
    }

    /// The same of the histogram that is shown.
    pub fn shown_noise(&self) -> f64 {
        let all = self.request.numeric + self.request.categorical;
        Histograms::moved(all, self.request.adjacency) * self.releases.shown.get()
    }

    /// The same of the number of records; 0 where that is public.
    pub fn count_noise(&self) -> f64 {
        self.releases.count.map_or(0.0, |noise| {
            Histograms::moved(1, self.request.adjacency) * noise.get()
        })
    }

    /// The same of a mean, relative to the width of the part of the range that it is taken over.
    pub fn mean_noise(&self) -> Option<f64> {
        let numeric = self.releases.numeric?;
        let sums = self.sum_noise(numeric.means);
        Some(sums / (2.0 * self.records as f64))
    }

    /// The same of sums, in half-widths of their frames.
    pub(super) fn sum_noise(&self, noise: NoiseMultiplier) -> f64 {
        FramedSums::moved(self.request.numeric, self.request.adjacency) * noise.get()
    }

    /// How many cells a histogram may have: as many as leave the sum over half of them, whose noise
    /// grows with the root of their number, about as exact as the place within one.
    fn cells(&self, noise: f64, times: f64, (least, most): (usize, usize)) -> usize {
        let clear = self.records as f64 / noise;
        let cells = times * clear.max(1.0).powf(2.0 / 3.0);
        (cells as usize).clamp(least, most)
    }

    /// The cells of a histogram that looks for values.
    pub(super) fn search_cells(&self, noise: f64) -> usize {
        self.cells(noise, 2.0, SEARCH_CELLS)
    }

    /// The cells of the histogram that quantiles are read off.
    pub(super) fn quantile_cells(&self, noise: f64) -> usize {
        self.cells(noise, 1.0, QUANTILE_CELLS)
    }
}
