//! Teacher, answers, student.

use super::super::{
    FitError, LinearFunction, PlanEntry, PlanHeader, PrivatePlan, ProgressObserver, Released,
    report_step,
};
use super::plan::TransferPlan;
use super::{Auxiliary, Teacher};
use crate::fit::ClassRates;
use crate::loss::Loss;
use crate::matrix::{Dense, Matrix};
use crate::mechanism::{ReleaseError, gaussian, top_k};
use crate::noise::{Aim, Generator, Randomness, RoundedGaussian};
use crate::population::{Gradient, Population, RegularisedLoss, RowFrame, Slopes};
use crate::privacy::Ledger;
use crate::solve::{Design, LinearProblem, SparseSolution, Stop, hard_threshold};
use crate::table::{PublicFeatures, RecordBound};

/// Grid steps per standard deviation for Gaussian entries.
const GAUSSIAN_STEPS: f64 = (1u64 << 20) as f64;

/// When the student has learnt enough; the answers are noisier than this.
const STUDENT: Stop = Stop {
    gap: 1e-12,
    steps: 500,
};

impl PrivatePlan for TransferPlan {
    fn header(&self) -> PlanHeader<'_> {
        PlanHeader {
            name: "transfer",
            task: self.task,
            facts: self.facts,
            spending: &self.spending,
        }
    }

    fn parameters(&self) -> Vec<PlanEntry> {
        self.entries()
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
    ) -> Result<Released, FitError> {
        let central = population.central()?;
        report_step(watch, 0, 2, ledger)?;
        let support = self.support(population, ledger, randomness)?;
        report_step(watch, 1, 2, ledger)?;
        let public = self.public(support.as_deref(), randomness)?;
        let teacher = central.minimiser(&RegularisedLoss {
            loss: self.loss,
            lambda: self.lambda,
            support: support.as_deref(),
            intercept: self.intercept,
            centre: None,
            records: self.facts.records,
        })?;
        let answers = teacher.answers(&public)?;
        let answers = gaussian(&answers, self.noise.answers, ledger, randomness)?.to_real();
        let design = Design {
            features: public.features(),
            unit: public.unit(),
        };
        let student = student(design, &answers, self.nonzero, self.intercept);
        let column = |j: u32| support.as_ref().map_or(j, |support| support[j as usize]);
        let weights = student.weights.iter().map(|(j, w)| (column(*j), *w));
        let output = LinearFunction {
            weights: weights.collect(),
            intercept: student.intercept,
        };
        Ok(Released::Linear(vec![output]))
    }
}

impl TransferPlan {
    /// The columns that the teacher has weights for; all if `None`.
    fn support(
        &self,
        population: &dyn Population,
        ledger: &mut Ledger,
        randomness: &mut Generator,
    ) -> Result<Option<Vec<u32>>, FitError> {
        let (Teacher::Support, Some(range)) = (self.teacher, self.noise.range) else {
            return Ok(None);
        };
        let mut gradient = Gradient::ask(
            population,
            Slopes::Loss(self.loss),
            self.slope_grid,
            &RowFrame::plain(),
        )?;
        let sizes = gradient.columns().magnitudes();
        let aim = Aim::Highest;
        let chosen = top_k(&sizes, self.nonzero, aim, range, ledger, randomness)?;
        // A table has at most 2³² columns.
        let mut support: Vec<u32> = chosen.into_iter().map(|j| j as u32).collect();
        support.sort_unstable();
        Ok(Some(support))
    }

    /// The public rows, on the teacher's columns.
    fn public(
        &self,
        support: Option<&[u32]>,
        randomness: &mut Generator,
    ) -> Result<PublicFeatures, FitError> {
        let width = support.map_or(self.facts.columns, <[u32]>::len);
        let matrix = match &self.auxiliary {
            Auxiliary::Public(matrix) => {
                let public = PublicFeatures::enforced(matrix.clone(), self.facts.rows)?;
                return Ok(match support {
                    Some(support) => public.restricted(support),
                    None => public,
                });
            }
            Auxiliary::Elsewhere { .. } => return Err(FitError::NoPublicRows),
            Auxiliary::Uniform { .. } => uniform(self.rows, width, randomness),
            Auxiliary::Gaussian { .. } => standard_normal(self.rows, width, randomness, 1.0 / 3.0)?,
        };
        Ok(PublicFeatures::enforced(
            scaled(matrix, self.facts.rows, width),
            self.facts.rows,
        )?)
    }
}

/// The student: least squares with at most `nonzero` weights, on released answers alone.
pub(super) fn student(
    design: Design<'_>,
    answers: &[f64],
    nonzero: usize,
    intercept: bool,
) -> SparseSolution {
    let problem = LinearProblem {
        design,
        targets: answers,
        loss: Loss::Squared {
            threshold: f64::INFINITY,
        },
        intercept,
    };
    hard_threshold(problem, nonzero, true, STUDENT)
}

/// Entries in units of the bound, scaled so that a row keeps to it.
fn scaled(mut entries: Vec<f32>, bound: RecordBound, width: usize) -> Matrix<'static> {
    let size = match bound {
        RecordBound::Linf(bound) => bound,
        RecordBound::L2(bound) => bound / (width as f64).sqrt(),
    };
    for entry in &mut entries {
        // A bound is between 1e-100 and 1e100; one beyond the range of `f32` leaves zeros or its
        // largest values, and useless rows, which the answers then refuse.
        *entry = ((f64::from(*entry) * size) as f32).clamp(f32::MIN, f32::MAX);
    }
    let rows = entries.len() / width;
    Matrix::Dense(Dense::new(entries, rows, width).expect("whole rows of finite numbers"))
}

/// Entries between −1 and 1.
fn uniform(rows: usize, width: usize, randomness: &mut Generator) -> Vec<f32> {
    // 24 bits, which `f32` holds exactly.
    let entry = |_| (randomness.next_u64() >> 40) as f32 / (1u32 << 23) as f32 - 1.0;
    (0..rows * width).map(entry).collect()
}

/// Gaussian entries.
pub(super) fn standard_normal(
    rows: usize,
    width: usize,
    randomness: &mut Generator,
    deviation: f64,
) -> Result<Vec<f32>, ReleaseError> {
    let sampler = RoundedGaussian::new(GAUSSIAN_STEPS)?;
    let entry = |_| (sampler.sample(randomness) as f64 / GAUSSIAN_STEPS * deviation) as f32;
    Ok((0..rows * width).map(entry).collect())
}
