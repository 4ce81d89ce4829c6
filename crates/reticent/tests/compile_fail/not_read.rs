//! A query's value cannot be read.
use reticent::population::Query;

fn peek(query: Query) -> Vec<i64> {
    query.values
}

fn main() {}
