//! `reticent plan`: the same figures as a fit, and no file.

mod run;
mod table;

use run::reticent;
use serde_json::Value;
use table::{Folder, SCHEMA, libsvm};

const FLAGS: &str = "--task logistic --epsilon 1 --delta 1e-6 --rows linf=1";

fn planned(arguments: &str) -> Value {
    let run = reticent(&format!("plan --json {arguments}"));
    assert_eq!(run.code, 0, "{arguments}\n{}", run.err);
    assert_eq!(run.err, "");
    serde_json::from_str(&run.out).unwrap()
}

#[test]
fn a_plan_is_what_the_fit_then_does() {
    let folder = Folder::new("plan");
    let train = folder.write("train", &libsvm(2_000, 1));
    let plan = planned(&format!("--n 2000 --d 10 {FLAGS}"));
    let fit = reticent(&format!(
        "fit {train} {FLAGS} --json --out {}",
        folder.at("model.json")
    ));
    let fit: Value = serde_json::from_str(&fit.out).unwrap();
    for key in [
        "n",
        "d",
        "epsilon",
        "delta",
        "method",
        "why",
        "parameters",
        "adjacency",
        "accountant",
    ] {
        assert_eq!(plan[key], fit[key], "{key}");
    }
}

#[test]
fn the_events_of_a_plan_cost_what_it_says() {
    let plan = planned(&format!("--n 30000 --d 123 {FLAGS}"));
    let epsilon = plan["epsilon"].as_f64().unwrap();
    assert!(epsilon <= 1.0 && epsilon > 0.9);
    let by = plan["epsilon_by_accountant"].as_object().unwrap();
    let least = by
        .values()
        .filter_map(Value::as_f64)
        .fold(f64::INFINITY, f64::min);
    assert_eq!(least, epsilon);
    let name = plan["accountant"].as_str().unwrap();
    assert_eq!(by[name], plan["epsilon"]);
    let events: Vec<String> = plan["events"]
        .as_array()
        .unwrap()
        .iter()
        .map(|event| {
            let fields: Vec<String> = event
                .as_object()
                .unwrap()
                .iter()
                .filter(|(key, _)| *key != "kind")
                .map(|(key, value)| format!("{key}={value}"))
                .collect();
            format!(
                "--event {}:{}",
                event["kind"].as_str().unwrap(),
                fields.join(",")
            )
        })
        .collect();
    let again = run::account(&format!("--delta 1e-6 {}", events.join(" ")));
    assert_eq!(again["epsilon"], plan["epsilon"]);
}

#[test]
fn more_records_mean_that_less_can_be_seen() {
    let noise = |n: u64| {
        let method = "--method frank-wolfe --iterations 100";
        let plan = planned(&format!("--n {n} --d 100 {FLAGS} {method}"));
        plan["parameters"]["gradient noise"].as_f64().unwrap()
    };
    let (few, many) = (noise(1_000), noise(100_000));
    assert!((few / many - 100.0).abs() < 1.0, "{few} {many}");
}

#[test]
fn the_page_for_people_has_the_figures() {
    let run = reticent(&format!("plan --n 30000 --d 123 {FLAGS}"));
    assert_eq!(run.code, 0, "{}", run.err);
    for word in [
        "ε = ",
        "no private data was read",
        "30000",
        "123",
        "gaussian",
        "ε by accountant",
        "zcdp",
        "all features move",
        "replace-one",
    ] {
        assert!(run.out.contains(word), "lacks {word}\n{}", run.out);
    }
    run::fits_80_columns(&run.out);
}

#[test]
fn a_schema_tells_the_number_of_features() {
    let folder = Folder::new("plan-schema");
    let schema = folder.write("schema.toml", SCHEMA);
    let plan = planned(&format!(
        "--n 30000 --schema {schema} --task logistic --epsilon 1 --delta 1e-6"
    ));
    assert_eq!(plan["d"], 5);
    assert_eq!(plan["rows"], "linf=1");
}

#[test]
fn a_large_delta_is_warned_of() {
    let flags = FLAGS.replace("1e-6", "1e-3");
    let run = reticent(&format!("plan --n 1000 --d 10 {flags}"));
    assert!(run.out.contains("1/n or more"), "{}", run.out);
    let plan = planned(&format!("--n 999 --d 10 {flags}"));
    assert_eq!(plan["warnings"].as_array().unwrap().len(), 0);
}

#[test]
fn a_weak_promise_and_a_budget_for_noise_alone_are_warned_of_once() {
    let warnings = |n: u64, epsilon: f64| -> Vec<String> {
        let flags = "--task linear --target-range 0,1 --delta 1e-9 --rows linf=1 --d 10";
        let plan = planned(&format!("{flags} --n {n} --epsilon {epsilon}"));
        serde_json::from_value(plan["warnings"].clone()).unwrap()
    };
    assert_eq!(warnings(6_000, 20.0), Vec::<String>::new());
    let weak = warnings(6_000, 25.0);
    assert_eq!(weak.len(), 1, "{weak:?}");
    assert!(weak[0].contains("hardly a promise"), "{weak:?}");
    let lost = warnings(60, 0.1);
    assert_eq!(lost.len(), 1, "{lost:?}");
    assert!(lost[0].starts_with("n = 60 is too few"), "{lost:?}");
}

#[test]
fn features_that_noise_must_hide_are_named_before_anything_is_spent() {
    let flags = "--task logistic --delta 1e-6 --rows linf=1 --d 10 --nonzero auto";
    let features = |n: u64, epsilon: f64| {
        let plan = planned(&format!("{flags} --n {n} --epsilon {epsilon}"));
        plan["parameters"].get("features").cloned()
    };
    assert_eq!(features(60, 0.1), Some("lost in noise".into()));
    assert_eq!(features(60, 8.0), None);
    assert_eq!(features(6_000, 0.1), None);
}

#[test]
fn a_plan_for_rho_spends_rho_and_says_what_epsilon_that_is() {
    let flags = "--task logistic --delta 1e-6 --rows linf=1 --n 30000 --d 123";
    let plan = planned(&format!("{flags} --rho 0.02"));
    let rho = plan["rho"].as_f64().unwrap();
    assert!(rho <= 0.02 && rho > 0.999 * 0.02, "{rho}");
    // What ρ = 0.02 proves at 1e-6.
    let by = plan["epsilon_by_accountant"]["zcdp"].as_f64().unwrap();
    assert!(by <= 0.9 && by > 0.899, "{by}");
    assert!(plan["epsilon"].as_f64().unwrap() <= by);
    let text = reticent(&format!("plan {flags} --rho 0.02")).out;
    assert!(text.contains("rho              0.02000 "), "{text}");
    assert!(
        planned(&format!("{flags} --epsilon 1"))
            .get("rho")
            .is_none()
    );
}
