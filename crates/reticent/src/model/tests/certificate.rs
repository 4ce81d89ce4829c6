//! Verification finds what arithmetic can find.

use super::*;
use crate::privacy::{Rho, Sampling, SamplingRate, total_rho};

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
const PLAN: &str = "the releases are those of the plan";

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
    raised.version = "0.0.1".to_owned();
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

/// With ε, ρ and the accountant of the releases that it lists: the arithmetic holds.
fn with_matching_epsilon(mut certificate: Certificate) -> Certificate {
    let statement = &mut certificate.statement;
    let total = account(&statement.charges, statement.adjacency, statement.delta).unwrap();
    (statement.epsilon, statement.accountant) = (total.epsilon, total.accountant);
    statement.rho = statement
        .rho
        .map(|_| total_rho(&statement.charges).unwrap());
    certificate
}

#[test]
fn a_count_of_32_changed_to_1_with_a_matching_epsilon_is_found_out() {
    let mut request = request();
    request.details.iterations = NonZeroU64::new(32);
    let rows = RecordBound::L2(1.0);
    let honest = certificate_for(&request, stated(&*planned(&request, rows)), rows);
    assert!(honest.verify().holds());
    let mut attack = honest.clone();
    for charge in &mut attack.statement.charges {
        assert_eq!(charge.count.get(), 32);
        charge.count = NonZeroU64::MIN;
    }
    let attack = with_matching_epsilon(attack);
    assert!(attack.statement.epsilon < honest.statement.epsilon / 3.0);
    assert_eq!(failures(&attack), [PLAN]);
    // Nor is a larger cost than that of the plan taken for the plan's.
    let mut more = honest;
    more.statement.charges[0].count = NonZeroU64::new(33).unwrap();
    assert_eq!(failures(&with_matching_epsilon(more)), [PLAN]);
}

#[test]
fn changed_facts_requests_and_methods_are_found_out() {
    type Change = fn(&mut Certificate);
    let changes: [(&str, Change); 9] = [
        ("the request", |c| c.request = None),
        ("the budget", |c| {
            let (epsilon, delta) = (Epsilon::new(0.1).unwrap(), Delta::new(1e-6).unwrap());
            c.request.as_mut().unwrap().budget = Some(Budget::new(epsilon, delta));
        }),
        ("no budget", |c| c.request.as_mut().unwrap().budget = None),
        ("the method", |c| {
            c.request.as_mut().unwrap().method = MethodName::Select;
        }),
        ("steps", |c| {
            let steps = NonZeroU64::new(29);
            c.request.as_mut().unwrap().details.iterations = steps;
        }),
        ("adjacency", |c| {
            c.statement.adjacency = Adjacency::AddRemove;
        }),
        ("no columns", |c| c.columns = 0),
        ("the method that is named", |c| {
            c.method.name = "ight".to_owned();
        }),
        ("a parameter that is named", |c| {
            c.method.parameters[0].value = "31".to_owned();
        }),
    ];
    for (name, change) in changes {
        let mut tampered = certificate();
        change(&mut tampered);
        assert!(failures(&tampered).contains(&PLAN), "{name}");
    }
}

#[test]
fn every_method_is_planned_again_from_its_certificate() {
    let tasks = [
        (TaskName::Logistic, None),
        (TaskName::Linear, None),
        (TaskName::Multinomial, Some(3)),
    ];
    let methods = MethodName::ALL.into_iter().chain([MethodName::Choose]);
    let mut done = 0;
    for method in methods {
        for (task, classes) in tasks {
            for nonzero in [None, Some(3)] {
                let request = MethodRequest {
                    task,
                    method,
                    classes,
                    nonzero,
                    details: Details::default(),
                    ..request()
                };
                let rows = RecordBound::Linf(1.0);
                let Ok((plan, _)) = request.plan(facts(rows)) else {
                    continue; // Not every method does every task.
                };
                let mut certificate = certificate_for(&request, stated(&*plan), rows);
                certificate.target = (task == TaskName::Linear).then_some(TargetRange {
                    low: 0.0,
                    high: 1.0,
                });
                let text = serde_json::to_string(&certificate).unwrap();
                let read: Certificate = serde_json::from_str(&text).unwrap();
                assert_eq!(read, certificate);
                let name = format!("{} {} {nonzero:?}", method.name(), task.name());
                assert!(read.verify().holds(), "{name}: {:?}", read.verify());
                for place in 0..read.statement.charges.len() {
                    let mut fewer = read.clone();
                    let count = &mut fewer.statement.charges[place].count;
                    *count = count.checked_add(1).unwrap();
                    assert_eq!(failures(&with_matching_epsilon(fewer)), [PLAN], "{name}");
                }
                done += 1;
            }
        }
    }
    assert!(done >= 30, "{done}");
}

#[test]
fn a_teacher_on_public_rows_is_planned_again_by_their_number() {
    let request = MethodRequest {
        method: MethodName::Transfer,
        details: Details::default(),
        public_rows: Some(200),
        ..request()
    };
    let rows = RecordBound::L2(1.0);
    let certificate = certificate_for(&request, stated(&*planned(&request, rows)), rows);
    assert!(certificate.verify().holds(), "{:?}", certificate.verify());
    let parameters = &certificate.method.parameters;
    assert!(
        parameters
            .iter()
            .any(|p| p.value.starts_with("public file"))
    );
    let mut too_few = certificate;
    too_few.request.as_mut().unwrap().public_rows = Some(0);
    assert_eq!(failures(&too_few), [PLAN]);
}

#[test]
fn a_certificate_of_another_version_is_checked_by_its_arithmetic_and_told_as_such() {
    let mut old = certificate();
    old.version = "0.1.0".to_owned();
    old.request = None;
    assert!(old.verify().holds());
    assert_eq!(warnings(&old), [PLAN]);
    let found = &old.verify().checks;
    let told = |check: &Check| check.found.contains("made by another version (0.1.0)");
    assert!(found.iter().any(told), "{found:?}");
    old.statement.epsilon /= 2.0;
    assert_eq!(failures(&old), [COST]);
}

/// What the documentation says that no recomputation can tell.
#[test]
fn a_consistent_lie_is_the_certificate_of_another_fit() {
    let mut request = request();
    request.details.iterations = NonZeroU64::new(1);
    let rows = RecordBound::L2(1.0);
    let lie = certificate_for(&request, stated(&*planned(&request, rows)), rows);
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
    certificate_for(&request, statement, rows)
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
fn what_a_paper_claims_beyond_the_proof_is_pointed_out_and_no_claim_is_made_up() {
    let mut request = request();
    request.details.as_published = true;
    let rows = RecordBound::L2(1.0);
    let plan = planned(&request, rows);
    let mut certificate = certificate_for(&request, stated(&*plan), rows);
    certificate.published = plan.guarantee().claimed().map(Published::of);
    assert!(certificate.verify().holds(), "{:?}", certificate.verify());
    assert_eq!(warnings(&certificate), ["as published"]);
    certificate.published.as_mut().unwrap().epsilon /= 2.0;
    assert_eq!(failures(&certificate), [PLAN]);
    certificate.published = None;
    assert_eq!(failures(&certificate), [PLAN]);
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
