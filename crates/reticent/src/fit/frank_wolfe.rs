//! Private Frank–Wolfe.

use std::num::NonZeroU64;

use super::{Facts, FitError, Fitted, Task, Watch};
use crate::data::Records;
use crate::noise::Randomness;
use crate::privacy::{Adjacency, Budget, Charge};
use crate::solve::Region;

/// Parameters of private Frank–Wolfe.
pub struct FrankWolfe {
    /// What kind of model.
    pub task: Task,
    /// What may be spent.
    pub budget: Budget,
    /// Which tables count as neighbours.
    pub adjacency: Adjacency,
    /// Where the weights may lie; the ℓ₁ ball of the default radius if `None`.
    pub region: Option<Region>,
    /// How many steps; from public facts if `None`.
    pub iterations: Option<NonZeroU64>,
    /// How large they are.
    pub steps: Steps,
    /// Whether there is an intercept, free of the region.
    pub intercept: bool,
    /// Which noise.
    pub calibration: Calibration,
}

/// The size of step t = 0, 1, 2 …
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Steps {
    /// 2/(t + 2).
    Standard,
    /// 1/(t + 1): the model is the plain average of the vertices chosen.
    Average,
}

/// Which noise a selection gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Calibration {
    /// The least that the budget allows.
    Exact,
    /// The Laplace noise of the paper, certified at the ε that is proved for it.
    AsPublished,
}

/// What a fit will do and spend, from public facts alone.
pub struct Plan {
    charges: Vec<Charge>,
}

/// Why parameters make no plan.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PlanError {}

impl FrankWolfe {
    /// The plan for a table of which `facts` are known.
    pub fn plan(self, facts: Facts) -> Result<Plan, PlanError> {
        let _ = facts;
        todo!()
    }
}

impl Plan {
    /// Everything that will be charged.
    pub fn charges(&self) -> &[Charge] {
        &self.charges
    }

    /// Fits.
    pub fn run<R: Randomness>(
        &self,
        records: &Records,
        randomness: &mut R,
        watch: &mut dyn Watch,
    ) -> Result<Fitted, FitError> {
        let _ = (records, randomness, watch);
        todo!()
    }
}
