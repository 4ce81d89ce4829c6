//! What probabilities are calibrated by, asked of hostile tables at hostile functions.

use super::chance::Chance;
use super::question::Asking;
use crate::population::{
    CellTerms, ClassCalibration, ClassCounts, MarginHistogram, MarginSums, Population,
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
        let terms = cell_terms(chance, edges.to_vec());
        let level = chance.pick(&[1e-3, 1.0, 50.0]);
        let scale = chance.pick(&[1e-2, 10.0, 1e4]);
        let offsets: Vec<f64> = (0..functions)
            .map(|_| chance.pick(&[0.0, 3.0, -900.0]))
            .collect();
        let edges = &edges[..];
        self.release(&MarginHistogram { model, edges }.ask(population));
        if functions == 1 {
            let sums = MarginSums {
                model,
                terms: &terms,
            };
            self.release(&sums.ask(population));
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

/// What records add to sums of margins: their own class, a residual on two neighbours of a row of hats, or
/// anything, some of it beyond what is allowed.
fn cell_terms(chance: &mut Chance, edges: Vec<f64>) -> CellTerms {
    let kind = chance.pick(&[0, 1, 2]);
    let steep = chance.pick(&[0.1, 1.0, 9.0]);
    let cells = edges.len() + 1;
    let any: Vec<f64> = (0..6 * cells)
        .map(|_| chance.pick(&[0.0, 1e-12, -0.3, 1.0, -1.0, 1e300, f64::NAN]))
        .collect();
    CellTerms::new(edges, |cell| match kind {
        0 => [vec![0.0; 3], vec![1.0, cell as f64 / cells as f64, 0.0]],
        1 => {
            let p = 1.0 / (1.0 + (steep * (3.5 - cell as f64)).exp());
            let residual = |r: f64| {
                let mut vector = vec![0.0; 5];
                vector[cell / 2] = r * 0.5;
                vector[cell / 2 + 1] = r * 0.5;
                vector
            };
            [residual(-p), residual(1.0 - p)]
        }
        _ => [0, 1].map(|class| any[6 * cell + 3 * class..][..3].to_vec()),
    })
}
