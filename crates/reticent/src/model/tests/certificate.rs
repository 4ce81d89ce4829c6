//! Verification finds what arithmetic can find.

use super::*;
use crate::privacy::{Budget, Ledger, Rho, Sampling, SamplingRate, total_rho};

fn failures(certificate: &Certificate) -> Vec<&'static str> {
    let checks = certificate.verify().checks;
    let failed = |check: Check| (check.verdict == Verdict::Fails).then_some(check.name);
    checks.into_iter().filter_map(failed).collect()
}

fn warnings(certificate: &Certificate) -> Vec<&'static str> {
    let checks = certificate.verify().checks;
    let warns = |check: Check| (check.verdict == Verdict::Warns).then_some(check.name);
    checks.into_iter().filter_map(warns).collect()
}

const COST: &str = "the releases cost epsilon";
const TOTAL: &str = "epsilon is their total";

#[test]
fn what_a_ledger_states_holds() {
    for certificate in [
        certificate(),
        certificate_of(filter_statement(), RecordBound::L2(1.0)),
    ] {
        let verification = certificate.verify();
        assert!(verification.holds(), "{verification:?}");
        assert!(verification.epsilon.unwrap() <= certificate.statement.epsilon);
        assert!(warnings(&certificate).is_empty());
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
    assert_eq!(failures(&tampered), [COST]);
    tampered.statement.delta = Delta::new(1e-4).unwrap();
    assert_eq!(failures(&tampered), [TOTAL]);
}

#[test]
fn less_noise_or_more_releases_are_found_out() {
    let mut tampered = certificate();
    tampered
        .statement
        .charges
        .push(tampered.statement.charges[0]);
    assert_eq!(failures(&tampered), [COST]);
    let mut tampered = certificate();
    let noise = NoiseMultiplier::new(10.0).unwrap();
    tampered.statement.charges[1] = Charge::once(Event::Gaussian { noise });
    assert_eq!(failures(&tampered), [COST]);
}

#[test]
fn fewer_releases_or_more_noise_are_found_out_by_the_same_version() {
    let mut fewer = certificate();
    fewer.statement.charges.pop();
    assert_eq!(failures(&fewer), [TOTAL]);
    let mut noisier = certificate();
    let noise = NoiseMultiplier::new(12.0).unwrap();
    noisier.statement.charges[1] = Charge::once(Event::Gaussian { noise });
    assert_eq!(failures(&noisier), [TOTAL]);
    // Another version may have proved less.
    noisier.version = "0.0.1".to_owned();
    assert!(failures(&noisier).is_empty());
    assert_eq!(warnings(&noisier), [TOTAL]);
}

/// What the documentation says that no recomputation can tell.
#[test]
fn a_consistent_lie_is_the_certificate_of_another_fit() {
    let mut lie = certificate();
    lie.statement.charges.pop();
    let statement = &lie.statement;
    let total = account(&statement.charges, statement.adjacency, statement.delta).unwrap();
    lie.statement.epsilon = total.epsilon;
    lie.statement.accountant = total.accountant;
    assert!(lie.verify().holds());
}

#[test]
fn an_accountant_without_a_theorem_for_the_releases_is_found_out() {
    let mut tampered = certificate();
    tampered.statement.accountant = Accountant::Basic;
    assert_eq!(failures(&tampered), [COST]);
}

#[test]
fn a_filter_that_was_passed_or_names_another_accountant_is_found_out() {
    let mut passed = certificate_of(filter_statement(), RecordBound::L2(1.0));
    passed.statement.epsilon = 0.5;
    assert_eq!(failures(&passed), ["the releases fit the budget"]);
    let mut other = certificate_of(filter_statement(), RecordBound::L2(1.0));
    other.statement.accountant = Accountant::Pld;
    assert_eq!(failures(&other), ["the accountant of the filter"]);
}

/// What a ledger of ρ states of the same releases, as a plan and as a filter.
fn in_rho(basis: Basis) -> Certificate {
    let plain = statement();
    let rho = total_rho(&plain.charges).unwrap();
    let (rho, delta) = (Rho::new(rho).unwrap(), plain.delta);
    let budget = Budget::zcdp(rho, delta).unwrap();
    let ledger = match basis {
        Basis::Filter => {
            let mut ledger = Ledger::filter(budget, plain.adjacency);
            for charge in plain.charges {
                ledger.charge(charge, true).unwrap();
            }
            ledger
        }
        _ => Ledger::planned(budget, plain.adjacency, plain.charges).unwrap(),
    };
    certificate_of(ledger.statement(), RecordBound::L2(1.0))
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
fn what_a_paper_claims_beyond_the_proof_is_pointed_out() {
    let mut certificate = certificate();
    let claim = Published {
        source: "Talwar–Thakurta–Zhang 2015".to_owned(),
        epsilon: certificate.statement.epsilon / 2.0,
        delta: 1e-6,
    };
    certificate.published = Some(claim);
    assert!(certificate.verify().holds());
    assert_eq!(warnings(&certificate), ["as published"]);
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
