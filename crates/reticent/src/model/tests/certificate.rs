//! Verification finds what arithmetic can find.

use super::*;

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
