//! The patients of `reticent demo`, as a table.

use reticent::table::{Schema, Table, Target};

use crate::synthetic::dense;

/// The demo's own file: there is one way to make them up. The demo also writes them as CSV.
#[allow(dead_code)]
#[path = "../../../../reticent-cli/src/demo/patients.rs"]
mod demo;

/// The table that reading their CSV through their schema would give.
pub fn patients(count: usize, seed: u64) -> Table<'static> {
    let schema = Schema::from_toml(&demo::schema()).expect("a schema");
    let width = schema.width();
    let people = demo::invent(count, seed);
    let mut values = vec![0.0; count * width];
    for (row, patient) in values.chunks_mut(width).zip(&people) {
        let own = patient.fields.iter().map(String::as_str);
        let fields: Vec<&str> = own.chain([label(patient.ill)]).collect();
        for (column, value) in schema.encode(&fields).expect("fields of the schema") {
            row[column as usize] = value;
        }
    }
    let class = people.iter().map(|patient| u32::from(patient.ill));
    let target = Target::Classes {
        class: class.collect(),
        names: [false, true].map(|ill| label(ill).to_owned()).to_vec(),
    };
    dense(values, count, width, target)
}

fn label(ill: bool) -> &'static str {
    match ill {
        true => "yes",
        false => "no",
    }
}
