//! Totals against figures that are known: high-precision vectors, closed forms, and the
//! values of dp-accounting 0.6.

use std::num::NonZeroU64;

use reticent::privacy::{
    AccountError, Accountant, Adjacency, Budget, CalibrateError, Charge, Delta, Epsilon, Event,
    NoiseMultiplier, Range, Rho, Sampling, SamplingRate, account, account_by, calibrate,
};
use serde_json::Value;

fn vectors(name: &str) -> Vec<Value> {
    let file: Value = serde_json::from_str(include_str!("data/gaussian-and-zcdp.json")).unwrap();
    let rows = file[name].as_array().unwrap().clone();
    assert!(!rows.is_empty(), "there are no vectors of {name}");
    rows
}

fn number(row: &Value, name: &str) -> f64 {
    let value = &row[name];
    match value.as_str() {
        Some(digits) => digits.parse().unwrap(),
        None => value.as_f64().unwrap(),
    }
}

fn delta(value: f64) -> Delta {
    Delta::new(value).unwrap()
}

fn budget(epsilon: f64, at: f64) -> Budget {
    Budget::new(Epsilon::new(epsilon).unwrap(), delta(at))
}

fn noise(value: f64) -> NoiseMultiplier {
    NoiseMultiplier::new(value).unwrap()
}

fn charge(event: Event, count: u64) -> Charge {
    Charge::new(event, NonZeroU64::new(count).unwrap())
}

fn gaussian(value: f64) -> Event {
    Event::Gaussian {
        noise: noise(value),
    }
}

fn exponential(range: f64) -> Event {
    Event::Exponential {
        range: Range::new(range).unwrap(),
    }
}

fn pure(epsilon: f64) -> Event {
    Event::Pure {
        epsilon: Epsilon::new(epsilon).unwrap(),
    }
}

fn subsampled(multiplier: f64, rate: f64, sampling: Sampling) -> Event {
    Event::SubsampledGaussian {
        noise: noise(multiplier),
        rate: SamplingRate::new(rate).unwrap(),
        sampling,
    }
}

fn by(accountant: Accountant, charges: &[Charge], adjacency: Adjacency, at: f64) -> Option<f64> {
    account_by(accountant, charges, adjacency, delta(at))
        .unwrap()
        .map(|account| account.epsilon)
}

/// Not below the exact value, and above it by a factor of at most 1 + tolerance.
fn assert_just_above(given: f64, exact: f64, tolerance: f64, what: &dyn std::fmt::Debug) {
    assert!(
        given >= exact * (1.0 - 3e-16),
        "{what:?}: {given} < {exact}"
    );
    assert!(
        given <= exact * (1.0 + tolerance),
        "{what:?}: {given} > {exact}"
    );
}

#[test]
fn gaussians_are_exact_from_the_faintest_to_the_loudest() {
    for row in vectors("gaussian") {
        let charges = [charge(
            gaussian(number(&row, "noise")),
            row["count"].as_u64().unwrap(),
        )];
        let account = account(
            &charges,
            Adjacency::ReplaceOne,
            delta(number(&row, "delta")),
        );
        let account = account.unwrap();
        assert_eq!(account.accountant, Accountant::Gaussian);
        assert_just_above(account.epsilon, number(&row, "epsilon"), 1e-9, &row);
    }
}

#[test]
fn the_zcdp_conversion_is_the_optimal_one() {
    for row in vectors("zcdp") {
        let rho = Rho::new(number(&row, "rho")).unwrap();
        let given = by(
            Accountant::Zcdp,
            &[Charge::once(Event::Zcdp { rho })],
            Adjacency::ReplaceOne,
            number(&row, "delta"),
        );
        assert_just_above(given.unwrap(), number(&row, "epsilon"), 1e-9, &row);
    }
}

#[test]
fn a_range_costs_no_less_than_a_mechanism_that_has_it() {
    let charges = [charge(exponential(0.1), 100)];
    let total = account(&charges, Adjacency::ReplaceOne, delta(1e-6)).unwrap();
    // A hundred randomised responses of ε = η/2 have that range.
    assert!(total.epsilon > randomised_responses(0.05, 100, 1e-6));
}

/// The exact ε of k randomised responses: δ(ε) = Σ_i C(k,i)·max(0, P_i − e^ε·Q_i), with i
/// true answers under P and k − i under Q.
fn randomised_responses(each: f64, k: i32, at: f64) -> f64 {
    let truth = 1.0 / (1.0 + (-each).exp());
    let delta_of = |epsilon: f64| -> f64 {
        let (mut sum, mut ways) = (0.0, 1.0);
        for i in 0..=k {
            let p = truth.powi(i) * (1.0 - truth).powi(k - i);
            let q = truth.powi(k - i) * (1.0 - truth).powi(i);
            sum += ways * (p - epsilon.exp() * q).max(0.0);
            ways *= f64::from(k - i) / f64::from(i + 1);
        }
        sum
    };
    let (mut low, mut high) = (0.0, each * f64::from(k));
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if delta_of(middle) > at {
            low = middle;
        } else {
            high = middle;
        }
    }
    low
}

#[test]
fn pure_releases_add_up_and_the_least_proof_is_named() {
    let one = [Charge::once(pure(0.5))];
    let total = account(&one, Adjacency::ReplaceOne, delta(1e-30)).unwrap();
    assert_eq!(total.accountant, Accountant::Basic);
    assert_just_above(total.epsilon, 0.5, 1e-12, &total);
    let none = by(Accountant::Gaussian, &one, Adjacency::ReplaceOne, 1e-9);
    assert_eq!(none, None);
    let many = [charge(pure(0.001), 1_000_000), Charge::once(gaussian(3.0))];
    let total = account(&many, Adjacency::ReplaceOne, delta(1e-6)).unwrap();
    assert!(total.epsilon < 10.0, "{total:?}");
}

#[test]
fn zcdp_is_preferred_to_rdp_when_they_say_the_same() {
    let rho = Rho::new(0.125).unwrap();
    let charges = [
        Charge::once(Event::Zcdp { rho }),
        Charge::once(gaussian(4.0)),
    ];
    let total = account(&charges, Adjacency::ReplaceOne, delta(1e-6)).unwrap();
    assert_eq!(total.accountant, Accountant::Zcdp);
}

#[test]
fn no_events_cost_nothing() {
    let account = account(&[], Adjacency::AddRemove, delta(1e-300)).unwrap();
    assert_eq!((account.epsilon, account.shares.len()), (0.0, 0));
}

/// Each of these has a total variation above δ, so ε = 0 cannot hold.
#[test]
fn costs_that_underflow_are_not_nothing() {
    for (event, count, at) in [
        (pure(1e-161), 1, 4.5e-162),
        (pure(1e-170), 1, 1e-300),
        (exponential(1e-163), u64::MAX, 1e-200),
        (
            subsampled(1e12, 1e-300, Sampling::WithoutReplacement),
            u64::MAX,
            1e-310,
        ),
    ] {
        let charges = [charge(event, count)];
        let total = account(&charges, Adjacency::ReplaceOne, delta(at)).unwrap();
        assert!(total.epsilon > 0.0, "{event}");
    }
}

#[test]
fn shares_follow_the_list_and_sum_to_one() {
    let charges = [
        charge(gaussian(2.0), 3),
        charge(gaussian(1.0), 1),
        charge(gaussian(2.0), 1),
    ];
    let total = account(&charges, Adjacency::ReplaceOne, delta(1e-6)).unwrap();
    assert_eq!(total.shares.len(), 3);
    for (share, expected) in total.shares.iter().zip([0.375, 0.5, 0.125]) {
        assert!((share - expected).abs() < 1e-12);
    }
    let mixed = [
        Charge::once(subsampled(1.0, 0.1, Sampling::WithoutReplacement)),
        Charge::once(exponential(0.3)),
        Charge::once(pure(0.1)),
    ];
    let total = account(&mixed, Adjacency::ReplaceOne, delta(1e-6)).unwrap();
    assert!((total.shares.iter().sum::<f64>() - 1.0).abs() < 1e-12);
    assert!(total.shares.iter().all(|&share| share > 0.0));
}

#[test]
fn sampling_is_refused_under_the_adjacency_it_was_not_proved_for() {
    let poisson = [Charge::once(subsampled(1.0, 0.1, Sampling::Poisson))];
    let error = account(&poisson, Adjacency::ReplaceOne, delta(1e-6)).unwrap_err();
    assert!(matches!(error, AccountError::Adjacency { .. }));
    let plan = |_| poisson.to_vec();
    let error = calibrate(plan, Adjacency::ReplaceOne, budget(1.0, 1e-6));
    assert!(matches!(
        error,
        Err(CalibrateError::Account(AccountError::Adjacency { .. }))
    ));
}

#[test]
fn a_total_beyond_all_numbers_is_refused() {
    let huge = Rho::new(f64::MAX).unwrap();
    let charges = [charge(Event::Zcdp { rho: huge }, u64::MAX)];
    let error = account(&charges, Adjacency::ReplaceOne, delta(1e-6)).unwrap_err();
    assert!(matches!(error, AccountError::Unbounded { .. }));
}

#[test]
fn extremes_answer() {
    for (adjacency, sampling) in [
        (Adjacency::AddRemove, Sampling::Poisson),
        (Adjacency::ReplaceOne, Sampling::WithoutReplacement),
    ] {
        for rate in [1e-12, 1e-6, 0.5, 1.0] {
            for multiplier in [1e-6, 0.01, 0.3, 1.0, 50.0, 1e6, 1e12] {
                for count in [1, 1_000_000_000, u64::MAX] {
                    for at in [1e-300, 1e-30, 1e-5, 0.9] {
                        let charges = [charge(subsampled(multiplier, rate, sampling), count)];
                        let given = by(Accountant::Rdp, &charges, adjacency, at).unwrap();
                        let whole = [charge(gaussian(multiplier), count)];
                        let whole = by(Accountant::Zcdp, &whole, adjacency, at).unwrap();
                        assert!(
                            given <= whole * (1.0 + 1e-9) + 1e-12,
                            "{charges:?} {at}: {given} > {whole}"
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn calibration_finds_the_least_gaussian_noise() {
    for row in vectors("inverse") {
        let found = calibrate(
            |noise| vec![Charge::once(Event::Gaussian { noise })],
            Adjacency::ReplaceOne,
            budget(number(&row, "epsilon"), number(&row, "delta")),
        )
        .unwrap();
        assert!(found.account.epsilon <= number(&row, "epsilon"));
        assert_just_above(found.noise.get(), number(&row, "noise"), 1e-8, &row);
    }
}

#[test]
fn calibration_stops_at_the_least_multiplier_and_refuses_what_is_too_dear() {
    let generous = budget(1e15, 1e-6);
    let plan = |noise| vec![Charge::once(Event::Gaussian { noise })];
    let found = calibrate(plan, Adjacency::ReplaceOne, generous).unwrap();
    assert_eq!(found.noise.get(), 1e-6);

    let plan = |noise| {
        vec![
            Charge::once(Event::Gaussian { noise }),
            Charge::once(pure(2.0)),
        ]
    };
    let small = budget(1.0, 1e-6);
    match calibrate(plan, Adjacency::ReplaceOne, small) {
        Err(CalibrateError::TooDear { fixed, .. }) => {
            assert!(fixed > 1.0 && fixed < 2.1, "{fixed}")
        }
        other => panic!("{other:?}"),
    }
    let dear = Rho::new(f64::MAX).unwrap();
    let plan = |_| vec![charge(Event::Zcdp { rho: dear }, u64::MAX)];
    let error = calibrate(plan, Adjacency::ReplaceOne, small);
    assert!(matches!(
        error,
        Err(CalibrateError::Account(AccountError::Unbounded { .. }))
    ));
}
