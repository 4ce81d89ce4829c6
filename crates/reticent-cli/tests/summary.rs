//! `reticent summary`: figures near the truth, an exact file that verifies, refusals with a remedy.

mod run;
mod table;

use std::fmt::Write;

use run::{fits_80_columns, refused, reticent};
use serde_json::Value;
use table::{Folder, libsvm};

const SCHEMA: &str = r#"version = 1
[[column]]
name = "cost"
kind = "numeric"
bounds = [0, 100000]
[[column]]
name = "ward"
kind = "categorical"
levels = ["north", "south"]
[[column]]
name = "ill"
kind = "target"
classes = ["no", "yes"]
"#;

const BUDGET: &str = "--epsilon 1 --delta 1e-8";

/// Costs from 400 to 600 in a range of 100 000, three of four in the north, one of ten ill.
fn people(folder: &Folder) -> (String, String) {
    let mut text = "cost,ward,ill\n".to_owned();
    for i in 0..8_000 {
        let cost = 400.0 + f64::from(i * 7919 % 8_000) / 40.0;
        let ward = if i % 4 == 0 { "east" } else { "north" };
        let ill = if i % 10 == 0 { "yes" } else { "no" };
        let _ = writeln!(text, "{cost},{ward},{ill}");
    }
    (
        folder.write("people.csv", &text),
        folder.write("schema.toml", SCHEMA),
    )
}

fn near(value: &Value, truth: f64, by: f64) {
    let found = value.as_f64().unwrap();
    assert!((found - truth).abs() <= by, "{found} is not {truth} ± {by}");
}

/// Limits are six deviations of the noise or more: a run fails by chance less than once in 10⁷.
#[test]
fn figures_are_near_the_truth_though_the_range_is_far_too_wide() {
    let folder = Folder::new("summary");
    let (people, schema) = people(&folder);
    let run = reticent(&format!(
        "summary {people} --schema {schema} {BUDGET} --json --seed 1"
    ));
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.err.contains("NOT PRIVATE"), "{}", run.err);
    let found: Value = serde_json::from_str(&run.out).unwrap();
    let columns = &found["summary"]["columns"];
    assert_eq!(columns[0]["name"], "cost");
    near(&columns[0]["mean"]["estimate"]["value"], 500.0, 15.0);
    for (quantile, truth) in columns[0]["quantiles"]
        .as_array()
        .unwrap()
        .iter()
        .zip([450.0, 500.0, 550.0])
    {
        near(&quantile["estimate"]["value"], truth, 15.0);
    }
    let levels = columns[1]["levels"].as_array().unwrap();
    for (level, truth) in levels.iter().zip([6_000.0, 0.0, 2_000.0]) {
        near(&level["count"]["value"], truth, 300.0);
    }
    assert_eq!(columns[2]["levels"][1]["name"], "yes");
    near(&columns[2]["levels"][1]["count"]["value"], 800.0, 300.0);
    assert_eq!(found["summary"]["records"]["value"], 8_000.0);
}

#[test]
fn the_file_is_what_was_printed_and_verifies() {
    let folder = Folder::new("summary-file");
    let (people, schema) = people(&folder);
    let out = folder.at("summary.json");
    let command = format!("summary {people} --schema {schema} {BUDGET} --json --out {out}");
    let run = reticent(&command);
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    let printed: Value = serde_json::from_str(&run.out).unwrap();
    let written = std::fs::read_to_string(&out).unwrap();
    assert_eq!(printed, serde_json::from_str::<Value>(&written).unwrap());
    let verified = reticent(&format!("verify {out}"));
    assert_eq!(verified.code, 0, "{}{}", verified.out, verified.err);
    assert!(verified.out.contains("the releases are those of the plan"));
    assert!(!verified.out.contains('✗'), "{}", verified.out);
    // It is kept, unless it may be replaced.
    assert_eq!(reticent(&command).code, 1);
    assert_eq!(reticent(&format!("{command} --overwrite")).code, 0);
    // A release that is left out does not go unnoticed, nor a figure that is no summary's.
    let mut forged = printed.clone();
    let charges = &mut forged["certificate"]["statement"]["charges"];
    charges.as_array_mut().unwrap().pop();
    let forged = folder.write("forged.json", &forged.to_string());
    let verified = reticent(&format!("verify {forged}"));
    assert_eq!(verified.code, 1);
    assert!(
        verified.out.contains("the plan charges"),
        "{}",
        verified.out
    );
    let refused = reticent(&format!("predict {people} --model {out}"));
    assert_eq!(refused.code, 1, "{}", refused.out);
    let refused = reticent(&format!("inspect {out}"));
    assert_eq!(refused.code, 1, "{}", refused.out);
    assert!(
        refused.err.contains("it is a summary of columns") && refused.err.contains("verify"),
        "{}",
        refused.err
    );
    let cut = folder.write("cut.json", &written[..written.len() / 2]);
    let refused = reticent(&format!("verify {cut}"));
    assert_eq!(refused.code, 1);
    let neither = "neither a model nor a summary";
    assert!(refused.err.contains(neither), "{}", refused.err);
    let edited = written.replace("\"mean\"", "\"mode\"");
    let edited = folder.write("edited.json", &edited);
    let refused = reticent(&format!("verify {edited}"));
    let changed = "it is not a summary that reticent wrote";
    assert!(refused.err.contains(changed), "{}", refused.err);
}

#[test]
fn under_add_remove_the_number_of_records_is_released() {
    let folder = Folder::new("summary-count");
    let (people, schema) = people(&folder);
    let run = reticent(&format!(
        "summary {people} --schema {schema} --only ward {BUDGET} --adjacency add-remove \
         --public-n 10000 --json --seed 3"
    ));
    let found: Value = serde_json::from_str(&run.out).unwrap();
    near(&found["summary"]["records"]["value"], 8_000.0, 250.0);
    assert_ne!(found["summary"]["records"]["value"], 8_000.0);
    assert_eq!(found["certificate"]["records"], 10_000);
    assert_eq!(found["summary"]["columns"].as_array().unwrap().len(), 1);
}

#[test]
fn a_person_reads_figures_with_what_noise_leaves_open() {
    let folder = Folder::new("summary-text");
    let (people, schema) = people(&folder);
    let run = reticent(&format!("summary {people} --schema {schema} {BUDGET}"));
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    fits_80_columns(&run.out);
    for word in [
        "8000 records",
        "ε = ",
        "cost  declared 0 to 100000",
        "median",
        "0.25 quantile",
        "between",
        "clipped to",
        "north",
        "other",
        " ± ",
        "█",
    ] {
        assert!(run.out.contains(word), "lacks {word}\n{}", run.out);
    }
}

/// A budget that shows nothing of 40 records, and a range of which a step is wider than the values.
#[test]
fn a_person_reads_where_nothing_can_be_said() {
    let folder = Folder::new("summary-nothing");
    let schema = folder.write("schema.toml", SCHEMA);
    let few: String = (0..40).map(|i| format!("{},north,no\n", 400 + i)).collect();
    let few = folder.write("few.csv", &format!("cost,ward,ill\n{few}"));
    let run = reticent(&format!(
        "summary {few} --schema {schema} --only cost --epsilon 0.01 --delta 1e-6 --seed 1"
    ));
    assert_eq!(run.code, 0, "{}", run.err);
    fits_80_columns(&run.out);
    for word in [
        "cost  declared 0 to 100000; missing values count as 50000",
        "nothing can be said: the noise exceeds the range",
        "between 0 and 100000",
    ] {
        assert!(run.out.contains(word), "lacks {word}\n{}", run.out);
    }
    let (people, _) = people(&folder);
    let wide = SCHEMA.replace("100000]", "1e9]\nmissing = \"refuse\"");
    let wide = folder.write("wide.toml", &wide);
    let run = reticent(&format!(
        "summary {people} --schema {wide} --only cost --epsilon 5 --delta 1e-8"
    ));
    assert_eq!(run.code, 0, "{}", run.err);
    fits_80_columns(&run.out);
    assert!(run.out.contains("steps of 480"), "{}", run.out);
    assert!(!run.out.contains("missing values"), "{}", run.out);
}

#[test]
fn columns_without_a_schema_are_numbered_within_a_bound() {
    let folder = Folder::new("summary-libsvm");
    let data = folder.write("data", &libsvm(2_000, 1));
    let run = reticent(&format!(
        "summary {data} --rows linf=1 --columns 10 --only 3,10 --quantiles 0.5 --bins 4 {BUDGET}"
    ));
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.out.contains("\n3  declared -1 to 1"), "{}", run.out);
    assert!(!run.out.contains("quantile"), "{}", run.out);
    // Nothing was taken from the file.
    assert!(!run.out.contains("Assumed to be public"), "{}", run.out);
}

#[test]
fn what_makes_no_sense_is_refused_with_a_remedy() {
    let folder = Folder::new("summary-refusals");
    let (people, schema) = people(&folder);
    let table = format!("summary {people} --schema {schema}");
    refused(&table, &["--epsilon and --delta were not given", "1/n²"]);
    refused(
        &format!("{table} {BUDGET} --only age"),
        &["no column 'age'", "cost, ward, ill"],
    );
    refused(
        &format!("{table} {BUDGET} --only cost,cost"),
        &["asked for twice"],
    );
    refused(
        &format!("{table} {BUDGET} --quantiles 50"),
        &["--quantiles has 50", "0.5 is the median"],
    );
    refused(
        &format!("{table} {BUDGET} --adjacency add-remove"),
        &["--public-n"],
    );
    refused(
        &format!("{table} {BUDGET} --public-n 5"),
        &["--public-n was given", "add-remove"],
    );
    refused(&format!("{table} {BUDGET} --rows linf=1"), &["--schema"]);
    let data = folder.write("data", &libsvm(50, 1));
    refused(&format!("summary {data} {BUDGET}"), &["--rows", "linf=B"]);
    refused(
        &format!("summary {data} --rows linf=1 --only 3 {BUDGET}"),
        &["--columns was not given"],
    );
    refused(
        &format!("summary {people} {BUDGET}"),
        &["--schema", "`reticent schema TABLE`"],
    );
    refused(
        &format!("{table} {BUDGET} --quantiles 0.5,0.25,0.5"),
        &["--quantiles has 0.5 twice"],
    );
    let ignoring = format!("{SCHEMA}[[column]]\nname = \"id\"\nkind = \"ignored\"\n");
    let ignoring = folder.write("ignoring.toml", &ignoring);
    refused(
        &format!("summary {people} --schema {ignoring} {BUDGET} --only id"),
        &["the schema ignores column 'id'"],
    );
    refused(&format!("summary {data} {BUDGET} --rows l2=1"), &["linf=B"]);
    refused(
        &format!("summary {data} {BUDGET} --rows linf=1 --columns 10 --only 11"),
        &["no column 11", "from 1 to 10"],
    );
}
