//! A certificate may ask for any plan of any table: verifying it never panics, and ends.

use proptest::prelude::*;

use super::*;
use crate::fit::{Nonzero, OptionValue, declared_options};
use crate::privacy::Rho;
use crate::table::ClassWeight;

fn any_budget() -> impl Strategy<Value = Option<Budget>> {
    let quantity = || (-320.0..308.0f64).prop_map(|power| 10f64.powf(power));
    (quantity(), -300.0..-1e-9f64, any::<bool>()).prop_map(|(spent, power, in_rho)| {
        let delta = Delta::new(10f64.powf(power)).ok()?;
        match in_rho {
            true => Budget::zcdp(Rho::new(spent).ok()?, delta).ok(),
            false => Some(Budget::new(Epsilon::new(spent).ok()?, delta)),
        }
    })
}

/// Small, usual, and as large as there are.
fn any_count() -> impl Strategy<Value = u64> {
    prop_oneof![
        0u64..10,
        10u64..100_000,
        any::<u64>(),
        Just(u64::MAX),
        Just(u64::from(u32::MAX))
    ]
}

fn any_real() -> impl Strategy<Value = f64> {
    prop_oneof![0.1..10.0f64, any::<f64>()]
}

/// A value of any kind: options are given what they can and what they cannot be.
fn any_value() -> impl Strategy<Value = OptionValue> {
    let names = [
        "standard",
        "average",
        "whole",
        "statistics",
        "dense",
        "l1",
        "simplex",
        "l2",
        "l1/2",
        "",
    ];
    let points = prop::collection::vec(prop::collection::vec(any_real(), 0..7), 0..4);
    prop_oneof![
        any::<bool>().prop_map(OptionValue::Flag),
        any_count().prop_map(|count| match NonZeroU64::new(count) {
            Some(count) => OptionValue::Count(count),
            None => OptionValue::Number(0.0),
        }),
        any_real().prop_map(OptionValue::Number),
        prop::sample::select(names.to_vec()).prop_map(OptionValue::from),
        points.prop_map(OptionValue::Vertices),
    ]
}

fn any_options() -> impl Strategy<Value = MethodOptions> {
    let mut names: Vec<&str> = declared_options().iter().map(|(one, _)| one.name).collect();
    names.push("no option");
    let given = (prop::sample::select(names), any_value());
    prop::collection::vec(given, 0..5).prop_map(|given| {
        let mut options = MethodOptions::default();
        for (name, value) in given {
            options.set(name, value);
        }
        options
    })
}

fn any_request() -> impl Strategy<Value = MethodRequest> {
    let methods: Vec<MethodName> = MethodName::all().collect();
    (
        prop::sample::select(TaskName::ALL.to_vec()),
        prop::sample::select(methods),
        any_budget(),
        any::<(bool, bool)>(),
        prop::option::of(any_count()),
        any_options(),
        prop::option::of(prop_oneof![0u32..5, any::<u32>()]),
        prop::option::of(any_count()),
    )
        .prop_map(
            |(task, method, budget, (adds, intercept), nonzero, options, classes, rows)| {
                MethodRequest {
                    task,
                    method,
                    budget,
                    adjacency: match adds {
                        true => Adjacency::AddRemove,
                        false => Adjacency::ReplaceOne,
                    },
                    nonzero: nonzero.map(|count| match count {
                        0 => Nonzero::Auto,
                        count => Nonzero::Count(count as usize),
                    }),
                    intercept,
                    class_weight: rows.map(|count| match count {
                        0 => ClassWeight::Balanced,
                        count => ClassWeight::Numbers(vec![1.0, count as f64]),
                    }),
                    options,
                    classes,
                    public_rows: rows.map(|count| count as usize),
                }
            },
        )
}

proptest! {
    #[test]
    fn whatever_a_certificate_asks_for_can_be_planned_or_refused(
        request in any_request(),
        records in any_count(),
        columns in any_count(),
        bound in any_real(),
        short: bool,
    ) {
        let mut hostile = certificate();
        (hostile.records, hostile.columns) = (records, columns);
        hostile.rows = if short { RecordBound::L2(bound) } else { RecordBound::Linf(bound) };
        hostile.request = Some(request);
        prop_assert!(!hostile.verify().checks.is_empty());
    }
}
