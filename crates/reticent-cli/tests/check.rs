//! `reticent check`: the owner's look, and what is said of it afterwards.

mod run;

use std::fs;

use run::{Folder, reticent};
use serde_json::Value;

const SCHEMA: &str = "\
version = 1
[[column]]
name = \"age\"
kind = \"numeric\"
bounds = [0, 120]
[[column]]
name = \"dose\"
kind = \"numeric\"
bounds = [0, 1000]
[[column]]
name = \"unit\"
kind = \"categorical\"
levels = [\"heart\", \"lung\"]
[[column]]
name = \"ill\"
kind = \"target\"
classes = [\"no\", \"yes\"]
";

/// Forty records: ages of which three are clipped, doses far below their bound, one level in
/// another case, one missing, all of one class.
fn table() -> String {
    let mut text = "age,dose,unit,ill\n".to_owned();
    for i in 0..40 {
        let age = if i < 3 { 121 + i } else { 30 + i % 9 };
        let unit = match i {
            5 => "",
            6 | 7 => "HEART",
            i if i % 2 == 0 => "heart",
            _ => "lung",
        };
        text += &format!("{age},{}.5,{unit},no\n", i % 4);
    }
    text
}

fn kinds(look: &Value) -> Vec<(String, String)> {
    let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let findings = look["findings"].as_array().unwrap().iter();
    let mut kinds: Vec<_> = findings
        .map(|it| (word(&it["column"]), word(&it["kind"])))
        .collect();
    kinds.sort();
    kinds
}

#[test]
fn the_owner_sees_exact_figures_and_each_remedy() {
    let folder = Folder::new("figures");
    let schema = folder.with("schema.toml", SCHEMA);
    let file = folder.with("table.csv", &table());
    let look = reticent(&format!("check {file} --schema {schema}"));
    assert_eq!((look.code, look.err.as_str()), (1, ""));
    assert!(look.out.starts_with("For the owner's eyes only"));
    for words in [
        "Do not publish",
        "declared_after_look = true",
        "'HEART' (2, for 'heart'?)",
    ] {
        let said: Vec<&str> = look.out.split_whitespace().collect();
        assert!(said.join(" ").contains(words), "{}", look.out);
    }
    run::fits_80_columns(&look.out);
    let json = reticent(&format!("check {file} --schema {schema} --json"));
    let json: Value = serde_json::from_str(&json.out).unwrap();
    let expected = [
        ("age", "clipped"),
        ("dose", "range-too-wide"),
        ("ill", "class-absent"),
        ("ill", "constant"),
        ("unit", "level-undeclared"),
        ("unit", "missing"),
    ];
    let expected = expected.map(|(column, kind)| (column.to_owned(), kind.to_owned()));
    assert_eq!(kinds(&json), expected);
    let age = &json["columns"][0]["numbers"];
    assert_eq!(
        (age["above"].as_u64(), age["greatest"].as_f64()),
        (Some(3), Some(123.0))
    );
    assert_eq!(json["columns"][2]["missing"], 1);
    assert_eq!(json["records"], 40);
    for finding in json["findings"].as_array().unwrap() {
        assert_ne!(finding["remedy"], "", "{finding}");
    }
}

#[test]
fn a_look_writes_no_file_and_leaves_no_trace_in_a_model() {
    let folder = Folder::new("trace");
    let schema = folder.with("schema.toml", SCHEMA);
    let file = folder.with("table.csv", &table());
    let before = fs::read_dir(&folder.0).unwrap().count();
    reticent(&format!("check {file} --schema {schema}"));
    assert_eq!(fs::read_dir(&folder.0).unwrap().count(), before);
}

#[test]
fn a_change_after_the_look_is_listed_wherever_a_certificate_is_read() {
    let folder = Folder::new("after");
    let fact = "bounds declared after a look at the data";
    let file = folder.with("table.csv", &table());
    let plain = folder.with("plain.toml", SCHEMA);
    let looked = SCHEMA.replace("version = 1", "version = 1\ndeclared_after_look = true");
    let looked = folder.with("looked.toml", &looked);
    let svm = folder.with("table.svm", "1 1:0.5\n0 2:1\n");
    let svm = format!("{svm} --columns 2 --classes 0,1 --rows linf=1");
    for (data, listed) in [
        (format!("{file} --schema {plain}"), false),
        (format!("{file} --schema {looked}"), true),
        (
            format!("{file} --schema {plain} --declared-after-look"),
            true,
        ),
        (
            format!("{file} --schema {looked} --declared-after-look"),
            true,
        ),
        (svm.clone(), false),
        (format!("{svm} --declared-after-look"), true),
    ] {
        let model = folder.0.join("model.json");
        let model = model.display();
        let fit = reticent(&format!(
            "fit {data} --task logistic --epsilon 1 --delta 1e-6 --overwrite --out {model}"
        ));
        assert_eq!(fit.code, 0, "{}", fit.err);
        let count = usize::from(listed);
        for shown in ["inspect", "verify"] {
            let shown = reticent(&format!("{shown} {model}"));
            assert_eq!(
                shown.out.matches(fact).count(),
                count,
                "{data}: {}",
                shown.out
            );
            let shown = reticent(&format!("verify {model} --json"));
            assert_eq!(
                shown.out.matches(fact).count(),
                count,
                "{data}: {}",
                shown.out
            );
        }
    }
}

#[test]
fn numbered_columns_are_looked_at_with_the_flags_of_a_fit() {
    let folder = Folder::new("numbered");
    let rows = "1 1:0.5 2:3\n0 2:3\n1 1:0.1 2:3 4:7\n0\n";
    let file = folder.with("table.svm", rows);
    let look = reticent(&format!(
        "check {file} --task logistic --classes 0,1 --columns 4 --rows linf=5 --json"
    ));
    assert_eq!((look.code, look.err.as_str()), (1, ""));
    let look: Value = serde_json::from_str(&look.out).unwrap();
    let kinds: Vec<String> = kinds(&look).into_iter().map(|(_, kind)| kind).collect();
    assert_eq!(kinds, ["clips-many", "column-empty", "row-empty"]);
    assert_eq!(
        (&look["rows_clipped"], &look["longest"]),
        (&1.into(), &7.0.into())
    );
    assert_eq!(look["classes"][1]["count"], 2);
    let ranged = reticent(&format!(
        "check {file} --task linear --target-range 0,0.5 --json"
    ));
    let ranged: Value = serde_json::from_str(&ranged.out).unwrap();
    assert_eq!(ranged["targets_clipped"], 2);
}

#[test]
fn a_header_that_looks_like_a_record_makes_no_schema() {
    let folder = Folder::new("header");
    for (header, field) in [
        ("63,yes,145,Ulm", 1),
        ("Anna,2020-01-31,m", 2),
        ("Anna,m,,Ulm", 3),
        ("age,town,age", 3),
        ("Anna,true,m", 2),
        ("age,town,?", 3),
    ] {
        let file = folder.with("t.csv", &format!("{header}\n1,2,3,4\n"));
        let run = reticent(&format!("schema {file} --target nothing"));
        assert_eq!((run.code, run.out.as_str()), (1, ""), "{header}");
        for words in [
            format!("{file}:1:{field}: "),
            "--no-header".into(),
            "--header".into(),
        ] {
            assert!(run.err.contains(&words), "{header}: {}", run.err);
        }
        let said = run.err.replace(&file, "");
        for value in header.split(',').filter(|value| value.len() > 2) {
            assert!(
                !said.contains(value) || value == "age",
                "{header}: {}",
                run.err
            );
        }
        let taken = reticent(&format!("schema {file} --header"));
        assert_eq!(taken.code, 0, "{}", taken.err);
        let record = reticent(&format!("schema {file} --no-header"));
        assert!(record.out.contains("field1"), "{}", record.err);
    }
}
