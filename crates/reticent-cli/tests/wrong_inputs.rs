//! What a hospital's table really has: each wrong input is refused, with place and remedy and
//! without quoting a value, or has a declared meaning, which `reticent check` shows to the owner.
//! The cases are data, which the Python package is tested with as well.

mod run;

use std::fs;

use run::{Folder, reticent};
use serde_json::Value;

const CASES: &str = include_str!("wrong_inputs.json");

/// The schema of all cases.
fn schema(case: &Value) -> String {
    let levels = match case["schema"].as_str() {
        Some("codes") => r#"["007", "08"]"#,
        _ => r#"["aspirin", "statin"]"#,
    };
    let classes = match case["classes"].as_str() {
        Some("0,1") => r#"["0", "1"]"#,
        _ => r#"["no", "yes"]"#,
    };
    format!(
        "version = 1\n\
         [[column]]\nname = \"id\"\nkind = \"ignored\"\n\
         [[column]]\nname = \"age\"\nkind = \"numeric\"\nbounds = [0, 120]\n\
         [[column]]\nname = \"drug\"\nkind = \"categorical\"\nlevels = {levels}\n\
         [[column]]\nname = \"score\"\nkind = \"numeric\"\nbounds = [0, 10]\n\
         [[column]]\nname = \"ill\"\nkind = \"target\"\nclasses = {classes}\n"
    )
}

/// The lines of a case; some are made here.
fn lines(case: &Value) -> Vec<String> {
    let given = case["lines"].as_array().unwrap().iter();
    let mut lines: Vec<String> = given
        .map(|line| line.as_str().unwrap().to_owned())
        .collect();
    let Some(repeat) = case["repeat"].as_str() else {
        return lines;
    };
    for i in 0..40_u32 {
        let (drug, ill) = [("aspirin", "no"), ("statin", "yes")][i as usize % 2];
        let (id, age) = (i.min(38), 30 + i % 7);
        lines.push(match repeat {
            "id" => format!("P{id},{age},{drug},{}.5,{ill}", i % 3),
            _ => format!("{age},{drug},{},{ill}", i + 1),
        });
    }
    lines
}

fn content(case: &Value) -> Vec<u8> {
    let text = lines(case).join("\n");
    match (case["encoding"].as_str(), case["made"].as_str()) {
        (Some("utf-8-sig"), _) => [b"\xEF\xBB\xBF", text.as_bytes()].concat(),
        (Some("utf-16"), _) => {
            let units = text.encode_utf16().flat_map(u16::to_le_bytes);
            [0xFF, 0xFE].into_iter().chain(units).collect()
        }
        (Some("latin-1"), _) => text.chars().map(|c| c as u8).collect(),
        // A block of text as it is, which says that it is longer than what follows.
        (_, Some("half-gzip")) => {
            let head = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF, 1, 0, 4, 0xFF, 0xFB];
            [&head, text.as_bytes()].concat()
        }
        (_, Some("workbook")) => b"PK\x03\x04\x14\x00\x06\x00\x08\x00\x00\x00!\x00".to_vec(),
        _ => text.into_bytes(),
    }
}

#[test]
fn a_wrong_input_is_refused_with_its_remedy_or_declared_and_never_quoted() {
    let folder = Folder::new("wrong-inputs");
    let cases: Vec<Value> = serde_json::from_str(CASES).unwrap();
    assert!(cases.len() > 30);
    for (at, case) in cases.iter().enumerate() {
        let name = case["name"].as_str().unwrap();
        let file = folder.0.join(format!("t{at}.csv"));
        match case["made"].as_str() {
            Some("folder") => fs::create_dir_all(&file).unwrap(),
            _ => fs::write(&file, content(case)).unwrap(),
        }
        let (file, model) = (file.display(), folder.0.join("model.json"));
        let declared = folder.0.join("schema.toml");
        fs::write(&declared, schema(case)).unwrap();
        let declared = declared.display();
        let run = reticent(&format!(
            "fit {file} --schema {declared} --task logistic --epsilon 1 --delta 1e-6 --overwrite \
             --out {}",
            model.display()
        ));
        match case["file"].as_str().unwrap() {
            "accepted" => assert_eq!(run.code, 0, "{name}: {}", run.err),
            _ => {
                assert_eq!(run.code, 1, "{name}: {}", run.out);
                let place = format!("{file}{}: ", case["at"].as_str().unwrap_or_default());
                assert!(run.err.contains(&place), "{name}: {}", run.err);
                for word in case["words"].as_array().unwrap() {
                    let word = word.as_str().unwrap();
                    assert!(run.err.contains(word), "{name} lacks {word}: {}", run.err);
                }
                quotes_nothing(name, &run.err, case);
            }
        }
        if let Some(expected) = case["check"].as_array() {
            checked(
                name,
                &file.to_string(),
                &declared.to_string(),
                expected,
                case,
            );
        }
    }
}

/// No cell of a record is in the message.
fn quotes_nothing(name: &str, message: &str, case: &Value) {
    let message = message.replace("reticent", "");
    let lines = lines(case);
    // The names of the schema are public.
    let names = schema(case);
    for cell in lines
        .iter()
        .skip(1)
        .flat_map(|line| line.split([',', ';', '\t', '"']))
    {
        let cell = cell.trim();
        let telling = cell.len() > 3 && !names.contains(&format!("\"{cell}\""));
        assert!(
            !telling || !message.contains(cell),
            "{name} quotes {cell}: {message}"
        );
    }
}

/// The owner's look has the finding; or none that is more than a note, if none is expected.
fn checked(name: &str, file: &str, schema: &str, expected: &[Value], case: &Value) {
    let look = reticent(&format!("check {file} --schema {schema}"));
    assert_eq!(look.err, "", "{name}");
    assert!(
        look.out.starts_with("For the owner's eyes only"),
        "{name}: {}",
        look.out
    );
    run::fits_80_columns(&look.out);
    let json = reticent(&format!("check {file} --schema {schema} --json"));
    assert_eq!(json.code, look.code, "{name}");
    let json: Value = serde_json::from_str(&json.out).unwrap();
    let findings = json["findings"].as_array().unwrap();
    let worse = findings
        .iter()
        .filter(|found| found["severity"] != "note")
        .count();
    assert_eq!(look.code, i32::from(worse > 0), "{name}: {}", look.out);
    match expected {
        [] => assert_eq!(worse, 0, "{name}: {}", look.out),
        [column, kind] => {
            let right = |found: &&Value| {
                let of_column = found["column"].as_str().unwrap_or_default() == column;
                of_column && found["kind"] == *kind
            };
            let found = findings.iter().find(right);
            let found = found.unwrap_or_else(|| panic!("{name}: {}", look.out));
            assert_ne!(found["remedy"], "", "{name}");
            if let Some(quoted) = case["quotes"].as_str() {
                let said = found["found"].as_str().unwrap();
                assert!(said.contains(quoted), "{name}: {said}");
            }
        }
        other => panic!("{name}: {other:?}"),
    }
}
