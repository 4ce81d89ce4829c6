//! Columns of dates in Parquet: the days of texts, of dates and of times in any unit.

use std::sync::Arc;

use parquet::column::writer::ColumnWriter;
use parquet::data_type::ByteArray;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;

use super::super::{Format, Reading, WantedTarget, read_parquet};
use super::*;

const DAYS: [i64; 6] = [0, -1, 19_813, -25_567, 47_482, -90_000];

/// A file with one column `d`, of this type, whose stored numbers are days times `per_day`, and one
/// more; the second record is missing.
fn file(kind: &str, per_day: i64, more: i64) -> Vec<u8> {
    let message = format!("message t {{ optional {kind}; }}");
    let schema = Arc::new(parse_message_type(&message).unwrap());
    let mut bytes = Vec::new();
    let mut file = SerializedFileWriter::new(&mut bytes, schema, Arc::default()).unwrap();
    let mut group = file.next_row_group().unwrap();
    let mut writer = group.next_column().unwrap().unwrap();
    let mut levels = vec![1_i16; DAYS.len() + 1];
    levels[1] = 0;
    let stored = DAYS.map(|day| day * per_day + more);
    match writer.untyped() {
        ColumnWriter::Int32ColumnWriter(w) => {
            let days = stored.map(|day| day as i32);
            w.write_batch(&days, Some(&levels), None).unwrap();
        }
        ColumnWriter::Int64ColumnWriter(w) => {
            w.write_batch(&stored, Some(&levels), None).unwrap();
        }
        ColumnWriter::ByteArrayColumnWriter(w) => {
            let texts = [
                "1970-01-01",
                "1969-12-31",
                "2024-03-31",
                "1900-01-01",
                "2100-01-01",
            ];
            let mut texts: Vec<ByteArray> = texts.into_iter().map(ByteArray::from).collect();
            texts.push(ByteArray::from("1723-08-03T23:00"));
            w.write_batch(&texts, Some(&levels), None).unwrap();
        }
        _ => panic!("{kind}"),
    }
    writer.close().unwrap();
    group.close().unwrap();
    file.close().unwrap();
    bytes
}

fn read_as(column: &str, bytes: Vec<u8>) -> Result<Table<'static>, ReadError> {
    // A number that means missing is no date: 1969-12-31 is −1 in some files.
    let text = format!("version = 1\nmissing = [\"\", \"-1\"]\n[[column]]\nname = \"d\"\n{column}");
    let schema = Schema::from_toml(&text).unwrap();
    let reading = Reading {
        wanted: WantedTarget::Nothing,
        columns: None,
        zero_based: false,
        schema: Some(&schema),
        progress: &|_, _| {},
    };
    read_parquet(bytes, Path::new("input.parquet"), &reading)
}

const DATE: &str =
    "kind = \"date\"\nbounds = [\"1900-01-01\", \"2099-12-31\"]\nmissing_indicator = true";

#[test]
fn a_day_is_the_same_however_it_is_stored() {
    assert_eq!(Format::of(Path::new("input.parquet")), Format::Parquet);
    let day = 86_400;
    let expected = read_as(DATE, file("BYTE_ARRAY d (UTF8)", 1, 0))
        .unwrap()
        .features;
    assert_eq!((expected.rows(), expected.width()), (7, 2));
    let mut missing = Vec::new();
    expected.for_row(1, |column, value| {
        if value != 0.0 {
            missing.push((column, value));
        }
    });
    assert_eq!(missing, [(1, 1.0)]);
    for (kind, per_day, more) in [
        ("INT32 d (DATE)", 1, 0),
        ("INT64 d (TIMESTAMP_MILLIS)", day * 1000, 0),
        (
            "INT64 d (TIMESTAMP_MICROS)",
            day * 1_000_000,
            86_399_999_999,
        ),
        ("INT64 d (TIMESTAMP(MILLIS,false))", day * 1000, 1),
        ("INT64 d (TIMESTAMP(NANOS,true))", day * 1_000_000_000, 5),
    ] {
        let found = read_as(DATE, file(kind, per_day, more)).unwrap();
        assert_eq!(found.features, expected, "{kind}");
    }
}

#[test]
fn a_plain_number_is_no_date_and_a_date_of_another_kind_is_its_number() {
    for kind in ["INT32 d", "INT64 d", "INT32 d (TIME_MILLIS)"] {
        let error = read_as(DATE, file(kind, 1, 0)).unwrap_err();
        assert!(error.to_string().contains("holds dates"), "{error}");
    }
    let numeric = "kind = \"numeric\"\nbounds = [-100000, 100000]";
    let plain = read_as(numeric, file("INT32 d", 1, 0)).unwrap();
    let dates = read_as(numeric, file("INT32 d (DATE)", 1, 0)).unwrap();
    assert_eq!(dates.features, plain.features);
}
