//! A population adds up sums for any caller, but nobody can read them.
use reticent::population::{Lengths, Population, Records};

fn peek(records: &Records, lengths: &Lengths) -> Vec<i64> {
    records.sum(lengths).0
}

fn print(population: &dyn Population, lengths: &Lengths) {
    println!("{:?}", population.sum(lengths));
}

fn finish(population: &dyn Population, lengths: &Lengths, records: &Records) {
    let merged = population.sum(lengths).merged(records.sum(lengths));
    drop(merged);
    let _ = records.central().unwrap().records;
}

/// The trait of what is summed has no name here, but inference knows its objects.
fn object<'q, P, Q: ?Sized, R>(_: fn(&P, &Q) -> R, question: &'q Q) -> &'q Q {
    question
}

fn summed(records: &Records<'static>, lengths: &Lengths<'static>) -> Vec<i64> {
    object(<Records<'static> as Population>::sum, lengths).over(records)
}

fn main() {}
