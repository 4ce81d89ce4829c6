//! Scores cannot be read.
use reticent::population::Scores;

fn peek(scores: Scores) -> Vec<i64> {
    scores.values
}

fn main() {}
