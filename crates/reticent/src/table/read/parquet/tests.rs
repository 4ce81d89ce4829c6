//! Parquet gives the same bits as CSV and memory, and a damaged file is an error.

use std::sync::Arc;

use parquet::column::writer::ColumnWriter;
use parquet::data_type::ByteArray;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;

use super::super::{ColumnValues, WantedTarget, encode, read as read_any};
use super::*;
use crate::table::Target;

const SCHEMA: &str = r#"
version = 1
missing = ["", "?"]

[[column]]
name = "age"
kind = "numeric"
bounds = [0, 90]

[[column]]
name = "pay"
kind = "numeric"
bounds = [-1, 7]
missing = "low"

[[column]]
name = "code"
kind = "categorical"
levels = ["9007199254740993", "7"]

[[column]]
name = "smoker"
kind = "categorical"
levels = ["true"]

[[column]]
name = "town"
kind = "categorical"
levels = ["Ulm", "Köln"]

[[column]]
name = "ill"
kind = "target"
classes = ["0", "1"]
"#;

const TYPE: &str = "message t {
    required INT32 age; optional DOUBLE pay; optional INT64 code (UINT_64);
    required BOOLEAN smoker; optional BYTE_ARRAY town (UTF8); required FLOAT ill; }";

const ROWS: usize = 20_000;

/// Row i of the table: age, pay, code, smoker, town, ill.
type Row = (
    i32,
    Option<f64>,
    Option<i64>,
    bool,
    Option<&'static str>,
    f32,
);

fn row(i: usize) -> Row {
    let towns = [Some("Ulm"), None, Some(" Köln "), Some("Rom"), Some("?")];
    (
        i as i32 % 101,
        (!i.is_multiple_of(3)).then(|| i as f64 / 7.0 - 2.0),
        [Some(9007199254740993), Some(7), None, Some(-1)][i % 4],
        i.is_multiple_of(5),
        towns[i % 5],
        f32::from(u8::from(i.is_multiple_of(2))),
    )
}

/// Values that are there, and for each row whether it is.
fn optional<T>(values: impl Iterator<Item = Option<T>>) -> (Vec<T>, Vec<i16>) {
    let values: Vec<Option<T>> = values.collect();
    let levels = values.iter().map(|v| i16::from(v.is_some())).collect();
    (values.into_iter().flatten().collect(), levels)
}

/// The first rows of the table, in two row groups.
fn written(message: &str, count: usize) -> Vec<u8> {
    let schema = Arc::new(parse_message_type(message).unwrap());
    let mut bytes = Vec::new();
    let mut file = SerializedFileWriter::new(&mut bytes, schema, Arc::default()).unwrap();
    for rows in [0..count / 3, count / 3..count] {
        let rows = || rows.clone().map(row);
        let mut group = file.next_row_group().unwrap();
        let mut column = 0;
        while let Some(mut writer) = group.next_column().unwrap() {
            match writer.untyped() {
                ColumnWriter::Int32ColumnWriter(w) => {
                    let values: Vec<i32> = rows().map(|row| row.0).collect();
                    w.write_batch(&values, None, None).unwrap();
                }
                ColumnWriter::DoubleColumnWriter(w) => {
                    let (values, levels) = optional(rows().map(|row| row.1));
                    w.write_batch(&values, Some(&levels), None).unwrap();
                }
                ColumnWriter::Int64ColumnWriter(w) => {
                    let (values, levels) = optional(rows().map(|row| row.2));
                    w.write_batch(&values, Some(&levels), None).unwrap();
                }
                ColumnWriter::BoolColumnWriter(w) => {
                    let values: Vec<bool> = rows().map(|row| row.3).collect();
                    w.write_batch(&values, None, None).unwrap();
                }
                ColumnWriter::ByteArrayColumnWriter(w) => {
                    let (values, levels) = optional(rows().map(|row| row.4.map(ByteArray::from)));
                    w.write_batch(&values, Some(&levels), None).unwrap();
                }
                ColumnWriter::FloatColumnWriter(w) => {
                    let values: Vec<f32> = rows().map(|row| row.5).collect();
                    w.write_batch(&values, None, None).unwrap();
                }
                _ => panic!("column {column} has another type"),
            }
            writer.close().unwrap();
            column += 1;
        }
        group.close().unwrap();
    }
    file.close().unwrap();
    bytes
}

/// All rows of the table, column by column.
fn in_memory() -> [(&'static str, ColumnValues<'static>); 6] {
    let rows = || (0..ROWS).map(row);
    let ages = ColumnValues::Integers {
        values: rows().map(|row| row.0.into()).collect(),
        missing: None,
    };
    let codes = ColumnValues::Integers {
        values: rows().map(|row| row.2.unwrap_or_default()).collect(),
        missing: Some(rows().map(|row| row.2.is_none()).collect()),
    };
    let smokers = ColumnValues::Truths {
        values: rows().map(|row| row.3).collect(),
        missing: None,
    };
    let pay = rows().map(|row| row.1.unwrap_or(f64::NAN)).collect();
    let towns = rows().map(|row| row.4).collect();
    let ills = rows().map(|row| f64::from(row.5)).collect();
    [
        ("age", ages),
        ("pay", ColumnValues::Numbers(pay)),
        ("code", codes),
        ("smoker", smokers),
        ("town", ColumnValues::Texts(towns)),
        ("ill", ColumnValues::Numbers(ills)),
    ]
}

/// A file of its own, removed at the end.
struct Temporary(std::path::PathBuf);

impl Temporary {
    fn new(name: &str, content: &[u8]) -> Self {
        let name = format!("reticent-{}-{name}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::write(&path, content).unwrap();
        Self(path)
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

fn table_of(path: &Path, schema: &str, wanted: WantedTarget) -> Result<Table<'static>, ReadError> {
    let schema = Schema::from_toml(schema).unwrap();
    let reading = Reading {
        wanted,
        columns: None,
        zero_based: false,
        schema: Some(&schema),
        progress: &|read, total| assert!(read <= total),
    };
    read_any(path, &reading)
}

#[test]
fn csv_parquet_and_memory_give_the_same_bits() {
    let mut text = "age,pay,code,smoker,town,ill\n".to_owned();
    for (age, pay, code, smoker, town, ill) in (0..ROWS).map(row) {
        let pay = pay.map_or(String::new(), |pay| pay.to_string());
        // −1 as an unsigned number.
        let code = code.map_or(String::new(), |code| (code as u64).to_string());
        let town = town.unwrap_or_default();
        text.push_str(&format!("{age},{pay},{code},{smoker},{town},{ill}\n"));
    }
    let csv = Temporary::new("same.csv", text.as_bytes());
    let parquet = Temporary::new("same.parquet", &written(TYPE, ROWS));
    let from_csv = table_of(&csv.0, SCHEMA, WantedTarget::Classes(None)).unwrap();
    let from_parquet = table_of(&parquet.0, SCHEMA, WantedTarget::Classes(None)).unwrap();
    assert_eq!(from_csv.features.rows(), ROWS);
    assert_eq!(from_csv, from_parquet);
    let schema = Schema::from_toml(SCHEMA).unwrap();
    let from_memory = encode(&in_memory(), &schema, WantedTarget::Classes(None)).unwrap();
    assert_eq!(from_csv, from_memory);
    let Target::Classes { class, .. } = from_csv.target else {
        panic!("no classes")
    };
    assert_eq!(class.iter().filter(|&&class| class == 1).count(), ROWS / 2);
}

#[test]
fn faults_have_their_row_and_column() {
    let file = Temporary::new("faults.parquet", &written(TYPE, 1000));
    let refused = |old: &str, new: &str, place, words: &str| {
        assert!(SCHEMA.contains(old));
        let schema = SCHEMA.replace(old, new);
        let error = table_of(&file.0, &schema, WantedTarget::Classes(None)).unwrap_err();
        assert!(error.to_string().contains(words), "{error}");
        assert_eq!((error.line, error.column), place, "{error}");
    };
    refused("\"low\"", "\"refuse\"", (Some(1), Some(2)), "missing");
    refused(
        "[\"0\", \"1\"]",
        "[\"1\", \"2\"]",
        (Some(2), Some(6)),
        "none of the declared",
    );
    refused("\"age\"", "\"years\"", (None, Some(1)), "not described");
    let more = "[[column]]\nname = \"x\"\nkind = \"numeric\"\nbounds = [0, 1]\n\
                [[column]]\nname = \"age\"";
    refused(
        "[[column]]\nname = \"age\"",
        more,
        (None, None),
        "no column 'x'",
    );
    let numeric = "name = \"town\"\nkind = \"numeric\"\nbounds = [0, 1]";
    let town = "name = \"town\"\nkind = \"categorical\"\nlevels = [\"Ulm\", \"Köln\"]";
    refused(town, numeric, (Some(1), Some(5)), "not a number");
}

#[test]
fn nested_columns_are_refused_unless_they_are_ignored() {
    let nested = TYPE.replace("required FLOAT ill;", "repeated FLOAT ill;");
    let schema = Arc::new(parse_message_type(&nested).unwrap());
    let mut bytes = Vec::new();
    let file = SerializedFileWriter::new(&mut bytes, schema, Arc::default()).unwrap();
    file.close().unwrap();
    let file = Temporary::new("nested.parquet", &bytes);
    let error = table_of(&file.0, SCHEMA, WantedTarget::Classes(None)).unwrap_err();
    assert!(error.to_string().contains("'ill' is nested"), "{error}");
    let ignored = SCHEMA.replace("\"target\"\nclasses = [\"0\", \"1\"]", "\"ignored\"");
    let error = table_of(&file.0, &ignored, WantedTarget::Nothing).unwrap_err();
    assert!(error.to_string().contains("no records"), "{error}");
}

#[test]
fn a_damaged_file_is_an_error() {
    let bytes = written(TYPE, 100);
    let schema = Schema::from_toml(SCHEMA).unwrap();
    let tried = |name: &str, bytes: &[u8]| {
        let file = Temporary::new(name, bytes);
        table_of(&file.0, SCHEMA, WantedTarget::Classes(None))
    };
    for length in [0, 3, 4, 100, bytes.len() / 2, bytes.len() - 1] {
        let error = tried("cut.parquet", &bytes[..length]).unwrap_err();
        assert!(
            error.to_string().contains("cut.parquet"),
            "{length}: {error}"
        );
    }
    // One bit at a time all over the file: a table of the right shape, or an error. Both happen: some
    // bits are of a value, some of the structure.
    let (mut tables, mut errors) = (0, 0);
    for k in 0..300 {
        let mut damaged = bytes.clone();
        let at = k * (bytes.len() - 1) / 299;
        damaged[at] ^= 1 << (k % 8);
        match tried("bit.parquet", &damaged) {
            Ok(table) => {
                assert_eq!(table.features.width(), schema.width(), "bit {k}");
                assert_eq!(table.features.rows(), 100, "bit {k}");
                tables += 1;
            }
            Err(error) => {
                assert!(
                    error.to_string().contains("bit.parquet"),
                    "bit {k}: {error}"
                );
                errors += 1;
            }
        }
    }
    assert!(tables >= 10 && errors >= 10, "{tables} {errors}");
}

#[test]
fn a_draft_reads_types_and_no_values() {
    let file = Temporary::new("draft.parquet", &written(TYPE, 1000));
    let drafting = Drafting {
        header: true,
        any_header: false,
        delimiter: b',',
        target: Some("ill"),
        from_values: &[],
    };
    let plain = draft(&file.0, &drafting).unwrap();
    let proposals: Vec<&Proposal> = plain.columns.iter().map(|c| &c.proposal).collect();
    let numbers = &Proposal::Numbers;
    assert_eq!(
        proposals,
        [
            numbers,
            numbers,
            numbers,
            numbers,
            &Proposal::Texts,
            numbers
        ]
    );
    let named = ["age".to_owned(), "town".to_owned(), "ill".to_owned()];
    let from_values = draft(
        &file.0,
        &Drafting {
            from_values: &named,
            ..drafting
        },
    );
    let text = from_values.unwrap().to_string();
    for line in [
        "bounds = [0.0, 100.0]\nsource = \"data\"",
        "levels = [\"Köln\", \"Rom\", \"Ulm\"]\nsource = \"data\"",
        "classes = [\"0\", \"1\"]\nsource = \"data\"",
    ] {
        assert!(text.contains(line), "{text}");
    }
}

#[test]
fn bytes_in_memory_are_read_as_a_file_is() {
    let bytes = written(TYPE, 1000);
    let file = Temporary::new("memory.parquet", &bytes);
    let schema = Schema::from_toml(SCHEMA).unwrap();
    let reading = Reading {
        wanted: WantedTarget::Classes(None),
        columns: None,
        zero_based: false,
        schema: Some(&schema),
        progress: &|_, _| {},
    };
    let table = |bytes: &[u8]| read_bytes(bytes.to_vec(), Path::new("memory"), &reading);
    let from_file = table_of(&file.0, SCHEMA, WantedTarget::Classes(None)).unwrap();
    assert_eq!(table(&bytes).unwrap(), from_file);
    let error = table(&bytes[..100]).unwrap_err();
    assert_eq!(error.file, Path::new("memory"));
}
