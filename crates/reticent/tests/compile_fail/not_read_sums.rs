//! A population adds up sums for whoever asks, and shows them to nobody.
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
    let _ = records.in_one_place().unwrap().records;
}

fn main() {}
