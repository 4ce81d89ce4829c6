//! What a request lacks or contradicts is reported before any data are read, in the caller's words.

use super::*;
use crate::train::missing::{ORDER, how_to_choose};

#[test]
fn what_has_no_default_is_asked_for_all_at_once_and_in_the_callers_words() {
    let nothing = FitRequest {
        adjacency: Adjacency::AddRemove,
        ..FitRequest::default()
    };
    let refused = nothing
        .check_with(ParameterStyle::Flags, &["out"])
        .unwrap_err();
    let Refused::Missing { what, remedies } = refused else {
        panic!("{refused}");
    };
    let names = "--task, --epsilon, --delta, --rows, --public-n and --out";
    assert!(what.starts_with(names), "{what}");
    assert_eq!(remedies.len(), 6);
    let linear = FitRequest {
        range: None,
        ..request(TaskName::Linear)
    };
    let message = linear
        .check(ParameterStyle::Arguments)
        .unwrap_err()
        .to_string();
    assert!(
        message.starts_with("target_range was not given"),
        "{message}"
    );
    let of_schema = FitRequest {
        schema: true,
        rows: None,
        ..linear
    };
    assert_eq!(checked(&of_schema).rows(), RecordBound::Linf(1.0));
}

#[test]
fn every_missing_parameter_is_explained_and_flags_within_80_columns() {
    for parameter in ORDER {
        let text = how_to_choose(ParameterStyle::Flags, parameter);
        // One of two may be missing.
        let first = parameter.split(' ').next().unwrap();
        assert!(text.starts_with(&format!("--{first} ")), "{parameter}");
        for line in text.lines() {
            assert!(line.chars().count() <= 80, "{line}");
        }
        assert!(!how_to_choose(ParameterStyle::Arguments, parameter).is_empty());
    }
}

#[test]
fn values_that_cannot_be_meant_are_refused_before_any_data_are_read() {
    type Change = fn(&mut FitRequest);
    let changes: [(Change, &str); 8] = [
        (|r| r.epsilon = Some(-1.0), "epsilon"),
        (|r| r.epsilon = Some(f64::NAN), "epsilon"),
        (|r| r.delta = Some(1.0), "delta"),
        (|r| r.rows = Some(RecordBound::L2(0.0)), "bound of the rows"),
        (
            |r| {
                (r.task, r.range) = (
                    Some(TaskName::Linear),
                    Some(TargetRange {
                        low: 5.0,
                        high: 5.0,
                    }),
                );
            },
            "the lower one first",
        ),
        (|r| (r.epsilon, r.rho) = (None, Some(f64::MAX)), "rho"),
        (|r| r.rho = Some(0.1), "both given"),
        (
            |r| (r.adjacency, r.public_n) = (Adjacency::AddRemove, Some(0)),
            "public_n is 0",
        ),
    ];
    for (change, message) in changes {
        let mut request = request(TaskName::Logistic);
        change(&mut request);
        let error = request
            .check(ParameterStyle::Arguments)
            .unwrap_err()
            .to_string();
        assert!(error.contains(message), "{error}");
    }
}

#[test]
fn parameters_that_contradict_each_other_are_told_in_the_callers_words() {
    let with = |task, change: fn(&mut FitRequest)| {
        let mut request = request(task);
        change(&mut request);
        request
    };
    use TaskName::{Linear, Logistic};
    let cases = [
        (
            with(Linear, |r| {
                r.classes = Some(ClassPattern::parse_list("no,yes").unwrap());
            }),
            "--classes was given",
            "classes was given",
        ),
        (
            with(Linear, |r| r.schema = true),
            "--target-range was given, and the schema",
            "target_range was given, and the schema",
        ),
        (
            with(Logistic, |r| r.public = true),
            "--public was given",
            "public was given",
        ),
        (
            with(Logistic, |r| r.public_n = Some(5)),
            "public-n",
            "public_n",
        ),
        (
            with(Logistic, |r| {
                let (low, high) = (0.0, 1.0);
                r.range = Some(TargetRange { low, high });
            }),
            "--task logistic has classes",
            "task='logistic' has classes",
        ),
        (
            with(Linear, |r| {
                r.method = method("frank-wolfe");
                r.nonzero = Some(Nonzero::Count(3));
            }),
            "does not apply to --method frank-wolfe",
            "does not apply to method='frank-wolfe'",
        ),
        (
            with(Linear, |r| r.options.set("radius", 1.0)),
            "--radius was given",
            "use method='frank-wolfe', 'sparsifier' or 'lasso'",
        ),
        (
            with(Logistic, |r| {
                r.method = method("select");
                r.options.set("fitting", "statistics");
            }),
            "--fitting was given, but it does not apply to --task logistic",
            "use task='linear'",
        ),
        (
            with(Logistic, |r| r.method = method("lasso")),
            "use --epsilon inf",
            "use epsilon=float('inf')",
        ),
        (
            with(Logistic, |r| {
                (r.method, r.epsilon) = (method("select"), Some(f64::INFINITY));
            }),
            "--method select is private by design",
            "method='select' is private by design",
        ),
        (
            with(Logistic, |r| {
                r.method = method("ight");
                r.options.set("peeling", true);
            }),
            "add --nonzero S",
            "add nonzero=S",
        ),
        (
            with(Linear, |r| {
                r.method = method("frank-wolfe");
                (r.epsilon, r.rho) = (None, Some(0.1));
                r.options.set("as-published", true);
            }),
            "use --epsilon in place of --rho",
            "use epsilon in place of rho",
        ),
    ];
    for (request, flags, arguments) in cases {
        let say = |style: ParameterStyle| request.check(style).unwrap_err().to_string();
        assert!(
            say(ParameterStyle::Flags).contains(flags),
            "{}",
            say(ParameterStyle::Flags)
        );
        let said = say(ParameterStyle::Arguments);
        assert!(said.contains(arguments), "{said}");
        assert!(!said.contains("--"), "{said}");
    }
    for task in TaskName::ALL {
        assert!(request(task).check(ParameterStyle::Flags).is_ok());
    }
}
