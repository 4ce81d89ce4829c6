//! The search for the target frame: histograms that zoom in on the bulk of the targets.

use std::num::NonZeroU64;

use super::super::super::spending::multiplier;
use super::super::super::{Facts, FitError};
use super::super::window::Window;
use super::bulk::{Bulk, Counts, can_be_seen};
use crate::mechanism::gaussian;
use crate::noise::Generator;
use crate::population::{Counted, Histograms, Population, TargetFrame};
use crate::privacy::{Adjacency, Charge, Event, Ledger, NoiseMultiplier};

/// How many histograms: each finds the bulk in one of 25 parts or shows it in enough bins.
const HISTOGRAMS: u64 = 3;
/// Bins of a histogram.
const BINS: usize = 128;
/// A bulk of fewer bins is looked at again, more closely.
const ENOUGH_BINS: usize = 8;
/// Blocks on either side of the bulk that are kept: what noise may have hidden.
const MARGIN: f64 = 2.0;
/// The same, as a share of the bulk.
const GROWTH: f64 = 0.35;

/// A search for the target frame.
///
/// # Privacy
///
/// *Adjacency*: the ledger's. *Releases*: a fixed number of Gaussians of
/// [histograms](Histograms) of the targets. *Sensitivity*: the question's, √2 for one record
/// replaced, 1 for one added or removed. *Theorem*: the edges of a histogram and the frame are
/// functions of earlier releases and of public numbers; the plan fixes the noise relative to the
/// sensitivity, so that a planned ledger covers it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in super::super) struct FrameSearch {
    noise: NoiseMultiplier,
}

impl FrameSearch {
    /// What a plan says of it. The narrowest frame is a bulk of one bin with its margins, in the last
    /// histogram; next to an end of the range there is a margin on one side only.
    pub const MEANING: &str = "where in the range the targets lie, down to about 1/17000 of it";

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

    /// Whether any bulk would exceed the noise.
    pub fn pays(&self, facts: &Facts, adjacency: Adjacency) -> bool {
        can_be_seen(facts.records as f64, self.deviation(adjacency))
    }

    /// The noise of a count, in records.
    fn deviation(&self, adjacency: Adjacency) -> f64 {
        Histograms::moved(1, adjacency) * self.noise.get()
    }

    /// Finds the frame; around 0 if it must be `centred` there, as without an intercept.
    ///
    /// A histogram in which the bulk takes few bins is followed by one of the bulk and its
    /// neighbourhood; one that shows it in enough of them, or in none, by another of the same
    /// edges, which is averaged with it.
    pub fn run(
        &self,
        population: &dyn Population,
        facts: &Facts,
        centred: bool,
        ledger: &mut Ledger,
        randomness: &mut Generator,
    ) -> Result<TargetFrame, FitError> {
        let deviation = self.deviation(ledger.adjacency());
        let mut window = Window::whole(BINS);
        for left in (0..HISTOGRAMS).rev() {
            let edges = window.edges();
            let of = [Counted::Target(&edges)];
            let query = Histograms { of: &of }.ask(population);
            let released = gaussian(&query, self.noise, ledger, randomness)?;
            window.add(&released.to_real());
            let bins = window.mean();
            let counts = Counts {
                bins: &bins,
                noise: window.noise(deviation),
                records: facts.records as f64,
            };
            match counts.bulk() {
                Some(bulk)
                    if left > 0 && bulk.block == 1 && bulk.end - bulk.start < ENOUGH_BINS =>
                {
                    window = Window::between(around(&window, bulk, MARGIN), BINS);
                }
                _ => {}
            }
        }
        let bins = window.mean();
        let counts = Counts {
            bins: &bins,
            noise: window.noise(deviation),
            records: facts.records as f64,
        };
        let (low, high) = match counts.bulk() {
            Some(bulk) => {
                let bulk = counts.with_tails(bulk);
                let length = (bulk.end - bulk.start) as f64;
                let margin = MARGIN.max(GROWTH * length / bulk.block as f64);
                around(&window, bulk, margin)
            }
            None => window.ends(),
        };
        let widest = low.abs().max(high.abs());
        Ok(match centred {
            true => TargetFrame::between(-widest, widest),
            false => TargetFrame::between(low, high),
        })
    }
}

/// The ends of a bulk with so many of its blocks on either side.
fn around(window: &Window, bulk: Bulk, blocks: f64) -> (f64, f64) {
    window.around((bulk.start, bulk.end), blocks * bulk.block as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_narrowest_frame_is_what_the_plan_says() {
        let part = BINS as f64 / 2.0f64.mul_add(MARGIN, 1.0);
        let thousands = (part.powi(HISTOGRAMS as i32) / 1000.0).round();
        assert!(FrameSearch::MEANING.contains(&format!("1/{thousands}000 of")));
    }
}
