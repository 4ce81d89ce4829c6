//! What must hold of every total, on random lists of events.
//!
//! Comparisons allow for the rounding that is added on purpose: a relative 1e-9 (the RDP
//! search stops within 1e-12 of its least, the Gaussian's margin is 1e-10), 1e-3 where the
//! PLD proved the total, and an absolute 1e-12 near zero.

use std::num::NonZeroU64;

use proptest::prelude::*;
use reticent::privacy::{
    Accountant, Adjacency, Budget, Charge, Delta, Epsilon, Event, NoiseMultiplier, Range, Rho,
    Sampling, SamplingRate, account, account_by, calibrate,
};

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        ..ProptestConfig::default()
    }
}

/// A number whose logarithm is uniform.
fn log_uniform(low: f64, high: f64) -> impl Strategy<Value = f64> {
    (low.ln()..high.ln()).prop_map(move |x: f64| x.exp().clamp(low, high))
}

fn noise(low: f64, high: f64) -> impl Strategy<Value = NoiseMultiplier> {
    log_uniform(low, high).prop_map(|x| NoiseMultiplier::new(x).unwrap())
}

fn delta() -> impl Strategy<Value = Delta> {
    prop_oneof![log_uniform(1e-12, 0.5), log_uniform(1e-300, 1e-12)]
        .prop_map(|x| Delta::new(x).unwrap())
}

fn count() -> impl Strategy<Value = NonZeroU64> {
    log_uniform(1.0, 1e9).prop_map(|x| NonZeroU64::new(x as u64).unwrap())
}

fn sampling_of(adjacency: Adjacency) -> Sampling {
    match adjacency {
        Adjacency::ReplaceOne => Sampling::WithoutReplacement,
        Adjacency::AddRemove => Sampling::Poisson,
    }
}

fn event(adjacency: Adjacency) -> impl Strategy<Value = Event> {
    prop_oneof![
        noise(0.05, 1e6).prop_map(|noise| Event::Gaussian { noise }),
        log_uniform(1e-6, 20.0).prop_map(|x| Event::Exponential {
            range: Range::new(x).unwrap()
        }),
        log_uniform(1e-6, 20.0).prop_map(|x| Event::Pure {
            epsilon: Epsilon::new(x).unwrap()
        }),
        log_uniform(1e-12, 100.0).prop_map(|x| Event::Zcdp {
            rho: Rho::new(x).unwrap()
        }),
        (noise(0.2, 1e3), log_uniform(1e-6, 1.0)).prop_map(move |(noise, rate)| {
            Event::SubsampledGaussian {
                noise,
                rate: SamplingRate::new(rate).unwrap(),
                sampling: sampling_of(adjacency),
            }
        }),
    ]
}

fn adjacency() -> impl Strategy<Value = Adjacency> {
    prop_oneof![Just(Adjacency::ReplaceOne), Just(Adjacency::AddRemove)]
}

/// A list of one to four charges and its adjacency.
fn list() -> impl Strategy<Value = (Adjacency, Vec<Charge>)> {
    adjacency().prop_flat_map(|adjacency| {
        let charge = (event(adjacency), count()).prop_map(|(e, n)| Charge::new(e, n));
        (Just(adjacency), prop::collection::vec(charge, 1..5))
    })
}

/// ε of a list, infinite when there is none, and how much it may be above the exact one.
fn total(charges: &[Charge], adjacency: Adjacency, delta: Delta) -> (f64, f64) {
    match account(charges, adjacency, delta) {
        Ok(total) if total.accountant == Accountant::Pld => (total.epsilon, 1e-3),
        Ok(total) => (total.epsilon, 1e-9),
        Err(_) => (f64::INFINITY, 0.0),
    }
}

fn at_most((less, loose): (f64, f64), (more, _): (f64, f64)) -> bool {
    less <= more * (1.0 + loose) + 1e-12
}

/// The event with a lower cost: more noise, or a smaller ε, η or ρ.
fn quieter(event: Event) -> Event {
    let louder = |noise: NoiseMultiplier| NoiseMultiplier::new(noise.get() * 1.3).unwrap();
    match event {
        Event::Gaussian { noise } => Event::Gaussian {
            noise: louder(noise),
        },
        Event::Exponential { range } => Event::Exponential {
            range: Range::new(range.get() / 1.3).unwrap(),
        },
        Event::Pure { epsilon } => Event::Pure {
            epsilon: Epsilon::new(epsilon.get() / 1.3).unwrap(),
        },
        Event::Zcdp { rho } => Event::Zcdp {
            rho: Rho::new(rho.get() / 1.3).unwrap(),
        },
        Event::SubsampledGaussian {
            noise,
            rate,
            sampling,
        } => Event::SubsampledGaussian {
            noise: louder(noise),
            rate,
            sampling,
        },
    }
}

proptest! {
    #![proptest_config(config(256))]

    #[test]
    fn the_order_of_the_list_does_not_change_a_bit(
        (adjacency, charges) in list(), delta in delta(), at in 0usize..4,
    ) {
        let mut other = charges.clone();
        other.reverse();
        other.rotate_left(at % charges.len());
        // A charge may also come in two parts.
        if let Some(n) = NonZeroU64::new(other[0].count.get() / 3) {
            other[0].count = NonZeroU64::new(other[0].count.get() - n.get()).unwrap();
            other.push(Charge::new(other[0].event, n));
        }
        let (one, two) = (total(&charges, adjacency, delta), total(&other, adjacency, delta));
        prop_assert_eq!(one.0.to_bits(), two.0.to_bits());
    }

    #[test]
    fn more_noise_never_costs_more(
        (adjacency, charges) in list(), delta in delta(), at in 0usize..4,
    ) {
        let mut less = charges.clone();
        let at = at % charges.len();
        less[at].event = quieter(less[at].event);
        let (less, more) = (total(&less, adjacency, delta), total(&charges, adjacency, delta));
        prop_assert!(at_most(less, more), "{:?} > {:?}", less, more);
    }

    #[test]
    fn more_releases_never_cost_less(
        (adjacency, charges) in list(), delta in delta(), added in 1u64..1000,
    ) {
        let mut more = charges.clone();
        more[0].count = more[0].count.saturating_add(added);
        let counted = total(&more, adjacency, delta);
        let base = total(&charges, adjacency, delta);
        prop_assert!(at_most(base, counted), "{:?} > {:?}", base, counted);
    }

    #[test]
    fn an_added_event_never_costs_less(
        (adjacency, charges) in list(), (other, added) in list(), delta in delta(),
    ) {
        let mut more = charges.clone();
        more.extend(added.into_iter().filter(|charge| {
            other == adjacency || charge.event.required_adjacency().is_none()
        }));
        let base = total(&charges, adjacency, delta);
        let more = total(&more, adjacency, delta);
        prop_assert!(at_most(base, more), "{:?} > {:?}", base, more);
    }

    #[test]
    fn a_larger_delta_never_costs_more((adjacency, charges) in list(), delta in delta()) {
        let larger = Delta::new((delta.get() * 3.0).min(0.9)).unwrap();
        let (less, more) = (total(&charges, adjacency, larger), total(&charges, adjacency, delta));
        prop_assert!(at_most(less, more), "{:?} > {:?}", less, more);
    }

    #[test]
    fn a_selection_costs_no_more_than_a_pure_release_of_its_range(
        (adjacency, charges) in list(), delta in delta(),
    ) {
        let mut pure = charges.clone();
        for charge in &mut pure {
            if let Event::Exponential { range } = charge.event {
                charge.event = Event::Pure { epsilon: Epsilon::new(range.get()).unwrap() };
            }
        }
        let (range, pure) = (total(&charges, adjacency, delta), total(&pure, adjacency, delta));
        prop_assert!(at_most(range, pure), "{:?} > {:?}", range, pure);
    }

    /// Down to δ = 1e-30. It does not hold for every δ that can be written: much further down
    /// the PLD may give up, or its allowance for rounding shows. `account` takes the lesser.
    #[test]
    fn the_pld_is_at_most_rdp_where_both_apply(
        (adjacency, mut charges) in list(), delta in log_uniform(1e-30, 0.5),
    ) {
        let delta = Delta::new(delta).unwrap();
        charges.retain(|charge| {
            !matches!(charge.event, Event::Exponential { .. } | Event::Zcdp { .. })
        });
        // (An exponential mechanism has a PLD only as the pure release that it also is.)
        let by = |accountant| match account_by(accountant, &charges, adjacency, delta) {
            Ok(total) => total.expect("it covers what is left").epsilon,
            Err(_) => f64::INFINITY,
        };
        let (pld, rdp) = (by(Accountant::Pld), by(Accountant::Rdp));
        prop_assert!(at_most((pld, 1e-3), (rdp, 0.0)), "{} > {}", pld, rdp);
    }

    #[test]
    fn the_total_is_the_least_and_its_shares_sum_to_one(
        (adjacency, charges) in list(), delta in delta(),
    ) {
        let best = account(&charges, adjacency, delta);
        if let Ok(best) = &best {
            let sum: f64 = best.shares.iter().sum();
            prop_assert!((sum - 1.0).abs() < 1e-9 && best.shares.len() == charges.len());
        }
        // Where there is no total, no accountant has one.
        let least = best.map_or(f64::INFINITY, |best| best.epsilon);
        for accountant in [
            Accountant::Basic, Accountant::Gaussian, Accountant::Zcdp, Accountant::Rdp,
        ] {
            if let Ok(Some(one)) = account_by(accountant, &charges, adjacency, delta) {
                prop_assert!(least <= one.epsilon * (1.0 + 1e-9), "{:?}", one);
            }
        }
    }
}

proptest! {
    #![proptest_config(config(64))]

    #[test]
    fn calibration_fits_the_budget_and_less_noise_does_not(
        adjacency in adjacency(),
        budget in log_uniform(0.01, 50.0),
        delta in delta(),
        steps in count(),
        rate in log_uniform(1e-5, 0.5),
        fixed in log_uniform(1e-4, 1e-3),
    ) {
        let plan = |noise: NoiseMultiplier| vec![
            Charge::new(
                Event::SubsampledGaussian {
                    noise,
                    rate: SamplingRate::new(rate).unwrap(),
                    sampling: sampling_of(adjacency),
                },
                steps,
            ),
            Charge::once(Event::Gaussian {
                noise: NoiseMultiplier::new((noise.get() * 2.0).min(1e12)).unwrap(),
            }),
            Charge::once(Event::Exponential { range: Range::new(fixed).unwrap() }),
        ];
        let whole = Budget::new(Epsilon::new(budget).unwrap(), delta);
        let found = calibrate(plan, adjacency, whole).unwrap();
        let again = account(&plan(found.noise), adjacency, delta).unwrap();
        prop_assert_eq!(&found.charges, &plan(found.noise));
        prop_assert!(again.epsilon <= budget && again == found.account);
        // What `calibrate` promises where the PLD is used.
        let less = NoiseMultiplier::new(found.noise.get() * (1.0 - 1e-4)).unwrap();
        prop_assert!(total(&plan(less), adjacency, delta).0 > budget);
    }

    #[test]
    fn gaussian_calibration_inverts_the_account(
        noise in noise(1e-3, 1e8), delta in delta(), steps in count(),
    ) {
        let plan = |noise: NoiseMultiplier| vec![Charge::new(Event::Gaussian { noise }, steps)];
        let (cost, _) = total(&plan(noise), Adjacency::ReplaceOne, delta);
        prop_assume!(cost > 1e-9);
        let budget = Budget::new(Epsilon::new(cost).unwrap(), delta);
        let found = calibrate(plan, Adjacency::ReplaceOne, budget).unwrap();
        let ratio = found.noise.get() / noise.get();
        prop_assert!(found.account.epsilon <= cost);
        prop_assert!((ratio - 1.0).abs() < 1e-6, "{}", ratio);
    }
}
