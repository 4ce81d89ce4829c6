//! Verification finds what arithmetic can find.

use super::*;
use crate::privacy::{Rho, Sampling, SamplingRate};

pub(super) fn failures(certificate: &Certificate) -> Vec<&'static str> {
    let checks = certificate.verify().checks;
    let failed = |check: Check| (check.verdict == Verdict::Fails).then_some(check.name);
    checks.into_iter().filter_map(failed).collect()
}

pub(super) fn warnings(certificate: &Certificate) -> Vec<&'static str> {
    let checks = certificate.verify().checks;
    let warns = |check: Check| (check.verdict == Verdict::Warns).then_some(check.name);
    checks.into_iter().filter_map(warns).collect()
}

pub(super) const COST: &str = "the releases cost epsilon";
const TOTAL: &str = "epsilon is their total";
pub(super) const PLAN: &str = "the releases are those of the plan";

#[test]
fn what_a_ledger_states_holds() {
    for (certificate, told) in [(certificate(), &[][..]), (filter_certificate(), &[PLAN])] {
        let verification = certificate.verify();
        assert!(verification.holds(), "{verification:?}");
        assert!(verification.epsilon.unwrap() <= certificate.statement.epsilon);
        // An old one is not planned again.
        assert_eq!(warnings(&certificate), told);
    }
}

#[test]
fn a_lower_epsilon_is_found_out() {
    let mut tampered = certificate();
    tampered.statement.epsilon *= 1.0 - 1e-6;
    assert_eq!(failures(&tampered), [COST]);
    tampered.statement.epsilon = 0.0;
    assert_eq!(failures(&tampered), [COST]);
}

#[test]
fn a_lower_delta_is_found_out_and_a_higher_one_as_well() {
    let mut tampered = certificate();
    tampered.statement.delta = Delta::new(1e-9).unwrap();
    assert_eq!(failures(&tampered), [COST, PLAN]);
    tampered.statement.delta = Delta::new(1e-4).unwrap();
    assert_eq!(failures(&tampered), [TOTAL, PLAN]);
}

#[test]
fn less_noise_or_more_releases_are_found_out() {
    let mut tampered = certificate();
    tampered
        .statement
        .charges
        .push(tampered.statement.charges[0]);
    assert_eq!(failures(&tampered), [COST, PLAN]);
    let mut tampered = certificate();
    tampered.statement.charges[1] = noisier(tampered.statement.charges[1], 0.9);
    assert_eq!(failures(&tampered), [COST, PLAN]);
}

#[test]
fn fewer_releases_or_more_noise_are_found_out_by_the_same_version() {
    let mut fewer = certificate();
    fewer.statement.charges.pop();
    assert_eq!(failures(&fewer), [TOTAL, PLAN]);
    let mut raised = certificate();
    raised.statement.charges[1] = noisier(raised.statement.charges[1], 1.1);
    assert_eq!(failures(&raised), [TOTAL, PLAN]);
    // Another version may have proved less, and planned otherwise.
    (raised.version, raised.request) = ("0.0.1".to_owned(), None);
    assert!(failures(&raised).is_empty());
    assert_eq!(warnings(&raised), [TOTAL, PLAN]);
}

/// A Gaussian with so many times the noise.
fn noisier(charge: Charge, times: f64) -> Charge {
    let Event::Gaussian { noise } = charge.event else {
        panic!("a Gaussian: {charge:?}");
    };
    let noise = NoiseMultiplier::new(noise.get() * times).unwrap();
    Charge::new(Event::Gaussian { noise }, charge.count)
}

#[test]
fn an_accountant_without_a_theorem_for_the_releases_is_found_out() {
    let mut tampered = certificate();
    tampered.statement.accountant = Accountant::Basic;
    assert_eq!(failures(&tampered), [COST]);
}

#[test]
fn a_filter_that_was_passed_or_names_another_accountant_is_found_out() {
    let mut passed = filter_certificate();
    passed.statement.epsilon = 0.5;
    assert_eq!(failures(&passed), ["the releases fit the budget"]);
    let mut other = filter_certificate();
    other.statement.accountant = Accountant::Pld;
    assert_eq!(failures(&other), ["the accountant of the filter"]);
}

/// What a ledger of ρ states of the same releases, as a plan and as a filter.
fn in_rho(basis: Basis) -> Certificate {
    let (rho, delta) = (Rho::new(0.02).unwrap(), Delta::new(1e-6).unwrap());
    let request = MethodRequest {
        budget: Some(Budget::zcdp(rho, delta).unwrap()),
        ..request()
    };
    let rows = RecordBound::L2(1.0);
    let plan = stated(&*planned(&request, rows));
    let statement = match basis {
        Basis::Filter => {
            let rho = Rho::new(plan.rho.unwrap()).unwrap();
            let budget = Budget::zcdp(rho, delta).unwrap();
            let mut ledger = Ledger::filter(budget, plan.adjacency);
            for charge in plan.charges {
                ledger.charge(charge, true).unwrap();
            }
            ledger.statement()
        }
        _ => plan,
    };
    let mut certificate = certificate_for(&request, statement, rows);
    if basis == Basis::Filter {
        // Nothing was asked for that could be planned again, as in old certificates.
        certificate.request = None;
        certificate.version = "0.1.0".to_owned();
    }
    certificate
}

const SUM: &str = "rho is the sum of the releases";

#[test]
fn what_a_ledger_of_rho_states_holds() {
    for basis in [Basis::Plan, Basis::Filter] {
        let certificate = in_rho(basis);
        let verification = certificate.verify();
        assert!(verification.holds(), "{verification:?}");
        assert_eq!(verification.rho, certificate.statement.rho);
        let text = serde_json::to_string(&certificate).unwrap();
        assert_eq!(
            serde_json::from_str::<Certificate>(&text).unwrap(),
            certificate
        );
    }
    assert_eq!(certificate().verify().rho, None);
}

#[test]
fn a_forged_rho_is_found_out() {
    let mut plan = in_rho(Basis::Plan);
    let rho = plan.statement.rho.unwrap();
    for forged in [0.0, rho / 2.0, rho * (1.0 - 1e-6), rho * (1.0 + 1e-6)] {
        plan.statement.rho = Some(forged);
        assert_eq!(failures(&plan), [SUM], "{forged}");
    }
    plan.statement.rho = Some(f64::NAN);
    assert_eq!(failures(&plan), ["consistency", SUM]);

    // Of a filter ρ is the budget: less than was used fails, more takes a larger ε.
    let mut filter = in_rho(Basis::Filter);
    filter.statement.rho = Some(rho * (1.0 - 1e-6));
    assert_eq!(failures(&filter), ["the releases fit the budget of rho"]);
    filter.statement.rho = Some(rho * (1.0 + 1e-6));
    assert_eq!(failures(&filter), ["epsilon follows from rho"]);
}

#[test]
fn a_rho_for_releases_that_have_none_is_found_out() {
    let mut tampered = in_rho(Basis::Plan);
    tampered.statement.charges = vec![Charge::once(Event::SubsampledGaussian {
        noise: NoiseMultiplier::new(11.0).unwrap(),
        rate: SamplingRate::new(0.1).unwrap(),
        sampling: Sampling::WithoutReplacement,
    })];
    assert!(failures(&tampered).contains(&SUM));
}

#[test]
fn a_claim_of_privacy_over_repeatable_noise_is_found_out() {
    let mut statement = statement();
    statement.secure = false;
    let honest = certificate_of(statement, RecordBound::L2(1.0));
    assert!(!honest.private && honest.verify().holds());
    assert_eq!(warnings(&honest), ["NOT PRIVATE"]);
    let lie = Certificate {
        private: true,
        reasons_not_private: Vec::new(),
        ..honest
    };
    assert_eq!(failures(&lie), ["consistency", "the noise is secret"]);
}

#[test]
fn a_delta_of_one_in_n_warns() {
    let mut certificate = certificate();
    certificate.records = 1_000_000;
    assert_eq!(warnings(&certificate), ["delta is below 1/n"]);
    certificate.records = 999_999;
    assert!(warnings(&certificate).is_empty());
}

#[test]
fn a_model_without_a_guarantee_says_so_and_is_never_taken_for_private() {
    let honest = unprotected().certificate().clone();
    assert!(!honest.private && honest.reasons_not_private.len() == 1);
    let verification = honest.verify();
    assert!(!verification.holds());
    assert_eq!(verification.epsilon, None);
    assert_eq!(failures(&honest), ["epsilon"]);
    assert_eq!(warnings(&honest), ["NOT PRIVATE"]);
    let mut claimed = honest.clone();
    claimed.published = Some(Published {
        source: "a paper".to_owned(),
        epsilon: 1.0,
        delta: 1e-6,
    });
    assert_eq!(warnings(&claimed), ["NOT PRIVATE", "as published"]);
    let lie = Certificate {
        private: true,
        reasons_not_private: Vec::new(),
        ..honest
    };
    assert!(failures(&lie).contains(&"consistency"));
}
