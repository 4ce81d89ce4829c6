//! Queries can not be compared: equality is a bit of the data.
use reticent::data::{Count, Query, Scores};

fn compare(query: Query, scores: Scores, count: Count) -> bool {
    query == query || scores == scores || count == count
}

fn main() {}
