//! The releases of a summary, one after the other, and the figures that follow from them.

use super::column::{ColumnKind, SummaryColumn};
use super::distribution::{Distribution, Estimated};
use super::numeric::Numeric;
use super::plan::{NumericReleases, SummaryPlan};
use super::result::{ColumnSummary, Estimate, Level, Mean, Summary};
use crate::mechanism::{ReleaseError, gaussian};
use crate::noise::Generator;
use crate::population::{Counted, FramedSums, FramedValue, Histograms, Population};
use crate::privacy::{Ledger, LedgerError, NoiseMultiplier, Statement};

/// What is wanted of numeric columns: no part of the plan.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Figures<'a> {
    /// The shares below quantiles, each above 0 and below 1.
    pub quantiles: &'a [f64],
    /// About how many bins a histogram has.
    pub bins: usize,
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
            let count = |count: &f64| Estimate::gaussian(*count, noise);
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
        let records = Estimate::gaussian(total.value, total.noise);
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
            let FramedValue { low, high, .. } = column.frame();
            let (middle, half) = (low / 2.0 + high / 2.0, high / 2.0 - low / 2.0);
            // What lies beyond the frame is noise for certain. The truth is not farther from what
            // is inside and nearest, so that an interval around that holds it as often.
            let value = (sum / total.value).clamp(-1.0, 1.0);
            // To first order: that of the sum, and that of the number it is divided by.
            let noise = (deviation / total.value).hypot(value * total.noise / total.value);
            let Estimate {
                value,
                low: least,
                high: most,
            } = Estimate::gaussian(value, noise);
            // Sealing moves none of the values beyond the frame.
            let unit = |x: f64| middle + half * x.clamp(-1.0, 1.0);
            let (below, above) = column.moved((low, high));
            let clipped_to = column.clipped_to();
            let in_units = |x: f64| match x {
                _ if x <= low => clipped_to.0,
                _ if x >= high => clipped_to.1,
                _ => column.units(x),
            };
            Mean {
                estimate: Estimate {
                    value: in_units(unit(value) + (above - below) / 2.0),
                    low: in_units(unit(least) - below),
                    high: in_units(unit(most) + above),
                },
                clipped_to,
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
