//! Records cannot be read, and a table that was sealed cannot be used any more.
use reticent::population::Records;
use reticent::table::{RecordBound, Table};
use reticent::privacy::Adjacency;

fn peek(records: Records) -> Vec<f64> {
    records.targets
}

fn look(records: Records) {
    let _ = records.features;
}

fn again(table: Table) -> Vec<String> {
    let _ = table.enforce(RecordBound::L2(1.0), None, false, Adjacency::ReplaceOne);
    table.assumed
}

fn main() {}
