//! Metrics against scikit-learn, against their definitions, and where there is no answer.

use proptest::prelude::*;
use serde::Deserialize;

use super::*;
use crate::testing::pairs;

/// Vectors made by scikit-learn; the file says which version, and how.
#[derive(Deserialize)]
struct Vectors {
    classes: Vec<ClassVector>,
    several: Vec<SeveralVector>,
    values: Vec<ValueVector>,
}

#[derive(Deserialize)]
struct SeveralVector {
    scores: Vec<f64>,
    class: Vec<u32>,
    classes: usize,
    accuracy: f64,
    top5: Option<f64>,
    macro_f1: f64,
    auc: f64,
    log_loss: f64,
    confusion: Vec<Vec<u64>>,
}

#[derive(Deserialize)]
struct ClassVector {
    scores: Vec<f64>,
    second: Vec<bool>,
    accuracy: f64,
    auc: f64,
    log_loss: f64,
    confusion: [[u64; 2]; 2],
}

#[derive(Deserialize)]
struct ValueVector {
    predicted: Vec<f64>,
    target: Vec<f64>,
    mse: f64,
    mae: f64,
    r2: f64,
}

fn vectors() -> Vectors {
    serde_json::from_str(include_str!("../../tests/data/metrics.json")).unwrap()
}

fn numbers(second: &[bool]) -> Vec<u32> {
    second.iter().map(|&second| u32::from(second)).collect()
}

fn near(ours: f64, theirs: f64) {
    assert!(
        (ours - theirs).abs() <= 1e-12 * theirs.abs().max(1.0),
        "{ours} {theirs}"
    );
}

#[test]
fn metrics_of_classes_are_those_of_scikit_learn() {
    let vectors = vectors().classes;
    assert!(vectors.len() >= 4);
    for vector in vectors {
        let ours = classes(&vector.scores, &numbers(&vector.second)).unwrap();
        near(ours.accuracy, vector.accuracy);
        near(ours.auc.unwrap(), vector.auc);
        near(ours.log_loss, vector.log_loss);
        assert_eq!(ours.confusion, vector.confusion);
    }
}

#[test]
fn metrics_of_several_classes_are_those_of_scikit_learn() {
    let vectors = vectors().several;
    assert!(vectors.iter().any(|vector| vector.top5.is_some()));
    for vector in vectors {
        let ours = multiclass(&vector.scores, &vector.class, vector.classes).unwrap();
        near(ours.accuracy, vector.accuracy);
        near(ours.macro_f1, vector.macro_f1);
        near(ours.auc.unwrap(), vector.auc);
        near(ours.log_loss, vector.log_loss);
        if let Some(top5) = vector.top5 {
            near(ours.top5.unwrap(), top5);
        }
        assert_eq!(ours.top5.is_some(), vector.classes > 5);
        for (count, row) in pairs(&ours.classes, &vector.confusion) {
            assert_eq!(count.records, row.iter().sum::<u64>());
        }
        assert_eq!(ours.confusion, Some(vector.confusion));
    }
}

/// Two classes with scores 0 and m have the log-odds m.
#[test]
fn two_of_several_classes_are_two_classes() {
    for vector in vectors().classes {
        let class = numbers(&vector.second);
        let both: Vec<f64> = vector.scores.iter().flat_map(|&m| [0.0, m]).collect();
        let ours = multiclass(&both, &class, 2).unwrap();
        near(ours.accuracy, vector.accuracy);
        near(ours.auc.unwrap(), vector.auc);
        near(ours.log_loss, vector.log_loss);
        assert_eq!(
            ours.confusion,
            Some(vector.confusion.map(Vec::from).to_vec())
        );
    }
}

#[test]
fn classes_that_are_absent_do_not_count_and_huge_scores_do_not_overflow() {
    let sure = multiclass(&[0.0, 1e300, -1e300, 1e300, 0.0, -1e300], &[1, 0], 3).unwrap();
    assert_eq!(
        (sure.accuracy, sure.macro_f1, sure.log_loss),
        (1.0, 1.0, 0.0)
    );
    assert_eq!(sure.auc, Some(1.0));
    assert_eq!(sure.classes[2].recall(), None);
    let wrong = multiclass(&[0.0, 750.0, 0.0], &[0], 3).unwrap();
    assert_eq!((wrong.log_loss, wrong.auc, wrong.top5), (750.0, None, None));
    assert_eq!(multiclass(&[], &[], 3), None);
    // The table grows with the square of the classes.
    let many = multiclass(&vec![0.0; 1001], &[0], 1001).unwrap();
    assert_eq!(many.confusion, None);
    assert_eq!(many.top5, Some(1.0));
}

#[test]
fn metrics_of_values_are_those_of_scikit_learn() {
    let vectors = vectors().values;
    assert!(vectors.len() >= 3);
    for vector in vectors {
        let ours = values(&vector.predicted, &vector.target).unwrap();
        near(ours.mse, vector.mse);
        near(ours.mae, vector.mae);
        near(ours.r2.unwrap(), vector.r2);
    }
}

#[test]
fn a_perfect_score_is_perfect_and_a_reversed_one_is_not() {
    let second = [0, 0, 1, 1];
    let perfect = classes(&[-800.0, -700.0, 700.0, 800.0], &second).unwrap();
    assert_eq!((perfect.accuracy, perfect.auc), (1.0, Some(1.0)));
    assert_eq!(perfect.confusion, [[2, 0], [0, 2]]);
    assert!(perfect.log_loss < 1e-300);
    let reversed = classes(&[800.0, 700.0, -700.0, -800.0], &second).unwrap();
    assert_eq!((reversed.accuracy, reversed.auc), (0.0, Some(0.0)));
    assert_eq!(reversed.log_loss, 750.0);
    let values = values(&[1.0, 2.0], &[1.0, 2.0]).unwrap();
    assert_eq!((values.mse, values.mae, values.r2), (0.0, 0.0, Some(1.0)));
}

#[test]
fn ties_count_half_and_zero_has_one_sign() {
    let auc = |scores: &[f64], second: &[bool]| classes(scores, &numbers(second)).unwrap().auc;
    assert_eq!(auc(&[0.0, -0.0], &[true, false]), Some(0.5));
    assert_eq!(auc(&[0.0, -0.0], &[false, true]), Some(0.5));
    assert_eq!(auc(&[3.0; 5], &[true, false, true, true, false]), Some(0.5));
    assert_eq!(auc(&[1.0, 1.0, 2.0], &[false, true, true]), Some(0.75));
    // At even odds the first class is predicted.
    assert_eq!(classes(&[0.0], &[0]).unwrap().accuracy, 1.0);
}

#[test]
fn what_has_no_answer_is_none_and_never_nan() {
    assert_eq!(classes(&[], &[]), None);
    assert_eq!(values(&[], &[]), None);
    assert_eq!(classes(&[1.0, 2.0], &[1, 1]).unwrap().auc, None);
    assert_eq!(classes(&[1.0, 2.0], &[0, 0]).unwrap().auc, None);
    // 0.1 + 0.1 + 0.1 is not three times 0.1: the mean is off, the target does not vary.
    assert_eq!(values(&[1.0; 3], &[0.1; 3]).unwrap().r2, None);
    let nothing = support(&[], &[]);
    assert_eq!(
        (nothing.precision, nothing.recall, nothing.f1),
        (None, None, None)
    );
    let missed = support(&[], &[1]);
    assert_eq!(
        (missed.precision, missed.recall, missed.f1),
        (None, Some(0.0), Some(0.0))
    );
}

#[test]
fn support_counts_what_was_found_and_what_was_missed() {
    let found = support(&[7, 2, 9], &[2, 3, 9, 11]);
    near(found.precision.unwrap(), 2.0 / 3.0);
    near(found.recall.unwrap(), 0.5);
    near(found.f1.unwrap(), 4.0 / 7.0);
}

proptest! {
    /// The definition, pair by pair.
    #[test]
    fn the_auc_is_the_share_of_pairs_in_order(
        records in prop::collection::vec((-3i8..4, any::<bool>()), 1..60),
    ) {
        let scores: Vec<f64> = records.iter().map(|&(score, _)| f64::from(score)).collect();
        let second: Vec<u32> = records.iter().map(|&(_, second)| u32::from(second)).collect();
        let of = |class: bool| records.iter().filter(move |record| record.1 == class);
        let mut pairs = 0.0;
        let mut wins = 0.0;
        for (high, _) in of(true) {
            for (low, _) in of(false) {
                pairs += 1.0;
                wins += match high.cmp(low) {
                    std::cmp::Ordering::Greater => 1.0,
                    std::cmp::Ordering::Equal => 0.5,
                    std::cmp::Ordering::Less => 0.0,
                };
            }
        }
        let expected = (pairs > 0.0).then(|| wins / pairs);
        prop_assert_eq!(classes(&scores, &second).unwrap().auc, expected);
    }
}
