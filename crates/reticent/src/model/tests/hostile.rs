//! A certificate may ask for any plan of any table: verifying it never panics, and ends.

use proptest::prelude::*;

use super::*;
use crate::fit::{Ball, Fitting, Steps, Teacher};
use crate::privacy::Rho;

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

fn any_details() -> impl Strategy<Value = Details> {
    let numbers = (
        prop::option::of(any_real()),
        prop::option::of(any_count()),
        any::<[bool; 6]>(),
        any::<[bool; 6]>(),
    );
    numbers.prop_map(|(l1, iterations, some, other)| Details {
        l1,
        iterations: iterations.and_then(NonZeroU64::new),
        steps: some[0].then_some(if other[0] {
            Steps::Standard
        } else {
            Steps::Average
        }),
        ball: some[1].then_some(if other[1] {
            Ball::Whole
        } else {
            Ball::PerClass
        }),
        peeling: some[2] && other[2],
        fitting: some[3].then_some(if other[3] {
            Fitting::Statistics
        } else {
            Fitting::Gradients
        }),
        teacher: some[4].then_some(if other[4] {
            Teacher::Dense
        } else {
            Teacher::Support
        }),
        as_published: some[5] && other[5],
    })
}

fn any_request() -> impl Strategy<Value = MethodRequest> {
    let methods: Vec<MethodName> = MethodName::ALL
        .into_iter()
        .chain([MethodName::Choose])
        .collect();
    (
        prop::sample::select(TaskName::ALL.to_vec()),
        prop::sample::select(methods),
        any_budget(),
        any::<(bool, bool)>(),
        prop::option::of(any_count()),
        any_details(),
        prop::option::of(prop_oneof![0u32..5, any::<u32>()]),
        prop::option::of(any_count()),
    )
        .prop_map(
            |(task, method, budget, (adds, intercept), nonzero, details, classes, rows)| {
                MethodRequest {
                    task,
                    method,
                    budget,
                    adjacency: match adds {
                        true => Adjacency::AddRemove,
                        false => Adjacency::ReplaceOne,
                    },
                    nonzero: nonzero.map(|count| count as usize),
                    intercept,
                    details,
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
