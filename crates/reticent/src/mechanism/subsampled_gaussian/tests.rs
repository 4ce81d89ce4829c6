//! What a release over a batch promises: it charges no less than it draws, and refuses what the theorem
//! does not cover; sensitivity and audit have files of their own.

mod audit;
mod every_batch;

use super::*;
use crate::attack::chance::Chance;
use crate::loss::Loss;
use crate::matrix::{Dense, Matrix};
use crate::noise::SeededGenerator;
use crate::population::{
    BatchGradient, Length, Point, Population, RecordClip, Records, RowFrame, Slopes,
};
use crate::privacy::{Budget, Delta, Epsilon, LedgerError};
use crate::table::{Layout, RecordBound, Table, Target};

/// Records of one column, rows of length one and two classes.
fn records(rows: &[f32], classes: &[u32], adjacency: Adjacency) -> Records<'static> {
    let table = Table {
        features: Matrix::Dense(Dense::new(rows.to_vec(), rows.len(), 1).unwrap()),
        target: Target::Classes {
            class: classes.to_vec(),
            names: vec!["no".to_owned(), "yes".to_owned()],
        },
        layout: Layout::Numbered { first: 1, width: 1 },
        assumed: Vec::new(),
        units: None,
    };
    let bound = RecordBound::Linf(1.0);
    table.enforce(bound, None, false, adjacency).unwrap()
}

/// The gradient of the logistic loss at 0, ±½ times the row, clipped to ¼: each record adds as much as one
/// may, upwards if it is of the first class.
fn gradient(population: &dyn Population) -> BatchQuery<'_> {
    let frame = RowFrame {
        length: Length::One,
        ..RowFrame::plain()
    };
    let clip = RecordClip::Gradient { length: 0.25 };
    let slopes = Slopes::Loss(Loss::Logistic);
    let question = BatchGradient::new(population.shape(), slopes, &frame, clip, 1e3).unwrap();
    let point = Point {
        weights: vec![0.0],
        intercepts: vec![0.0],
    };
    question.ask(population, &point, None)
}

fn noise(multiplier: f64) -> NoiseMultiplier {
    NoiseMultiplier::new(multiplier).unwrap()
}

fn poisson(rate: f64) -> Batches {
    Batches::Poisson(SamplingRate::new(rate).unwrap())
}

fn fixed_size(size: u32, units: u32) -> Batches {
    Batches::FixedSize {
        size: NonZeroU32::new(size).unwrap(),
        units: NonZeroU32::new(units).unwrap(),
    }
}

/// A ledger that covers these releases, whatever they cost.
fn ledger_for(charge: Charge, adjacency: Adjacency) -> Ledger {
    let budget = Budget::new(Epsilon::new(1e9).unwrap(), Delta::new(1e-3).unwrap());
    Ledger::planned(budget, adjacency, vec![charge]).unwrap()
}

/// The rate that is charged, as m·2⁻ᵉ.
fn charged(batches: Batches) -> (u128, u32) {
    let Event::SubsampledGaussian { rate, .. } = batches.event(noise(1.0)) else {
        return (1, 0);
    };
    let bits = rate.get().to_bits();
    let mantissa = u128::from(bits & ((1 << 52) - 1) | 1 << 52);
    (mantissa, (1075 - (bits >> 52)) as u32)
}

/// In whole numbers: m·n ≥ b·2ᵉ.
#[test]
fn a_batch_of_so_many_is_charged_as_no_smaller_share() {
    let mut chance = Chance::new(1);
    for _ in 0..100_000 {
        let units = 1 + (chance.bits() >> (32 + chance.below(32))) as u32;
        let size = 1 + chance.below(units as usize) as u32;
        let (mantissa, exponent) = charged(fixed_size(size, units));
        let share = u128::from(size) << exponent;
        assert!(mantissa * u128::from(units) >= share, "{size} of {units}");
    }
}

#[test]
fn batches_are_drawn_as_the_adjacency_has_its_theorem() {
    for (size, records) in [(1, 7), (7, 8), (300, 1_000_000), (0, 5)] {
        let least = size.max(1);
        assert_eq!(
            Batches::of(size, records, Adjacency::ReplaceOne),
            fixed_size(least as u32, records as u32)
        );
        assert_eq!(
            Batches::of(size, records, Adjacency::AddRemove),
            poisson(least as f64 / records as f64)
        );
    }
    for adjacency in [Adjacency::ReplaceOne, Adjacency::AddRemove] {
        for size in [8, 9, u64::MAX] {
            let all = Batches::of(size, 8, adjacency);
            assert!(
                all.are_all() && all.event(noise(2.0)) == Event::Gaussian { noise: noise(2.0) }
            );
        }
    }
}

/// The number of units is public where batches of a fixed size are drawn, and another number than was
/// planned would be another rate; elsewhere no message depends on how many there are.
#[test]
fn batches_that_were_planned_for_others_are_refused_before_anything_is_charged() {
    let mut randomness = SeededGenerator::not_private(1);
    let mut release = |count: usize, adjacency, batches: Batches, ledger: &mut Ledger| {
        let sealed = records(&vec![1.0; count], &vec![0; count], adjacency);
        let query = gradient(&sealed);
        subsampled_gaussian(&query, batches, noise(1.0), ledger, &mut randomness)
    };
    let batches = fixed_size(2, 6);
    let charge = Charge::once(batches.event(noise(1.0)));
    let mut ledger = ledger_for(charge, Adjacency::ReplaceOne);
    for (count, adjacency, known) in [
        (5, Adjacency::ReplaceOne, Some(5)),
        (7, Adjacency::ReplaceOne, Some(7)),
    ] {
        let refused = release(count, adjacency, batches, &mut ledger).unwrap_err();
        let expected = ReleaseError::BatchOfOthers {
            planned: 6,
            count: known,
        };
        assert_eq!(refused, expected);
    }
    // The one release of the plan is left.
    release(6, Adjacency::ReplaceOne, batches, &mut ledger).unwrap();
    let again = release(6, Adjacency::ReplaceOne, batches, &mut ledger).unwrap_err();
    assert!(matches!(
        again,
        ReleaseError::Ledger(LedgerError::NotInPlan { .. })
    ));

    let gaussian = Charge::once(Batches::All.event(noise(1.0)));
    let mut ledger = ledger_for(gaussian, Adjacency::AddRemove);
    for count in [5, 6] {
        let refused = release(count, Adjacency::AddRemove, batches, &mut ledger).unwrap_err();
        let expected = ReleaseError::BatchOfOthers {
            planned: 6,
            count: None,
        };
        assert_eq!(refused, expected);
    }
    let mut ledger = ledger_for(gaussian, Adjacency::ReplaceOne);
    let refused = release(6, Adjacency::ReplaceOne, poisson(0.5), &mut ledger).unwrap_err();
    assert!(matches!(refused, ReleaseError::Ledger(_)));
}
