//! The fit on chosen columns: noisy gradients, preconditioned by noisy second moments.

use std::num::NonZeroU64;

use super::super::noisy_descent::{
    DescentInput, Progress, by_function, levels, longest, set_weights, slope_grid,
};
use super::super::{Facts, FitError, Task};
use super::curvature::{Curvature, Step};
use super::defaults;
use super::sparsity::sparse;
use super::target_frame::Evidence;
use crate::loss::Loss;
use crate::mechanism::{exponential, gaussian};
use crate::noise::{Aim, Generator};
use crate::population::{Gradient, Length, Moments, Population, Residuals, RowFrame, Slopes};
use crate::privacy::{Charge, Event, Ledger, NoiseMultiplier, Range};
use crate::table::RecordBound;

/// A fit on chosen columns.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Fit {
    pub task: Task,
    /// b₀.
    pub constant: f64,
    /// T, and how many of the steps are full.
    pub steps: NonZeroU64,
    pub full: u64,
    /// The noise of the second moments.
    pub moments: NoiseMultiplier,
    /// Finds the scale of the residuals, every second step, for linear models.
    pub scale: Option<Range>,
    /// The noise of a gradient.
    pub noise: NoiseMultiplier,
    /// Weights that do not exceed their noise are 0: the number of columns among which they would be
    /// discoveries.
    pub discoveries_among: Option<usize>,
}

/// The result of a fit, function after function: one weight per column and the constant's, and the
/// variance of each.
pub(super) struct RoundWeights {
    pub weights: Vec<f64>,
    pub variances: Vec<f64>,
    /// What the features of a linear model are worth.
    pub evidence: Option<Evidence>,
    /// The mean of the features' part of predictions, and the variance of its noise together with
    /// the constant's, where the constant is not that of the mean.
    pub centre: Option<(f64, f64)>,
}

impl Fit {
    /// What it will charge.
    pub fn charges(&self) -> Vec<Charge> {
        let scales = self.scale.map(|range| {
            let every_second = self.steps.get().div_ceil(2);
            let count = NonZeroU64::new(every_second).unwrap_or(NonZeroU64::MIN);
            Charge::new(Event::Exponential { range }, count)
        });
        let noise = self.moments;
        let moments = Charge::once(Event::Gaussian { noise });
        let steps = Charge::new(Event::Gaussian { noise: self.noise }, self.steps);
        [moments].into_iter().chain(scales).chain([steps]).collect()
    }

    /// Fits, starting from `weights`: for each function one per column and the constant's.
    pub fn run(
        &self,
        input: &DescentInput<'_>,
        mut weights: Vec<f64>,
        ledger: &mut Ledger,
        randomness: &mut Generator,
        progress: &mut Progress<'_>,
    ) -> Result<RoundWeights, FitError> {
        let Self { task, constant, .. } = *self;
        let population = &*input.population.restricted_to(input.columns);
        let facts = facts_of_chosen(input);
        let length = defaults::length(&facts, facts.columns, longest(&facts, constant));
        let curvature = self.curvature(population, &facts, length, ledger, randomness)?;
        let count = facts.records as f64;
        let averaged = (self.steps.get() - self.full.min(self.steps.get() - 1)) as f64;
        let block = facts.columns + 1;
        // A ridge pulls classes towards 0, and numbers back to where they started.
        let anchor = match task {
            Task::Linear => weights.clone(),
            _ => vec![0.0; weights.len()],
        };
        let mut scales = (1.0, None::<f64>);
        // The variance of noise in each direction, function after function.
        let mut noise = vec![0.0; weights.len()];
        let mut last = vec![Step::default(); task.outputs()];
        for t in 0..self.steps.get() {
            progress.step(ledger)?;
            if let Some(range) = self.scale.filter(|_| t % 2 == 0) {
                let among = scales.1.map_or(defaults::SCALES, |_| around(scales.0));
                let table = (population, &weights[..], constant);
                scales.0 = find_scale(table, among, range, ledger, randomness)?;
                scales.1 = Some(scales.1.map_or(scales.0, |most| most.max(scales.0)));
            }
            let scale = scales.0;
            let at_zero = weights.iter().all(|weight| *weight == 0.0);
            let (slopes, slope) = clipped(task, scale, at_zero);
            let moved = Gradient::moved(ledger.adjacency(), slope, length);
            let sd = moved * self.noise.get();
            let grid = slope_grid(&facts, ledger.adjacency(), slope, sd / count)?;
            let frame = RowFrame {
                slope,
                length: Length::Within(length),
                centre: &[],
                scales: &[],
                constant,
                offsets: &[],
            };
            let mut gradient = Gradient::ask(population, slopes, grid, &frame)?;
            set_weights(&mut gradient, &weights, constant, &[]);
            let released = gaussian(&gradient.all(), self.noise, ledger, randomness)?;
            let sums = by_function(released.to_real(), task.outputs());
            let damping = match t.checked_sub(self.full) {
                None => 1.0,
                Some(beyond) => 1.0 / (beyond as f64 + 2.0),
            };
            let curvatures = curvature.of_loss(task, &weights, constant, count);
            let mut moves = Vec::with_capacity(weights.len());
            for (k, of_loss) in curvatures.into_iter().enumerate() {
                let spread = scales.1.unwrap_or(scale) / defaults::NORMAL_MEDIAN;
                let variance = sd * sd / averaged;
                let ridge = curvature.ridge(task, &facts, variance, of_loss, spread);
                last[k] = Step {
                    sd,
                    slope,
                    curvature: of_loss,
                    ridge,
                };
                let of_function = k * block..(k + 1) * block;
                let away = |place: usize| weights[place] - anchor[place];
                let pull: Vec<f64> = of_function
                    .map(|place| sums[place] + ridge * away(place))
                    .collect();
                let values = &curvature.eigen.values;
                let step = |i: usize| damping / (values[i] * of_loss + ridge);
                moves.extend(curvature.eigen.apply(&pull, step));
                let of_function = &mut noise[k * block..(k + 1) * block];
                for (i, variance) in of_function.iter_mut().enumerate() {
                    let fresh = sd / (values[i] * of_loss + ridge);
                    *variance *= (1.0 - damping) * (1.0 - damping);
                    *variance += damping * damping * fresh * fresh;
                }
            }
            if let Task::Multinomial { .. } = task {
                centre(&mut moves, block);
                limit_change(&mut moves, &curvature, count);
            }
            for (weight, by) in weights.iter_mut().zip(moves) {
                *weight -= by;
            }
            if constant == 0.0 {
                let constants = weights.iter_mut().skip(block - 1).step_by(block);
                constants.for_each(|weight| *weight = 0.0);
            }
        }
        let variances: Vec<f64> = last
            .iter()
            .flat_map(|step| curvature.variances(task, *step, averaged))
            .collect();
        if let Some(columns) = self.discoveries_among {
            let of_function = |k: usize| {
                let place = k * block..(k + 1) * block;
                let (weights, anchor) = (&weights[place.clone()], &anchor[place.clone()]);
                curvature.estimate((task, count), last[k], &noise[place], weights, anchor)
            };
            let estimates: Vec<_> = (0..task.outputs()).map(of_function).collect();
            weights = sparse(&estimates, columns, constant > 0.0);
        } else if task == Task::Linear {
            let columns = weights.iter_mut().zip(&curvature.seen);
            columns
                .filter(|(_, seen)| !**seen)
                .for_each(|(weight, _)| *weight = 0.0);
        }
        let of_numbers = task == Task::Linear;
        let evidence = of_numbers.then(|| Evidence {
            explained: curvature.variance(&weights, constant, count),
            noise: curvature.weighted(&noise) / count,
            columns: facts.columns,
        });
        let centre = (of_numbers && constant > 0.0)
            .then(|| curvature.centre_of_predictions(&weights, &noise, constant));
        Ok(RoundWeights {
            variances,
            weights,
            evidence,
            centre,
        })
    }

    /// Releases the second moments, and makes a curvature of them with the noise shrunk away.
    fn curvature(
        &self,
        population: &dyn Population,
        facts: &Facts,
        length: f64,
        ledger: &mut Ledger,
        randomness: &mut Generator,
    ) -> Result<Curvature, FitError> {
        let moments = Moments {
            length,
            constant: self.constant,
        };
        let query = moments.ask(population)?;
        let released = gaussian(&query, self.moments, ledger, randomness)?;
        let matrix = Moments::unpack(&released.to_real(), facts.columns);
        // On the diagonal; off it, 1/√2 of that.
        let sd = moments.moved(ledger.adjacency()) * self.moments.get();
        let (RecordBound::Linf(bound) | RecordBound::L2(bound)) = facts.rows;
        let least = match facts.rows {
            RecordBound::Linf(_) => defaults::LEAST_SQUARE,
            RecordBound::L2(_) => defaults::LEAST_SQUARE / facts.columns as f64,
        };
        let least = least * bound * bound * facts.records as f64;
        Ok(Curvature::shrunk(matrix, sd, least))
    }
}

/// The public facts of the records on the chosen columns.
pub(super) fn facts_of_chosen(input: &DescentInput<'_>) -> Facts {
    Facts {
        columns: input.columns.len(),
        ..*input.facts
    }
}

/// Removes what all classes have in common from a move: no probability depends on it.
fn centre(moves: &mut [f64], block: usize) {
    let classes = (moves.len() / block) as f64;
    for place in 0..block {
        let mean = moves.iter().skip(place).step_by(block).sum::<f64>() / classes;
        let of_place = moves.iter_mut().skip(place).step_by(block);
        of_place.for_each(|by| *by -= mean);
    }
}

/// Shortens a move that changes the margins of a class by more than the curvature is valid for.
fn limit_change(moves: &mut [f64], curvature: &Curvature, count: f64) {
    let block = curvature.eigen.values.len();
    let squares = moves.chunks(block).map(|by| curvature.square(by) / count);
    let change = squares.fold(0.0, f64::max).sqrt();
    let factor = defaults::MOST_CHANGE / change.max(defaults::MOST_CHANGE);
    moves.iter_mut().for_each(|by| *by *= factor);
}

/// The slopes, and what they are clipped to; for several classes, what the norm of a record's
/// residuals is clipped to.
pub(super) fn clipped(task: Task, scale: f64, at_zero: bool) -> (Slopes, f64) {
    let logistic = Slopes::Loss(Loss::Logistic);
    match task {
        Task::Linear => (Slopes::Loss(Loss::Squared { threshold: scale }), scale),
        Task::Logistic if at_zero => (logistic, defaults::LOGISTIC_SLOPES.0),
        Task::Logistic => (logistic, defaults::LOGISTIC_SLOPES.1),
        // Their norm at weights 0.
        Task::Multinomial { classes } => {
            let norm = (1.0 - 1.0 / f64::from(classes)).sqrt();
            (Slopes::Classes, norm)
        }
    }
}

/// The scales that may follow one.
fn around(scale: f64) -> (f64, f64) {
    let (down, up) = defaults::SCALE_CHANGES;
    (
        (down * scale).max(defaults::LEAST_SCALE),
        (up * scale).min(1.0),
    )
}

/// A private median of the residuals' sizes, between two scales.
pub(super) fn find_scale(
    (population, weights, constant): (&dyn Population, &[f64], f64),
    (least, most): (f64, f64),
    range: Range,
    ledger: &mut Ledger,
    randomness: &mut Generator,
) -> Result<f64, FitError> {
    let levels = levels(least, most);
    let columns = weights.len() - 1;
    let residuals = Residuals {
        levels: &levels,
        weights: &weights[..columns],
        intercept: constant * weights[columns],
    };
    let scores = residuals.ask(population);
    let best = exponential(&scores, Aim::Highest, range, ledger, randomness)?;
    Ok(levels[best])
}
