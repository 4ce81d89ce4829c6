use super::*;
use crate::privacy::quantity::{Epsilon, NoiseMultiplier, SamplingRate};
use std::num::NonZeroU64;

fn sub(noise: f64, rate: f64, count: u64, sampling: Sampling) -> Charge {
    Charge::new(Event::SubsampledGaussian { noise: NoiseMultiplier::new(noise).unwrap(), rate: SamplingRate::new(rate).unwrap(), sampling }, NonZeroU64::new(count).unwrap())
}
#[test]
fn probe() {
    let Ok(path) = std::env::var("PROBE") else { return };
    for line in std::fs::read_to_string(path).unwrap().lines() {
        let v: Vec<&str> = line.split_whitespace().collect();
        let p = |i: usize| v[i].parse::<f64>().unwrap();
        let d = Delta::new(p(4)).unwrap();
        let c = match v[0] {
            "P" => sub(p(1), p(2), p(3) as u64, Sampling::Poisson),
            "W" => sub(p(1), p(2), p(3) as u64, Sampling::WithoutReplacement),
            _ => Charge::new(Event::Pure { epsilon: Epsilon::new(p(1)).unwrap() }, NonZeroU64::new(p(3) as u64).unwrap()),
        };
        let t = std::time::Instant::now();
        let e = epsilon(&[c], d).unwrap();
        println!("{line} {e:.12e} {:.3}", t.elapsed().as_secs_f64() * 1e3);
    }
}
