//! What the accountant promises: never below the exact ε, and close to it.
//!
//! The oracles share no code with it: closed-form profiles, the binomial law, sums over a
//! second release of the closed-form profile of the first, and for lists of any length a
//! lower and an upper bound on a uniform grid.

mod bracket;
mod grid;
mod mixed;
mod oracle;
mod promises;

use std::num::NonZeroU64;

use super::parts::Parts;
use super::subsampled::Direction;
use super::{FINAL, epsilon};
use crate::privacy::event::{Charge, Event, Sampling};
use crate::privacy::quantity::{Delta, Epsilon, NoiseMultiplier, SamplingRate};

const POISSON: Sampling = Sampling::Poisson;
const REPLACE: Sampling = Sampling::WithoutReplacement;

fn times(event: Event, count: u64) -> Charge {
    Charge::new(event, NonZeroU64::new(count).unwrap())
}

fn gaussian(noise: f64, count: u64) -> Charge {
    let noise = NoiseMultiplier::new(noise).unwrap();
    times(Event::Gaussian { noise }, count)
}

fn subsampled(sampling: Sampling, noise: f64, rate: f64, count: u64) -> Charge {
    let noise = NoiseMultiplier::new(noise).unwrap();
    let rate = SamplingRate::new(rate).unwrap();
    let event = Event::SubsampledGaussian {
        noise,
        rate,
        sampling,
    };
    times(event, count)
}

fn pure(e: f64, count: u64) -> Charge {
    let epsilon = Epsilon::new(e).unwrap();
    times(Event::Pure { epsilon }, count)
}

fn total(charges: &[Charge], delta: f64) -> f64 {
    epsilon(charges, Delta::new(delta).unwrap()).unwrap()
}

/// `got` is not below `exact`, and above it by at most the relative `margin`. The oracles
/// are themselves good to 1e-10.
fn assert_just_above(got: f64, exact: f64, margin: f64, what: &str) {
    assert!(
        got >= exact * (1.0 - 1e-9),
        "{what}: {got} is below {exact}"
    );
    let most = exact * (1.0 + margin);
    assert!(
        got <= most,
        "{what}: {got} is above {exact} by {}",
        got / exact - 1.0
    );
}
