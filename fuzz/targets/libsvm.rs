//! LIBSVM text of any kind is a table or an error, and a table reads back as it is written.
//!
//! The first byte of the input chooses what is declared, the rest is the text.
#![no_main]

use std::fmt::Write;
use std::path::Path;

use libfuzzer_sys::fuzz_target;
use reticent::table::{ClassPattern, Reading, Table, Target, WantedTarget, read_libsvm};

fuzz_target!(|input: &[u8]| {
    let Some((&choice, text)) = input.split_first() else {
        return;
    };
    let classes = ClassPattern::parse_list("1,*").expect("two classes");
    let plain = Reading {
        wanted: WantedTarget::Values,
        columns: (choice & 1 != 0).then_some(100),
        zero_based: choice & 2 != 0,
        schema: None,
        progress: &|_, _| {},
    };
    let wanted = match choice >> 2 & 7 {
        0 => WantedTarget::Values,
        1 => WantedTarget::Nothing,
        2 => WantedTarget::Classes(None),
        3 => WantedTarget::MultipleClasses(None),
        4 => WantedTarget::MultipleClasses(Some(&classes)),
        _ => WantedTarget::Classes(Some(&classes)),
    };
    let table = read(text, &plain);
    match (read(text, &Reading { wanted, ..plain }), &table) {
        (Some(wanted), Some(plain)) => assert_eq!(wanted.features, plain.features),
        (None, Some(_)) => {
            let classes = matches!(
                wanted,
                WantedTarget::Classes(_) | WantedTarget::MultipleClasses(_)
            );
            assert!(classes, "labels are numbers");
        }
        (None, None) => {}
        (Some(_), None) => panic!("what the labels are wanted for decides whether lines are read"),
    }
    if let Some(table) = table {
        let columns = Some(table.features.width());
        let again = read(
            written(&table, plain.zero_based).as_bytes(),
            &Reading { columns, ..plain },
        );
        let again = again.expect("what is written is read back");
        assert_eq!(
            (again.features, again.target),
            (table.features, table.target)
        );
    }
});

fn read(text: &[u8], reading: &Reading) -> Option<Table<'static>> {
    read_libsvm(text, Path::new("input"), reading).ok()
}

/// A table with numbers for targets, as LIBSVM text.
fn written(table: &Table, zero_based: bool) -> String {
    let Target::Values(labels) = &table.target else {
        panic!("values were wanted");
    };
    let mut text = String::new();
    for (row, label) in labels.iter().enumerate() {
        write!(text, "{label:e}").expect("memory");
        table.features.for_row(row, |column, value| {
            write!(text, " {}:{value:e}", column + usize::from(!zero_based)).expect("memory");
        });
        text.push('\n');
    }
    text
}
