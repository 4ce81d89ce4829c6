use proptest::prelude::*;

use super::*;
use crate::matrix::{Dense, Matrix};
use crate::population::Population;
use crate::table::{Layout, RecordBound, Table, Target, TargetRange};
use crate::testing::pairs;

fn records(rows: &[Vec<f32>], targets: &[f64], adjacency: Adjacency) -> Records<'static> {
    let width = rows[0].len();
    let table = Table {
        features: Matrix::Dense(Dense::new(rows.concat(), rows.len(), width).unwrap()),
        target: Target::Values(targets.to_vec()),
        layout: Layout::Numbered { first: 1, width },
        assumed: Vec::new(),
        units: None,
    };
    let range = TargetRange {
        low: -1.0,
        high: 1.0,
    };
    let bound = RecordBound::Linf(1.0);
    table.enforce(bound, Some(range), true, adjacency).unwrap()
}

proptest! {
    #[test]
    fn a_replaced_record_moves_no_score_by_more_than_the_range_allows(
        rows in prop::collection::vec(prop::collection::vec(-1.0..1.0f32, 6), 12),
        targets in prop::collection::vec(-1.0..1.0f64, 12),
        row in prop::collection::vec(-1.0..1.0f32, 6),
        which in 0..12usize,
        blocks in 1..12usize,
        each in 1..6usize,
    ) {
        let scores = records(&rows, &targets, Adjacency::ReplaceOne).central().unwrap().votes(blocks, each).unwrap();
        let (mut other_rows, mut other_targets) = (rows, targets);
        other_rows[which] = row;
        other_targets[which] = -other_targets[which];
        let other = records(&other_rows, &other_targets, Adjacency::ReplaceOne);
        let other = other.central().unwrap().votes(blocks, each).unwrap();
        let moves = pairs(scores.raw_values(), other.raw_values()).map(|(a, b)| a - b);
        let (least, most) = (moves.clone().min().unwrap(), moves.max().unwrap());
        prop_assert!((most - least) as u64 <= scores.raw_range());
        prop_assert_eq!(scores.raw_values().iter().sum::<i64>(), (blocks * each) as i64);
    }
}

/// One record turns its block from one column to another: the range is reached.
#[test]
fn the_range_is_reached() {
    let votes = |row: Vec<f32>| {
        let rows = [vec![1.0, 0.0], row];
        let records = records(&rows, &[1.0, -1.0], Adjacency::ReplaceOne);
        let scores = records.central().unwrap().votes(1, 1).unwrap();
        assert_eq!(scores.raw_range(), 2);
        scores.raw_values().to_vec()
    };
    assert_eq!(votes(vec![-1.0, 0.0]), [1, 0]);
    assert_eq!(votes(vec![1.0, -1.0]), [0, 1]);
}

#[test]
fn a_file_sorted_by_its_target_fills_every_block_with_both() {
    let rows: Vec<Vec<f32>> = (0..40)
        .map(|i| vec![if i < 20 { -1.0 } else { 1.0 }, 1.0, 0.5])
        .collect();
    let targets: Vec<f64> = (0..40).map(|i| if i < 20 { -1.0 } else { 1.0 }).collect();
    let scores = records(&rows, &targets, Adjacency::ReplaceOne)
        .central()
        .unwrap()
        .votes(10, 1)
        .unwrap();
    assert_eq!(scores.raw_values(), [10, 0, 0]);
}

#[test]
fn blocks_that_rows_can_shift_between_are_refused() {
    let rows = vec![vec![1.0f32, 0.0]; 4];
    let refused = |adjacency, blocks, each| {
        let records = records(&rows, &[0.0; 4], adjacency);
        records
            .central()
            .unwrap()
            .votes(blocks, each)
            .map(drop)
            .unwrap_err()
    };
    use Adjacency::{AddRemove, ReplaceOne};
    assert_eq!(refused(AddRemove, 2, 1), VotesError::ReplaceOneOnly);
    for blocks in [0, 5] {
        let error = refused(ReplaceOne, blocks, 1);
        assert!(
            matches!(error, VotesError::Blocks { records: 4, .. }),
            "{error}"
        );
    }
    for each in [0, 3] {
        let error = refused(ReplaceOne, 2, each);
        assert!(
            matches!(error, VotesError::Each { columns: 2, .. }),
            "{error}"
        );
    }
}
