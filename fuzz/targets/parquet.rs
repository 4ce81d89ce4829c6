//! The bytes of any Parquet file are a table of the right shape or an error.
//!
//! The reader promises that whatever the parquet crate does with a damaged file, a panic
//! included, is an error to its caller. So a panic in that crate, or in one that it hands its
//! numbers to, passes here and must become an error; one in our own files ends the run, as in
//! every target.
#![no_main]

use std::panic::{PanicHookInfo, set_hook, take_hook};
use std::path::Path;
use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use reticent::table::{Reading, Schema, Target, WantedTarget, read_parquet};

/// With numbers in the first column, and with dates.
static SCHEMAS: LazyLock<[Schema; 2]> = LazyLock::new(|| {
    let age = [
        "kind = \"numeric\"\nbounds = [0, 90]",
        "kind = \"date\"\nbounds = [\"1900-01-01\", \"2099-12-31\"]\nmissing_indicator = true",
    ];
    let text = r#"
        version = 1

        [[column]]
        name = "age"
        AGE

        [[column]]
        name = "pay"
        kind = "numeric"
        bounds = [-1, 7]

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
    age.map(|age| Schema::from_toml(&text.replace("AGE", age)).expect("a schema"))
});

fuzz_target!(init: let_other_crates_panic(), |bytes: &[u8]| {
    for schema in &*SCHEMAS {
        let reading = Reading {
            wanted: WantedTarget::Classes(None),
            columns: None,
            zero_based: false,
            schema: Some(schema),
            progress: &|read, total| assert!(read <= total),
        };
        if let Ok(table) = read_parquet(bytes.to_vec(), Path::new("input"), &reading) {
            assert_eq!(table.features.width(), schema.width());
            let Target::Classes { class, .. } = table.target else {
                panic!("classes were wanted");
            };
            assert_eq!(class.len(), table.features.rows());
        }
    }
});

/// The hook of libFuzzer ends the process at every panic, before anyone can catch it. A panic that
/// nobody catches still ends it.
fn let_other_crates_panic() {
    let end = take_hook();
    set_hook(Box::new(move |panic: &PanicHookInfo| {
        let place = panic.location().map_or("", |place| place.file());
        if !place.contains("/registry/src/") {
            end(panic);
        }
    }));
}
