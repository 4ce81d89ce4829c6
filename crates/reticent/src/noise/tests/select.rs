//! Selection against the softmax.

use super::ALARM;
use super::support::{chi_square, proportion};
use crate::noise::{
    Aim, Candidates, ExponentialSelector, Grid, GridError, SeededGenerator, SelectionError,
};

/// exp(rate·(score − best)), normalised.
fn softmax(rate: f64, scores: &[f64]) -> Vec<f64> {
    let best = scores.iter().copied().fold(f64::MIN, f64::max);
    let weights: Vec<f64> = scores.iter().map(|s| (rate * (s - best)).exp()).collect();
    let total: f64 = weights.iter().sum();
    weights.iter().map(|w| w / total).collect()
}

/// 100 000 choices at each of three rates and both aims, and 10 000 two bits at a time;
/// false alarm 1.2e-5. Scores have ties, and weights that span 24 buckets.
#[test]
fn candidates_win_in_proportion_to_their_weights() {
    let scores = [3, -5, 10, 10, 7, 0, 9, 3, 10, -12];
    for (seed, rate) in [0.01, 0.2, 0.75].into_iter().enumerate() {
        for (aim, sign) in [(Aim::Highest, 1.0), (Aim::Lowest, -1.0)] {
            let mut rng = SeededGenerator::not_private(200 + seed as u64);
            let selector = ExponentialSelector::new(rate, aim).unwrap();
            let signed: Vec<f64> = scores.iter().map(|&s| sign * s as f64).collect();
            let law = softmax(rate, &signed);
            let mut counts = [[0; 10]; 2];
            for _ in 0..100_000 {
                counts[0][selector.choose(&scores, &mut rng).unwrap()] += 1;
            }
            for _ in 0..10_000 {
                let winner = selector
                    .choose_top_at::<2, _>(Candidates::Plain(&scores), 1, &mut rng)
                    .unwrap()[0];
                counts[1][winner] += 1;
            }
            for (counts, trials) in counts.iter().zip([1e5, 1e4]) {
                let expected: Vec<f64> = law.iter().map(|p| p * trials).collect();
                let p = chi_square(counts, &expected);
                assert!(p > ALARM, "rate {rate} {aim:?}: p = {p:e}");
            }
        }
    }
}

/// 100 000 choices each with no uniform proposal, with one (both ways happen then) and with
/// 256, from both layouts and for both aims, and 10 000 each two bits at a time; false alarm
/// 2.4e-5.
#[test]
fn both_ways_to_a_winner_have_the_same_law() {
    let values = [3, -5, 10, 7, 0];
    let both: Vec<i64> = values.iter().copied().chain(values.map(|v| -v)).collect();
    let rate = 0.3;
    for (seed, tries) in [0, 1, 256].into_iter().enumerate() {
        let mut rng = SeededGenerator::not_private(270 + seed as u64);
        for (aim, sign) in [(Aim::Highest, 1.0), (Aim::Lowest, -1.0)] {
            let selector = ExponentialSelector::new(rate, aim).unwrap();
            let scores: Vec<f64> = both.iter().map(|&s| sign * s as f64).collect();
            let law = softmax(rate, &scores);
            for candidates in [Candidates::Plain(&both), Candidates::Signed(&values)] {
                let mut counts = [[0; 10]; 2];
                for _ in 0..100_000 {
                    let i = selector.choose_among::<64, _>(candidates, tries, &mut rng);
                    counts[0][i.unwrap()] += 1;
                }
                for _ in 0..10_000 {
                    let i = selector.choose_among::<2, _>(candidates, tries, &mut rng);
                    counts[1][i.unwrap()] += 1;
                }
                for (counts, trials) in counts.iter().zip([1e5, 1e4]) {
                    let expected: Vec<f64> = law.iter().map(|p| p * trials).collect();
                    let p = chi_square(counts, &expected);
                    assert!(
                        p > ALARM,
                        "{tries} tries, {candidates:?}, {aim:?}: p = {p:e}"
                    );
                }
            }
        }
    }
}

#[test]
fn both_signs_need_no_copy_and_know_their_best() {
    let values = [3, -5, 10, -(i64::MAX), 0];
    let (signed, scores) = (
        Candidates::Signed(&values),
        Candidates::Signed(&values).scores(),
    );
    assert_eq!(signed.len(), scores.len());
    for flip in [0, -1] {
        assert_eq!(signed.best(flip), Candidates::Plain(&scores).best(flip));
    }
    assert!((0..10).all(|i| signed.score(i) == scores[i]));
}

/// 100 000 choices; false alarm 1e-6.
#[test]
fn the_greatest_gaps_do_not_overflow() {
    let mut rng = SeededGenerator::not_private(210);
    let scores = [i64::MIN, i64::MAX, 0, i64::MAX, i64::MIN];
    for rate in [1e30, 1.0, 1e-15] {
        for (aim, winners) in [(Aim::Highest, [1, 3]), (Aim::Lowest, [0, 4])] {
            let selector = ExponentialSelector::new(rate, aim).unwrap();
            for _ in 0..100 {
                assert!(winners.contains(&selector.choose(&scores, &mut rng).unwrap()));
            }
        }
    }
    // A rate at which even such a gap is small: weights 1, exp(−½), exp(−1).
    let selector = ExponentialSelector::new(2f64.powi(-64), Aim::Highest).unwrap();
    let law = softmax(1.0, &[-1.0, 0.0, -0.5, 0.0, -1.0]);
    let mut counts = [0; 5];
    for _ in 0..100_000 {
        counts[selector.choose(&scores, &mut rng).unwrap()] += 1;
    }
    let expected: Vec<f64> = law.iter().map(|p| p * 1e5).collect();
    assert!(chi_square(&counts, &expected) > ALARM);
}

/// 300 choices among a million, half of them with weight e⁻¹; false alarm 1e-6.
#[test]
fn a_million_candidates_share_as_they_should() {
    let mut rng = SeededGenerator::not_private(220);
    let scores: Vec<i64> = (0..1_000_000).map(|i| -(i % 2)).collect();
    let selector = ExponentialSelector::new(1.0, Aim::Highest).unwrap();
    let winners: Vec<usize> = (0..300)
        .map(|_| selector.choose(&scores, &mut rng).unwrap())
        .collect();
    let even = winners.iter().filter(|&&i| i % 2 == 0).count() as u64;
    assert!(proportion(even, 300, 1.0 / (1.0 + (-1f64).exp())) > ALARM);
    let late = winners.iter().filter(|&&i| i >= 500_000).count() as u64;
    assert!(proportion(late, 300, 0.5) > ALARM);
}

/// 50 000 decisions for each of four gaps, and 5 000 two bits at a time; false alarm 8e-6.
/// In the last bucket proposals have weight 2⁻⁶⁴, however small that of the candidate.
#[test]
fn proposals_from_deep_buckets_are_kept_as_they_should() {
    let selector = ExponentialSelector::new(1.0, Aim::Highest).unwrap();
    for (gap, bucket) in [(1, 1), (28, 40), (45, 64), (47, 64)] {
        let mut rng = SeededGenerator::not_private(225 + gap);
        let share = (-(gap as f64)).exp() * 2f64.powi(i32::from(bucket));
        let kept = (0..50_000)
            .filter(|_| selector.keep::<64, _>(gap, bucket, &mut rng))
            .count();
        assert!(proportion(kept as u64, 50_000, share) > ALARM, "gap {gap}");
        let kept = (0..5_000)
            .filter(|_| selector.keep::<2, _>(gap, bucket, &mut rng))
            .count();
        assert!(
            proportion(kept as u64, 5_000, share) > ALARM,
            "gap {gap}, slowly"
        );
    }
}

#[test]
fn one_candidate_wins_and_none_is_an_error() {
    let mut rng = SeededGenerator::not_private(230);
    let selector = ExponentialSelector::new(1.0, Aim::Lowest).unwrap();
    assert_eq!(selector.choose(&[i64::MIN], &mut rng), Ok(0));
    assert_eq!(
        selector.choose(&[], &mut rng),
        Err(SelectionError::NoCandidates)
    );
    assert_eq!(selector.choose_top(&[1, 2], 0, &mut rng), Ok(vec![]));
    assert_eq!(
        selector.choose_top(&[1, 2], 3, &mut rng),
        Err(SelectionError::TooFewCandidates)
    );
    assert!(ExponentialSelector::new(0.0, Aim::Lowest).is_err());
    assert!(ExponentialSelector::new(f64::NAN, Aim::Highest).is_err());
}

/// 60 000 ordered triples of four, and 6 000 two bits at a time; false alarm 2e-6.
#[test]
fn top_k_has_the_order_probabilities_of_peeling() {
    let scores = [0, 1, 3, 3];
    let weights: Vec<f64> = scores.iter().map(|&s| (0.5 * s as f64).exp()).collect();
    let mut orders = Vec::new();
    let mut law = Vec::new();
    for a in 0..4 {
        for b in (0..4).filter(|&b| b != a) {
            for c in (0..4).filter(|&c| c != a && c != b) {
                let total: f64 = weights.iter().sum();
                let second = total - weights[a];
                let third = second - weights[b];
                law.push(weights[a] / total * weights[b] / second * weights[c] / third);
                orders.push(vec![a, b, c]);
            }
        }
    }
    let mut rng = SeededGenerator::not_private(240);
    let selector = ExponentialSelector::new(0.5, Aim::Highest).unwrap();
    let mut counts = vec![[0; 2]; orders.len()];
    let place = |winners| orders.iter().position(|order| *order == winners).unwrap();
    for _ in 0..60_000 {
        counts[place(selector.choose_top(&scores, 3, &mut rng).unwrap())][0] += 1;
    }
    for _ in 0..6_000 {
        counts[place(
            selector
                .choose_top_at::<2, _>(Candidates::Plain(&scores), 3, &mut rng)
                .unwrap(),
        )][1] += 1;
    }
    for (way, trials) in [6e4, 6e3].into_iter().enumerate() {
        let counts: Vec<u64> = counts.iter().map(|c| c[way]).collect();
        let expected: Vec<f64> = law.iter().map(|p| p * trials).collect();
        let p = chi_square(&counts, &expected);
        assert!(p > ALARM, "p = {p:e}");
    }
}

/// 40 000 rankings; false alarm 1e-6. The gaps are far beyond the last bucket, so the buckets
/// are made anew on the way; the pair at each level must stay fair.
#[test]
fn top_k_survives_huge_gaps() {
    let scores = [
        i64::MIN,
        1 << 40,
        i64::MAX,
        i64::MIN,
        (1 << 40) - 1,
        i64::MAX - 1,
    ];
    let selector = ExponentialSelector::new(1.0, Aim::Highest).unwrap();
    let mut rng = SeededGenerator::not_private(250);
    let mut swaps = [0; 3];
    for _ in 0..40_000 {
        let order = selector.choose_top(&scores, 6, &mut rng).unwrap();
        for (level, [better, other]) in [[2, 5], [1, 4], [0, 3]].into_iter().enumerate() {
            let pair = [order[2 * level], order[2 * level + 1]];
            assert!(
                pair == [better, other] || pair == [other, better],
                "{order:?}"
            );
            swaps[level] += u64::from(pair[0] == better);
        }
    }
    let likely = 1.0 / (1.0 + (-1f64).exp());
    assert!(proportion(swaps[0], 40_000, likely) > ALARM);
    assert!(proportion(swaps[1], 40_000, likely) > ALARM);
    assert!(proportion(swaps[2], 40_000, 0.5) > ALARM);
}

#[test]
fn float_scores_go_through_the_grid() {
    let mut rng = SeededGenerator::not_private(260);
    let grid = Grid::new(-10).unwrap();
    // A rate per unit becomes a rate per step.
    let selector = ExponentialSelector::new(1000.0 * grid.step(), Aim::Highest).unwrap();
    let scores = grid.place(&[0.25, 1.5, -3.0]).unwrap();
    assert_eq!(selector.choose(&scores, &mut rng), Ok(1));
    assert_eq!(grid.place(&[0.25, f64::NAN]), Err(GridError::NotANumber));
    assert_eq!(grid.place(&[f64::INFINITY, 1.0]), Err(GridError::Infinite));
}
