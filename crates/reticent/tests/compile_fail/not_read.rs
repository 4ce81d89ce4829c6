//! A query's value can not be read.
use reticent::data::Query;

fn peek(query: Query) -> Vec<i64> {
    query.values
}

fn main() {}
