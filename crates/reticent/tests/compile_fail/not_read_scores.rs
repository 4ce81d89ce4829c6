//! Scores can not be read.
use reticent::data::Scores;

fn peek(scores: Scores) -> Vec<i64> {
    scores.values
}

fn main() {}
