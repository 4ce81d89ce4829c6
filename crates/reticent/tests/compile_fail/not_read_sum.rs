//! A sum in the making cannot be read either.
use reticent::population::BoundedSum;

fn peek(sum: BoundedSum) -> Vec<i128> {
    sum.sums
}

fn main() {}
