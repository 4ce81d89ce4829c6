//! What class rates are, from noisy counts.

use super::*;

fn rates(released: &[f64], adjacency: Adjacency, records: usize) -> ClassRates {
    let task = match released.len() {
        2 => TWO_CLASSES,
        classes => Task::Multinomial {
            classes: classes as u32,
        },
    };
    ClassRates::new(released.to_vec(), 4.0, adjacency, (task, &facts(records)))
}

#[test]
fn two_counts_of_a_public_number_of_records_are_pooled() {
    let found = rates(&[70.0, 36.0], Adjacency::ReplaceOne, 100);
    // (100 − 70 + 36)/2, with half the variance.
    assert_eq!((found.second(), found.total), (33.0, 100.0));
    assert_eq!(found.deviation, 4.0 / 2f64.sqrt());
    assert_eq!(found.shares(), [0.67, 0.33]);
}

#[test]
fn a_private_number_of_records_is_the_sum_of_the_counts() {
    for declared in [1, 100, 1_000_000] {
        let found = rates(&[70.0, 36.0], Adjacency::AddRemove, declared);
        assert_eq!((found.second(), found.total), (36.0, 106.0));
        assert_eq!(found.deviation, 4.0);
        let several = rates(&[7.0, 5.0, 8.0], Adjacency::AddRemove, declared);
        assert_eq!(several.total, 20.0);
    }
}

#[test]
fn no_count_is_below_one_or_half_a_deviation() {
    let found = rates(&[-30.0, 5.0, 95.0], Adjacency::ReplaceOne, 100);
    assert_eq!(found.shares(), [2.0, 5.0, 95.0].map(|count| count / 102.0));
    let found = ClassRates::new(
        vec![-1.0, 5.0],
        0.5,
        Adjacency::AddRemove,
        (TWO_CLASSES, &facts(1)),
    );
    assert_eq!((found.second(), found.total), (5.0, 6.0));
    let found = rates(&[130.0, -40.0], Adjacency::ReplaceOne, 100);
    assert_eq!(found.second(), (4.0 / 2f64.sqrt() / 2.0f64).max(1.0));
    assert!(found.log_odds()[0].is_finite());
}

#[test]
fn log_odds_are_those_of_the_counts() {
    let two = rates(&[75.0, 25.0], Adjacency::ReplaceOne, 100);
    let [log_odds] = two.log_odds()[..] else {
        panic!("one function");
    };
    assert!((log_odds - (1.0f64 / 3.0).ln()).abs() < 1e-12);
    let three = rates(&[50.0, 30.0, 20.0], Adjacency::ReplaceOne, 100);
    for (found, share) in pairs(three.log_odds(), [0.5f64, 0.3, 0.2]) {
        assert!((found - share.ln()).abs() < 1e-12);
    }
    for rates in [two, three] {
        let functions = rates.functions();
        assert!(functions.iter().all(|f| f.weights.is_empty()));
        let intercepts: Vec<f64> = functions.iter().map(|f| f.intercept).collect();
        assert_eq!(intercepts, rates.log_odds());
    }
}

/// Also where the clip is above every slope, and then the rates themselves are the answer.
#[test]
fn clipped_slopes_of_two_classes_add_up_to_nothing() {
    for second in [0.002, 0.1, 0.37, 0.5, 0.8, 0.999] {
        let counts = [1e6 * (1.0 - second), 1e6 * second];
        let found = rates(&counts, Adjacency::ReplaceOne, 1_000_000);
        for slope in [0.05, 0.2, 0.5, 0.9, 1.0] {
            let p = sigmoid(found.clipped_log_odds(slope)[0]);
            let clipped = |residual: f64| residual.clamp(-slope, slope);
            let sum = (1.0 - second) * clipped(p) + second * clipped(p - 1.0);
            assert!(sum.abs() < 1e-9, "{second} {slope}: {sum}");
        }
        let (all, none) = (found.clipped_log_odds(1.0)[0], found.log_odds()[0]);
        assert!((all - none).abs() < 1e-9);
    }
}

#[test]
fn clipped_residuals_of_several_classes_add_up_to_nothing() {
    let of_shares: [&[f64]; 4] = [
        &[0.5, 0.3, 0.2],
        &[0.9, 0.09, 0.01],
        &[0.25; 4],
        &[0.4, 0.3, 0.15, 0.1, 0.05],
    ];
    for shares in of_shares {
        let counts: Vec<f64> = shares.iter().map(|share| 1e6 * share).collect();
        let found = rates(&counts, Adjacency::ReplaceOne, 1_000_000);
        for norm in [0.3, 0.7, 1.5] {
            let odds: Vec<f64> = found
                .clipped_log_odds(norm)
                .iter()
                .map(|c| c.exp())
                .collect();
            let total: f64 = odds.iter().sum();
            let mut sums = vec![0.0; shares.len()];
            for (class, share) in shares.iter().enumerate() {
                let of = |l: usize| odds[l] / total - f64::from(u8::from(l == class));
                let residual: Vec<f64> = (0..shares.len()).map(of).collect();
                let length = residual.iter().map(|r| r * r).sum::<f64>().sqrt();
                for (sum, residual) in pairs(&mut sums, residual) {
                    *sum += share * residual * (norm / length).min(1.0);
                }
            }
            // Of the smallest share, 1 %, a tenth.
            assert!(
                sums.iter().all(|sum| sum.abs() < 1e-3),
                "{shares:?} {norm}: {sums:?}"
            );
        }
    }
}
