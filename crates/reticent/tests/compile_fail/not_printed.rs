//! Queries can not be printed, not even for debugging.
use reticent::data::{Count, Query, Scores};

fn print(query: &Query, scores: &Scores, count: &Count) {
    println!("{query:?}");
    println!("{scores:?}");
    println!("{count:?}");
}

fn main() {}
