//! Several classes: one scale for all margins and one offset per class, by noisy Newton steps.

use super::Asking;
use crate::fit::FitError;
use crate::mechanism::gaussian;
use crate::population::{ClassCalibration, MarginHistogram};
use crate::privacy::NoiseMultiplier;

/// How many Newton steps.
pub(super) const STEPS: u64 = FACTORS.len() as u64;
/// How far each goes, of a full step: of the scale and of the offsets. Steps that come later average
/// the noise of those before.
const FACTORS: [(f64, f64); 5] = [(1.5, 1.0), (1.2, 0.8), (1.0, 0.7), (0.8, 0.6), (0.5, 0.4)];
/// The scale that steps start from, on margins in units of their level.
const START: f64 = 10.0;
/// The largest factor by which a step changes the scale, and the largest change of an offset.
const MOST: (f64, f64) = (1.6, 1.0);
/// Levels of the margins, each a factor √2 apart, and the share of records below the one taken.
const LEVELS: i32 = 24;
const BELOW: f64 = 0.95;
/// Counts below so many deviations of their noise are taken for 0.
const CLEAR: f64 = 2.0;

impl Asking<'_> {
    /// The scale of margins, and the offset of each class.
    pub fn several_classes(
        &mut self,
        level: NoiseMultiplier,
        step: NoiseMultiplier,
    ) -> Result<(f64, Vec<f64>), FitError> {
        let level = self.level(level)?;
        let mut scale = START;
        let mut offsets = self.margins.origins.clone();
        let noise = ClassCalibration::moved(self.ledger.adjacency()) * step.get();
        for (of_scale, of_offsets) in FACTORS {
            let question = ClassCalibration {
                model: self.margins.functions(),
                level,
                scale,
                offsets: &offsets,
            };
            let query = question.ask(self.population);
            let released = gaussian(&query, step, self.ledger, self.randomness)?;
            let found = ClassCalibration::unpack(&released.to_real());
            let curvature = found.scale_curvature.max(noise / 2.0);
            let moved = scale - of_scale * found.scale / curvature;
            scale = moved.clamp(scale / MOST.0, scale * MOST.0);
            let pairs = found.offsets.iter().zip(&found.offset_curvatures);
            for (offset, (slope, curvature)) in offsets.iter_mut().zip(pairs) {
                let by = slope / (curvature.max(0.0) + 2.0 * noise);
                *offset -= of_offsets * by.clamp(-MOST.1, MOST.1);
            }
        }
        Ok((scale / level, offsets))
    }

    /// The level that most records' margins stay below.
    fn level(&mut self, noise: NoiseMultiplier) -> Result<f64, FitError> {
        let level = |k: i32| self.margins.largest * 2f64.powf(-0.5 * f64::from(LEVELS - 1 - k));
        let levels: Vec<f64> = (0..LEVELS).map(level).collect();
        let histogram = MarginHistogram {
            model: self.margins.functions(),
            edges: &levels[..levels.len() - 1],
        };
        let query = histogram.ask(self.population);
        let released = gaussian(&query, noise, self.ledger, self.randomness)?.to_real();
        let least = CLEAR * MarginHistogram::moved(self.ledger.adjacency()) * noise.get();
        let kept = released
            .iter()
            .map(|count| if *count > least { *count } else { 0.0 });
        let mut counts: Vec<f64> = kept.collect();
        if counts.iter().all(|count| *count == 0.0) {
            counts.fill(1.0);
        }
        let enough = BELOW * counts.iter().sum::<f64>();
        let mut below = 0.0;
        let place = counts.iter().position(|count| {
            below += count;
            below >= enough
        });
        Ok(levels[place.unwrap_or(levels.len() - 1)])
    }
}
