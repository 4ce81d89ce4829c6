//! A count can not be read.
use reticent::mechanism::Count;

fn peek(count: Count) -> i64 {
    count.value
}

fn main() {}
