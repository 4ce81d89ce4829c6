//! A generator from outside, for which nothing is guaranteed, cannot be used.
use reticent::noise::{NoEntropy, Randomness};

struct Zeros;

impl Randomness for Zeros {
    fn secure(&self) -> bool {
        true
    }

    fn next_u64(&mut self) -> u64 {
        0
    }

    fn refresh(&mut self) -> Result<(), NoEntropy> {
        Ok(())
    }
}

fn main() {}
