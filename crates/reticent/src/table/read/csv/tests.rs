//! CSV: every fault has a place, and neither blocks nor threads change the table.

use std::io::Write;

use proptest::prelude::*;

use super::*;
use crate::table::{ProtectedUnit, Target, Units};

const SCHEMA: &str = r#"
version = 1
comment = "|"
missing = ["", "?"]

[[column]]
name = "age"
kind = "numeric"
bounds = [0, 100]

[[column]]
name = "town"
kind = "categorical"
levels = ["Ulm", "Bad Ems, Lahn"]

[[column]]
name = "ill"
kind = "target"
classes = ["no", "yes|ja"]
"#;

fn reading<'a>(schema: &'a Schema, wanted: WantedTarget<'a>) -> Reading<'a> {
    Reading {
        wanted,
        columns: None,
        zero_based: false,
        schema: Some(schema),
        progress: &|_, _| {},
    }
}

fn parsed(
    toml: &str,
    text: &[u8],
    wanted: WantedTarget,
    block: usize,
) -> Result<Table<'static>, ReadError> {
    let schema = Schema::from_toml(toml).unwrap();
    let source = Source::new(text).unwrap();
    read(source, Path::new("t.csv"), &reading(&schema, wanted), block)
}

fn table(text: &str) -> Table<'static> {
    parsed(SCHEMA, text.as_bytes(), WantedTarget::Classes(None), BLOCK).unwrap()
}

/// The rows as the features that are not zero.
fn rows(table: &Table) -> Vec<Vec<(usize, f32)>> {
    let row = |i| {
        let mut row = Vec::new();
        table.features.for_row(i, |j, x| {
            if x != 0.0 {
                row.push((j, x));
            }
        });
        row
    };
    (0..table.features.rows()).map(row).collect()
}

/// The text must be refused at line and field, with the words; whatever the blocks.
fn refused(toml: &str, text: &[u8], place: (Option<u64>, Option<u64>), words: &str) {
    for block in [1, 7, BLOCK] {
        let error = parsed(toml, text, WantedTarget::Classes(None), block).unwrap_err();
        let shown = String::from_utf8_lossy(text);
        let message = error.to_string();
        assert!(message.contains(words), "{shown}\n{message}");
        assert_eq!((error.line, error.column), place, "{shown}\n{message}");
    }
}

fn refused_at(text: &str, line: u64, field: impl Into<Option<u64>>, words: &str) {
    refused(SCHEMA, text.as_bytes(), (Some(line), field.into()), words);
}

#[test]
fn fields_are_found_by_name_quoted_or_not_and_trimmed() {
    let text = "ill, town ,age\r\nyes,\"Bad Ems, Lahn\", 75 \r\n| a comment\r\n\r\nno,?,\r\n\
                ja,Ulm,1e9";
    let table = table(text);
    assert_eq!(
        rows(&table),
        [
            vec![(0, 0.5), (2, 1.0)],
            vec![(3, 1.0)],
            vec![(0, 1.0), (1, 1.0)],
        ]
    );
    let Target::Classes { class, names } = table.target else {
        panic!("no classes")
    };
    assert_eq!(class, [1, 0, 1]);
    assert_eq!(names, ["no", "yes|ja"]);
    assert!(table.assumed.is_empty());
}

#[test]
fn a_quoted_field_may_hold_quotes_and_line_ends() {
    let toml = SCHEMA.replace("\"Ulm\"", "\"a\\n\\\"b\\\"\"");
    let text = b"age,town,ill\n50,\"a\n\"\"b\"\"\",no\n100,\"x\n\ny\",yes\n";
    for block in [1, 5, BLOCK] {
        let table = parsed(&toml, text, WantedTarget::Classes(None), block).unwrap();
        assert_eq!(rows(&table), [vec![(1, 1.0)], vec![(0, 1.0), (3, 1.0)]]);
    }
}

#[test]
fn a_mark_that_says_utf8_is_no_part_of_the_header() {
    assert_eq!(rows(&table("\u{feff}age,town,ill\n50,Ulm,no\n")).len(), 1);
}

#[test]
fn without_header_the_fields_come_in_the_order_of_the_schema() {
    let toml = SCHEMA.replace(
        "version = 1",
        "version = 1\nheader = false\ndelimiter = \";\"",
    );
    let with = parsed(&toml, b"100;Ulm;no\n", WantedTarget::Classes(None), BLOCK).unwrap();
    assert_eq!(rows(&with), [[(0, 1.0), (1, 1.0)]]);
    // A file to predict may lack the target, and only that one.
    let without = parsed(&toml, b"100;Ulm\n", WantedTarget::Nothing, BLOCK).unwrap();
    assert_eq!(rows(&without), rows(&with));
    assert_eq!(without.target, Target::Absent);
    refused(
        &toml,
        b"100;Ulm\n",
        (Some(1), None),
        "does not have 3 fields",
    );
}

#[test]
fn the_target_may_be_absent_only_if_nothing_is_wanted_of_it() {
    let text = b"town,age\nUlm,100\n";
    let table = parsed(SCHEMA, text, WantedTarget::Nothing, BLOCK).unwrap();
    assert_eq!(table.target, Target::Absent);
    assert_eq!(rows(&table), [[(0, 1.0), (1, 1.0)]]);
    refused(SCHEMA, text, (None, None), "no column 'ill'");
    // Columns that are not wanted are not read.
    let text = b"town,age,ill\nUlm,100,perhaps\n";
    let table = parsed(SCHEMA, text, WantedTarget::Nothing, BLOCK).unwrap();
    assert_eq!(table.target, Target::Absent);
    assert_eq!(rows(&table), [[(0, 1.0), (1, 1.0)]]);
}

#[test]
fn a_byte_order_mark_is_dropped_before_the_file_and_nowhere_else() {
    let toml = SCHEMA.replace("\"Ulm\"", "\"\u{feff}Ulm\"");
    let text = "town,age,ill\n\u{feff}Ulm,100,no\nUlm,100,yes\n\u{feff}Ulm,100,no\n";
    let marked = format!("\u{feff}{text}");
    for block in [1, BLOCK] {
        for text in [text, &marked] {
            let table = parsed(&toml, text.as_bytes(), WantedTarget::Classes(None), block).unwrap();
            let level = [(0, 1.0), (1, 1.0)];
            assert_eq!(
                rows(&table),
                [level, [(0, 1.0), (3, 1.0)], level],
                "{block}"
            );
        }
    }
    // A fault after a mark has the right line.
    let text = "town,age,ill\n\u{feff}Ulm,100,no\nUlm,x";
    refused(&toml, text.as_bytes(), (Some(3), None), "fields");
}

#[test]
fn a_numeric_target_is_a_finite_number() {
    let toml = SCHEMA.replace(
        "classes = [\"no\", \"yes|ja\"]",
        "range = [0, 9]\nmissing = 4",
    );
    let values = |text: &str| parsed(&toml, text.as_bytes(), WantedTarget::Values, BLOCK);
    let table = values("age,town,ill\n1,Ulm,-3.5\n1,Ulm,?\n").unwrap();
    assert_eq!(table.target, Target::Values(vec![-3.5, 4.0]));
    for bad in ["inf", "-Infinity", "x"] {
        let error = values(&format!("age,town,ill\n1,Ulm,{bad}\n")).unwrap_err();
        assert_eq!((error.line, error.column), (Some(2), Some(3)), "{error}");
    }
    let error = parsed(&toml, b"age,town,ill\n", WantedTarget::Classes(None), BLOCK).unwrap_err();
    assert!(error.to_string().contains("give it classes"), "{error}");
    let error = parsed(SCHEMA, b"age,town,ill\n", WantedTarget::Values, BLOCK).unwrap_err();
    assert!(error.to_string().contains("give it a range"), "{error}");
}

#[test]
fn a_missing_label_follows_its_rule() {
    refused_at(
        "age,town,ill\n1,Ulm,no\n1,Ulm,?\n",
        3,
        3,
        "target is missing",
    );
    for (classes, rule, expected) in [
        ("[\"no\", \"yes\"]", "yes", 1),
        ("[\"no\", \"yes\"]", "no", 0),
        ("[\"no|m\", \"ill=*\"]", "ill", 1),
        ("[\"no|m\", \"ill=*\", \"dead=mm|x\"]", "ill", 1),
        ("[\"no|m\", \"ill=*\", \"dead=mm|x\"]", "dead", 2),
    ] {
        let toml = SCHEMA.replace(
            "[\"no\", \"yes|ja\"]",
            &format!("{classes}\nmissing = \"{rule}\""),
        );
        let text = b"age,town,ill\n1,Ulm,?\n";
        let table = parsed(&toml, text, WantedTarget::MultipleClasses(None), BLOCK).unwrap();
        let Target::Classes { class, .. } = table.target else {
            panic!("no classes")
        };
        assert_eq!(class, [expected], "{classes} {rule}");
    }
}

#[test]
fn several_classes_of_a_schema_are_numbered_in_its_order() {
    let classes = "[\"good\", \"2|bad\", \"odd=*\", \"never\"]";
    let toml = SCHEMA.replace("[\"no\", \"yes|ja\"]", classes);
    let text = b"age,town,ill\n1,Ulm,2.0\n1,Ulm,good\n1,Ulm,x\n1,Ulm,bad\n";
    for block in [1, 20, BLOCK] {
        let table = parsed(&toml, text, WantedTarget::MultipleClasses(None), block).unwrap();
        let Target::Classes { class, names } = table.target else {
            panic!("no classes")
        };
        assert_eq!(class, [1, 0, 2, 1]);
        assert_eq!(names, ["good", "2|bad", "odd", "never"]);
    }
    let two = parsed(&toml, text, WantedTarget::Classes(None), BLOCK).unwrap_err();
    assert!(matches!(two.problem, ReadProblem::NotTwoDeclared(4)));
}

#[test]
fn every_fault_has_its_place() {
    const HEAD: &str = "age,town,ill\n";
    refused_at(
        &format!("{HEAD}1,Ulm,no\n\n|x\nx,Ulm,no\n"),
        5,
        1,
        "not a number",
    );
    refused_at(&format!("{HEAD}1,Ulm,no\r\ninf,Ulm,no\r\n"), 3, 1, "finite");
    refused_at(&format!("{HEAD}NaN,Ulm,no\n"), 2, 1, "finite");
    refused_at(
        &format!("{HEAD}1,\"a\nb\",no\n1,Ulm\n"),
        4,
        None,
        "3 fields",
    );
    refused_at(&format!("{HEAD}1,Ulm,no,\n"), 2, None, "3 fields");
    refused_at(
        &format!("{HEAD}1,Ulm,no\n1,Ulm,perhaps\nx,Ulm,no"),
        3,
        3,
        "none of the declared",
    );
    refused_at(
        &format!("{HEAD}1,Ulm,no\n1,\"Ulm,no\n1,Ulm,no\n"),
        3,
        None,
        "never closed",
    );
    refused_at("age,town,ill,age\n1,Ulm,no,1\n", 1, 4, "second time");
    refused_at("|\nage,town,pay,ill\n1,Ulm,7,no\n", 2, 3, "\"ignored\"");
    refused_at("town,ill\nUlm,no\n", 1, None, "no column 'age'");
    let mut bytes = format!("{HEAD}1,Ulm,no\n1,").into_bytes();
    bytes.extend(b"\xff,no\n");
    refused(SCHEMA, &bytes, (Some(3), Some(2)), "UTF-8");
    for empty in ["", "\n\n", "| only a comment\n", HEAD] {
        refused(SCHEMA, empty.as_bytes(), (None, None), "no records");
    }
    let strict = SCHEMA.replace("[0, 100]", "[0, 100]\nmissing = \"refuse\"");
    let text = format!("{HEAD}1,Ulm,no\n?,Ulm,no\n");
    refused(&strict, text.as_bytes(), (Some(3), Some(1)), "missing");
}

#[test]
fn no_message_quotes_the_file() {
    for text in [
        "secret,town,ill\n",
        "age,town,ill\nsecret,Ulm,no\n",
        "age,town,ill\n1,Ulm,secret\n",
        "age,town,ill\n1,\"secret\n",
        "age,town,ill\nsecret\n",
    ] {
        let error = parsed(SCHEMA, text.as_bytes(), WantedTarget::Classes(None), BLOCK);
        let error = format!("{:?} {0}", error.unwrap_err());
        assert!(!error.contains("secret"), "{error}");
    }
}

#[test]
fn a_quote_that_is_never_closed_does_not_swallow_memory() {
    struct Endless(bool);
    impl std::io::Read for Endless {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            buffer.fill(b'a');
            if !std::mem::replace(&mut self.0, true) {
                (&mut buffer[..]).write_all(b"age,\"")?;
            }
            Ok(buffer.len())
        }
    }
    let schema = Schema::from_toml(SCHEMA).unwrap();
    let source = Source::new(Endless(false)).unwrap();
    let error = read(
        source,
        Path::new("t"),
        &reading(&schema, WantedTarget::Nothing),
        BLOCK,
    );
    let error = error.unwrap_err();
    assert!(error.to_string().contains("64 MiB"), "{error}");
    assert_eq!(error.line, Some(1));
}

proptest! {
    /// Fields of any kind, quotes in odd places included: cutting agrees with the parser.
    #[test]
    fn blocks_and_threads_do_not_change_the_table(
        lines in proptest::collection::vec("[0-9]{1,2},[a\"|\r ]{0,4},(no|\"yes\"|ja)", 1..20),
        block in 1usize..60,
        threads in 1usize..8,
    ) {
        let text = format!("age,town,ill\n{}\n", lines.join("\n"));
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let parts = pool.install(|| {
            parsed(SCHEMA, text.as_bytes(), WantedTarget::Classes(None), block)
        });
        let whole = parsed(SCHEMA, text.as_bytes(), WantedTarget::Classes(None), BLOCK);
        match (parts, whole) {
            (Ok(parts), Ok(whole)) => prop_assert_eq!(parts, whole),
            (Err(parts), Err(whole)) => prop_assert_eq!(parts.to_string(), whole.to_string()),
            (parts, whole) => prop_assert!(false, "{parts:?}\n{whole:?}"),
        }
    }

    /// Whatever the bytes: a table or an error.
    #[test]
    fn any_bytes_are_a_table_or_an_error(
        bytes in proptest::collection::vec(any::<u8>(), 0..200),
        header in any::<bool>(),
    ) {
        let start: &[u8] = if header { b"age,town,ill\n" } else { b"" };
        let text = [start, &bytes].concat();
        // Only bytes that begin as a compressed stream are none at all.
        prop_assume!(Source::new(&text[..]).is_ok());
        let [parts, whole] = [16, BLOCK].map(|block| {
            let table = parsed(SCHEMA, &text, WantedTarget::Classes(None), block);
            table.map_err(|error| error.to_string())
        });
        prop_assert_eq!(&parts, &whole);
        match whole {
            // The header, and a line for each record at least.
            Ok(table) => prop_assert!(header && table.features.rows() < text.split(|&b| b == b'\n').count()),
            Err(error) => prop_assert!(error.starts_with("t.csv"), "{}", error),
        }
    }
}

/// The features of every record of a table of one column but the last, which holds `last`.
fn others(toml: &str, column: &[&str], last: &str) -> Vec<Vec<(usize, f32)>> {
    let text = format!("v\n{}\n{last}\n", column.join("\n"));
    let table = parsed(toml, text.as_bytes(), WantedTarget::Nothing, BLOCK).unwrap();
    let mut rows = rows(&table);
    rows.pop();
    rows
}

#[test]
fn levels_that_are_numbers_are_compared_as_numbers() {
    let toml = "version = 1\ncolumn = [{name = \"v\", kind = \"categorical\", levels = [\"1\", \"02\", \"x1\", \"true\"]}]";
    let column = [
        "01", "1", "1.0", "+1", "2", "02", "2e0", "x1", "X1", "01x", "True", "true", "3",
    ];
    let places = [0, 0, 0, 0, 1, 1, 1, 2, 4, 4, 3, 3, 4];
    let rows = others(toml, &column, "x");
    let expected: Vec<_> = places.iter().map(|&place| vec![(place, 1.0)]).collect();
    assert_eq!(rows, expected);
    for last in ["1", "01", "true", "1e400"] {
        assert_eq!(others(toml, &column, last), rows, "{last}");
    }
}

#[test]
fn a_number_beyond_the_range_is_clipped_to_the_bounds() {
    let numeric = "version = 1\ncolumn = [{name = \"v\", kind = \"numeric\", bounds = [0, 4]}]";
    let rows = others(numeric, &["1e39", "-1e400", "1e400"], "1");
    assert_eq!(rows, [vec![(0, 1.0)], vec![(0, -1.0)], vec![(0, 1.0)]]);
    let toml = "version = 1\nheader = false\ncolumn = [{name = \"v\", kind = \"numeric\", bounds = [0, 4]}, \
                {name = \"y\", kind = \"target\", range = [0, 1]}]";
    let table = parsed(toml, b"1,1e400\n1,-1e400\n", WantedTarget::Values, BLOCK).unwrap();
    assert_eq!(table.target, Target::Values(vec![f64::MAX, f64::MIN]));
}

#[test]
fn a_label_that_is_missing_as_a_number_is_missing_however_it_is_written() {
    let toml = "version = 1\nheader = false\nmissing = [\"-9\"]\ncolumn = [\
                {name = \"v\", kind = \"numeric\", bounds = [0, 4]}, \
                {name = \"y\", kind = \"target\", classes = [\"no\", \"yes\"], missing = \"yes\"}]";
    let text = b"1,-9\n1,-9.0\n1,no\n1,-09\n";
    let table = parsed(toml, text, WantedTarget::Classes(None), BLOCK).unwrap();
    let Target::Classes { class, .. } = table.target else {
        panic!("no classes")
    };
    assert_eq!(class, [1, 1, 0, 1]);
}

const VISITS: &str = r#"
version = 1

[[column]]
name = "patient"
kind = "unit"
rows = 3

[[column]]
name = "age"
kind = "numeric"
bounds = [0, 100]
"#;

#[test]
fn whose_a_row_is_follows_from_its_own_value_however_it_is_written() {
    // 7, 07 and 7.0 are one number; blanks around a name do not count.
    let text = "patient,age\n7,1\nMüller, 2\n07,3\n7.0,4\n Müller ,5\nmüller,6\n";
    for block in [1, 20, BLOCK] {
        let read = parsed(VISITS, text.as_bytes(), WantedTarget::Nothing, block);
        let units = read.unwrap().units.unwrap();
        let declared = ProtectedUnit {
            column: Some("patient".to_owned()),
            rows: 3.try_into().unwrap(),
        };
        assert_eq!(units, Units::new(["a", "b", "a", "a", "b", "c"], declared));
        assert_eq!(units.count(), 3);
    }
}

#[test]
fn a_row_of_nobody_refuses_the_file_with_its_place() {
    let text = "patient,age\n7,1\n,2\n";
    let error = parsed(VISITS, text.as_bytes(), WantedTarget::Nothing, BLOCK).unwrap_err();
    let said = error.to_string();
    assert!(said.starts_with("t.csv:3:1: column 'patient'"), "{said}");
    // To predict, nobody has to be named.
    let schema = Schema::from_toml(VISITS).unwrap().without_unit();
    for text in [text, "age\n1\n2\n"] {
        let source = Source::new(text.as_bytes()).unwrap();
        let reading = reading(&schema, WantedTarget::Nothing);
        let table = read(source, Path::new("t.csv"), &reading, BLOCK).unwrap();
        assert_eq!((table.features.rows(), table.units), (2, None));
    }
}
