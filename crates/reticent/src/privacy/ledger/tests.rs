use super::*;
use crate::privacy::{Epsilon, NoiseMultiplier, Range, Rho, Sampling, SamplingRate};

fn budget(epsilon: f64, delta: f64) -> Budget {
    Budget::new(Epsilon::new(epsilon).unwrap(), Delta::new(delta).unwrap())
}

fn gaussian(noise: f64) -> Event {
    Event::Gaussian {
        noise: NoiseMultiplier::new(noise).unwrap(),
    }
}

fn times(event: Event, count: u64) -> Charge {
    Charge::new(event, NonZeroU64::new(count).unwrap())
}

#[test]
fn a_plan_that_costs_too_much_is_refused_before_anything_else() {
    let plan = vec![times(gaussian(1.0), 10)];
    let error = Ledger::planned(budget(1.0, 1e-6), Adjacency::ReplaceOne, plan).unwrap_err();
    let LedgerError::OverBudget { epsilon, .. } = error else {
        panic!("{error}")
    };
    assert!(epsilon > 10.0);
}

#[test]
fn a_plan_covers_its_releases_in_any_order_and_nothing_more() {
    let selection = Event::Exponential {
        range: Range::new(0.1).unwrap(),
    };
    let plan = vec![
        times(gaussian(20.0), 2),
        times(selection, 1),
        times(gaussian(20.0), 1),
    ];
    let mut ledger = Ledger::planned(budget(1.0, 1e-6), Adjacency::ReplaceOne, plan).unwrap();
    ledger.charge(times(gaussian(20.0), 3), true).unwrap();
    ledger.charge(times(selection, 1), true).unwrap();
    for event in [gaussian(20.0), gaussian(21.0), selection] {
        let error = ledger.charge(Charge::once(event), true).unwrap_err();
        assert_eq!(
            error,
            LedgerError::NotInPlan {
                event,
                count: NonZeroU64::MIN
            }
        );
    }
}

#[test]
fn a_refused_charge_takes_nothing_off_the_plan() {
    let plan = vec![times(gaussian(20.0), 2)];
    let mut ledger = Ledger::planned(budget(1.0, 1e-6), Adjacency::ReplaceOne, plan).unwrap();
    ledger.charge(times(gaussian(20.0), 3), false).unwrap_err();
    assert!(ledger.statement().secure, "nothing was drawn");
    ledger.charge(times(gaussian(20.0), 2), true).unwrap();
}

#[test]
fn a_plan_is_certified_in_full_even_if_unused() {
    let plan = vec![times(gaussian(20.0), 5)];
    let ledger = Ledger::planned(budget(3.0, 1e-6), Adjacency::AddRemove, plan.clone()).unwrap();
    let statement = ledger.statement();
    assert_eq!(statement.charges, plan);
    assert_eq!(statement.accountant, Accountant::Gaussian);
    let alone = account(&plan, Adjacency::AddRemove, statement.delta).unwrap();
    assert_eq!(statement.epsilon, alone.epsilon);
}

#[test]
fn a_filter_stops_before_the_budget_is_passed_and_certifies_all_of_it() {
    // ρ_max for (ε, δ) = (2.42, 1e-6) is a little above 0.125.
    let mut ledger = Ledger::filter(budget(2.4191, 1e-6), Adjacency::ReplaceOne);
    let slice = Charge::once(Event::Zcdp {
        rho: Rho::new(0.0125).unwrap(),
    });
    for _ in 0..10 {
        ledger.charge(slice, true).unwrap();
    }
    let error = ledger.charge(slice, true).unwrap_err();
    assert!(matches!(error, LedgerError::OverBudget { .. }), "{error}");
    let statement = ledger.statement();
    assert_eq!(statement.charges, vec![times(slice.event, 10)]);
    assert_eq!(statement.epsilon, 2.4191);
}

#[test]
fn a_filter_decides_by_zcdp_alone() {
    // One Gaussian of noise 3.7307 is (1, 1e-5)-DP exactly, but not provably so by zCDP: a
    // filter must refuse what a plan may grant.
    let event = gaussian(3.7307);
    let plan = vec![Charge::once(event)];
    let planned = Ledger::planned(budget(1.0, 1e-5), Adjacency::ReplaceOne, plan);
    planned.unwrap().charge(Charge::once(event), true).unwrap();
    let mut filter = Ledger::filter(budget(1.0, 1e-5), Adjacency::ReplaceOne);
    let error = filter.charge(Charge::once(event), true).unwrap_err();
    assert!(matches!(error, LedgerError::OverBudget { .. }), "{error}");
}

#[test]
fn a_filter_refuses_what_has_no_zcdp_cost() {
    let event = Event::SubsampledGaussian {
        noise: NoiseMultiplier::new(1.0).unwrap(),
        rate: SamplingRate::new(0.01).unwrap(),
        sampling: Sampling::WithoutReplacement,
    };
    let mut ledger = Ledger::filter(budget(100.0, 1e-6), Adjacency::ReplaceOne);
    let error = ledger.charge(Charge::once(event), true).unwrap_err();
    assert_eq!(error, LedgerError::NotForFilter { event });
}

#[test]
fn an_event_of_the_other_adjacency_is_refused() {
    let event = Event::SubsampledGaussian {
        noise: NoiseMultiplier::new(1.0).unwrap(),
        rate: SamplingRate::new(0.01).unwrap(),
        sampling: Sampling::Poisson,
    };
    let plan = vec![Charge::once(event)];
    let error = Ledger::planned(budget(9.0, 1e-6), Adjacency::ReplaceOne, plan).unwrap_err();
    assert!(
        matches!(error, LedgerError::Account(AccountError::Adjacency { .. })),
        "{error}"
    );
}

#[test]
fn repeatable_randomness_marks_the_statement() {
    let plan = vec![times(gaussian(20.0), 2)];
    let mut ledger = Ledger::planned(budget(1.0, 1e-6), Adjacency::ReplaceOne, plan).unwrap();
    ledger.charge(Charge::once(gaussian(20.0)), false).unwrap();
    ledger.charge(Charge::once(gaussian(20.0)), true).unwrap();
    assert!(!ledger.statement().secure);
}

fn zcdp(rho: f64) -> Budget {
    Budget::zcdp(Rho::new(rho).unwrap(), Delta::new(1e-6).unwrap()).unwrap()
}

#[test]
fn a_plan_is_refused_when_it_passes_rho_by_a_hair() {
    // Two Gaussians of noise 10: ρ = 0.01, far below the budget's ε by the exact accountant.
    let plan = vec![times(gaussian(10.0), 2)];
    let rho = total_rho(&plan).unwrap();
    assert!((rho / 0.01 - 1.0).abs() < 1e-14, "{rho}");
    let ledger = Ledger::planned(zcdp(rho), Adjacency::ReplaceOne, plan.clone()).unwrap();
    let statement = ledger.statement();
    assert_eq!(statement.rho, Some(rho));
    assert_eq!(statement.accountant, Accountant::Gaussian);
    assert!(statement.epsilon < zcdp(rho).epsilon().get());
    let least = Rho::new(rho.next_down()).unwrap();
    let error = Ledger::planned(zcdp(least.get()), Adjacency::ReplaceOne, plan).unwrap_err();
    let budget = least;
    assert_eq!(error, LedgerError::OverRho { rho, budget });
    let said = error.to_string();
    assert!(said.contains(&format!("rho = {rho};")), "{said}");
}

#[test]
fn a_statement_without_a_rho_budget_has_no_rho_in_its_file() {
    let plan = vec![times(gaussian(20.0), 2)];
    for (budget, has) in [(budget(1.0, 1e-6), false), (zcdp(0.01), true)] {
        let ledger = Ledger::planned(budget, Adjacency::ReplaceOne, plan.clone()).unwrap();
        let text = serde_json::to_string(&ledger.statement()).unwrap();
        assert_eq!(text.contains("rho"), has, "{text}");
        let read: Statement = serde_json::from_str(&text).unwrap();
        assert_eq!(read, ledger.statement());
    }
}

#[test]
fn a_filter_of_rho_compares_rho_and_certifies_all_of_it() {
    let mut ledger = Ledger::filter(zcdp(0.1), Adjacency::ReplaceOne);
    let slice = Charge::once(Event::Zcdp {
        rho: Rho::new(0.03).unwrap(),
    });
    for _ in 0..3 {
        ledger.charge(slice, true).unwrap();
    }
    let error = ledger.charge(slice, true).unwrap_err();
    assert!(matches!(error, LedgerError::OverRho { .. }), "{error}");
    // What is left of ρ can be had, but for the rounding.
    let rest = Charge::once(Event::Zcdp {
        rho: Rho::new(0.01 - 1e-15).unwrap(),
    });
    ledger.charge(rest, true).unwrap();
    let statement = ledger.statement();
    assert_eq!(statement.rho, Some(0.1));
    assert_eq!(statement.epsilon, zcdp(0.1).epsilon().get());
}
