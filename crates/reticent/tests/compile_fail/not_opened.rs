//! The door that mechanisms open a query by is shut to everyone else.
use reticent::data::Query;

fn peek(query: &Query) {
    query.open(panic!());
}

fn main() {}
