//! Every method and option, with hostile parameters.

use std::num::NonZeroU64;

use super::chance::Chance;
use super::table::{Pair, Storage};
use super::{Outcome, Try};
use crate::fit::{
    Auxiliary, Ball, Details, Facts, Fitting, FrankWolfe, MethodName, MethodRequest, PlanError,
    Planned, Steps, Subject, Task, TaskName, Teacher,
};
use crate::matrix::{Dense, Matrix};
use crate::mechanism::tape;
use crate::noise::Generator;
use crate::privacy::{Adjacency, Budget, Delta, Epsilon, Rho};
use crate::solve::{Region, Vertices};
use crate::table::RecordBound;

/// A fit of a hostile table and of its neighbour.
pub fn attack(chance: &mut Chance) -> Try {
    let task = chance.pick(&TaskName::ALL);
    let adjacency = chance.pick(&[Adjacency::ReplaceOne, Adjacency::AddRemove]);
    let classes = match task {
        TaskName::Linear => 0,
        TaskName::Logistic => 2,
        TaskName::Multinomial => 3 + chance.below(2) as u32,
    };
    let pair = Pair::new(chance, classes, adjacency);
    let records = match adjacency {
        Adjacency::ReplaceOne => pair.first.len() as u64,
        Adjacency::AddRemove => 1 + chance.below(60) as u64,
    };
    let facts = Facts {
        records,
        columns: pair.width,
        rows: pair.bound,
    };
    let method = match chance.once_in(9) {
        true => MethodName::Choose,
        false => chance.pick(&MethodName::ALL),
    };
    let intercept = !chance.once_in(3);
    let planned = match chance.once_in(12) && task != TaskName::Multinomial {
        true => region(chance, task.of(classes), adjacency, facts, intercept),
        false => {
            let request = request(chance, task, method, classes, adjacency, intercept);
            let rows = (method == MethodName::Transfer).then(|| public_rows(&facts));
            request.plan_with(facts, rows).map(|(plan, _)| plan)
        }
    };
    let Ok(plan) = planned else {
        return Try::Refused;
    };
    if plan.spending().is_none() {
        return Try::Refused;
    }
    let parts = chance.pick(&[1, 1, 2, 3]);
    let storages = [Storage::new(chance, parts), Storage::new(chance, parts)];
    let seed = chance.bits();
    let run = |records: &[_], storage: Storage| -> Outcome {
        let sealed = storage.sealed(records, &pair, intercept);
        let mut randomness = Generator::not_private(seed);
        let fitted = plan.run(Subject::Sealed(&*sealed), &mut randomness, &mut ());
        // Debug shows every bit of a float but the sign and payload of NaN.
        format!("{fitted:?}")
    };
    let (one, two, findings) = tape::coupled(
        || run(&pair.first, storages[0]),
        || run(&pair.second, storages[1]),
    );
    let what = format!("{} of {task:?}, {method:?} asked, {pair:?}", plan.name());
    Try::done(what, one, two, findings)
}

fn budget(chance: &mut Chance) -> Budget {
    let delta = Delta::new(1e-6).unwrap();
    let size = chance.pick(&[0.01, 0.3, 1.0, 10.0, 300.0]);
    match chance.once_in(4) {
        true => Budget::zcdp(Rho::new(size / 10.0).unwrap(), delta).unwrap(),
        false => Budget::new(Epsilon::new(size).unwrap(), delta),
    }
}

fn request(
    chance: &mut Chance,
    task: TaskName,
    method: MethodName,
    classes: u32,
    adjacency: Adjacency,
    intercept: bool,
) -> MethodRequest {
    let published = chance.once_in(8);
    let details = Details {
        l1: chance.maybe(4, |chance| 10f64.powf(4.0 * chance.unit() - 2.0)),
        iterations: chance.maybe(2, |chance| NonZeroU64::new(1 + chance.bits() % 9).unwrap()),
        steps: chance.maybe(2, |chance| chance.pick(&[Steps::Standard, Steps::Average])),
        ball: chance.maybe(2, |chance| chance.pick(&[Ball::Whole, Ball::PerClass])),
        peeling: method == MethodName::Ight && chance.once_in(3),
        fitting: chance.maybe(3, |chance| {
            chance.pick(&[Fitting::Gradients, Fitting::Statistics])
        }),
        teacher: chance.maybe(2, |chance| chance.pick(&[Teacher::Dense, Teacher::Support])),
        as_published: published && method != MethodName::Transfer,
    };
    MethodRequest {
        task,
        method,
        budget: Some(budget(chance)),
        adjacency,
        nonzero: chance.maybe(2, |chance| 1 + chance.below(4)),
        intercept,
        details,
        classes: (classes > 2).then_some(classes),
        public_rows: None,
    }
}

/// Public rows that point along the columns: all that a teacher's weights can do shows in them.
fn public_rows(facts: &Facts) -> Auxiliary {
    let (RecordBound::L2(bound) | RecordBound::Linf(bound)) = facts.rows;
    let width = facts.columns;
    let rows = 5 * width + 2;
    let mut values = vec![0.0f32; rows * width];
    for (i, row) in values.chunks_mut(width).enumerate() {
        row[i % width] = bound as f32;
    }
    let dense = Dense::new(values, rows, width).unwrap();
    Auxiliary::Public(Matrix::Dense(dense))
}

/// Frank–Wolfe in a region that no request names.
fn region(
    chance: &mut Chance,
    task: Task,
    adjacency: Adjacency,
    facts: Facts,
    intercept: bool,
) -> Result<Box<dyn Planned>, PlanError> {
    let radius = 10f64.powf(2.0 * chance.unit() - 1.0);
    let corner = |chance: &mut Chance| {
        let value = |_| 2.0 * chance.unit() - 1.0;
        (0..facts.columns).map(value).collect::<Vec<f64>>()
    };
    let region = match chance.below(3) {
        0 => Region::Simplex { radius },
        1 => Region::L2 { radius },
        _ => Region::Polytope(Vertices {
            points: (0..4).map(|_| corner(chance)).collect(),
        }),
    };
    let parameters = FrankWolfe {
        adjacency,
        region: Some(region),
        iterations: NonZeroU64::new(5),
        intercept,
        ..FrankWolfe::new(task, budget(chance))
    };
    Ok(Box::new(parameters.plan(facts)?))
}
