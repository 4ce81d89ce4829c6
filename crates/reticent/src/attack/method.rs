//! Every declared method and option, with hostile parameters.

use std::num::NonZeroU64;

use super::chance::Chance;
use super::table::{Pair, Storage};
use super::{Outcome, Try};
use crate::fit::{
    Auxiliary, Facts, FitInput, MethodName, MethodOption, MethodOptions, MethodRequest, Nonzero,
    OptionType, OptionValue, TakesNonzero, TaskName,
};
use crate::matrix::{Dense, Matrix};
use crate::mechanism::tape;
use crate::noise::Generator;
use crate::privacy::{Adjacency, Budget, Delta, Epsilon, Rho};
use crate::table::RecordBound;

/// A fit of a hostile table and of its neighbour.
pub fn attack(chance: &mut Chance, adjacency: Adjacency) -> Try {
    let task = chance.pick(&TaskName::ALL);
    let classes = match task {
        TaskName::Linear => 0,
        TaskName::Logistic => 2,
        TaskName::Multinomial => 3 + chance.below(2) as u32,
    };
    let pair = Pair::new(chance, classes, adjacency);
    let records = match adjacency {
        Adjacency::ReplaceOne => pair.protected() as u64,
        Adjacency::AddRemove => 1 + chance.below(60) as u64,
    };
    let facts = Facts {
        records,
        columns: pair.width,
        rows: pair.bound,
    };
    let methods: Vec<MethodName> = MethodName::all().collect();
    let method = chance.pick(&methods);
    let request = request(chance, task, method, classes, adjacency, &facts);
    let takes_rows = method.declaration().option("public").is_some();
    let rows = takes_rows.then(|| public_rows(&facts));
    let planned = request.plan_with(facts, rows).map(|(plan, _)| plan);
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
        let sealed = storage.sealed(records, &pair, request.intercept);
        let mut randomness = Generator::not_private(seed);
        let fitted = plan.run(FitInput::Sealed(&*sealed), &mut randomness, &mut ());
        // Debug shows every bit of a float but the sign and payload of NaN.
        format!("{fitted:?}")
    };
    let (one, two, findings) = tape::coupled(
        pair.difference,
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

/// A value that the option allows, if it is given.
fn value(chance: &mut Chance, option: &MethodOption, facts: &Facts) -> Option<OptionValue> {
    let name = |chance: &mut Chance, names: fn() -> Vec<(&'static str, &'static str)>| {
        let names = names();
        OptionValue::from(names[chance.below(names.len())].0)
    };
    // Published noise is the exception; where nothing is proved there is nothing to attack.
    if option.name == "as-published" && !chance.once_in(4) {
        return None;
    }
    match option.value {
        OptionType::Positive => {
            chance.maybe(4, |chance| 10f64.powf(4.0 * chance.unit() - 2.0).into())
        }
        OptionType::Count => chance.maybe(2, |chance| {
            OptionValue::Count(NonZeroU64::new(1 + chance.bits() % 9).unwrap())
        }),
        OptionType::Flag => chance.maybe(3, |_| true.into()),
        OptionType::Name(names) => chance.maybe(2, |chance| name(chance, names)),
        OptionType::NameOrVertices(names) => match chance.below(6) {
            0 => Some(vertices(chance, facts.columns).into()),
            1 | 2 => Some(name(chance, names)),
            _ => None,
        },
        // Passed beside the request.
        OptionType::PublicRows => None,
    }
}

fn vertices(chance: &mut Chance, columns: usize) -> Vec<Vec<f64>> {
    let mut corner = || (0..columns).map(|_| 2.0 * chance.unit() - 1.0).collect();
    (0..4).map(|_| corner()).collect()
}

/// A number of weights, or where the method can, one time in three, that it finds it.
fn number_of_weights(chance: &mut Chance, method: MethodName) -> Nonzero {
    let finds = method.declaration().nonzero == TakesNonzero::CountOrAuto;
    match finds && chance.once_in(3) {
        true => Nonzero::Auto,
        false => Nonzero::Count(1 + chance.below(4)),
    }
}

fn request(
    chance: &mut Chance,
    task: TaskName,
    method: MethodName,
    classes: u32,
    adjacency: Adjacency,
    facts: &Facts,
) -> MethodRequest {
    let mut options = MethodOptions::default();
    for option in method.declaration().options {
        if let Some(value) = value(chance, option, facts) {
            options.set(option.name, value);
        }
    }
    MethodRequest {
        task,
        method,
        budget: Some(budget(chance)),
        adjacency,
        nonzero: chance.maybe(2, |chance| number_of_weights(chance, method)),
        intercept: !chance.once_in(3),
        // The records have it.
        class_weight: None,
        options,
        classes: (classes > 2).then_some(classes),
        public_rows: None,
    }
}

/// Public rows that point along the columns: they show every change of a teacher's weights.
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
