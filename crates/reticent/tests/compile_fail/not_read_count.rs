//! A count cannot be read.
use reticent::population::Count;

fn peek(count: Count) -> i64 {
    count.value
}

fn main() {}
