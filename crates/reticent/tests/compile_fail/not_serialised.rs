//! Queries can not be serialised.
use reticent::data::{Count, Query, Scores};

fn serialise<T: serde::Serialize>(_: &T) {}

fn all(query: &Query, scores: &Scores, count: &Count) {
    serialise(query);
    serialise(scores);
    serialise(count);
}

fn main() {}
