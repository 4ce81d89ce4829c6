//! Only mechanisms can open a query.
use reticent::population::Query;

fn peek(query: &Query) {
    query.open(panic!());
}

fn main() {}
