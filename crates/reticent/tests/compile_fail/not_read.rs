//! A query's value can not be read.
use reticent::population::Query;

fn peek(query: Query) -> Vec<i64> {
    query.values
}

fn main() {}
