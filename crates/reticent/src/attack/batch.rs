//! Sums over batches of hostile tables, at hostile points, and along hostile lines.

use super::question::Asking;
use crate::mechanism::{Batches, exponential, subsampled_gaussian};
use crate::noise::Aim;
use crate::population::{
    BatchGradient, BatchQuery, Length, LossChanges, Point, Population, RecordClip, RowFrame, Shape,
    SlopeGridError,
};
use crate::privacy::{Charge, NoiseMultiplier, Range};

/// A hostile question about batches, at hostile points.
pub(crate) struct BatchQuestion {
    question: BatchGradient,
    point: Point,
    before: Option<Point>,
}

impl BatchQuestion {
    pub fn ask<'a>(&self, population: &'a dyn Population) -> BatchQuery<'a> {
        self.question
            .ask(population, &self.point, self.before.as_ref())
    }

    /// Whether it is recursive momentum's.
    pub fn is_recursive(&self) -> bool {
        self.before.is_some()
    }
}

impl Asking {
    /// The gradient and the estimate of recursive momentum over batches.
    pub(super) fn batches(&mut self, population: &dyn Population) {
        let noise = self.noise();
        let question = match self.batch_question(population.shape(), noise) {
            Ok(question) => question,
            Err(error) => return self.returned.push(error.to_string()),
        };
        let query = question.ask(population);
        let records = population.shape().count().unwrap_or(60) as u64;
        let size = 1 + self.chance.below(records as usize) as u64;
        let batches = Batches::of(size, records, query.adjacency());
        let mut ledger = self.ledger_for(Charge::once(batches.event(noise)), query.adjacency());
        let randomness = &mut self.randomness;
        let released = subsampled_gaussian(&query, batches, noise, &mut ledger, randomness);
        self.keep(released);
    }

    /// A gradient, or the estimate of recursive momentum, clipped far, near or not at all, on a grid with
    /// room for such noise.
    pub(crate) fn batch_question(
        &mut self,
        shape: Shape,
        noise: NoiseMultiplier,
    ) -> Result<BatchQuestion, SlopeGridError> {
        let slopes = self.slopes();
        let functions = self.functions(slopes);
        let (centre, scales) = self.centre_or_scales();
        let chance = &mut self.chance;
        let offsets: Vec<f64> = match chance.below(3) {
            0 => Vec::new(),
            _ => (0..functions)
                .map(|_| chance.pick(&[0.0, -3.0, 1e9, f64::NAN]))
                .collect(),
        };
        let unit = chance.once_in(2);
        let frame = RowFrame {
            length: if unit { Length::One } else { Length::Free },
            centre: if unit { &centre } else { &[] },
            scales: if unit { &scales } else { &[] },
            constant: self.size * chance.pick(&[0.0, 1.0, 0.25]),
            offsets: &offsets,
            ..RowFrame::plain()
        };
        let size = if unit { 1.0 } else { self.size };
        let mut length = || size * chance.pick(&[1e-3, 0.3, 0.7, 1.0, 1e3]);
        let (first, second) = (length(), length());
        let recursive = chance.once_in(2);
        let clip = match recursive {
            false => RecordClip::Gradient { length: first },
            true => RecordClip::Recursive {
                length: first,
                difference: second,
                momentum: chance.pick(&[0.0, 0.01, 0.5, 1.0]),
            },
        };
        let question = BatchGradient::new(shape, slopes, &frame, clip, noise.get())?;
        let point = self.point(functions);
        let before = recursive.then(|| self.point(functions));
        Ok(BatchQuestion {
            question,
            point,
            before,
        })
    }

    /// The losses of two classes along a line of short, long and endless steps.
    pub(super) fn loss_changes(&mut self, population: &dyn Population) {
        if self.classes != 2 {
            return;
        }
        let (point, direction) = (self.point(1), self.point(1));
        let chance = &mut self.chance;
        let sizes: Vec<f64> = (0..1 + chance.below(5))
            .map(|_| chance.pick(&[1e-6, 0.5, 1.0, 1.0, 1e9]))
            .collect();
        let penalties: Vec<f64> = sizes
            .iter()
            .map(|_| chance.pick(&[0.0, 0.0, 3.0, -1e30, f64::NAN]))
            .collect();
        let question = LossChanges {
            point: &point,
            direction: &direction,
            constant: self.size * chance.pick(&[0.0, 1.0, 0.25]),
            offset: chance.pick(&[0.0, -3.0, 1e9, f64::NAN]),
            sizes: &sizes,
            penalties: &penalties,
            clip: chance.pick(&[1e-3, 0.5, 1.0, 1e3]),
        };
        let scores = match question.ask(population) {
            Ok(scores) => scores,
            Err(error) => return self.returned.push(error.to_string()),
        };
        let range = Range::new(0.5).unwrap();
        let (ledger, randomness) = (&mut self.ledger, &mut self.randomness);
        let chosen = exponential(&scores, Aim::Lowest, range, ledger, randomness);
        self.keep(chosen);
    }

    /// Weights of any size, and intercepts that saturate the slopes.
    fn point(&mut self, functions: usize) -> Point {
        let size = self.chance.pick(&[0.0, 1.0, 30.0, 1e6, 1e300, f64::NAN]) / self.size;
        let width = self.width;
        let chance = &mut self.chance;
        let weight = |_| size * (2.0 * chance.unit() - 1.0);
        let weights = (0..width * functions).map(weight).collect();
        let far = [0.0, 0.0, 3.0, 1e7, -1e7, f64::INFINITY, f64::NAN];
        let intercepts = (0..functions).map(|_| chance.pick(&far)).collect();
        Point {
            weights,
            intercepts,
        }
    }
}
