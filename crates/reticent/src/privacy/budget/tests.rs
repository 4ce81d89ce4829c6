//! What a budget in ρ promises.

use std::num::NonZeroU64;

use proptest::prelude::*;

use super::*;
use crate::privacy::{
    Adjacency, CalibrateError, Event, NoiseMultiplier, Range, Sampling, SamplingRate, account,
    calibrate,
};

fn zcdp(rho: f64, delta: f64) -> Budget {
    Budget::zcdp(Rho::new(rho).unwrap(), Delta::new(delta).unwrap()).unwrap()
}

#[test]
fn its_epsilon_is_what_zcdp_proves_rounded_up() {
    // The figure of `one_rho` in tests/figures.rs, in high precision.
    let exact = 2.419_093_176_867_195;
    let given = zcdp(0.125, 1e-6).epsilon.get();
    assert!(
        given >= exact && given <= exact * (1.0 + 2e-9),
        "{given} for {exact}"
    );
    // δ alone covers it: there is no ε of 0.
    assert_eq!(zcdp(1e-20, 1e-6).epsilon.get(), f64::MIN_POSITIVE);
}

#[test]
fn a_rho_beyond_all_numbers_is_refused() {
    let largest = Rho::new(f64::MAX).unwrap();
    assert!(Budget::zcdp(largest, Delta::new(1e-6).unwrap()).is_err());
}

#[test]
fn gaussian_steps_get_the_noise_of_the_closed_form() {
    for (rho, steps) in [(0.02, 1u64), (0.02, 128), (1e-9, 7), (40.0, 1_000_000)] {
        let count = NonZeroU64::new(steps).unwrap();
        let plan = |noise| vec![Charge::new(Event::Gaussian { noise }, count)];
        let found = calibrate(plan, Adjacency::ReplaceOne, zcdp(rho, 1e-6)).unwrap();
        let exact = (steps as f64 / (2.0 * rho)).sqrt();
        let ratio = found.noise.get() / exact;
        assert!(
            (1.0..1.0 + 1e-11).contains(&ratio),
            "{rho} {steps}: {ratio}"
        );
        assert!(total_rho(&found.charges).unwrap() <= rho);
    }
}

#[test]
fn what_is_too_dear_in_rho_says_so_in_rho() {
    let epsilon = Epsilon::new(0.5).unwrap();
    let plan = |noise| {
        vec![
            Charge::once(Event::Gaussian { noise }),
            Charge::once(Event::Pure { epsilon }),
        ]
    };
    let error = calibrate(plan, Adjacency::ReplaceOne, zcdp(0.125, 1e-6)).unwrap_err();
    assert!(matches!(error, CalibrateError::TooDearInRho { .. }));
    assert!(error.to_string().contains("rho = 0.125000"), "{error}");
    let found = calibrate(plan, Adjacency::ReplaceOne, zcdp(0.1251, 1e-6)).unwrap();
    // What is left for the noise: 1e-4 = 1/(2·z²).
    assert!((found.noise.get() / 5000f64.sqrt() - 1.0).abs() < 1e-6);
}

#[test]
fn what_has_no_rho_is_refused_by_name() {
    let plan = |noise| {
        vec![Charge::once(Event::SubsampledGaussian {
            noise,
            rate: SamplingRate::new(0.1).unwrap(),
            sampling: Sampling::WithoutReplacement,
        })]
    };
    let error = calibrate(plan, Adjacency::ReplaceOne, zcdp(0.1, 1e-6)).unwrap_err();
    let no_rho = |error: &AccountError| matches!(error, AccountError::NoRho { .. });
    assert!(matches!(&error, CalibrateError::Account(e) if no_rho(e)));
    assert!(error.to_string().contains("subsampled-gaussian"), "{error}");
}

#[test]
fn a_budget_reads_back_and_one_of_epsilon_has_no_rho_in_its_file() {
    let plain = Budget::new(Epsilon::new(1.0).unwrap(), Delta::new(1e-6).unwrap());
    let text = serde_json::to_string(&plain).unwrap();
    assert_eq!(text, r#"{"epsilon":1.0,"delta":1e-6}"#);
    for budget in [plain, zcdp(0.02, 1e-6)] {
        let text = serde_json::to_string(&budget).unwrap();
        assert_eq!(serde_json::from_str::<Budget>(&text).unwrap(), budget);
    }
}

#[test]
fn a_file_whose_epsilon_is_not_that_of_its_rho_is_refused() {
    for epsilon in [0.5, 0.8999, 0.9, 2.0] {
        let text = format!(r#"{{"epsilon":{epsilon},"delta":1e-6,"rho":0.02}}"#);
        let error = serde_json::from_str::<Budget>(&text).unwrap_err();
        assert!(error.to_string().contains("rho = 0.02 proves"), "{error}");
    }
    let unknown = r#"{"epsilon":1.0,"delta":1e-6,"sigma":1}"#;
    let error = serde_json::from_str::<Budget>(unknown).unwrap_err();
    assert!(error.to_string().contains("sigma"), "{error}");
}

/// Any release with a ρ, of ρ from 1e-24 to 1e6.
fn event() -> impl Strategy<Value = Event> {
    let size = || (-12.0..3.0f64).prop_map(|exponent| 10f64.powf(exponent));
    prop_oneof![
        size().prop_map(|v| Event::Gaussian {
            noise: NoiseMultiplier::new(1.0 / v).unwrap()
        }),
        size().prop_map(|v| Event::Exponential {
            range: Range::new(v).unwrap()
        }),
        size().prop_map(|v| Event::Pure {
            epsilon: Epsilon::new(v).unwrap()
        }),
        size().prop_map(|v| Event::Zcdp {
            rho: Rho::new(v * v).unwrap()
        }),
    ]
}

fn cases(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        failure_persistence: None,
        rng_seed: proptest::test_runner::RngSeed::Fixed(4),
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(cases(256))]

    /// The pair is consistent: within ρ, no list costs more than the budget's ε.
    #[test]
    fn within_rho_is_within_epsilon(
        events in prop::collection::vec((event(), 1u64..1000), 1..4),
        slack in prop_oneof![Just(0.0), 1e-16..1e-3],
        ln_delta in -70.0..-0.5f64,
    ) {
        let charges: Vec<Charge> = events
            .into_iter()
            .map(|(event, count)| Charge::new(event, NonZeroU64::new(count).unwrap()))
            .collect();
        let delta = Delta::new(ln_delta.exp()).unwrap();
        let rho = total_rho(&charges).unwrap() * (1.0 + slack);
        let budget = zcdp(rho, delta.get());
        let total = account(&charges, Adjacency::ReplaceOne, delta).unwrap();
        prop_assert_eq!(budget.covers(&charges, &total), Ok(()));
        let less = zcdp(rho * (1.0 - slack - 1e-12), delta.get());
        if less.rho().unwrap().get() < total_rho(&charges).unwrap() {
            let refused = matches!(less.covers(&charges, &total), Err(Excess::Rho { .. }));
            prop_assert!(refused);
        }
    }
}
