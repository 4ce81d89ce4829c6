//! What all mechanisms promise, and the distribution of each.

use std::num::NonZeroU64;

use super::*;
use crate::matrix::{Dense, Matrix};
use crate::noise::{Aim, Grid, Randomness, SecureGenerator, SeededGenerator, SelectionError};
use crate::population::{
    BoundedSum, Count, CountBoundsError, Gradient, Query, Records, RowFrame, Slopes,
};
use crate::privacy::{
    Adjacency, Budget, Charge, Delta, Epsilon, Event, Ledger, LedgerError, NoiseMultiplier, Range,
    Rho,
};
use crate::table::{Layout, RecordBound, Table, Target, TargetRange};

const ADJACENCY: Adjacency = Adjacency::ReplaceOne;

/// One grid step is 1/1024; a record's bound of 1 spans 1024 of them.
fn query(record: &[f64]) -> Query<'static> {
    let grid = Grid::new(-10).unwrap();
    let mut sum = BoundedSum::new(record.len(), RecordBound::Linf(1.0), grid).unwrap();
    sum.add(record).unwrap();
    sum.into_query(ADJACENCY).unwrap()
}

/// Two records of two columns, of the second and the third of three classes.
fn by_class() -> Records<'static> {
    let values = vec![1.0, 0.5, -0.25, 1.0];
    let table = Table {
        features: Matrix::Dense(Dense::new(values, 2, 2).unwrap()),
        target: Target::Values(vec![0.0; 2]),
        layout: Layout::Numbered { first: 1, width: 2 },
        assumed: Vec::new(),
        units: None,
    };
    let range = Some(TargetRange {
        low: 0.0,
        high: 1.0,
    });
    let records = table.enforce(RecordBound::Linf(1.0), range, false, ADJACENCY);
    records.unwrap().of_classes(&[1, 2], 3)
}

fn rho(value: f64) -> Rho {
    Rho::new(value).unwrap()
}

fn noise(value: f64) -> NoiseMultiplier {
    NoiseMultiplier::new(value).unwrap()
}

fn epsilon(value: f64) -> Epsilon {
    Epsilon::new(value).unwrap()
}

fn range(value: f64) -> Range {
    Range::new(value).unwrap()
}

fn budget(value: f64) -> Budget {
    Budget::new(epsilon(value), Delta::new(1e-6).unwrap())
}

/// A ledger that allows whatever a test asks for.
fn generous() -> Ledger {
    Ledger::filter(budget(1e9), ADJACENCY)
}

/// Every mechanism, with one generator on one ledger.
fn try_all<R: Randomness>(ledger: &mut Ledger, rng: &mut R) -> Vec<Result<(), ReleaseError>> {
    let sum = || query(&[0.5, -0.25, 0.125]);
    let count = Count::clipped(5, 0, 10).unwrap();
    vec![
        gaussian(&sum(), noise(1.0), ledger, rng).map(drop),
        vector(&sum(), epsilon(1.0), ledger, rng).map(drop),
        exponential(&sum().scores(), Aim::Lowest, range(1.0), ledger, rng).map(drop),
        top_k(
            &sum().magnitudes(),
            2,
            Aim::Highest,
            range(1.0),
            ledger,
            rng,
        )
        .map(drop),
        exponential_each(
            &Gradient::ask(
                &by_class(),
                Slopes::Classes,
                Grid::new(-6).unwrap(),
                &RowFrame::plain(),
            )
            .unwrap()
            .by_class(),
            Aim::Lowest,
            rho(0.5),
            ledger,
            rng,
        )
        .map(drop),
        noisy_max(&sum().scores(), Aim::Lowest, epsilon(1.0), ledger, rng).map(drop),
        geometric(&count, epsilon(1.0), ledger, rng).map(drop),
    ]
}

#[test]
fn a_release_past_the_budget_fails_and_draws_nothing() {
    let mut ledger = Ledger::filter(budget(1e-3), ADJACENCY);
    let before = ledger.statement();
    let mut rng = SeededGenerator::not_private(1);
    let mut untouched = rng.clone();
    for result in try_all(&mut ledger, &mut rng) {
        let error = result.unwrap_err();
        assert!(
            matches!(error, ReleaseError::Ledger(LedgerError::OverBudget { .. })),
            "{error}"
        );
    }
    assert_eq!(rng.next_u64(), untouched.next_u64(), "a bit was drawn");
    assert_eq!(ledger.statement(), before, "the ledger changed");
}

#[test]
fn a_query_for_other_neighbours_is_refused_and_draws_nothing() {
    let mut ledger = Ledger::filter(budget(1e9), Adjacency::AddRemove);
    let mut rng = SeededGenerator::not_private(1);
    let mut untouched = rng.clone();
    let results = try_all(&mut ledger, &mut rng);
    let (counts, others) = results.split_last().unwrap();
    assert!(counts.is_ok(), "a clipped count is good for any neighbours");
    assert_eq!(others.len(), 6);
    for result in others {
        let error = result.as_ref().unwrap_err();
        assert!(matches!(error, ReleaseError::Adjacency { .. }), "{error}");
    }
    geometric(
        &Count::clipped(5, 0, 10).unwrap(),
        epsilon(1.0),
        &mut generous(),
        &mut untouched,
    )
    .unwrap();
    assert_eq!(rng.next_u64(), untouched.next_u64(), "a bit was drawn");
}

#[test]
fn each_release_is_charged_as_the_event_it_is() {
    let mut ledger = generous();
    let mut rng = SeededGenerator::not_private(1);
    for result in try_all(&mut ledger, &mut rng) {
        result.unwrap();
    }
    let times = |event, count| Charge::new(event, NonZeroU64::new(count).unwrap());
    let expected = vec![
        times(Event::Gaussian { noise: noise(1.0) }, 1),
        times(
            Event::Pure {
                epsilon: epsilon(1.0),
            },
            3,
        ),
        times(Event::Exponential { range: range(1.0) }, 3),
        times(Event::Zcdp { rho: rho(0.5) }, 1),
    ];
    assert_eq!(ledger.statement().charges, expected);
}

#[test]
fn only_secure_randomness_leaves_a_statement_secure() {
    let mut secure = generous();
    try_all(&mut secure, &mut SecureGenerator::from_system().unwrap());
    assert!(secure.statement().secure);

    let mut seeded = generous();
    try_all(&mut seeded, &mut SeededGenerator::not_private(1));
    assert!(!seeded.statement().secure);
}

#[test]
fn a_selection_that_cannot_be_made_is_not_charged() {
    let mut ledger = generous();
    let mut rng = SeededGenerator::not_private(1);
    let scores = query(&[1.0, 2.0]).scores();
    let error = top_k(&scores, 3, Aim::Highest, range(1.0), &mut ledger, &mut rng).unwrap_err();
    assert_eq!(error, SelectionError::TooFewCandidates.into());
    let none = top_k(&scores, 0, Aim::Highest, range(1.0), &mut ledger, &mut rng).unwrap();
    assert!(none.is_empty());
    assert!(ledger.statement().charges.is_empty());
}

/// 40 000 coordinates; the sample variance of a Gaussian has a relative standard deviation
/// of √(2/40 000), and the mean one of σ/200. Five of each: false alarm 6e-7 each.
#[test]
fn gaussian_noise_has_the_multiplier_times_the_sensitivity() {
    let dimension = 40_000;
    let query = query(&vec![1.0; dimension]);
    let mut rng = SeededGenerator::not_private(3);
    let released = gaussian(&query, noise(0.7), &mut generous(), &mut rng).unwrap();
    let n = dimension as f64;
    // Replace-one, ‖x‖∞ ≤ 1: Δ₂ = 2√d.
    let sigma = 0.7 * 2.0 * n.sqrt();
    let errors: Vec<f64> = released.to_real().iter().map(|x| x - 1.0).collect();
    let mean = errors.iter().sum::<f64>() / n;
    let variance = errors.iter().map(|x| x * x).sum::<f64>() / n;
    assert!(mean.abs() < 5.0 * sigma / n.sqrt(), "{mean}");
    let ratio = variance / (sigma * sigma);
    assert!((ratio - 1.0).abs() < 5.0 * (2.0 / n).sqrt(), "{ratio}");
}

/// The norm of the noise is Gamma(d) of scale Δ₂/ε: mean d, standard deviation √d in those
/// units. One draw at d = 40 000, five standard deviations: false alarm 6e-7.
#[test]
fn vector_noise_has_the_sensitivity_over_epsilon_as_its_scale() {
    let n = 40_000.0f64;
    let query = query(&vec![0.0; n as usize]);
    let mut rng = SeededGenerator::not_private(4);
    let released = vector(&query, epsilon(0.5), &mut generous(), &mut rng).unwrap();
    let norm = released.to_real().iter().map(|x| x * x).sum::<f64>().sqrt();
    let scale = 2.0 * n.sqrt() / 0.5;
    assert!(
        (norm / scale - n).abs() < 5.0 * n.sqrt(),
        "{}",
        norm / scale
    );
}

/// A binomial proportion over `trials`, within five standard deviations: false alarm 6e-7.
fn assert_frequency(hits: usize, trials: usize, p: f64) {
    let expected = p * trials as f64;
    let spread = (expected * (1.0 - p)).sqrt();
    assert!(
        (hits as f64 - expected).abs() < 5.0 * spread,
        "{hits} of {trials}, not {expected}"
    );
}

/// 20 000 selections between two scores one whole score range apart: the odds are e^η.
#[test]
fn selection_has_odds_of_e_to_the_range() {
    let (trials, eta) = (20_000, 0.8);
    let mut rng = SeededGenerator::not_private(5);
    let mut ledger = generous();
    // Δ∞ = 2 under replace-one, so the range is 4; scores 1 and −1 are half of it apart.
    let scores = query(&[1.0, -1.0]).scores();
    for (aim, best) in [(Aim::Highest, 0), (Aim::Lowest, 1)] {
        let hits = (0..trials)
            .filter(|_| {
                exponential(&scores, aim, range(eta), &mut ledger, &mut rng).unwrap() == best
            })
            .count();
        assert_frequency(hits, trials, 1.0 / (1.0 + (-eta / 2.0).exp()));
    }
}

#[test]
fn scores_of_both_signs_are_the_vertices_of_the_ball() {
    let scores = query(&[0.5, -0.25]).signed_scores();
    assert_eq!(
        scores.open(&RELEASE_KEY).candidates.scores(),
        [512, -256, -512, 256]
    );
    assert_eq!(scores.candidates(), 4);
    let magnitudes = query(&[0.5, -0.25]).magnitudes();
    assert_eq!(
        magnitudes.open(&RELEASE_KEY).candidates.scores(),
        [512, 256]
    );
    // Replace-one: a coordinate moves by at most 2048 steps, up or down.
    assert_eq!(scores.open(&RELEASE_KEY).range, 4096);
}

/// 20 000 releases of 10 on [0, 10]: P(k) ∝ exp(−ε|k|/10), and what passes 10 is clipped.
#[test]
fn a_geometric_count_is_clipped_after_the_noise() {
    let trials = 20_000;
    let mut rng = SeededGenerator::not_private(6);
    let mut ledger = generous();
    let count = Count::clipped(99, 0, 10).unwrap();
    let releases: Vec<i64> = (0..trials)
        .map(|_| geometric(&count, epsilon(1.0), &mut ledger, &mut rng).unwrap())
        .collect();
    let hits = |value| releases.iter().filter(|x| **x == value).count();
    let ratio = (-0.1f64).exp();
    assert_frequency(hits(10), trials, 1.0 / (1.0 + ratio));
    assert_frequency(hits(9), trials, (1.0 - ratio) / (1.0 + ratio) * ratio);
    assert_frequency(hits(0), trials, ratio.powi(10) / (1.0 + ratio));
    assert!(releases.iter().all(|x| (0..=10).contains(x)));
}

/// 20 000 counts of 3 among 5: P(k) ∝ exp(−ε|k|), so 3 itself has probability tanh(ε/2).
#[test]
fn a_number_of_records_has_sensitivity_one() {
    let (trials, eps) = (20_000, 1.0f64);
    let mut rng = SeededGenerator::not_private(8);
    let mut ledger = generous();
    let count = Count::of([true, false, true, true, false]);
    let hits = (0..trials)
        .filter(|_| geometric(&count, epsilon(eps), &mut ledger, &mut rng).unwrap() == 3)
        .count();
    assert_frequency(hits, trials, (eps / 2.0).tanh());
}

#[test]
fn counts_need_room() {
    for (lo, hi) in [(3, 3), (4, 3), (i64::MIN, i64::MAX), (0, (1 << 62) + 1)] {
        let refused = Count::clipped(1, lo, hi).map(drop);
        assert_eq!(refused, Err(CountBoundsError { lo, hi }));
    }
    let mut ledger = generous();
    let mut rng = SeededGenerator::not_private(7);
    let widest = Count::clipped(0, 0, 1 << 62).unwrap();
    let error = geometric(&widest, epsilon(1e-3), &mut ledger, &mut rng).unwrap_err();
    assert!(matches!(error, ReleaseError::Noise(_)), "{error}");
    assert!(ledger.statement().charges.is_empty());
}

/// The choices of all groups together against exact probabilities: 64 outcomes of three
/// groups of four candidates, 50 000 trials, Pearson's statistic. It exceeds 139.6 with
/// probability 1e-7 for 63 degrees of freedom (the trials are seeded, so it does so always or
/// never).
#[test]
fn each_group_has_its_choice_by_the_exponential_mechanism_independently() {
    let records = by_class();
    let mut gradient = Gradient::ask(
        &records,
        Slopes::Classes,
        Grid::new(-6).unwrap(),
        &RowFrame::plain(),
    )
    .unwrap();
    let scores = gradient.by_class();
    let spent = 4.0;
    let open = scores.open(&RELEASE_KEY);
    let rate = (8.0 * spent / open.squares as f64).sqrt();
    let of_group = |group: &[i64]| {
        let both = group.iter().copied().chain(group.iter().map(|u| -u));
        let weights: Vec<f64> = both.map(|u| (-rate * u as f64).exp()).collect();
        let sum: f64 = weights.iter().sum();
        weights.into_iter().map(|w| w / sum).collect::<Vec<_>>()
    };
    let groups: Vec<Vec<f64>> = open.values.chunks(open.width).map(of_group).collect();
    assert!(groups.iter().flatten().all(|p| *p > 0.03), "{groups:?}");
    let trials = 50_000;
    let mut seen = [0u32; 64];
    let mut rng = SeededGenerator::not_private(5);
    let mut ledger = generous();
    for _ in 0..trials {
        let won = exponential_each(&scores, Aim::Lowest, rho(spent), &mut ledger, &mut rng);
        let won = won.unwrap();
        seen[won[0] * 16 + won[1] * 4 + won[2]] += 1;
    }
    let statistic: f64 = (0..64)
        .map(|cell| {
            let expected = f64::from(trials)
                * groups[0][cell / 16]
                * groups[1][cell / 4 % 4]
                * groups[2][cell % 4];
            (f64::from(seen[cell]) - expected).powi(2) / expected
        })
        .sum();
    assert!(statistic < 139.6, "{statistic}");
}

#[test]
fn all_groups_are_charged_once() {
    let records = by_class();
    let mut gradient = Gradient::ask(
        &records,
        Slopes::Classes,
        Grid::new(-6).unwrap(),
        &RowFrame::plain(),
    )
    .unwrap();
    let mut ledger = generous();
    let mut rng = SeededGenerator::not_private(5);
    let scores = gradient.by_class();
    let won = exponential_each(&scores, Aim::Lowest, rho(0.25), &mut ledger, &mut rng).unwrap();
    assert_eq!(won.len(), 3);
    let event = Event::Zcdp { rho: rho(0.25) };
    assert_eq!(ledger.statement().charges, [Charge::once(event)]);
}
