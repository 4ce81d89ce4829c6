//! The two-stage procedure (Kifer–Smith–Thakurta 2012): choose the columns by a vote of blocks of
//! records, then fit on them by perturbing the objective.
//!
//! *Plan.* Blocks of records, by row number, each propose s columns; s of the columns are chosen by
//! their votes with Gumbel noise. On those, a logistic model is the minimiser of the mean loss, a
//! ridge and a random linear term, found to a public tolerance and released through a little
//! Gaussian noise. Squares and Huber's loss are not smooth enough for that proof (their slope is
//! unbounded, or their curvature jumps): a linear model is the minimiser of Huber's loss and a
//! ridge, released with Gaussian noise (output perturbation, Chaudhuri et al. 2011).

mod declaration;

use super::ridge;
use super::spending::multiplier;
use super::{
    Facts, FitError, LinearFunction, PlanEntry, PlanError, PlanHeader, PrivatePlan,
    ProgressObserver, Spending, Task, positive, report_step,
};
use crate::fit::Around;
use crate::fit::ClassRates;
use crate::loss::Loss;
use crate::mechanism::{Released, gaussian, objective, top_k};
use crate::noise::{Aim, Generator};
use crate::population::{Population, RegularisedLoss};
use crate::privacy::{Adjacency, Budget, Charge, Epsilon, Event, Ledger, NoiseMultiplier, Range};
use std::num::NonZeroU64;

pub(super) use declaration::DECLARATION;

/// The share of ρ that the minimiser's inexactness costs: the tolerance is so small that its noise
/// can be large relative to it.
const LOOSE_SHARE: f64 = 0.01;
/// The largest share of ε that the change of volume may cost in objective perturbation.
const VOLUME_SHARE: f64 = 0.25;
/// The least number of records in a block.
const LEAST_BLOCK: u64 = 10;

/// Parameters of the two-stage procedure.
///
/// | parameter | default | meaning | range |
/// |---|---|---|---|
/// | `task` | – | logistic or linear | |
/// | `budget` | – | the (ε, δ) or ρ that may be spent | |
/// | `nonzero` | from n, d, ε and δ | columns that get a weight, s | 1 to d |
/// | `blocks` | from n, s and the noise of a vote | blocks that vote | 1 to n |
/// | `lambda` | from public facts | strength of the ridge, λ | > 0 |
/// | `intercept` | true | a column of ones, in the ridge like any weight | |
/// | `share` | 0.5 | the choice's share of ρ | between 0 and 1 |
/// | `huber_threshold` | 1 | linear only: the largest residual that counts in full | > 0 |
///
/// # Privacy
///
/// *Adjacency*: replace-one, because under add-remove one record shifts all records after it to
/// other blocks. *Releases*: s selections of range η by the exponential mechanism, drawn together,
/// of scores whose range is 2; then, logistic, one ε-DP objective perturbation and one Gaussian
/// release for its inexactness; linear, one Gaussian release of the minimiser. The second stage is
/// adaptive in the first. *Sensitivity*: the queries'. *Theorems*:
/// [`votes`](crate::population::CentralRecords::votes), [`objective`],
/// [`Minimiser`](crate::population::Minimiser); the plan fixes all noise, so the accounts of a
/// planned ledger hold.
pub struct TwoStage {
    /// What kind of model.
    pub task: Task,
    /// What may be spent.
    pub budget: Budget,
    /// Which tables count as neighbours: replace-one.
    pub adjacency: Adjacency,
    /// How many columns get a weight.
    pub nonzero: Option<usize>,
    /// How many blocks vote.
    pub blocks: Option<usize>,
    /// The strength of the ridge.
    pub lambda: Option<f64>,
    /// Whether there is an intercept.
    pub intercept: bool,
    /// The choice's share of ρ.
    pub share: f64,
    /// For a linear model, the largest residual that counts in full (a target lies in [−1, 1]).
    pub huber_threshold: Option<f64>,
}

impl TwoStage {
    /// The defaults for a task and a budget.
    pub fn new(task: Task, budget: Budget) -> Self {
        Self {
            task,
            budget,
            adjacency: Adjacency::ReplaceOne,
            nonzero: None,
            blocks: None,
            lambda: None,
            intercept: true,
            share: 0.5,
            huber_threshold: None,
        }
    }

    /// The plan for a table with these public `facts`.
    pub fn plan(self, facts: Facts) -> Result<TwoStagePlan, PlanError> {
        self.check(&facts)?;
        let loss = self
            .task
            .loss(self.huber_threshold.unwrap_or(ridge::HUBER_THRESHOLD));
        let nonzero = self
            .nonzero
            .unwrap_or_else(|| ridge::nonzero(&facts, self.budget));
        // Between 1 and the number of columns.
        let count = NonZeroU64::new(nonzero as u64).unwrap_or(NonZeroU64::MIN);
        let noise_at = |z| Noise::at(z, count, self.share, loss);
        let around = (self.task, Around::model(self.task, self.intercept));
        let (spending, found) = Spending::around(around, 1.0, self.budget, self.adjacency, |z| {
            noise_at(z).charges(count)
        })?;
        let noise = noise_at(found);
        let blocks = self
            .blocks
            .unwrap_or_else(|| default_blocks(&facts, noise.range));
        let lambda = self
            .lambda
            .unwrap_or_else(|| noise.second.lambda(&facts, loss, nonzero, self.intercept));
        Ok(TwoStagePlan {
            task: self.task,
            facts,
            loss,
            nonzero,
            blocks,
            lambda,
            intercept: self.intercept,
            noise,
            spending,
        })
    }

    fn check(&self, facts: &Facts) -> Result<(), PlanError> {
        facts.check()?;
        if self.adjacency != Adjacency::ReplaceOne {
            return Err(PlanError::ReplaceOneOnly("two-stage"));
        }
        if !(self.share > 0.0 && self.share < 1.0) {
            let (what, given) = ("selection", self.share);
            return Err(PlanError::Share { what, given });
        }
        let weights = facts.columns;
        if let Some(given) = self.nonzero.filter(|s| !(1..=weights).contains(s)) {
            return Err(PlanError::Nonzero { given, weights });
        }
        let records = facts.records;
        if let Some(given) = self
            .blocks
            .filter(|b| !(1..=records).contains(&(*b as u64)))
        {
            return Err(PlanError::Blocks { given, records });
        }
        if let Some(lambda) = self.lambda {
            positive("lambda", lambda)?;
        }
        match (self.task, self.huber_threshold) {
            (Task::Multinomial { .. }, _) => Err(PlanError::Task {
                method: "two-stage",
                task: self.task.name(),
                instead: "use ight, select, frank-wolfe or sparsifier",
            }),
            (Task::Logistic, Some(_)) => Err(PlanError::HuberThresholdOfLogistic),
            (_, Some(threshold)) => positive("Huber threshold", threshold),
            (_, None) => Ok(()),
        }
    }
}

/// Enough blocks that a column proposed by all of them exceeds the noise of its votes, if there are
/// enough records: three times the noise's scale 2/η times log d, at least √n.
fn default_blocks(facts: &Facts, range: Range) -> usize {
    let n = facts.records as f64;
    let clear = 6.0 / range.get() * (facts.columns.max(2) as f64).ln();
    let most = (facts.records / LEAST_BLOCK).max(1) as f64;
    clear.max(n.sqrt()).min(most).floor().max(1.0) as usize
}

/// The noise of both stages.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Noise {
    range: Range,
    second: SecondStage,
}

/// How the weights are released.
#[derive(Debug, Clone, Copy, PartialEq)]
enum SecondStage {
    /// By objective perturbation, and the noise that hides its inexactness.
    Objective(Epsilon, NoiseMultiplier),
    /// By output perturbation.
    Output(NoiseMultiplier),
}

impl Noise {
    /// The noise as a function of one multiplier z: both stages cost ρ = 1/(2z²) together, of
    /// which s selections of η²/8 have their share.
    fn at(z: NoiseMultiplier, nonzero: NonZeroU64, share: f64, loss: Loss) -> Self {
        let z = z.get();
        let left = 1.0 - share;
        let range_per_selection = 2.0 * (share / nonzero.get() as f64).sqrt() / z;
        let second = match loss.is_smooth() {
            true => {
                // ρ = ε²/2.
                let epsilon = ((1.0 - LOOSE_SHARE) * left).sqrt() / z;
                let noise = multiplier(z / (LOOSE_SHARE * left).sqrt());
                SecondStage::Objective(Epsilon::new(epsilon).expect("finite and above 0"), noise)
            }
            false => SecondStage::Output(multiplier(z / left.sqrt())),
        };
        Self {
            range: Range::new(range_per_selection).expect("finite and above 0"),
            second,
        }
    }

    fn charges(&self, nonzero: NonZeroU64) -> Vec<Charge> {
        let range = self.range;
        let mut charges = vec![Charge::new(Event::Exponential { range }, nonzero)];
        match self.second {
            SecondStage::Objective(epsilon, noise) => {
                charges.push(Charge::once(Event::Pure { epsilon }));
                charges.push(Charge::once(Event::Gaussian { noise }));
            }
            SecondStage::Output(noise) => charges.push(Charge::once(Event::Gaussian { noise })),
        }
        charges
    }
}

impl SecondStage {
    /// λ from public facts. The noise is b/n through the inverse of the curvature and λ, of norm
    /// about k/(βn) where objectives are perturbed, or z·√k·2RB/n over λ. For an objective, λ is
    /// large enough that the change of volume takes at most a quarter of its ε.
    fn lambda(&self, facts: &Facts, loss: Loss, nonzero: usize, intercept: bool) -> f64 {
        let length = ridge::length(facts, nonzero, intercept);
        let weights = (nonzero + usize::from(intercept)) as f64;
        let moved = 2.0 * loss.slope_bound() * length / facts.records as f64;
        match *self {
            Self::Objective(epsilon, _) => {
                let noise = weights * moved / ((1.0 - VOLUME_SHARE) * epsilon.get());
                let longest = ridge::margin(loss) / ridge::entry(facts);
                // log(1 + v) ≤ share·ε at v = e^(share·ε) − 1.
                let volume = (VOLUME_SHARE * epsilon.get()).exp_m1();
                let least = loss.curvature() * length * length / (facts.records as f64 * volume);
                (noise / longest).max(least)
            }
            Self::Output(noise) => ridge::lambda(facts, loss, noise.get() * weights.sqrt() * moved),
        }
    }
}

/// What a two-stage fit will do and spend.
pub struct TwoStagePlan {
    task: Task,
    facts: Facts,
    loss: Loss,
    nonzero: usize,
    blocks: usize,
    lambda: f64,
    intercept: bool,
    noise: Noise,
    spending: Spending,
}

impl PrivatePlan for TwoStagePlan {
    fn header(&self) -> PlanHeader<'_> {
        PlanHeader {
            name: "two-stage",
            task: self.task,
            facts: self.facts,
            spending: &self.spending,
        }
    }

    fn parameters(&self) -> Vec<PlanEntry> {
        let fit = match self.noise.second {
            SecondStage::Objective(..) => "objective perturbation",
            SecondStage::Output(_) => "output perturbation",
        };
        let mut entries = vec![
            PlanEntry::text("nonzero", self.nonzero, "features that get a weight"),
            PlanEntry::text("blocks", self.blocks, "of records, which vote for features"),
            PlanEntry::number(
                "vote noise",
                2.0 / self.noise.range.get(),
                "its scale, in votes",
            ),
            PlanEntry::text("fit", fit, "how the weights are made private"),
            PlanEntry::number("lambda", self.lambda, "strength of the ridge"),
            PlanEntry::text(
                "intercept",
                if self.intercept { "yes" } else { "no" },
                "in the ridge like any weight",
            ),
        ];
        entries.extend(self.loss.huber_threshold().map(PlanEntry::huber_threshold));
        entries
    }

    fn is_central(&self) -> bool {
        true
    }

    fn release(
        &self,
        population: &dyn Population,
        _: Option<&ClassRates>,
        ledger: &mut Ledger,
        randomness: &mut Generator,
        watch: &mut dyn ProgressObserver,
    ) -> Result<super::Released, FitError> {
        report_step(watch, 0, 2, ledger)?;
        let votes = population.central()?.votes(self.blocks, self.nonzero)?;
        let range = self.noise.range;
        let aim = Aim::Highest;
        let chosen = top_k(&votes, self.nonzero, aim, range, ledger, randomness)?;
        // A table has at most 2³² columns.
        let mut support: Vec<u32> = chosen.into_iter().map(|j| j as u32).collect();
        support.sort_unstable();
        report_step(watch, 1, 2, ledger)?;
        let released = self.weights(population, &support, ledger, randomness)?;
        let outputs = vec![LinearFunction::on_support(
            &support,
            &released.to_real(),
            self.intercept,
        )];
        Ok(super::Released::Linear(outputs))
    }
}

impl TwoStagePlan {
    /// The second stage.
    fn weights(
        &self,
        population: &dyn Population,
        support: &[u32],
        ledger: &mut Ledger,
        randomness: &mut Generator,
    ) -> Result<Released, FitError> {
        let problem = RegularisedLoss {
            loss: self.loss,
            lambda: self.lambda,
            support: Some(support),
            intercept: self.intercept,
            centre: None,
            records: self.facts.records,
        };
        Ok(match self.noise.second {
            SecondStage::Objective(epsilon, noise) => objective(
                &population.central()?.objective(&problem)?,
                epsilon,
                noise,
                ledger,
                randomness,
            )?,
            SecondStage::Output(noise) => {
                let weights = population.central()?.minimiser(&problem)?.weights()?;
                gaussian(&weights, noise, ledger, randomness)?
            }
        })
    }
}

#[cfg(test)]
mod tests;
