//! A count can not be read.
use reticent::data::Count;

fn peek(count: Count) -> i64 {
    count.value
}

fn main() {}
