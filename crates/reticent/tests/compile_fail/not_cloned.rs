//! Queries and what they come from cannot be cloned, nor can what must not happen twice: the ledger, whose copies
//! would each grant the same budget, and the secure generator, whose copy repeats its noise.
use reticent::population::{BatchQuery, Count, Gradient, Query, Records, Scores};
use reticent::noise::SecureGenerator;
use reticent::privacy::Ledger;

fn clone<T: Clone>() {}

fn main() {
    clone::<Query>();
    clone::<BatchQuery>();
    clone::<Scores>();
    clone::<Count>();
    clone::<Records>();
    clone::<Gradient>();
    clone::<Ledger>();
    clone::<SecureGenerator>();
}
