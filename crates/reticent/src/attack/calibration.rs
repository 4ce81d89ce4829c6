//! What probabilities are calibrated by, asked of hostile tables at hostile functions.

use super::question::Asking;
use crate::population::{
    ClassCalibration, ClassCounts, MarginHistogram, MarginSums, MarginWeight, Population,
    ReleasedFunctions,
};

impl Asking {
    /// Class counts, and sums of the margins of functions that are steep, flat or no numbers.
    pub(super) fn calibration(&mut self, population: &dyn Population) {
        if self.classes == 0 {
            return;
        }
        self.release(&ClassCounts.ask(population));
        let several = self.classes as usize;
        let functions = match several {
            2 if !self.chance.once_in(4) => 1,
            several => several,
        };
        let chance = &mut self.chance;
        let size = chance.pick(&[0.0, 1.0, 30.0, 1e6, 1e300, f64::NAN]) / self.size;
        let weight = |_| size * (2.0 * chance.unit() - 1.0);
        let weights: Vec<f64> = (0..self.width * functions).map(weight).collect();
        let intercepts: Vec<f64> = (0..functions)
            .map(|_| chance.pick(&[0.0, 0.0, 1.0, -1e7, f64::INFINITY]))
            .collect();
        let origins = vec![chance.pick(&[0.0, 0.0, 2.0]); functions];
        let model = ReleasedFunctions {
            weights: &weights,
            intercepts: &intercepts,
            origins: &origins,
        };
        let edges = [-1e6, -1.0, -0.1, 0.0, 0.1, 1.0, 1e6];
        let slope = chance.pick(&[0.05, 5.0, 80.0]);
        let offset = chance.pick(&[0.0, -3.0, 40.0, -800.0]);
        let width = chance.pick(&[1e-3, 1.0, -1.0, 20.0]);
        let level = chance.pick(&[1e-3, 1.0, 50.0]);
        let scale = chance.pick(&[1e-2, 10.0, 1e4]);
        let offsets: Vec<f64> = (0..functions)
            .map(|_| chance.pick(&[0.0, 3.0, -900.0]))
            .collect();
        let first = chance.once_in(2);
        let centre = chance.pick(&[0.0, 0.5]);
        let edges = &edges[..];
        self.release(&MarginHistogram { model, edges }.ask(population));
        if functions == 1 {
            let most = 1.0 / (1.0 + (-slope * MarginSums::REACH - offset).exp());
            let probability = MarginWeight::Probability {
                slope,
                offset,
                most,
            };
            for weight in [MarginWeight::Class { first }, probability] {
                let sums = MarginSums {
                    model,
                    centre,
                    width,
                    weight,
                };
                self.release(&sums.ask(population));
            }
        } else {
            let calibration = ClassCalibration {
                model,
                level,
                scale,
                offsets: &offsets,
            };
            self.release(&calibration.ask(population));
        }
    }
}
