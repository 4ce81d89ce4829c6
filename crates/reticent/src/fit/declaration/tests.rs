//! Declarations are consistent, and are all that a request can ask for.

use super::*;
use crate::fit::Nonzero;
use crate::privacy::{Delta, Epsilon};

fn request(method: &str, task: TaskName) -> MethodRequest {
    let (epsilon, delta) = (Epsilon::new(1.0).unwrap(), Delta::new(1e-6).unwrap());
    MethodRequest {
        task,
        method: method.parse().unwrap(),
        budget: Some(Budget::new(epsilon, delta)),
        adjacency: Adjacency::ReplaceOne,
        nonzero: None,
        intercept: true,
        class_weight: None,
        options: MethodOptions::default(),
        classes: (task == TaskName::Multinomial).then_some(3),
        public_rows: None,
    }
}

fn refusal(request: &MethodRequest) -> String {
    let error = request.check_options(ParameterStyle::Flags, false);
    error.unwrap_err().to_string()
}

#[test]
fn names_are_unique_and_what_an_option_refers_to_exists() {
    for (place, method) in METHODS.iter().enumerate() {
        let earlier = &METHODS[..place];
        assert!(earlier.iter().all(|other| other.name != method.name));
        assert!(!method.meaning.is_empty() && !method.tasks.is_empty());
        for (place, option) in method.options.iter().enumerate() {
            let name = option.name;
            let earlier = &method.options[..place];
            assert!(!name.is_empty() && earlier.iter().all(|other| other.name != name));
            assert!(!option.meaning.is_empty() && !option.tasks.is_empty());
            for other in option.needs.iter().chain(option.excludes) {
                let common = ["nonzero", "rho", "public"].contains(other);
                assert!(common || method.option(other).is_some(), "{name}: {other}");
            }
        }
    }
}

/// One flag and one parameter stand for all options of a name.
#[test]
fn options_of_one_name_take_the_same_values() {
    for (option, methods) in declared_options() {
        for method in methods {
            let other = method.declaration().option(option.name).unwrap();
            assert_eq!(other.allowed(), option.allowed(), "{}", option.name);
            assert_eq!(other.meaning, option.meaning, "{}", option.name);
        }
    }
}

/// Every declared task and adjacency has a plan, and no other passes the check.
#[test]
fn a_method_plans_what_it_declares() {
    let facts = Facts {
        records: 5_000,
        columns: 20,
        rows: crate::table::RecordBound::Linf(1.0),
    };
    for method in MethodName::all() {
        let declaration = method.declaration();
        if declaration.build.is_none() {
            continue;
        }
        for task in TaskName::ALL {
            for adjacency in [Adjacency::ReplaceOne, Adjacency::AddRemove] {
                let request = MethodRequest {
                    adjacency,
                    ..request(method.name(), task)
                };
                let declared = declaration.tasks.contains(&task)
                    && declaration.adjacencies.contains(&adjacency);
                let name = format!("{} {} {adjacency}", method.name(), task.name());
                let sound = request.check_options(ParameterStyle::Flags, false).is_ok();
                assert_eq!(sound, declared, "{name}");
                assert_eq!(request.plan(facts).is_ok(), declared, "{name}");
            }
        }
    }
}

/// Every declared option changes the plan or its summary: none is ignored.
#[test]
fn every_option_is_read_by_its_method() {
    let facts = Facts {
        records: 5_000,
        columns: 20,
        rows: crate::table::RecordBound::Linf(1.0),
    };
    let values = |option: &MethodOption| -> Vec<OptionValue> {
        match option.value {
            OptionType::Positive => vec![0.37.into()],
            OptionType::Count => vec![std::num::NonZeroU64::new(3).unwrap().into()],
            OptionType::Flag => vec![true.into()],
            OptionType::Name(names) | OptionType::NameOrVertices(names) => {
                names().iter().map(|(name, _)| (*name).into()).collect()
            }
            OptionType::PublicRows => Vec::new(),
        }
    };
    for method in MethodName::all().filter(|method| method.declaration().build.is_some()) {
        for option in method.declaration().options {
            let task = option
                .tasks
                .iter()
                .find(|t| method.declaration().tasks.contains(t));
            let mut plain = request(method.name(), *task.unwrap());
            plain.nonzero = option
                .needs
                .contains(&"nonzero")
                .then_some(Nonzero::Count(4));
            let described = |request: &MethodRequest| {
                let (plan, _) = request.plan(facts).unwrap();
                let charges = plan.spending().map(|spending| spending.charges().to_vec());
                format!("{:?} {charges:?} {:?}", plan.summary(), plan.guarantee())
            };
            let all = values(option);
            let changed = all.iter().any(|value| {
                let mut asked = plain.clone();
                asked.options.set(option.name, value.clone());
                asked.check_options(ParameterStyle::Flags, false).unwrap();
                described(&asked) != described(&plain)
            });
            assert!(
                changed || all.is_empty(),
                "{} {}",
                method.name(),
                option.name
            );
        }
    }
}

#[test]
fn what_does_not_apply_to_a_method_is_refused_with_the_methods_that_do() {
    let mut asked = request("select", TaskName::Linear);
    asked.options.set("radius", 1.0);
    let message = refusal(&asked);
    assert!(
        message.contains("--radius was given, but it does not apply to --method select"),
        "{message}"
    );
    assert!(
        message.contains("--method frank-wolfe, sparsifier or lasso"),
        "{message}"
    );
    asked.options = MethodOptions::default().with("no option", 1.0);
    assert!(
        refusal(&asked).contains("leave it out"),
        "{}",
        refusal(&asked)
    );
}

#[test]
fn values_that_an_option_cannot_have_are_refused_by_the_check_and_by_the_plan() {
    let facts = Facts {
        records: 500,
        columns: 5,
        rows: crate::table::RecordBound::L2(1.0),
    };
    let wrong: [(&str, OptionValue, &str); 7] = [
        ("radius", 0.0.into(), "a finite number above 0"),
        ("radius", f64::NAN.into(), "a finite number above 0"),
        ("radius", "wide".into(), "a finite number above 0"),
        ("iterations", 2.5.into(), "a whole number"),
        ("step-rule", "long".into(), "one of standard, average"),
        (
            "region",
            "l3".into(),
            "one of l1, simplex, l2, or the vertices",
        ),
        ("as-published", 1.0.into(), "true or false"),
    ];
    for (name, value, allowed) in wrong {
        let mut asked = request("frank-wolfe", TaskName::Linear);
        asked.options.set(name, value);
        assert!(refusal(&asked).contains(allowed), "{}", refusal(&asked));
        let planned = asked.plan(facts).map(|_| ()).unwrap_err().to_string();
        assert!(planned.contains(allowed), "{planned}");
    }
}

#[test]
fn options_are_plain_data_and_read_back() {
    let options = MethodOptions::default()
        .with("radius", 2.0)
        .with("iterations", std::num::NonZeroU64::new(7).unwrap())
        .with("step-rule", "standard")
        .with("peeling", false)
        .with("region", vec![vec![0.0, 1.0], vec![1.5, 0.0]]);
    let text = serde_json::to_string(&options).unwrap();
    assert_eq!(
        text,
        r#"{"iterations":7,"radius":2.0,"region":[[0.0,1.0],[1.5,0.0]],"step-rule":"standard"}"#
    );
    assert_eq!(
        serde_json::from_str::<MethodOptions>(&text).unwrap(),
        options
    );
}

/// Not every model without a budget is solved to convergence: that of sgd takes 20 epochs.
#[test]
fn an_option_without_effect_is_refused_in_words_that_hold_for_every_method() {
    for (method, option) in [("sgd", "smoothing"), ("ight", "iterations")] {
        let mut open = request(method, TaskName::Logistic);
        open.budget = None;
        match option {
            "iterations" => open.options.set(option, std::num::NonZeroU64::MIN),
            _ => open.options.set(option, 1.0),
        }
        let refused = refusal(&open);
        let words = format!("without noise, by other steps: --{option} has no effect there");
        assert!(refused.contains(&words), "{refused}");
    }
}
