//! Queries and what they come from cannot be compared: equality is a bit of the data.
use reticent::population::{Count, Gradient, Query, Records, Scores};

fn compare(query: Query, scores: Scores, count: Count) -> bool {
    query == query || scores == scores || count == count
}

fn compare_sources(records: Records, gradient: Gradient) -> bool {
    records == records || gradient == gradient
}

fn main() {}
