//! Every method keeps to a budget in ρ, and uses it.

use std::num::NonZeroU64;

use super::super::testing::wide::{facts, records, run};
use super::super::{
    Admm, Auto, Calibration, Facts, FrankWolfe, Ight, IghtForm, MulticlassFrankWolfe, Planned,
    Select, Sparsifier, Task, Teacher, Transfer, TwoStage,
};
use super::*;
use crate::privacy::{Delta, Event, Rho};
use crate::solve::Region;

fn zcdp(rho: f64) -> Budget {
    Budget::zcdp(Rho::new(rho).unwrap(), Delta::new(1e-6).unwrap()).unwrap()
}

/// Plans of every method for a task and a budget.
fn plans(task: Task, budget: Budget, facts: Facts) -> Vec<(&'static str, Box<dyn Planned>)> {
    let ight = |form| Ight {
        nonzero: Some(3),
        form,
        ..Ight::new(task, budget)
    };
    let frank_wolfe = |region| FrankWolfe {
        region,
        ..FrankWolfe::new(task, budget)
    };
    let sparsifier = |nonzero| Sparsifier {
        nonzero,
        ..Sparsifier::new(task, budget)
    };
    let transfer = |teacher| Transfer {
        teacher,
        ..Transfer::new(task, budget)
    };
    let plan = "a plan";
    let mut plans: Vec<(&str, Box<dyn Planned>)> = vec![
        ("auto", Auto::new(task, budget).plan(facts).expect(plan).0),
        (
            "staged",
            Box::new(ight(IghtForm::Staged).plan(facts).expect(plan)),
        ),
        (
            "counted",
            Box::new(sparsifier(None).plan(facts).expect(plan)),
        ),
        (
            "cut",
            Box::new(sparsifier(Some(3)).plan(facts).expect(plan)),
        ),
    ];
    if let Task::Multinomial { .. } = task {
        let multinomial = MulticlassFrankWolfe::new(task, budget)
            .plan(facts)
            .expect(plan);
        plans.push(("multinomial", Box::new(multinomial)));
        return plans;
    }
    let ball = Some(Region::L2 { radius: 2.0 });
    let more: [(&str, Box<dyn Planned>); 8] = [
        (
            "each step",
            Box::new(ight(IghtForm::EachStep).plan(facts).expect(plan)),
        ),
        (
            "peeling",
            Box::new(ight(IghtForm::Peeling).plan(facts).expect(plan)),
        ),
        (
            "corners",
            Box::new(frank_wolfe(None).plan(facts).expect(plan)),
        ),
        (
            "round",
            Box::new(frank_wolfe(ball).plan(facts).expect(plan)),
        ),
        (
            "select",
            Box::new(Select::new(task, budget).plan(facts).expect(plan)),
        ),
        (
            "two-stage",
            Box::new(TwoStage::new(task, budget).plan(facts).expect(plan)),
        ),
        (
            "dense",
            Box::new(transfer(Teacher::Dense).plan(facts).expect(plan)),
        ),
        (
            "support",
            Box::new(transfer(Teacher::Support).plan(facts).expect(plan)),
        ),
    ];
    plans.extend(more);
    if task == Task::Logistic {
        let admm = Admm {
            iterations: NonZeroU64::new(4),
            ..Admm::new(task, budget)
        };
        plans.push(("admm", Box::new(admm.plan(facts).expect(plan))));
    }
    plans
}

#[test]
fn every_method_plans_within_rho_and_uses_it() {
    for task in [
        Task::Logistic,
        Task::Linear,
        Task::Multinomial { classes: 3 },
    ] {
        for rho in [1e-4, 0.02, 5.0] {
            let budget = zcdp(rho);
            for (name, plan) in plans(task, budget, facts()) {
                let spending = plan.spending().unwrap();
                let spent = spending.rho().unwrap();
                assert!(
                    spent <= rho && spent > 0.999 * rho,
                    "{name} {task:?}: {spent} of {rho}"
                );
                let statement = spending.ledger().unwrap().statement();
                assert_eq!(statement.rho, Some(spent), "{name} {task:?}");
                assert!(
                    statement.epsilon <= budget.epsilon().get(),
                    "{name} {task:?}"
                );
            }
        }
    }
}

#[test]
fn a_fit_states_the_rho_that_it_planned() {
    let task = Task::Logistic;
    let records = records(task, Adjacency::ReplaceOne);
    for (name, plan) in plans(task, zcdp(0.02), facts()) {
        let fitted = run(&*plan, &records, 1);
        assert_eq!(
            fitted.statement.rho,
            plan.spending().unwrap().rho(),
            "{name}"
        );
        assert_eq!(
            fitted.statement.charges,
            plan.spending().unwrap().charges(),
            "{name}"
        );
    }
    for (name, plan) in plans(task, super::super::testing::wide::budget(1.0), facts()) {
        assert_eq!(plan.spending().unwrap().rho(), None, "{name}");
    }
}

#[test]
fn the_steps_of_ight_get_the_noise_of_the_closed_form() {
    let rho = 0.02;
    let parameters = Ight {
        nonzero: Some(3),
        form: IghtForm::EachStep,
        // So that no class counts are released, and no calibration follows.
        intercept: false,
        ..Ight::new(Task::Logistic, zcdp(rho))
    };
    let plan = parameters.plan(facts()).unwrap();
    let [charge] = plan.spending().unwrap().charges() else {
        panic!("{:?}", plan.spending().unwrap().charges())
    };
    let Event::Gaussian { noise } = charge.event else {
        panic!("{charge:?}")
    };
    let exact = (charge.count.get() as f64 / (2.0 * rho)).sqrt();
    assert!((noise.get() / exact - 1.0).abs() < 1e-9, "{noise} {exact}");
}

/// ε²/2 of the count is its share of ρ, however large ρ is: a share of ε would pass ρ.
#[test]
fn a_count_gets_its_share_of_rho() {
    for rho in [1e-6, 0.02, 2000.0] {
        let plan = Sparsifier::new(Task::Logistic, zcdp(rho)).plan(facts());
        let plan = plan.unwrap();
        let Event::Pure { epsilon } = plan.spending().unwrap().charges()[0].event else {
            panic!("{:?}", plan.spending().unwrap().charges())
        };
        let share = epsilon.get().powi(2) / 2.0 / rho;
        assert!((share - 0.05).abs() < 1e-12, "{rho}: {share}");
        assert!(plan.spending().unwrap().rho().unwrap() <= rho);
    }
}

#[test]
fn published_noise_is_refused_for_rho() {
    let (task, budget, calibration) = (Task::Logistic, zcdp(0.02), Calibration::AsPublished);
    let frank_wolfe = FrankWolfe {
        calibration,
        ..FrankWolfe::new(task, budget)
    };
    let ight = Ight {
        nonzero: Some(3),
        form: IghtForm::EachStep,
        calibration,
        ..Ight::new(task, budget)
    };
    let errors = [
        frank_wolfe.plan(facts()).err(),
        ight.plan(facts()).err(),
        Sparsifier::as_published(budget).plan(facts()).err(),
    ];
    for error in errors {
        assert!(
            matches!(error, Some(PlanError::PublishedInRho(_))),
            "{error:?}"
        );
        assert!(error.unwrap().to_string().contains("the budget is in rho"));
    }
}

#[test]
fn the_rho_of_a_budget_is_the_one_that_was_given() {
    assert_eq!(rho(zcdp(0.0123)), 0.0123);
    // About 0.017, as the guide says, where ε was given.
    let about = rho(super::super::testing::wide::budget(1.0));
    assert!((about - 0.0175).abs() < 5e-4, "{about}");
}

/// Two classes may be asked for as several: one function each.
#[test]
fn two_classes_can_have_one_function_each() {
    let task = Task::Multinomial { classes: 2 };
    let records = records(task, Adjacency::ReplaceOne);
    let plans: [Box<dyn Planned>; 4] = [
        Box::new(Ight::new(task, zcdp(0.5)).plan(facts()).unwrap()),
        Box::new(Select::new(task, zcdp(0.5)).plan(facts()).unwrap()),
        Box::new(
            MulticlassFrankWolfe::new(task, zcdp(0.5))
                .plan(facts())
                .unwrap(),
        ),
        Box::new(Sparsifier::new(task, zcdp(0.5)).plan(facts()).unwrap()),
    ];
    for plan in plans {
        let fitted = run(&*plan, &records, 1);
        assert_eq!(fitted.outputs().len(), 2, "{}", plan.name());
        let weights = &fitted.outputs()[1].weights;
        let first = weights.iter().find(|(column, _)| *column == 0);
        assert!(first.is_some_and(|(_, w)| *w > 0.0), "{}", plan.name());
    }
}

/// Whatever z means to a method, of a step or of all.
#[test]
fn class_counts_have_their_share_of_every_plan() {
    let rho = 0.02;
    for (name, plan) in plans(Task::Logistic, zcdp(rho), facts()) {
        let spending = plan.spending().unwrap();
        if !spending.calibrates() {
            continue;
        }
        let shares = spending.charges().iter().filter_map(|charge| {
            let Event::Gaussian { noise } = charge.event else {
                return None;
            };
            (charge.count.get() == 1).then(|| 1.0 / (2.0 * noise.get() * noise.get() * rho))
        });
        // The class counts, and two releases of the calibration, which have the same share. Besides them
        // and the rest of the calibration a plan may release a centre, at 4 % of the rest, and the search of an
        // objective's minimiser.
        let counted = shares.filter(|share| (share - 0.02).abs() < 0.002).count();
        assert_eq!(counted, 3, "{name}");
    }
}
