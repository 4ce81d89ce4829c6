//! The first stage of a fit of classes by itself: which columns exceed the noise, for another method to
//! fit them.

use super::super::noisy_descent::{CENTRE_SHARE, Centring, DescentInput, NoisyDescent, Progress};
use super::super::{ClassRates, Facts, FitError, Task};
use super::{Ight, defaults};
use crate::noise::Generator;
use crate::population::Population;
use crate::privacy::{Charge, Ledger, NoiseMultiplier};

/// Noisy steps on all columns, and the centre before them.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::fit) struct Screening {
    task: Task,
    centring: Option<Centring>,
    descent: NoisyDescent,
}

impl Screening {
    /// The first stage of the fit that is asked for, where the whole plan costs ρ = 1/(2z²), and its share
    /// of that.
    pub fn new(z: NoiseMultiplier, given: &Ight, facts: &Facts) -> (Self, f64) {
        let loss = given.task.loss(defaults::HUBER_THRESHOLD);
        let constant = match given.intercept {
            true => defaults::constant(defaults::around(given), facts),
            false => 0.0,
        };
        let centred = defaults::centred(given, facts);
        let stage = defaults::screening(given, loss, facts, centred);
        let centre = if centred { CENTRE_SHARE } else { 0.0 };
        let screening = Self {
            task: given.task,
            centring: centred.then(|| Centring::new(z)),
            descent: stage.descent(z, given.task, loss, constant),
        };
        (screening, centre + stage.share)
    }

    /// What it will charge.
    pub fn charges(&self) -> Vec<Charge> {
        let centring = self.centring.iter().map(Centring::charge);
        centring.chain(self.descent.charges()).collect()
    }

    /// How many steps it takes.
    pub fn steps(&self) -> u64 {
        self.descent.steps.get()
    }

    /// By how many deviations of its noise the weight of each column differs from 0; of several classes,
    /// the one that differs most.
    pub fn run(
        &self,
        (population, facts): (&dyn Population, &Facts),
        rates: Option<&ClassRates>,
        ledger: &mut Ledger,
        randomness: &mut Generator,
        progress: &mut Progress<'_>,
    ) -> Result<Vec<f64>, FitError> {
        let centre = match &self.centring {
            Some(centring) => centring.find(population, facts, ledger, randomness)?.centre,
            None => Vec::new(),
        };
        let offsets = match rates.filter(|_| self.centring.is_some()) {
            Some(rates) => rates.clipped_log_odds(self.descent.slope),
            None => Vec::new(),
        };
        let columns: Vec<u32> = (0..facts.columns as u32).collect();
        let input = DescentInput {
            population,
            facts,
            columns: &columns,
            centre: &centre,
            scales: &[],
            offsets: &offsets,
            mass: rates.map_or(1.0, |rates| rates.mass),
        };
        let block = facts.columns + 1;
        let start = vec![0.0; self.task.outputs() * block];
        let (weights, spread) = self
            .descent
            .run(&input, start, ledger, randomness, progress)?;
        let mut deviations = vec![0.0; facts.columns];
        for weights in weights.chunks(block) {
            for (most, weight) in deviations.iter_mut().zip(weights) {
                *most = f64::max(*most, weight.abs() / spread);
            }
        }
        Ok(deviations)
    }
}
