//! Queries and what they come from cannot be serialised.
use reticent::population::{Count, Gradient, Query, Records, Scores};

fn serialise<T: serde::Serialize>(_: &T) {}

fn all(query: &Query, scores: &Scores, count: &Count, records: &Records, gradient: &Gradient) {
    serialise(query);
    serialise(scores);
    serialise(count);
    serialise(records);
    serialise(gradient);
}

fn main() {}
