//! A table in memory gives the same bits as its text, and faults have their place.

use std::path::Path;

use super::super::{Reading, read_csv};
use super::*;

const SCHEMA: &str = r#"
version = 1
missing = ["", "?"]

[[column]]
name = "age"
kind = "numeric"
bounds = [0, 90]

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
name = "pay"
kind = "numeric"
bounds = [-1, 7]
missing = "low"

[[column]]
name = "ill"
kind = "target"
classes = ["0", "1"]
"#;

/// More rows than two threads encode at a time.
const COUNT: usize = 2 * ROWS + 100;

type Columns = Vec<(&'static str, ColumnValues<'static>)>;

/// The columns in another order than the schema's.
fn columns() -> Columns {
    let codes = [9_007_199_254_740_993, 7, 0, -1];
    let towns = [Some("Ulm"), None, Some(" Köln "), Some("Rom"), Some("?")];
    let pay = |i: usize| match i.is_multiple_of(3) {
        true => f64::NAN,
        false => i as f64 / 7000.0 - 2.0,
    };
    let marked = |i: usize, every: usize| i.is_multiple_of(every);
    vec![
        (
            "town",
            ColumnValues::Texts((0..COUNT).map(|i| towns[i % 5]).collect()),
        ),
        ("pay", ColumnValues::Numbers((0..COUNT).map(pay).collect())),
        (
            "code",
            ColumnValues::Integers {
                values: (0..COUNT).map(|i| codes[i % 4]).collect(),
                missing: Some((0..COUNT).map(|i| marked(i, 11)).collect()),
            },
        ),
        (
            "smoker",
            ColumnValues::Truths {
                values: (0..COUNT).map(|i| marked(i, 5)).collect(),
                missing: Some((0..COUNT).map(|i| marked(i, 13)).collect()),
            },
        ),
        (
            "age",
            ColumnValues::Integers {
                values: (0..COUNT).map(|i| (i % 101) as i64).collect(),
                missing: None,
            },
        ),
        (
            "ill",
            ColumnValues::Truths {
                values: (0..COUNT).map(|i| marked(i, 2)).collect(),
                missing: None,
            },
        ),
    ]
}

/// The column as one of other values.
fn with(name: &str, values: ColumnValues<'static>) -> Columns {
    let mut columns = columns();
    let place = columns.iter().position(|(other, _)| *other == name);
    columns[place.unwrap()].1 = values;
    columns
}

fn schema(from: &str, to: &str) -> Schema {
    assert!(SCHEMA.contains(from));
    Schema::from_toml(&SCHEMA.replace(from, to)).unwrap()
}

/// The columns as a text file has them.
fn csv(columns: &Columns) -> String {
    let names: Vec<_> = columns.iter().map(|(name, _)| *name).collect();
    let mut text = names.join(",") + "\n";
    for row in 0..COUNT {
        let fields = columns.iter().map(|(_, values)| {
            let text = values.cell(row).text().unwrap_or_default();
            String::from_utf8(text.into_owned()).unwrap()
        });
        text += &(fields.collect::<Vec<_>>().join(",") + "\n");
    }
    text
}

#[test]
fn a_table_in_memory_gives_the_same_bits_as_its_text() {
    let columns = columns();
    let text = csv(&columns);
    let truths = schema("[\"0\", \"1\"]", "[\"false\", \"true\"]");
    let numbers = schema("classes = [\"0\", \"1\"]", "range = [0, 1]");
    for (schema, wanted) in [
        (&truths, WantedTarget::Classes(None)),
        (&truths, WantedTarget::MultipleClasses(None)),
        (&truths, WantedTarget::Nothing),
    ] {
        let reading = Reading {
            wanted,
            columns: None,
            zero_based: false,
            schema: Some(schema),
            progress: &|_, _| {},
        };
        let from_text = read_csv(text.as_bytes(), Path::new("text"), &reading).unwrap();
        assert_eq!(encode(&columns, schema, wanted).unwrap(), from_text);
    }
    let table = encode(&columns, &numbers, WantedTarget::Values).unwrap();
    let expected = (0..COUNT).map(|i| f64::from(u8::from(i.is_multiple_of(2))));
    assert_eq!(
        table.target,
        crate::table::Target::Values(expected.collect())
    );
}

#[test]
fn a_table_to_predict_may_lack_the_target_and_nothing_else() {
    let schema = schema("[\"0\", \"1\"]", "[\"false\", \"true\"]");
    let mut columns = columns();
    let whole = encode(&columns, &schema, WantedTarget::Nothing).unwrap();
    columns.pop();
    assert_eq!(
        encode(&columns, &schema, WantedTarget::Nothing).unwrap(),
        whole
    );
    let error = encode(&columns, &schema, WantedTarget::Classes(None)).unwrap_err();
    assert!(
        error.to_string().starts_with("there is no column 'ill'"),
        "{error}"
    );
    columns.pop();
    let error = encode(&columns, &schema, WantedTarget::Nothing).unwrap_err();
    assert!(
        error.to_string().starts_with("there is no column 'age'"),
        "{error}"
    );
}

#[test]
fn faults_have_their_column_and_row_and_no_content() {
    let plain = schema("[\"0\", \"1\"]", "[\"false\", \"true\"]");
    let refused = |columns: &Columns, schema: &Schema, start: &str, words: &str| {
        let error = encode(columns, schema, WantedTarget::Classes(None)).unwrap_err();
        let message = error.to_string();
        assert!(
            message.starts_with(start) && message.contains(words),
            "{message}"
        );
        assert!(!message.contains("secret"), "{message}");
    };
    let last = COUNT - 1;
    let mut ages = vec![50.0; COUNT];
    ages[last] = f64::INFINITY;
    let place = format!("column 'age', row {COUNT}: ");
    let infinite = with("age", ColumnValues::Numbers(ages.into()));
    refused(&infinite, &plain, &place, "not a finite number");
    let mut ages = vec![Some("50"); COUNT];
    ages[last] = Some("secret");
    let text = with("age", ColumnValues::Texts(ages));
    refused(&text, &plain, &place, "not a number");
    let mut ills = vec![Some("true"); COUNT];
    ills[ROWS + 2] = Some("secret");
    let place = format!("column 'ill', row {}: ", ROWS + 3);
    let label = with("ill", ColumnValues::Texts(ills.clone()));
    refused(&label, &plain, &place, "none of the declared");
    ills[ROWS + 2] = None;
    let missing = with("ill", ColumnValues::Texts(ills));
    refused(&missing, &plain, &place, "target is missing");
    let short = with("age", ColumnValues::Numbers(vec![1.0; 3].into()));
    refused(&short, &plain, "column 'age': ", "value per row");
    let marks = ColumnValues::Integers {
        values: vec![1; COUNT].into(),
        missing: Some(vec![false; 3].into()),
    };
    refused(
        &with("age", marks),
        &plain,
        "column 'age': ",
        "value per row",
    );
    let mut unknown = columns();
    unknown[1].0 = "secret";
    refused(&unknown, &plain, "column 2: ", "not described");
    unknown[1].0 = "age";
    refused(&unknown, &plain, "column 'age': ", "second time");
    let empty: Columns = columns()
        .into_iter()
        .map(|(name, _)| (name, ColumnValues::Texts(Vec::new())))
        .collect();
    refused(&empty, &plain, "", "no records");
}

#[test]
fn the_first_fault_is_told_on_any_number_of_threads() {
    let schema = schema("[\"0\", \"1\"]", "[\"false\", \"true\"]");
    let mut ages = vec![50.0; COUNT];
    ages[COUNT - 1] = f64::INFINITY;
    ages[ROWS - 1] = f64::INFINITY;
    let columns = with("age", ColumnValues::Numbers(ages.into()));
    for threads in [1, 2, 5] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let encoded = || encode(&columns, &schema, WantedTarget::Classes(None));
        let error = pool.unwrap().install(encoded).unwrap_err();
        assert_eq!(error.row, Some(ROWS as u64));
    }
}

/// What a column of one value becomes, next to another record.
fn beside(value: AnyValue<'static>, other: &'static str) -> Vec<(usize, f32)> {
    let toml = "version = 1\nmissing = [\"\", \"-9\"]\ncolumn = [\
                {name = \"level\", kind = \"categorical\", levels = [\"01\", \"2.5\", \"true\"]}, \
                {name = \"number\", kind = \"numeric\", bounds = [0, 10]}]";
    let schema = Schema::from_toml(toml).unwrap();
    let column = || ColumnValues::Mixed(vec![value, AnyValue::Text(other)]);
    let columns = [("level", column()), ("number", column())];
    let table = encode(&columns, &schema, WantedTarget::Nothing).unwrap();
    let mut row = Vec::new();
    let stored = |column, value| {
        if value != 0.0 {
            row.push((column, value));
        }
    };
    table.features.for_row(0, stored);
    row
}

#[test]
fn a_value_is_encoded_alike_in_whatever_type_it_is_stored() {
    use AnyValue::{Missing, Number, Text, Truth};
    for same in [
        vec![Number(1.0), Text("1"), Text("01"), Text("1.0")],
        vec![Number(2.5), Text("2.50"), Text("25e-1")],
        vec![Number(-9.0), Text("-9"), Text("-9.0"), Text(""), Missing],
        vec![Truth(true), Text("true"), Text("True")],
        vec![Truth(false), Text("false"), Text("FALSE")],
        vec![Number(f64::MAX), Text("1e400")],
    ] {
        let first = beside(same[0], "7");
        for value in same {
            for other in ["7", "", "true", "1e300"] {
                assert_eq!(beside(value, other), first, "{value:?}");
            }
        }
    }
}
