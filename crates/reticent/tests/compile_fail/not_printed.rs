//! Queries and what they come from cannot be printed, not even for debugging.
use reticent::population::{BatchQuery, Count, Gradient, Query, Records, Scores};

fn print(query: &Query, scores: &Scores, count: &Count, records: &Records, gradient: &Gradient) {
    println!("{query:?}");
    println!("{scores:?}");
    println!("{count:?}");
    println!("{records:?}");
    println!("{gradient:?}");
}

fn print_batch(query: &BatchQuery) {
    println!("{query:?}");
}

fn main() {}
