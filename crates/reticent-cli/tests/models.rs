//! What is done with a model file: predict, evaluate, inspect, verify.

mod run;
mod table;

use std::num::NonZeroU64;

use reticent::fit::{
    Facts, Fitted, LinearFunction, MethodName, MethodOptions, MethodRequest, PlanEntry, TaskName,
};
use reticent::model::{Certificate, Method, Model, Outcome};
use reticent::privacy::{Adjacency, Budget, Delta, Epsilon, Event, Ledger, Statement, account};
use reticent::table::{ClassPattern, Layout, RecordBound, TargetRange};
use run::{Run, reticent};
use serde_json::Value;
use table::Folder;

const FACTS: Facts = Facts {
    records: 1000,
    columns: 3,
    rows: RecordBound::Linf(1.0),
};

/// 30 selections.
fn request() -> MethodRequest {
    let (epsilon, delta) = (Epsilon::new(0.7).unwrap(), Delta::new(1e-6).unwrap());
    MethodRequest {
        task: TaskName::Logistic,
        method: "frank-wolfe".parse::<MethodName>().unwrap(),
        budget: Some(Budget::new(epsilon, delta)),
        adjacency: Adjacency::ReplaceOne,
        nonzero: None,
        intercept: false,
        class_weight: None,
        options: MethodOptions::default().with("iterations", NonZeroU64::new(30).unwrap()),
        classes: None,
        public_rows: None,
    }
}

/// What the ledger of that plan states.
fn statement() -> Statement {
    let (plan, _) = request().plan(FACTS).unwrap();
    let spending = plan.spending().unwrap();
    let charges = spending.charges().to_vec();
    let ledger = Ledger::planned(spending.budget(), spending.adjacency(), charges);
    ledger.unwrap().statement()
}

/// The range of a selection, as its file has it.
fn range() -> f64 {
    match statement().charges[0].event {
        Event::Exponential { range } => range.get(),
        event => panic!("{event}"),
    }
}

fn certificate(statement: Statement) -> Certificate {
    let (plan, _) = request().plan(FACTS).unwrap();
    let method = Method::new(plan.name(), &plan.summary());
    let mut certificate = Certificate::new(statement, FACTS, method);
    certificate.request = Some(request());
    certificate
}

fn fitted(certificate: &Certificate) -> Fitted {
    let output = LinearFunction {
        weights: vec![(0, 2.0), (2, -0.5)],
        intercept: 0.25,
    };
    Fitted::linear(vec![output], certificate.statement.clone())
}

fn model(mut certificate: Certificate, outcome: Outcome) -> Model {
    if let (Some(request), Outcome::Value(_)) = (&mut certificate.request, &outcome) {
        request.task = reticent::fit::TaskName::Linear;
    }
    let layout = Layout::Numbered { first: 1, width: 3 };
    Model::new(&fitted(&certificate), outcome, true, layout, certificate).unwrap()
}

/// Class `ill` is labels 2 and 3; all others are `well`.
fn classes() -> Outcome {
    let labels = vec!["2".to_owned(), "3".to_owned()];
    Outcome::Classes(vec![
        ClassPattern {
            name: "well".to_owned(),
            labels: None,
        },
        ClassPattern {
            name: "ill".to_owned(),
            labels: Some(labels),
        },
    ])
}

fn logistic() -> Model {
    model(certificate(statement()), classes())
}

/// A target in [0, 4]: weights 4 and −1, intercept 2.5.
fn linear() -> Model {
    let range = TargetRange {
        low: 0.0,
        high: 4.0,
    };
    let certificate = Certificate {
        target: Some(range),
        ..certificate(statement())
    };
    model(certificate, Outcome::Value(range))
}

fn written(folder: &Folder, model: &Model) -> String {
    folder.write("model.json", &model.to_json())
}

fn answered(arguments: &str) -> String {
    let run = reticent(arguments);
    assert_eq!((run.code, run.err.as_str()), (0, ""), "{arguments}");
    run.out
}

fn json(arguments: &str) -> Value {
    let out = answered(&format!("{arguments} --json"));
    assert_eq!(out.lines().count(), 1);
    serde_json::from_str(&out).unwrap()
}

/// Exit code 1, nothing on standard output, these words on standard error.
fn failed(arguments: &str, words: &[&str]) {
    let Run { code, out, err } = reticent(arguments);
    assert_eq!((code, out.as_str()), (1, ""), "{arguments}\n{err}");
    for word in words {
        assert!(err.contains(word), "{arguments}\nlacks: {word}\n{err}");
    }
}

/// Margins 2.25 (clipped to 1), −1.75, 0.25 and 0 at the boundary.
const DATA: &str = "2 1:9\n-1 1:-1\n1\n3 1:-0.125\n";

#[test]
fn predictions_are_csv_with_labels_and_the_probability_of_the_second_class() {
    let folder = Folder::new("predict");
    let (model, data) = (written(&folder, &logistic()), folder.write("data", DATA));
    let out = answered(&format!("predict {data} --model {model}"));
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(lines[0], "label,probability");
    let parsed: Vec<(&str, f64)> = lines[1..]
        .iter()
        .map(|line| line.split_once(',').unwrap())
        .map(|(label, probability)| (label, probability.parse().unwrap()))
        .collect();
    let expected = [("ill", 2.25), ("well", -1.75), ("ill", 0.25), ("well", 0.0)];
    assert_eq!(parsed.len(), expected.len());
    for ((label, probability), (class, margin)) in parsed.into_iter().zip(expected) {
        assert_eq!(label, class);
        let sigmoid = 1.0 / (1.0 + f64::exp(-margin));
        assert!((probability - sigmoid).abs() < 1e-15, "{probability}");
    }
}

#[test]
fn predictions_never_replace_what_they_are_made_from() {
    let folder = Folder::new("replace");
    let (model, data) = (
        written(&folder, &logistic()),
        folder.write("data", "1 1:1\n"),
    );
    for kept in [&model, &data] {
        let before = std::fs::read(kept).unwrap();
        let run = reticent(&format!("predict {data} --model {model} --out {kept}"));
        assert_eq!((run.code, run.out.as_str()), (1, ""));
        assert!(run.err.contains("choose another --out"), "{}", run.err);
        assert_eq!(std::fs::read(kept).unwrap(), before);
    }
}

#[test]
fn a_file_of_predictions_is_replaced_only_if_that_is_asked_for() {
    let folder = Folder::new("predict-overwrite");
    let (model, data) = (
        written(&folder, &logistic()),
        folder.write("data", "1 1:1\n"),
    );
    let out = folder.write("out.csv", "mine");
    let ask = format!("predict {data} --model {model} --out {out}");
    let run = reticent(&ask);
    assert_eq!((run.code, run.out.as_str()), (1, ""));
    assert!(run.err.contains("add --overwrite"), "{}", run.err);
    assert_eq!(std::fs::read_to_string(&out).unwrap(), "mine");
    assert_eq!(reticent(&format!("{ask} --overwrite")).code, 0);
    assert_ne!(std::fs::read_to_string(&out).unwrap(), "mine");
    let nowhere = folder.at("no/such/out.csv");
    let run = reticent(&format!("predict {data} --model {model} --out {nowhere}"));
    assert!(
        run.err.contains("there is no such folder; create it"),
        "{}",
        run.err
    );
    let run = reticent(&format!("predict {data} --model {nowhere}"));
    assert!(
        run.err.contains("there is no such file; check the path"),
        "{}",
        run.err
    );
}

#[test]
fn a_table_with_other_columns_than_the_models_is_called_that() {
    let folder = Folder::new("foreign");
    let model = written(&folder, &logistic());
    let data = folder.write("data", "1 1:1 99:2\n");
    for command in ["predict", "evaluate"] {
        let run = reticent(&format!("{command} {data} --model {model}"));
        assert_eq!(run.code, 1);
        let words = "data:1:7: this is not a table like the one the model was fitted on";
        assert!(run.err.contains(words), "{}", run.err);
    }
}

#[test]
fn predictions_of_numbers_are_in_the_units_of_the_target_even_beyond_its_range() {
    let folder = Folder::new("predict-values");
    let (model, data) = (written(&folder, &linear()), folder.write("data", DATA));
    let out = answered(&format!("predict {data} --model {model}"));
    assert_eq!(out, "value\n6.5\n-1.5\n2.5\n2\n");
}

#[test]
fn predictions_go_to_a_file_whole_or_not_at_all() {
    let folder = Folder::new("predict-out");
    let (model, data) = (written(&folder, &linear()), folder.write("data", DATA));
    let out = folder.at("out.csv");
    let said = answered(&format!("predict {data} --model {model} --out {out}"));
    assert!(said.contains("4 predictions written to"), "{said}");
    let printed = answered(&format!("predict {data} --model {model}"));
    assert_eq!(std::fs::read_to_string(&out).unwrap(), printed);
    let missing = folder.at("no/out.csv");
    failed(
        &format!("predict {data} --model {model} --out {missing}"),
        &["no/out.csv"],
    );
    assert_eq!(folder.names(), ["data", "model.json", "out.csv"]);
}

#[test]
fn columns_are_numbered_as_the_model_has_them_unless_told_otherwise() {
    let folder = Folder::new("predict-zero");
    let (model, one) = (written(&folder, &linear()), folder.write("data", DATA));
    let zero = folder.write("zero", &DATA.replace(" 1:", " 0:"));
    let expected = answered(&format!("predict {one} --model {model}"));
    let zero_based = answered(&format!("predict {zero} --model {model} --zero-based"));
    assert_eq!(zero_based, expected);
    failed(&format!("predict {zero} --model {model}"), &["zero:1:"]);
}

#[test]
fn a_table_that_the_model_was_not_made_for_is_refused() {
    let folder = Folder::new("predict-wide");
    let model = written(&folder, &logistic());
    let wide = folder.write("wide", "2 1:1 4:1\n");
    for command in ["predict", "evaluate"] {
        failed(&format!("{command} {wide} --model {model}"), &["wide:1:"]);
        let absent = folder.at("absent");
        failed(&format!("{command} {absent} --model {model}"), &["absent"]);
        failed(
            &format!("{command} {wide} --model {wide}"),
            &["wide", "it is not a model"],
        );
    }
}

#[test]
fn evaluation_matches_the_labels_of_the_file_to_the_classes_of_the_model() {
    let folder = Folder::new("evaluate");
    let (model, data) = (written(&folder, &logistic()), folder.write("data", DATA));
    let report = json(&format!("evaluate {data} --model {model}"));
    assert_eq!(report["records"], 4);
    assert_eq!(report["classes"], serde_json::json!(["well", "ill"]));
    assert_eq!(report["covered_by_certificate"], false);
    let metrics = &report["metrics"];
    // Labels 2 and 3 are ill, -1 and 1 are well: 2.25 and 0 against −1.75 and 0.25.
    assert_eq!(metrics["confusion"], serde_json::json!([[1, 1], [1, 1]]));
    assert_eq!(metrics["accuracy"], 0.5);
    assert_eq!(metrics["auc"], 0.75);
    let text = answered(&format!("evaluate {data} --model {model}"));
    for words in ["4 records", "accuracy         0.5", "AUC", "does not cover"] {
        assert!(text.contains(words), "{words}\n{text}");
    }
}

#[test]
fn evaluation_of_numbers_has_the_three_metrics_of_numbers() {
    let folder = Folder::new("evaluate-values");
    let (model, data) = (written(&folder, &linear()), folder.write("data", DATA));
    let report = json(&format!("evaluate {data} --model {model}"));
    // Predicted 6.5, −1.5, 2.5, 2; true 2, −1, 1, 3.
    assert_eq!(report["metrics"]["mse"], (20.25 + 0.25 + 2.25 + 1.0) / 4.0);
    assert_eq!(report["metrics"]["mae"], (4.5 + 0.5 + 1.5 + 1.0) / 4.0);
    assert_eq!(report["metrics"]["r2"], 1.0 - 23.75 / 8.75);
    let text = answered(&format!("evaluate {data} --model {model}"));
    assert!(text.contains("R²") && !text.contains("AUC"), "{text}");
}

#[test]
fn the_model_card_says_what_is_promised_and_what_is_not() {
    let folder = Folder::new("inspect");
    let mut certificate = certificate(statement());
    let assumed = "the number of columns (3) was taken from the file";
    certificate.assumed_public.push(assumed.to_owned());
    let path = written(&folder, &model(certificate, classes()));
    let card = answered(&format!("inspect {path}"));
    assert!(card.starts_with("A private model   ε = "), "{card}");
    let flowing = card.split_whitespace().collect::<Vec<_>>().join(" ");
    for words in [
        "predicts well or ill",
        "weights 2 of 3 numbered columns",
        "rows clipped to linf = 1",
        "method frank-wolfe iterations 30",
        "Had any one of the 1000 records been different",
        "from p to at most",
        "Other releases of the same records",
        "How long the fit took",
        "reticent verify checks its arithmetic",
        "Assumed to be public",
        assumed,
        &format!("exponential range={:.5} 30 100.0 %", range()),
    ] {
        assert!(flowing.contains(words), "{words}\n{card}");
    }
    let bars = "
Weights, the largest first
  1                  2.000  ████████████████████
  3                -0.5000  █████
  (intercept)       0.2500
";
    assert!(card.contains(bars), "{card}");
    let report = json(&format!("inspect {path}"));
    assert_eq!(report["nonzero"], 2);
    assert_eq!(report["largest"][0]["weight"], 2.0);
    assert_eq!(report["certificate"]["private"], true);
}

#[test]
fn a_model_that_is_not_private_says_so_first_and_why() {
    let folder = Folder::new("inspect-seed");
    let statement = Statement {
        secure: false,
        ..statement()
    };
    let path = written(&folder, &model(certificate(statement), classes()));
    let card = answered(&format!("inspect {path}"));
    assert!(card.starts_with("NOT PRIVATE\n  the noise was drawn from a fixed seed"));
    assert!(!card.contains("could hardly tell"), "{card}");
    // `verify && publish` must not publish it.
    let run = reticent(&format!("verify {path}"));
    assert_eq!(run.code, 1);
    assert!(
        run.out
            .starts_with("NOT PRIVATE   though the arithmetic holds\n")
    );
}

#[test]
fn a_true_certificate_holds_and_each_check_is_shown() {
    let folder = Folder::new("verify");
    let path = written(&folder, &logistic());
    let text = answered(&format!("verify {path}"));
    assert!(text.starts_with("holds   ε = "), "{text}");
    assert!(text.matches('✓').count() >= 4 && !text.contains('✗'));
    let flowing = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(flowing.ends_with("is a claim by whoever distributes the file."));
    let report = json(&format!("verify {path}"));
    assert_eq!(report["holds"], true);
    assert_eq!(report["recomputed"], report["epsilon"]);
}

#[test]
fn a_certificate_that_was_tampered_with_fails_with_what_differs() {
    let folder = Folder::new("tampered");
    let true_text = logistic().to_json();
    let epsilon = statement().epsilon;
    for (from, to, check) in [
        (
            format!("\"epsilon\": {epsilon}"),
            format!("\"epsilon\": {}", epsilon / 2.0),
            "the releases cost epsilon",
        ),
        (
            "\"count\": 30".to_owned(),
            "\"count\": 60".to_owned(),
            "the releases cost epsilon",
        ),
        (
            format!("\"range\": {}", range()),
            format!("\"range\": {}", range() / 5.0),
            "epsilon is their total",
        ),
    ] {
        assert_eq!(true_text.matches(&from).count(), 1, "{from}\n{true_text}");
        let path = folder.write("model.json", &true_text.replace(&from, &to));
        let run = reticent(&format!("verify {path}"));
        assert_eq!((run.code, run.err.as_str()), (1, ""), "{to}");
        assert!(run.out.starts_with("does not hold   "), "{}", run.out);
        assert!(run.out.contains(&format!("✗ {check}\n")), "{}", run.out);
        let card = answered(&format!("inspect {path}"));
        assert!(card.starts_with("The certificate does not hold"), "{card}");
        assert!(!card.contains("could hardly tell"), "{card}");
        let run = reticent(&format!("verify {path} --json"));
        let report: Value = serde_json::from_str(&run.out).unwrap();
        assert_eq!((run.code, &report["holds"]), (1, &Value::Bool(false)));
    }
    let secure = true_text.replace("\"secure\": true", "\"secure\": false");
    let path = folder.write("model.json", &secure);
    failed(&format!("verify {path}"), &["contradicts itself"]);
}

/// The attack of the count: 30 selections are listed as one, and ε is that of one.
#[test]
fn a_list_of_releases_that_is_not_the_plans_fails_though_epsilon_matches() {
    let folder = Folder::new("count");
    let mut statement = statement();
    statement.charges[0].count = NonZeroU64::MIN;
    let total = account(&statement.charges, statement.adjacency, statement.delta).unwrap();
    (statement.epsilon, statement.accountant) = (total.epsilon, total.accountant);
    let path = written(&folder, &model(certificate(statement), classes()));
    let run = reticent(&format!("verify {path}"));
    assert_eq!((run.code, run.err.as_str()), (1, ""));
    assert!(run.out.starts_with("does not hold   "), "{}", run.out);
    assert_eq!(run.out.matches('✗').count(), 1, "{}", run.out);
    let failed = "✗ the releases are those of the plan\n";
    assert!(run.out.contains(failed), "{}", run.out);
}

#[test]
fn a_model_of_another_version_is_told_as_such_and_checked_by_its_arithmetic() {
    let folder = Folder::new("version");
    let this = format!("\"version\": \"{}\"", env!("CARGO_PKG_VERSION"));
    // From before what was asked for was written down.
    let mut certificate = certificate(statement());
    certificate.request = None;
    let old = model(certificate, classes())
        .to_json()
        .replace(&this, "\"version\": \"0.1.0\"");
    let path = folder.write("model.json", &old);
    let text = answered(&format!("verify {path}"));
    let headline = "the arithmetic holds; the plan was not checked   ε = ";
    assert!(text.starts_with(headline), "{text}");
    let flowing = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let warning = "made by another version (0.1.0): plans may differ; checked by its arithmetic";
    assert!(flowing.contains(warning), "{text}");
}

#[test]
fn a_file_that_is_no_model_is_refused_with_the_reason() {
    let folder = Folder::new("foreign");
    let foreign = folder.write("x.json", "{\"format\": \"other\", \"version\": 1}");
    let newer = logistic()
        .to_json()
        .replace("\"version\": 1,", "\"version\": 9,");
    let newer = folder.write("newer.json", &newer);
    for command in ["inspect", "verify"] {
        for form in ["", " --json"] {
            failed(
                &format!("{command} {foreign}{form}"),
                &["x.json: it is not a model"],
            );
            failed(
                &format!("{command} {newer}{form}"),
                &["newer.json", "made by a newer reticent"],
            );
            let absent = folder.at("absent.json");
            failed(&format!("{command} {absent}{form}"), &["absent.json"]);
        }
    }
}

#[test]
fn everything_fits_80_columns_and_nothing_in_a_file_can_paint_the_terminal() {
    let folder = Folder::new("width");
    let mut certificate = certificate(statement()).not_private("bounds \x1b[2J of `age`");
    let note = PlanEntry::text("note", "\x1b]0;x\x07 ".repeat(30), "");
    certificate.method = Method::new("frank-wolfe", &[note]);
    certificate.assumed_public = vec!["the classes were taken from the file, ".repeat(5)];
    let (path, data) = (
        written(&folder, &model(certificate, classes())),
        folder.write("data", DATA),
    );
    for arguments in [
        format!("inspect {path}"),
        format!("verify {path}"),
        format!("evaluate {data} --model {path}"),
    ] {
        let out = reticent(&arguments).out;
        assert!(!out.is_empty() && !out.contains('\x1b'), "{arguments}");
        for line in out.lines() {
            assert!(line.chars().count() <= 80, "{arguments}\n{line}");
        }
    }
}

#[test]
fn the_help_fits_a_narrow_terminal() {
    for command in ["predict", "evaluate", "inspect", "verify"] {
        for flag in ["-h", "--help"] {
            let output = std::process::Command::new(env!("CARGO_BIN_EXE_reticent"))
                .args([command, flag])
                .env("COLUMNS", "80")
                .output()
                .unwrap();
            let help = String::from_utf8(output.stdout).unwrap();
            assert!(help.contains("Usage: reticent"), "{help}");
            for line in help.lines() {
                assert!(line.chars().count() <= 80, "{line}");
            }
        }
    }
}
