//! The loop.

use std::borrow::Cow;

use super::defaults::{self, MOMENTUM};
use super::plan::SgdPlan;
use super::{SgdOptimizer, SgdResult};
use crate::fit::noisy_descent::{
    CentreAndScales, Progress, Signals, by_function, intercepts_as_released, scaled_as_released,
    typical_length,
};
use crate::fit::{
    ClassRates, FitError, LinearFunction, PlanEntry, PlanHeader, PrivatePlan, ProgressObserver,
    Released, Task, ight,
};
use crate::mechanism::{Batches, subsampled_gaussian};
use crate::noise::{Generator, uniform_below};
use crate::population::{
    BatchGradient, BatchQuery, Length, Point, Population, RecordClip, RowFrame, Slopes,
};
use crate::privacy::{Ledger, NoiseMultiplier};
use crate::solve::{
    LaplacianSmoothing, Optimizer, RecursiveMomentum, Schedule, Swings, UpdateRule,
    saturating_penalty_slope,
};

/// How much of the last gradient momentum adds: see `noisy_descent/step_rule.rs`.
const LEAD: f64 = 0.9;

impl PrivatePlan for SgdPlan {
    fn header(&self) -> PlanHeader<'_> {
        PlanHeader {
            name: "sgd",
            task: self.task,
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
        let found = match &self.centring {
            Some(centring) => centring.find(population, &self.facts, ledger, randomness)?,
            None => CentreAndScales::default(),
        };
        let offsets = found.offsets(rates, self.clip);
        let steps = match self.result {
            SgdResult::Last => self.steps.get(),
            SgdResult::Random => self.random_step(randomness),
        };
        let mass = rates.map_or(1.0, |rates| rates.mass);
        let (_, swings) = self.longest_step(mass);
        let mut descent = Descent {
            plan: self,
            population,
            offsets: &offsets,
            found: &found,
            ledger,
            randomness,
            progress: Progress {
                watch,
                done: 0,
                total: steps,
            },
            swings,
        };
        let (rule, size) = self.rule(mass);
        let width = self.task.outputs() * (self.facts.columns + 1);
        let start = Optimizer::new(rule, size, Schedule::Constant, vec![0.0; width]);
        let weights = descent.run(start)?;
        let weights = by_function(weights, self.task.outputs());
        let length = self.typical_length();
        let shape = (self.constant, self.facts.columns);
        let weights = found.for_enforced_rows(weights, rates, length, shape);
        let function = |weights: &[f64]| {
            let (constant, columns) = weights.split_last().unwrap_or((&0.0, &[]));
            let columns: Vec<f64> = columns.iter().map(|weight| weight / length).collect();
            LinearFunction::of(&columns, self.constant * constant / length)
        };
        let functions = weights.chunks(self.facts.columns + 1).map(function);
        Ok(Released::Linear(functions.collect()))
    }
}

impl SgdPlan {
    /// The step after which the point is the result, each as likely as any other: no function of the
    /// records. Batches and noise of the steps after it are not drawn; they are charged all the same.
    fn random_step(&self, randomness: &mut Generator) -> u64 {
        let step = 1 + uniform_below(self.steps.get(), randomness);
        #[cfg(test)]
        let step = crate::mechanism::tape::public(step);
        step
    }

    /// What weights of rows as they are scaled are divided by to be those of rows as they come.
    fn typical_length(&self) -> f64 {
        match self.task {
            Task::Linear => 1.0,
            _ => typical_length(&self.facts, self.facts.columns, self.constant),
        }
    }

    /// How gradients move the weights, and the size of steps, where a record counts for `mass` on average.
    pub(super) fn rule(&self, mass: f64) -> (UpdateRule, f64) {
        let steps = self.steps.get() as f64;
        let path = self.path_length();
        let (most, _) = self.longest_step(mass);
        let (rule, size) = match self.optimizer {
            SgdOptimizer::Sgd | SgdOptimizer::Srm => (UpdateRule::Plain, (path / steps).min(most)),
            SgdOptimizer::Momentum => {
                let decay = (1.0 - steps * most / path).clamp(MOMENTUM.0, MOMENTUM.1);
                let lead = LEAD * decay / (1.0 + decay);
                let size = (path * (1.0 - decay) / steps).min(most);
                (UpdateRule::Momentum { decay, lead }, size)
            }
            SgdOptimizer::Adam => (UpdateRule::ADAM, self.deviations / steps.sqrt()),
        };
        (rule, self.step_size.unwrap_or(size))
    }
}

/// A fit under way. Vectors are in the order in which gradients are released: the columns of all functions,
/// then the constants.
struct Descent<'a> {
    plan: &'a SgdPlan,
    population: &'a dyn Population,
    offsets: &'a [f64],
    found: &'a CentreAndScales,
    ledger: &'a mut Ledger,
    randomness: &'a mut Generator,
    progress: Progress<'a>,
    /// Whether steps are halved where gradients swing.
    swings: bool,
}

impl Descent<'_> {
    /// Follows the gradients from where the optimiser is to where it ends.
    fn run(&mut self, mut optimizer: Optimizer) -> Result<Vec<f64>, FitError> {
        let plan = self.plan;
        let mut recursive = match plan.first {
            Some(noise) => Some(self.start(&mut optimizer, noise)?),
            None => None,
        };
        let mut signals = plan.shrinks.then(|| Signals::new(ight::LEAST_SHARE));
        let question = self.question(RecordClip::Gradient { length: plan.clip })?;
        let mut swings = self.swings.then(Swings::default);
        for _ in 0..self.progress.total {
            self.progress.step(self.ledger)?;
            let gradient = match &mut recursive {
                None => {
                    let model = self.model(&optimizer, &mut signals, false);
                    let query = question.ask(self.population, &self.at(&model), None);
                    self.mean(&query, plan.batches, plan.noise)?
                }
                Some(Recursive { estimate, before }) => {
                    let change = self.change(optimizer.point(), before)?;
                    before.copy_from_slice(optimizer.point());
                    estimate.add(&change);
                    estimate.estimate().to_vec()
                }
            };
            // What was released decides: the list of charges stays as it is.
            if swings.as_mut().is_some_and(|swings| swings.seen(&gradient)) {
                optimizer.halve();
            }
            self.follow(&mut optimizer, gradient);
        }
        Ok(self.model(&optimizer, &mut signals, true).into_owned())
    }

    /// What of the optimiser's point is the model: all of it, or what is taken for signal.
    fn model<'o>(
        &self,
        optimizer: &'o Optimizer,
        signals: &mut Option<Signals>,
        at_end: bool,
    ) -> Cow<'o, [f64]> {
        let point = optimizer.point();
        match (signals, optimizer.noise_of_point()) {
            (Some(signals), Some(noise)) if noise > 0.0 => {
                let mut model = point.to_vec();
                let columns = point.len() - self.plan.task.outputs();
                let noise = noise * self.plan.gradient_noise();
                signals.keep(&mut model[..columns], noise, at_end);
                Cow::Owned(model)
            }
            _ => Cow::Borrowed(point),
        }
    }

    /// The first step of recursive momentum, along the gradient of all records: a release of its own.
    fn start(
        &mut self,
        optimizer: &mut Optimizer,
        noise: NoiseMultiplier,
    ) -> Result<Recursive, FitError> {
        let question = self.question(RecordClip::Gradient {
            length: self.plan.clip,
        })?;
        let query = question.ask(self.population, &self.at(optimizer.point()), None);
        let gradient = self.mean(&query, Batches::All, noise)?;
        let before = optimizer.point().to_vec();
        self.follow(optimizer, gradient.clone());
        let estimate = RecursiveMomentum::new(defaults::RECURSIVE, gradient);
        Ok(Recursive { estimate, before })
    }

    /// What is released of the change of the gradient since the point before. Both points were released, so
    /// the clip of the difference may follow from their distance: noise is relative to it.
    fn change(&mut self, now: &[f64], before: &[f64]) -> Result<Vec<f64>, FitError> {
        let plan = self.plan;
        let squares = now.iter().zip(before).map(|(x, y)| (x - y) * (x - y));
        let question = self.question(RecordClip::Recursive {
            length: plan.clip,
            difference: defaults::difference(plan, squares.sum::<f64>().sqrt()),
            momentum: defaults::RECURSIVE,
        })?;
        let query = question.ask(self.population, &self.at(now), Some(&self.at(before)));
        self.mean(&query, plan.batches, plan.noise)
    }

    fn question(&self, clip: RecordClip) -> Result<BatchGradient, FitError> {
        let plan = self.plan;
        let (length, slopes) = match plan.task {
            Task::Linear => (Length::Free, Slopes::Loss(plan.loss)),
            Task::Logistic => (Length::One, Slopes::Loss(plan.loss)),
            Task::Multinomial { .. } => (Length::One, Slopes::Classes),
        };
        let frame = RowFrame {
            length,
            centre: &self.found.centre,
            scales: &self.found.scales,
            constant: plan.constant,
            offsets: self.offsets,
            ..RowFrame::plain()
        };
        let noise = plan.largest_noise().get();
        let question = BatchGradient::new(self.population.shape(), slopes, &frame, clip, noise);
        Ok(question?)
    }

    /// The model at weights, as a question takes it.
    fn at(&self, weights: &[f64]) -> Point {
        let outputs = self.plan.task.outputs();
        let CentreAndScales { centre, scales } = self.found;
        let weights = scaled_as_released(weights, scales, outputs);
        let intercepts = intercepts_as_released(&weights, outputs, self.plan.constant, centre);
        let columns = weights.len() - outputs;
        Point {
            weights: weights[..columns].to_vec(),
            intercepts,
        }
    }

    /// Releases the sum over a batch, and divides it by how many records a batch has on average.
    fn mean(
        &mut self,
        query: &BatchQuery<'_>,
        batches: Batches,
        noise: NoiseMultiplier,
    ) -> Result<Vec<f64>, FitError> {
        let sums = subsampled_gaussian(query, batches, noise, self.ledger, self.randomness)?;
        let size = defaults::size(batches, &self.plan.facts);
        let mut mean = sums.to_real();
        mean.iter_mut().for_each(|sum| *sum /= size);
        Ok(mean)
    }

    /// A step along a released gradient, with the penalty's, smoothed.
    fn follow(&self, optimizer: &mut Optimizer, mut gradient: Vec<f64>) {
        let plan = self.plan;
        let columns = gradient.len() - plan.task.outputs();
        let (of_columns, of_constants) = gradient.split_at_mut(columns);
        if let Some(lambda) = plan.penalty {
            // Of the weights of rows as they come.
            let length = plan.typical_length();
            for (slope, weight) in of_columns.iter_mut().zip(optimizer.point()) {
                *slope += saturating_penalty_slope(*weight / length, lambda) / length;
            }
        }
        if let Some(sigma) = plan.smoothing {
            let smoothing = LaplacianSmoothing::new(sigma);
            let functions = of_columns.chunks_mut(plan.facts.columns);
            functions.for_each(|function| smoothing.apply(function));
        }
        if plan.constant == 0.0 {
            // What was released of them is noise.
            of_constants.fill(0.0);
        }
        optimizer.step(&gradient);
    }
}

/// Recursive momentum under way.
struct Recursive {
    estimate: RecursiveMomentum,
    /// The point before the optimiser's.
    before: Vec<f64>,
}
