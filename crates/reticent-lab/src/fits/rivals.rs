//! The private fits that are compared, and their input.

use reticent::fit::{
    Facts, FitInput, Fitting, Ight, LinearFunction, Nonzero, Planned, Select, Task,
};
use reticent::noise::Generator;
use reticent::population::Records;
use reticent::privacy::Budget;
use reticent::table::{ClippedTable, Table};

use super::newton::Newton;
use super::perturbed::perturbed;

/// A table with only the columns of a public support, in the three forms that fits take.
pub struct Problem {
    pub task: Task,
    pub facts: Facts,
    pub intercept: bool,
    /// As it was read, for fits that make other tables from it.
    pub table: Table<'static>,
    /// Clipped to its bounds and open, for fits in plain floats.
    pub held: ClippedTable<'static>,
    /// Sealed, for the engine.
    pub records: Records<'static>,
}

/// What a fit found, and the ε that is proved for it.
pub struct Fit {
    pub outputs: Vec<LinearFunction>,
    pub epsilon: f64,
}

/// A private fit.
pub struct Rival {
    pub name: &'static str,
    /// Settings that are all tried; the best figure is shown: for rivals only.
    pub settings: &'static [f64],
    /// A fit at a budget, with a seed and a setting.
    pub fit: fn(&Problem, Budget, u64, f64) -> Fit,
}

/// The engine's.
pub const OURS: &str = "select";

/// The share of the curvatures in DP-Newton's budget.
const SHARES: &[f64] = &[0.1, 0.3, 0.6];
/// No setting.
const NONE: &[f64] = &[0.0];

/// The rivals of a task.
pub fn rivals(task: Task) -> Vec<Rival> {
    let select = Rival {
        name: OURS,
        settings: NONE,
        fit: |problem, budget, seed, _| chosen(problem, budget, seed, Fitting::Gradients),
    };
    let statistics = Rival {
        name: "AdaSSP",
        settings: NONE,
        fit: |problem, budget, seed, _| chosen(problem, budget, seed, Fitting::Statistics),
    };
    let ight = Rival {
        name: "ight",
        settings: NONE,
        fit: |problem, budget, seed, _| ight(problem, budget, seed),
    };
    let two = Rival {
        name: "DP-Newton, 2 steps",
        settings: SHARES,
        fit: |problem, budget, seed, share| Newton { steps: 2, share }.fit(problem, budget, seed),
    };
    let five = Rival {
        name: "DP-Newton, 5 steps",
        fit: |problem, budget, seed, share| Newton { steps: 5, share }.fit(problem, budget, seed),
        ..two
    };
    let objective = Rival {
        name: "objective perturbation",
        settings: NONE,
        fit: |problem, budget, seed, _| perturbed(problem, budget, seed),
    };
    match task {
        Task::Linear => vec![select, statistics, ight],
        Task::Logistic | Task::Multinomial { .. } => vec![select, ight, two, five, objective],
    }
}

fn chosen(problem: &Problem, budget: Budget, seed: u64, fitting: Fitting) -> Fit {
    let select = Select {
        nonzero: Some(Nonzero::Count(
            problem.facts.columns * problem.task.outputs(),
        )),
        fitting,
        intercept: problem.intercept,
        ..Select::new(problem.task, budget)
    };
    run(
        &select
            .plan(problem.facts)
            .expect("the defaults make a plan"),
        problem,
        seed,
    )
}

fn ight(problem: &Problem, budget: Budget, seed: u64) -> Fit {
    let ight = Ight {
        intercept: problem.intercept,
        ..Ight::new(problem.task, budget)
    };
    run(
        &ight.plan(problem.facts).expect("the defaults make a plan"),
        problem,
        seed,
    )
}

/// What a plan of the engine finds.
fn run(plan: &dyn Planned, problem: &Problem, seed: u64) -> Fit {
    let mut randomness = Generator::not_private(seed);
    let fitted = plan.run(FitInput::Sealed(&problem.records), &mut randomness, &mut ());
    let fitted = fitted.expect("the plan can be run");
    Fit {
        outputs: fitted.outputs().to_vec(),
        epsilon: fitted.statement.epsilon,
    }
}
