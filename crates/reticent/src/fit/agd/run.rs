//! The loop.

use super::plan::{AgdPlan, GROWTH, noise, range};
use crate::fit::noisy_descent::{CentreAndScales, Progress, typical_length};
use crate::fit::{
    ClassRates, FitError, LinearFunction, PlanEntry, PlanHeader, PrivatePlan, ProgressObserver,
    Released, Task,
};
use crate::loss::Loss;
use crate::mechanism::{Batches, exponential, subsampled_gaussian};
use crate::noise::{Aim, Generator};
use crate::population::{
    BatchGradient, BatchQuery, Length, LossChanges, Point, Population, RecordClip, RowFrame, Slopes,
};
use crate::privacy::Ledger;
use crate::solve::{saturating_penalty, saturating_penalty_slope};

/// How many step sizes there are besides 0, and the largest of the first ones, in weights of rows of length
/// one.
const SIZES: usize = 20;
const LARGEST: f64 = 2.0;
/// After so many steps the largest size is set anew: above the largest that was taken by this factor.
const STEPS_OF_SIZES: u64 = 10;
const ROOM: f64 = 1.1;
/// The least and the greatest that it is set to: within what grids hold, and beyond any use.
const SIZE_RANGE: (f64, f64) = (1e-9, 1e9);
/// Room for the rounding of sums of ρ.
const WITHIN: f64 = 1.0 - 1e-9;

impl PrivatePlan for AgdPlan {
    fn header(&self) -> PlanHeader<'_> {
        PlanHeader {
            name: "agd",
            task: Task::Logistic,
            facts: self.facts,
            spending: &self.spending,
        }
    }

    fn parameters(&self) -> Vec<PlanEntry> {
        self.entries()
    }

    fn release(
        &self,
        population: &dyn Population,
        rates: Option<&ClassRates>,
        ledger: &mut Ledger,
        randomness: &mut Generator,
        watch: &mut dyn ProgressObserver,
    ) -> Result<Released, FitError> {
        let uncentred = CentreAndScales::default();
        let offsets = uncentred.offsets(rates, self.clip);
        let length = typical_length(&self.facts, self.facts.columns, self.constant);
        let mut descent = Descent {
            plan: self,
            population,
            offsets: &offsets,
            length,
            left: self.rho * WITHIN,
            ledger,
            randomness,
        };
        let progress = Progress {
            watch,
            done: 0,
            total: self.steps,
        };
        let weights = descent.run(progress)?;
        let shape = (self.constant, self.facts.columns);
        let weights = uncentred.for_enforced_rows(weights, rates, length, shape);
        let (constant, columns) = weights.split_last().unwrap_or((&0.0, &[]));
        let columns: Vec<f64> = columns.iter().map(|weight| weight / length).collect();
        let function = LinearFunction::of(&columns, self.constant * constant / length);
        Ok(Released::Linear(vec![function]))
    }
}

/// A fit under way. Vectors are one value per column, and then that of the constant.
struct Descent<'a> {
    plan: &'a AgdPlan,
    population: &'a dyn Population,
    offsets: &'a [f64],
    /// What weights of rows of length one are divided by to be those of rows as they come.
    length: f64,
    /// What of ρ is left for steps.
    left: f64,
    ledger: &'a mut Ledger,
    randomness: &'a mut Generator,
}

/// A gradient as it is known: the mean of what was released of it, weighed by the inverse variances.
struct Known {
    mean: Vec<f64>,
    /// ρ of all its releases: the inverse of its variance, but for a constant.
    rho: f64,
}

impl Descent<'_> {
    /// Steps as long as the budget pays for one.
    fn run(&mut self, mut progress: Progress<'_>) -> Result<Vec<f64>, FitError> {
        let plan = self.plan;
        let question = self.question()?;
        let mut weights = vec![0.0; plan.facts.columns + 1];
        let (mut for_gradient, for_choice) = (plan.half_step(), plan.half_step());
        let mut sizes = Sizes::new();
        'steps: while self.pays(for_gradient + for_choice) {
            progress.step(self.ledger)?;
            let query = question.ask(self.population, &self.at(&weights), None);
            let mut known = Known {
                mean: self.mean(&query, for_gradient)?,
                rho: for_gradient,
            };
            loop {
                let direction = self.direction(&weights, &known.mean);
                if let Some(size) = self.choose(&weights, &direction, &sizes, for_choice)? {
                    for (weight, slope) in weights.iter_mut().zip(&direction) {
                        *weight -= size * slope;
                    }
                    sizes.taken(size);
                    break;
                }
                let more = GROWTH * for_gradient;
                if !self.pays(more + for_choice) {
                    break 'steps;
                }
                let again = self.mean(&query, more)?;
                known.add(&again, more);
                for_gradient += more;
            }
        }
        Ok(weights)
    }

    /// Whether so much is left.
    fn pays(&self, rho: f64) -> bool {
        rho <= self.left
    }

    fn question(&self) -> Result<BatchGradient, FitError> {
        let frame = RowFrame {
            length: Length::One,
            constant: self.plan.constant,
            offsets: self.offsets,
            ..RowFrame::plain()
        };
        let slopes = Slopes::Loss(Loss::Logistic);
        let length = self.plan.clip;
        let clip = RecordClip::Gradient { length };
        Ok(BatchGradient::new(
            self.population.shape(),
            slopes,
            &frame,
            clip,
            self.plan.largest_noise().get(),
        )?)
    }

    /// A point or a direction, as a question takes it.
    fn at(&self, weights: &[f64]) -> Point {
        let (constant, columns) = weights.split_last().unwrap_or((&0.0, &[]));
        Point {
            weights: columns.to_vec(),
            intercepts: vec![self.plan.constant * constant],
        }
    }

    /// Releases the mean gradient, for this ρ.
    fn mean(&mut self, query: &BatchQuery<'_>, rho: f64) -> Result<Vec<f64>, FitError> {
        self.left -= rho;
        let (ledger, randomness) = (&mut *self.ledger, &mut *self.randomness);
        let sums = subsampled_gaussian(query, Batches::All, noise(rho), ledger, randomness)?;
        let records = self.plan.facts.records as f64;
        let mut mean = sums.to_real();
        mean.iter_mut().for_each(|sum| *sum /= records);
        if let (0.0, Some(of_constant)) = (self.plan.constant, mean.last_mut()) {
            // What was released of it is noise.
            *of_constant = 0.0;
        }
        Ok(mean)
    }

    /// A gradient with that of the penalty, scaled to length one.
    fn direction(&self, weights: &[f64], mean: &[f64]) -> Vec<f64> {
        let mut direction = mean.to_vec();
        if let Some(lambda) = self.plan.penalty {
            let columns = direction.iter_mut().zip(weights).take(weights.len() - 1);
            for (slope, weight) in columns {
                *slope += saturating_penalty_slope(weight / self.length, lambda) / self.length;
            }
        }
        let length = direction.iter().map(|x| x * x).sum::<f64>().sqrt();
        if length > 0.0 {
            direction.iter_mut().for_each(|x| *x /= length);
        }
        direction
    }

    /// Selects the size of a step; none to stay.
    fn choose(
        &mut self,
        weights: &[f64],
        direction: &[f64],
        sizes: &Sizes,
        rho: f64,
    ) -> Result<Option<f64>, FitError> {
        self.left -= rho;
        let plan = self.plan;
        let all: Vec<f64> = sizes.all().collect();
        let records = plan.facts.records as f64;
        let penalty = |size: f64| {
            let lambda = plan.penalty.unwrap_or(0.0);
            let columns = weights.iter().zip(direction).take(weights.len() - 1);
            let of = |(weight, slope): (&f64, &f64)| {
                saturating_penalty((weight - size * slope) / self.length, lambda)
            };
            columns.map(of).sum::<f64>()
        };
        let now = penalty(0.0);
        let penalties: Vec<f64> = all
            .iter()
            .map(|size| records * (penalty(*size) - now))
            .collect();
        let scores = LossChanges {
            point: &self.at(weights),
            direction: &self.at(direction),
            constant: plan.constant,
            offset: self.offsets.first().copied().unwrap_or(0.0),
            sizes: &all,
            penalties: &penalties,
            clip: plan.clip,
        };
        let scores = scores.ask(self.population)?;
        let (ledger, randomness) = (&mut *self.ledger, &mut *self.randomness);
        let chosen = exponential(&scores, Aim::Lowest, range(rho), ledger, randomness)?;
        // Candidate 0 is to stay.
        Ok(chosen.checked_sub(1).map(|place| all[place]))
    }
}

impl Known {
    /// The same with one more release of it.
    fn add(&mut self, again: &[f64], rho: f64) {
        let share = rho / (self.rho + rho);
        for (mean, again) in self.mean.iter_mut().zip(again) {
            *mean += share * (again - *mean);
        }
        self.rho += rho;
    }
}

/// The step sizes to select from.
pub(super) struct Sizes {
    largest: f64,
    /// The largest that was taken since that was set, and how many were.
    taken: f64,
    count: u64,
}

impl Sizes {
    pub(super) fn new() -> Self {
        Self {
            largest: LARGEST,
            taken: 0.0,
            count: 0,
        }
    }

    /// At equal distances.
    pub(super) fn all(&self) -> impl Iterator<Item = f64> {
        let step = self.largest / SIZES as f64;
        (1..=SIZES).map(move |k| step * k as f64)
    }

    /// Follows what was selected: a release.
    pub(super) fn taken(&mut self, size: f64) {
        self.taken = self.taken.max(size);
        self.count += 1;
        if self.count == STEPS_OF_SIZES {
            *self = Self {
                largest: (ROOM * self.taken).clamp(SIZE_RANGE.0, SIZE_RANGE.1),
                taken: 0.0,
                count: 0,
            };
        }
    }
}
