//! Published methods that are special cases: DP-GD, and RRPSGD.

use super::*;
use crate::fit::ProgressObserver;
use crate::fit::testing::wide::{WIDTH, records};
use crate::fit::{FitInput, Fitted};
use crate::noise::Generator;
use crate::privacy::Charge;
use std::ops::ControlFlow;

/// The numbers of the steps that a fit reported.
#[derive(Default)]
struct Steps(u64);

impl ProgressObserver for Steps {
    fn step(&mut self, _: u64, _: u64) -> ControlFlow<()> {
        self.0 += 1;
        ControlFlow::Continue(())
    }
}

fn steps_of(plan: &SgdPlan, seed: u64) -> (Fitted, u64) {
    let records = records(plan.task, Adjacency::ReplaceOne);
    let mut steps = Steps::default();
    let mut rng = Generator::not_private(seed);
    let fitted = plan.run(FitInput::Sealed(&records), &mut rng, &mut steps);
    (fitted.unwrap(), steps.0)
}

/// Noisy gradient descent: no event is subsampled, whatever number stands for all records.
#[test]
fn batches_of_all_records_charge_plain_gaussians() {
    for adjacency in BOTH {
        for batch in [facts().records, 10 * facts().records, u64::MAX] {
            let parameters = Sgd {
                adjacency,
                optimizer: SgdOptimizer::Sgd,
                batch: NonZeroU64::new(batch),
                epochs: Some(20.0),
                ..sgd(Task::Logistic, 0.5)
            };
            let plan = parameters.plan(facts()).unwrap();
            let charges = plan.spending().unwrap().charges();
            let plain = |charge: &Charge| matches!(charge.event, Event::Gaussian { .. });
            assert!(charges.iter().all(plain), "{charges:?}");
            let steps = |charge: &&Charge| charge.count.get() == 20;
            assert_eq!(charges.iter().filter(steps).count(), 1);
        }
    }
}

fn random(batch: u64, epochs: f64) -> SgdPlan {
    let parameters = Sgd {
        optimizer: SgdOptimizer::Sgd,
        result: SgdResult::Random,
        batch: NonZeroU64::new(batch),
        epochs: Some(epochs),
        ..sgd(Task::Logistic, 5.0)
    };
    parameters.plan(facts()).unwrap()
}

/// 200 fits of at most 4 steps: each number of steps is at an end with probability ¼, and the counts are
/// all within 50 ± 31 but once in 10⁶ (five deviations).
#[test]
fn a_random_step_is_any_of_them_as_likely_and_costs_all_of_them() {
    let plan = random(facts().records / 2, 2.0);
    assert_eq!(plan.steps(), 4);
    let mut counts = [0; 4];
    for seed in 0..200 {
        let (fitted, steps) = steps_of(&plan, seed);
        counts[steps as usize - 1] += 1;
        let charges = plan.spending().unwrap().charges();
        assert_eq!(fitted.statement.charges, charges, "certified in full");
    }
    assert!(counts.iter().all(|n| (19..=81).contains(n)), "{counts:?}");
}

#[test]
fn batches_of_one_record_are_drawn_and_accounted_for() {
    let plan = random(1, 1.0);
    assert_eq!((plan.steps(), plan.batch_size()), (facts().records, 1.0));
    let (fitted, steps) = steps_of(&plan, 1);
    assert!(steps > 1 && steps < plan.steps());
    assert!(fitted.statement.epsilon <= 5.0 && fitted.statement.epsilon > 4.9);
    // The point is taken as it is: no weight is set to zero.
    assert_eq!(fitted.outputs()[0].weights.len(), WIDTH);
}
