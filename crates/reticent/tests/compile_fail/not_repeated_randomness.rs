//! A secure generator can not be cloned: a repeated stream repeats its noise.
use reticent::noise::SecureGenerator;

fn repeat(generator: &SecureGenerator) -> SecureGenerator {
    generator.clone()
}

fn main() {}
