//! CSV of any kind is a table or an error, and the same with a header and without.
//!
//! The first byte of the input chooses what is wanted, the rest is the text.
#![no_main]

use std::path::Path;
use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use reticent::table::{ReadError, Reading, Schema, Table, WantedTarget, read_csv};

const COLUMNS: &str = r##"
version = 1
comment = "#"
missing = ["", "?"]

[[column]]
name = "age"
kind = "numeric"
bounds = [0, 90]
missing_indicator = true

[[column]]
name = "pay"
kind = "numeric"
bounds = [-1, 7]
missing = "refuse"

[[column]]
name = "town"
kind = "categorical"
levels = ["Ulm", "Köln"]

[[column]]
name = "note"
kind = "ignored"

[[column]]
name = "ill"
kind = "target"
classes = ["no|0", "yes=1|2"]

[[column]]
name = "since"
kind = "date"
bounds = ["1900-01-01", "2099-12-31"]

[[column]]
name = "cost"
kind = "numeric"
bounds = [0.5, 1e6]
scale = "log"
missing = "low"
missing_indicator = true
"##;

/// With a header, and without.
static SCHEMAS: LazyLock<[Schema; 2]> = LazyLock::new(|| {
    [true, false].map(|header| {
        let text = format!("header = {header}\n{COLUMNS}");
        Schema::from_toml(&text).expect("a schema")
    })
});

fuzz_target!(|input: &[u8]| {
    let Some((&choice, text)) = input.split_first() else {
        return;
    };
    let wanted = match choice & 3 {
        0 => WantedTarget::Classes(None),
        1 => WantedTarget::Values,
        _ => WantedTarget::Nothing,
    };
    let [headed, bare] = &*SCHEMAS;
    // As it is: it may be compressed, or start with a mark of its encoding.
    let _ = read(text.to_vec(), headed, wanted);
    let _ = read(text.to_vec(), bare, wanted);
    // Records below names, or below a comment of one line: as long, as zeros among the first bytes of a
    // file say that it is no text.
    const NAMES: &str = "age,pay,town,note,ill,since,cost";
    const COMMENT: &str = "#ge,pay,town,note,ill,since,cost";
    let named = read(below(NAMES, text), headed, wanted);
    let unnamed = read(below(COMMENT, text), bare, wanted);
    match (named, unnamed) {
        (Ok(named), Ok(unnamed)) => {
            assert_eq!(named.features, unnamed.features);
            assert_eq!(named.target, unnamed.target);
            assert_eq!(named.features.width(), headed.width());
            let features = read(below(COMMENT, text), bare, WantedTarget::Nothing);
            let features = features.expect("features do not need the target");
            assert_eq!(features.features, unnamed.features);
        }
        // Without names, a file to predict may lack the target.
        (Err(_), _) if matches!(wanted, WantedTarget::Nothing) => {}
        // Which of several faults comes first may differ.
        (Err(_), Err(_)) => {}
        (Err(error), Ok(_)) => panic!("without a header this was a table: {error}"),
        (Ok(_), Err(error)) => panic!("with a header this was a table: {error}"),
    }
});

fn below(line: &str, text: &[u8]) -> Vec<u8> {
    [line.as_bytes(), b"\n", text].concat()
}

fn read(text: Vec<u8>, schema: &Schema, wanted: WantedTarget) -> Result<Table<'static>, ReadError> {
    let reading = Reading {
        wanted,
        columns: None,
        zero_based: false,
        schema: Some(schema),
        progress: &|_, _| {},
    };
    read_csv(text.as_slice(), Path::new("input"), &reading)
}
