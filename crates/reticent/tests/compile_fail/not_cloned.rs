//! Queries can not be cloned.
use reticent::mechanism::{Count, Query, Scores};

fn clone(query: &Query, scores: &Scores, count: &Count) -> (Query, Scores, Count) {
    (query.clone(), scores.clone(), count.clone())
}

fn main() {}
