//! A numeric column of a summary: its map between units and sealed records, its bins and figures.

use super::column::{ColumnKind, SummaryColumn};
use super::distribution::{Distribution, Estimated};
use super::nice_step::NiceStep;
use super::result::{Bin, ColumnSummary, DEVIATIONS, Estimate, Mean, Quantile};
use crate::population::{Counted, FramedValue};

/// The share of the records that may lie outside of the shown part of the range, on either side.
const OUTSIDE: f64 = 0.0025;

/// Bins are no narrower than this, relative to the width that would make as many as wanted: round
/// numbers are up to twice as far from each other, so that there are at most a quarter more bins.
const NARROWER: f64 = 0.8;

/// A numeric column, on the scale of sealed records.
pub(super) struct Numeric<'a> {
    column: &'a SummaryColumn,
    feature: Option<u32>,
    range: (f64, f64),
    encoded: f64,
    pub resolution: f64,
    step: f64,
    missing: Option<f64>,
    pub found: Distribution,
    /// The edges between the bins that are shown: in units, the first and the last with what
    /// values are clipped to.
    pub edges: Vec<f64>,
}

impl<'a> Numeric<'a> {
    pub fn new(column: &'a SummaryColumn, total: Estimated) -> Option<Self> {
        let ColumnKind::Numeric {
            feature,
            low,
            high,
            encoded,
            resolution,
            step,
            missing,
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
            step,
            missing,
            found: Distribution::unknown((-encoded, encoded), total),
            edges: Vec::new(),
        })
    }

    /// The ends of its range among sealed records.
    pub fn ends(&self) -> (f64, f64) {
        (-self.encoded, self.encoded)
    }

    pub fn counted<'e>(&self, edges: &'e [f64]) -> Counted<'e> {
        match self.feature {
            Some(column) => Counted::Feature { column, edges },
            None => Counted::Target(edges),
        }
    }

    /// How far the values of records may lie below and above what is sealed of them, if that is
    /// within these ends. Sealing truncates towards the middle of the range, by less than a step:
    /// from below it moves values up, from above it down. Before, values were rounded to `f32`.
    pub fn moved(&self, (low, high): (f64, f64)) -> (f64, f64) {
        let side = |moves: bool| {
            let truncated = if moves { self.step } else { 0.0 };
            truncated + self.step / 16.0
        };
        (side(low <= 0.0), side(high >= 0.0))
    }

    /// A value of sealed records in the units of the column.
    pub fn units(&self, value: f64) -> f64 {
        let (low, high) = self.range;
        let middle = low / 2.0 + high / 2.0;
        let half = high / 2.0 - low / 2.0;
        (middle + half * (value / self.encoded)).clamp(low, high)
    }

    /// A distance between sealed records in the units of the column.
    fn width(&self, distance: f64) -> f64 {
        let (low, high) = self.range;
        (high / 2.0 - low / 2.0) * (distance / self.encoded)
    }

    /// A value in the units of the column as sealed records have it.
    fn sealed(&self, value: f64) -> f64 {
        let (low, high) = self.range;
        let middle = low / 2.0 + high / 2.0;
        let half = high / 2.0 - low / 2.0;
        let (least, most) = self.ends();
        ((value - middle) / half * self.encoded).clamp(least, most)
    }

    /// Edges at round numbers around almost all of the records, about `bins` apart.
    pub fn nice_edges(&self, bins: usize) -> Vec<f64> {
        let (low, high) = self.found.bulk(OUTSIDE);
        let (low, high) = (self.units(low), self.units(high));
        let resolution = self.width(self.resolution);
        let step = NiceStep::at_least((NARROWER * (high - low) / bins as f64).max(resolution));
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
    pub fn encoded_edges(&self) -> Vec<f64> {
        let (low, high) = self.range;
        let inside = self
            .edges
            .iter()
            .filter(|edge| **edge > low && **edge < high);
        // As values are sealed, so that one at an edge is where the edge says.
        let seal = |edge: &f64| match self.step > 0.0 {
            true => (f64::from(self.sealed(*edge) as f32) / self.step).trunc() * self.step,
            false => self.sealed(*edge),
        };
        inside.map(seal).collect()
    }

    pub fn clipped_to(&self) -> (f64, f64) {
        (self.edges[0], self.edges[self.edges.len() - 1])
    }

    pub fn frame(&self) -> FramedValue {
        let (low, high) = self.clipped_to();
        FramedValue {
            column: self.feature,
            low: self.sealed(low),
            high: self.sealed(high),
        }
    }

    pub fn summary(&self, mean: Mean, quantiles: &[f64], counts: Vec<Estimate>) -> ColumnSummary {
        let quantile = |share: &f64| {
            let (value, low, high) = self.found.quantile(*share, DEVIATIONS);
            let (below, above) = self.moved((low, high));
            let (down, up) = self.moved((value, value));
            Quantile {
                share: *share,
                estimate: Estimate {
                    value: self.units((value + (up - down) / 2.0).clamp(low - below, high + above)),
                    low: self.units(low - below),
                    high: self.units(high + above),
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
            step: self.width(self.step),
            missing: self.missing,
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
