//! `--unit`: people are protected, each with all rows; and `--class-weight`.

mod run;

use std::fmt::Write as _;

use run::{Folder, refused, reticent};

/// With the unit as it is described there.
fn schema(kind: &str) -> String {
    format!(
        "version = 1\n[[column]]\nname = \"patient\"\n{kind}\n\
         [[column]]\nname = \"age\"\nkind = \"numeric\"\nbounds = [0, 100]\n\
         [[column]]\nname = \"ill\"\nkind = \"target\"\nclasses = [\"no\", \"yes\"]\n"
    )
}

/// 60 people, of whom each third has three visits: 100 rows.
fn visits() -> String {
    let mut table = "patient,age,ill\n".to_owned();
    for person in 0..60 {
        for visit in 0..(if person % 3 == 0 { 3 } else { 1 }) {
            let ill = if person % 2 == 0 { "yes" } else { "no" };
            writeln!(table, "p{person},{},{ill}", 20 + person + visit).unwrap();
        }
    }
    table
}

const FIT: &str = "--task logistic --epsilon 1 --delta 1e-5";

fn json(text: &str) -> serde_json::Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[test]
fn a_fit_counts_people_and_its_card_says_person() {
    let folder = Folder::new("fit");
    let (table, out) = (folder.with("t.csv", &visits()), folder.0.join("m.json"));
    let out = out.display();
    let by_kind = folder.with("kind.toml", &schema("kind = \"unit\"\nrows = 7"));
    let by_flag = folder.with("flag.toml", &schema("kind = \"ignored\""));
    for declared in [
        format!("--schema {by_kind}"),
        format!("--schema {by_flag} --unit patient --unit-rows 7"),
    ] {
        let run = reticent(&format!(
            "fit {table} {FIT} {declared} --out {out} --overwrite --json"
        ));
        assert_eq!(run.code, 0, "{}", run.err);
        let said = json(&run.out);
        assert_eq!(said["n"], 60);
        assert_eq!(said["unit"]["column"], "patient");
        assert_eq!(said["unit"]["rows"], 7);
        // How many rows there are is private, and whatever depends on it.
        assert_eq!(said["nnz"], serde_json::Value::Null);
        assert!(!run.out.contains("100"), "{}", run.out);
        let card = reticent(&format!("inspect {out}")).out;
        for words in [
            "60 people",
            "all rows with the same 'patient'",
            "first 7",
            "one person",
        ] {
            assert!(card.contains(words), "{words}: {card}");
        }
        assert!(!card.contains("Several records of one person"), "{card}");
        assert_eq!(reticent(&format!("verify {out}")).code, 0);
        let predicted = reticent(&format!("predict {table} --model {out}"));
        assert_eq!(predicted.code, 0, "{}", predicted.err);
    }
}

#[test]
fn a_summary_counts_people() {
    let folder = Folder::new("summary");
    let table = folder.with("t.csv", &visits());
    let schema = folder.with("s.toml", &schema("kind = \"ignored\""));
    let budget = "--epsilon 5 --delta 1e-5";
    let run = reticent(&format!(
        "summary {table} --schema {schema} --unit patient {budget}"
    ));
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.out.contains("60 people"), "{}", run.out);
}

#[test]
fn a_plan_says_what_is_protected() {
    let folder = Folder::new("plan");
    let schema = folder.with("s.toml", &schema("kind = \"unit\""));
    let run = reticent(&format!("plan --n 5000 {FIT} --schema {schema}"));
    assert_eq!(run.code, 0, "{}", run.err);
    for words in [
        "a person: all rows",
        "first 100 count",
        "people; the number of rows is private",
    ] {
        assert!(run.out.contains(words), "{words}: {}", run.out);
    }
}

#[test]
fn what_cannot_be_protected_is_refused() {
    let folder = Folder::new("refused");
    let table = folder.with("t.csv", &visits());
    let plain = folder.with("s.toml", &schema("kind = \"ignored\""));
    let people = folder.with("u.toml", &schema("kind = \"unit\""));
    let out = folder.0.join("m.json");
    let out = out.display();
    refused(
        &format!("fit {table} {FIT} --rows linf=1 --unit patient --out {out}"),
        &["only a table with a schema has names", "--schema"],
    );
    refused(
        &format!("fit {table} {FIT} --schema {people} --test {table} --out {out}"),
        &["number of rows is private"],
    );
    refused(
        &format!("plan --n 9 {FIT} --schema {plain} --unit-rows 3"),
        &["--unit"],
    );
    refused(
        &format!("plan --n 9 {FIT} --schema {plain} --unit patient --unit-rows 0"),
        &["--unit-rows"],
    );
    for (unit, word) in [
        ("age", "is a feature or the target"),
        ("nobody", "has no column 'nobody'"),
    ] {
        let run = reticent(&format!(
            "fit {table} {FIT} --schema {plain} --unit {unit} --out {out}"
        ));
        assert_eq!(run.code, 1, "{}", run.err);
        assert!(run.err.contains(word), "{}", run.err);
    }
    let method = "--method two-stage --nonzero 1";
    let run = reticent(&format!(
        "fit {table} {FIT} {method} --schema {people} --out {out}"
    ));
    assert_ne!(run.code, 0);
    assert!(
        run.err.contains("a person may have several rows"),
        "{}",
        run.err
    );
}

#[test]
fn class_weights_are_said_on_the_card() {
    let folder = Folder::new("weights");
    let table = folder.with("t.csv", &visits());
    let schema = folder.with("s.toml", &schema("kind = \"ignored\""));
    let out = folder.0.join("m.json");
    let out = out.display();
    for (weight, said) in [("balanced", "balanced"), ("1,5", "1 to 5")] {
        let run = reticent(&format!(
            "fit {table} {FIT} --schema {schema} --class-weight {weight} --out {out} --overwrite"
        ));
        assert_eq!(run.code, 0, "{}", run.err);
        let card = reticent(&format!("inspect {out}")).out;
        let words = format!("{said}: probabilities refer to the population so weighted");
        assert!(card.contains(&words), "{card}");
        assert_eq!(reticent(&format!("verify {out}")).code, 0);
    }
    refused(
        &format!("fit {table} {FIT} --schema {schema} --class-weight 1,2,3 --out {out}"),
        &["--class-weight", "for each class"],
    );
    refused(
        &format!("fit {table} {FIT} --schema {schema} --class-weight even --out {out}"),
        &["balanced"],
    );
}
