//! The releases of a summary, one after the other, and the figures that follow from them.

use super::column::{ColumnKind, SummaryColumn};
use super::distribution::{Distribution, Estimated};
use super::nice_step::NiceStep;
use super::plan::{NumericReleases, SummaryPlan};
use super::result::{Bin, ColumnSummary, DEVIATIONS, Estimate, Level, Mean, Quantile, Summary};
use crate::mechanism::{ReleaseError, gaussian};
use crate::noise::Generator;
use crate::population::{Counted, FramedSums, FramedValue, Histograms, Population};
use crate::privacy::{Ledger, LedgerError, NoiseMultiplier, Statement};

/// The share of the records that may lie outside of the shown part of the range, on either side.
const OUTSIDE: f64 = 0.0025;

/// Bins are no narrower than this, relative to the width that would make as many as wanted.
const NARROWER: f64 = 0.7;

/// What is wanted of numeric columns: no part of the plan.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Figures<'a> {
    /// The shares below quantiles, each above 0 and below 1.
    pub quantiles: &'a [f64],
    /// About how many bins a histogram has.
    pub bins: usize,
}

/// A numeric column, on the scale of sealed records.
struct Numeric<'a> {
    column: &'a SummaryColumn,
    feature: Option<u32>,
    range: (f64, f64),
    encoded: f64,
    resolution: f64,
    found: Distribution,
    /// The edges between the bins that are shown: in units, the first and the last with what
    /// values are clipped to.
    edges: Vec<f64>,
}

impl SummaryPlan {
    /// A ledger for exactly the charges of the plan.
    pub fn ledger(&self) -> Result<Ledger, LedgerError> {
        let request = self.request();
        Ledger::planned(request.budget, request.adjacency, self.charges().to_vec())
    }

    /// Releases the summary of some columns of a population.
    ///
    /// # Panics
    ///
    /// If the columns are not as many of each kind as were planned.
    pub fn run(
        &self,
        population: &dyn Population,
        columns: &[SummaryColumn],
        figures: Figures<'_>,
        ledger: &mut Ledger,
        randomness: &mut Generator,
    ) -> Result<(Summary, Statement), ReleaseError> {
        let mut asking = Asking {
            plan: self,
            population,
            ledger,
            randomness,
        };
        let total = asking.count()?;
        let mut numeric: Vec<Numeric<'_>> = columns
            .iter()
            .filter_map(|column| Numeric::new(column, total))
            .collect();
        let planned = self.request();
        assert_eq!(
            (numeric.len(), columns.len()),
            (planned.numeric, planned.numeric + planned.categorical),
            "the columns of the plan"
        );
        if let Some(releases) = self.releases.numeric {
            asking.search(&mut numeric, &releases, total)?;
        }
        for column in &mut numeric {
            column.edges = column.nice_edges(figures.bins);
        }
        let shown = asking.shown(columns, &numeric)?;
        let means = match self.releases.numeric {
            Some(releases) => asking.means(&numeric, releases.means, total)?,
            None => Vec::new(),
        };
        let noise = self.shown_noise();
        let counts = |bins: &[f64]| -> Vec<Estimate> {
            let count = |count: &f64| Estimate::count(*count, noise);
            bins.iter().map(count).collect()
        };
        let mut numbers = numeric.iter().zip(means);
        let summaries = columns.iter().zip(&shown).map(|(column, bins)| {
            let counts = counts(bins);
            match &column.kind {
                ColumnKind::Levels { levels, .. } => ColumnSummary::Categorical {
                    name: column.name.clone(),
                    levels: levels
                        .iter()
                        .zip(counts)
                        .map(|(name, count)| Level {
                            name: name.clone(),
                            count,
                        })
                        .collect(),
                },
                ColumnKind::Numeric { .. } => {
                    let (numeric, mean) = numbers.next().expect("one per numeric column");
                    numeric.summary(mean, figures.quantiles, counts)
                }
            }
        });
        let columns = summaries.collect();
        let records = Estimate::count(total.value, total.noise);
        Ok((Summary { records, columns }, asking.ledger.statement()))
    }
}

/// A plan that is run.
struct Asking<'a> {
    plan: &'a SummaryPlan,
    population: &'a dyn Population,
    ledger: &'a mut Ledger,
    randomness: &'a mut Generator,
}

impl Asking<'_> {
    /// Releases histograms: the counts of each.
    fn histograms(
        &mut self,
        of: &[Counted<'_>],
        noise: NoiseMultiplier,
    ) -> Result<Vec<Vec<f64>>, ReleaseError> {
        let query = Histograms { of }.ask(self.population);
        let released = gaussian(&query, noise, self.ledger, self.randomness)?.to_real();
        let mut rest = &released[..];
        let mut each = |counted: &Counted<'_>| {
            let (bins, after) = rest.split_at(counted.bins());
            rest = after;
            bins.to_vec()
        };
        Ok(of.iter().map(&mut each).collect())
    }

    /// The number of records: public, or one bin with all of them.
    fn count(&mut self) -> Result<Estimated, ReleaseError> {
        let Some(noise) = self.plan.releases.count else {
            return Ok(Estimated {
                value: self.plan.records as f64,
                noise: 0.0,
            });
        };
        let released = self.histograms(&[Counted::Target(&[])], noise)?;
        Ok(Estimated {
            // What is below 1 is the noise of a table that has next to nothing.
            value: released[0][0].max(1.0),
            noise: self.plan.count_noise(),
        })
    }

    /// Finds where the values of all numeric columns lie: each histogram has the cells that the
    /// one before suggests.
    fn search(
        &mut self,
        columns: &mut [Numeric<'_>],
        releases: &NumericReleases,
        total: Estimated,
    ) -> Result<(), ReleaseError> {
        for left in (0..=self.plan.searches()).rev() {
            let noise = if left > 0 {
                releases.search
            } else {
                releases.quantiles
            };
            let deviation = self.plan.numeric_noise(noise);
            let cells = match left {
                0 => self.plan.quantile_cells(deviation),
                _ => self.plan.search_cells(deviation),
            };
            let edges: Vec<Vec<f64>> = columns
                .iter()
                .map(|column| column.found.next_cells(cells, column.resolution))
                .collect();
            let of: Vec<Counted<'_>> = columns
                .iter()
                .zip(&edges)
                .map(|(column, edges)| column.counted(edges))
                .collect();
            let counts = self.histograms(&of, noise)?;
            for ((column, edges), counts) in columns.iter_mut().zip(&edges).zip(&counts) {
                let ends = column.ends();
                column.found = Distribution::of(ends, edges, counts, deviation, total);
            }
        }
        Ok(())
    }

    /// The histograms that are shown, of all columns.
    fn shown(
        &mut self,
        columns: &[SummaryColumn],
        numeric: &[Numeric<'_>],
    ) -> Result<Vec<Vec<f64>>, ReleaseError> {
        let edges: Vec<Vec<f64>> = numeric.iter().map(Numeric::encoded_edges).collect();
        let classes: Vec<Vec<f64>> = columns.iter().map(class_edges).collect();
        let mut numbers = numeric.iter().zip(&edges);
        let of: Vec<Counted<'_>> = columns
            .iter()
            .zip(&classes)
            .map(|(column, classes)| match &column.kind {
                ColumnKind::Numeric { .. } => {
                    let (column, edges) = numbers.next().expect("one per numeric column");
                    column.counted(edges)
                }
                ColumnKind::Levels {
                    first: Some(first),
                    levels,
                } => Counted::Levels {
                    first: *first,
                    count: levels.len() as u32,
                },
                ColumnKind::Levels { first: None, .. } => Counted::Target(classes),
            })
            .collect();
        self.histograms(&of, self.plan.releases.shown)
    }

    /// The means of numeric columns, and what values were clipped to.
    fn means(
        &mut self,
        columns: &[Numeric<'_>],
        noise: NoiseMultiplier,
        total: Estimated,
    ) -> Result<Vec<Mean>, ReleaseError> {
        let of: Vec<FramedValue> = columns.iter().map(Numeric::frame).collect();
        let query = FramedSums { of: &of }.ask(self.population);
        let released = gaussian(&query, noise, self.ledger, self.randomness)?.to_real();
        let deviation = self.plan.sum_noise(noise);
        let mean = |(column, sum): (&Numeric<'_>, f64)| {
            let (low, high) = column.clipped_to();
            let (middle, half) = (low / 2.0 + high / 2.0, high / 2.0 - low / 2.0);
            let value = sum / total.value;
            // To first order: that of the sum, and that of the number it is divided by.
            let noise = (deviation / total.value).hypot(value * total.noise / total.value);
            // What lies beyond the frame is noise for certain.
            let of_half = Estimate::gaussian(value, noise);
            let unit = |x: f64| middle + half * x.clamp(-1.0, 1.0);
            Mean {
                estimate: Estimate {
                    value: unit(of_half.value),
                    low: unit(of_half.low),
                    high: unit(of_half.high),
                },
                clipped_to: (low, high),
            }
        };
        Ok(columns.iter().zip(released).map(mean).collect())
    }
}

/// The edges between classes, which are whole numbers.
fn class_edges(column: &SummaryColumn) -> Vec<f64> {
    match &column.kind {
        ColumnKind::Levels {
            first: None,
            levels,
        } => (1..levels.len()).map(|class| class as f64 - 0.5).collect(),
        _ => Vec::new(),
    }
}

impl<'a> Numeric<'a> {
    fn new(column: &'a SummaryColumn, total: Estimated) -> Option<Self> {
        let ColumnKind::Numeric {
            feature,
            low,
            high,
            encoded,
            resolution,
        } = column.kind
        else {
            return None;
        };
        Some(Self {
            column,
            feature,
            range: (low, high),
            encoded,
            resolution,
            found: Distribution::unknown((-encoded, encoded), total),
            edges: Vec::new(),
        })
    }

    /// The ends of its range among sealed records.
    fn ends(&self) -> (f64, f64) {
        (-self.encoded, self.encoded)
    }

    fn counted<'e>(&self, edges: &'e [f64]) -> Counted<'e> {
        match self.feature {
            Some(column) => Counted::Feature { column, edges },
            None => Counted::Target(edges),
        }
    }

    /// A value of sealed records in the units of the column.
    fn units(&self, value: f64) -> f64 {
        let (low, high) = self.range;
        let middle = low / 2.0 + high / 2.0;
        let half = high / 2.0 - low / 2.0;
        (middle + half * (value / self.encoded)).clamp(low, high)
    }

    /// The same backwards.
    fn sealed(&self, value: f64) -> f64 {
        let (low, high) = self.range;
        let middle = low / 2.0 + high / 2.0;
        let half = high / 2.0 - low / 2.0;
        let (least, most) = self.ends();
        ((value - middle) / half * self.encoded).clamp(least, most)
    }

    /// Edges at round numbers around almost all of the records, about `bins` apart.
    fn nice_edges(&self, bins: usize) -> Vec<f64> {
        let (low, high) = self.found.bulk(OUTSIDE);
        let (low, high) = (self.units(low), self.units(high));
        let step = NiceStep::at_least(NARROWER * (high - low) / bins as f64);
        let (least, most) = self.range;
        let first = (low / step.times(1.0)).floor();
        let edge = |k: usize| step.times(first + k as f64).clamp(least, most);
        let mut edges = vec![edge(0)];
        // Narrower bins are more, and rounding may add one at either end.
        for k in 1..=2 * bins + 2 {
            let next = edge(k);
            if next > edges[edges.len() - 1] {
                edges.push(next);
            }
            if next >= high {
                break;
            }
        }
        // A frame has a width among sealed records.
        let enough = |edges: &[f64]| {
            let (first, last) = (edges[0], edges[edges.len() - 1]);
            self.sealed(last) - self.sealed(first) >= self.resolution
        };
        if edges.len() < 2 || !enough(&edges) {
            return vec![least, most];
        }
        edges
    }

    /// The edges that are within the range, among sealed records.
    fn encoded_edges(&self) -> Vec<f64> {
        let (low, high) = self.range;
        let inside = self
            .edges
            .iter()
            .filter(|edge| **edge > low && **edge < high);
        inside.map(|edge| self.sealed(*edge)).collect()
    }

    fn clipped_to(&self) -> (f64, f64) {
        (self.edges[0], self.edges[self.edges.len() - 1])
    }

    fn frame(&self) -> FramedValue {
        let (low, high) = self.clipped_to();
        FramedValue {
            column: self.feature,
            low: self.sealed(low),
            high: self.sealed(high),
        }
    }

    fn summary(&self, mean: Mean, quantiles: &[f64], counts: Vec<Estimate>) -> ColumnSummary {
        let quantile = |share: &f64| {
            let (value, low, high) = self.found.quantile(*share, DEVIATIONS);
            Quantile {
                share: *share,
                estimate: Estimate {
                    value: self.units(value),
                    low: self.units(low),
                    high: self.units(high),
                },
            }
        };
        let (low, high) = self.range;
        let inside = self
            .edges
            .iter()
            .filter(|edge| **edge > low && **edge < high);
        let mut ends = vec![low];
        ends.extend(inside);
        ends.push(high);
        let bins = ends.windows(2).zip(counts);
        ColumnSummary::Numeric {
            name: self.column.name.clone(),
            range: self.range,
            mean,
            quantiles: quantiles.iter().map(quantile).collect(),
            histogram: bins
                .map(|(ends, count)| Bin {
                    from: ends[0],
                    to: ends[1],
                    count,
                })
                .collect(),
        }
    }
}
