//! A count can not be read.
use reticent::population::Count;

fn peek(count: Count) -> i64 {
    count.value
}

fn main() {}
