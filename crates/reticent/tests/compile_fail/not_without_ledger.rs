//! A mechanism cannot run without a ledger.
use reticent::population::Query;
use reticent::mechanism::gaussian;
use reticent::noise::SecureGenerator;
use reticent::privacy::NoiseMultiplier;

fn release(query: &Query, noise: NoiseMultiplier, randomness: &mut SecureGenerator) {
    let _ = gaussian(query, noise, randomness);
}

fn main() {}
