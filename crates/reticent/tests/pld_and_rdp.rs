//! The PLD never proves more than RDP does where both apply, and it does apply.

use std::num::NonZeroU64;

use reticent::privacy::{
    Accountant, Adjacency, Charge, Delta, Epsilon, Event, NoiseMultiplier, Sampling, SamplingRate,
    account_by,
};

fn subsampled(noise: f64, rate: f64, sampling: Sampling) -> Event {
    Event::SubsampledGaussian {
        noise: NoiseMultiplier::new(noise).unwrap(),
        rate: SamplingRate::new(rate).unwrap(),
        sampling,
    }
}

fn check(charges: &[Charge], adjacency: Adjacency, delta: f64) {
    let delta = Delta::new(delta).unwrap();
    let by = |accountant| {
        account_by(accountant, charges, adjacency, delta)
            .unwrap()
            .unwrap_or_else(|| panic!("{accountant:?} does not cover {charges:?}"))
            .epsilon
    };
    let (pld, rdp) = (by(Accountant::Pld), by(Accountant::Rdp));
    // The PLD rounds its losses up to a grid, which may cost it a little where both are
    // nearly exact.
    assert!(pld <= rdp * 1.001 + 1e-6, "{charges:?}: {pld} > {rdp}");
}

#[test]
fn the_pld_is_at_most_rdp() {
    for (adjacency, sampling) in [
        (Adjacency::AddRemove, Sampling::Poisson),
        (Adjacency::ReplaceOne, Sampling::WithoutReplacement),
    ] {
        for (noise, rate, steps) in [
            (1.1, 0.01, 1_000),
            (0.8, 0.001, 5_000),
            (4.0, 0.1, 200),
            (2.0, 0.5, 20),
        ] {
            for delta in [1e-9, 1e-5] {
                let steps = NonZeroU64::new(steps).unwrap();
                let mut charges = vec![Charge::new(subsampled(noise, rate, sampling), steps)];
                check(&charges, adjacency, delta);
                charges.push(Charge::once(Event::Gaussian {
                    noise: NoiseMultiplier::new(3.0).unwrap(),
                }));
                charges.push(Charge::once(Event::Pure {
                    epsilon: Epsilon::new(0.2).unwrap(),
                }));
                check(&charges, adjacency, delta);
            }
        }
    }
}
