//! The door that mechanisms open a query by is shut to everyone else.
use reticent::population::Query;

fn peek(query: &Query) {
    query.open(panic!());
}

fn main() {}
