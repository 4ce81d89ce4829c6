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
        let t = t.elapsed().as_secs_f64() * 1e3;
        if std::env::var("SELF").is_ok() {
            let best = epsilon_within(&[c], d, Quality { cell: 0.005, slack: 1e-6, work: 2e9, reach: 0.9 }).unwrap();
            println!("{line} {best:.12e} {e:.12e} {t:.3}");
        } else {
            println!("{line} {e:.12e} {t:.3}");
        }
    }
}
#[test]
fn dbg2() {
    if std::env::var("DBG2").is_err() { return }
    let ev = Subsampled { noise: 1.82, rate: 0.0001356 };
    for tilt in [2150.0] {
        for scale in [1e-4, 7e-5, 1e-5] {
        let law = ev.law(Direction::Replace, &Resolution { relative: 0.02, scale, tilt, negligible: 5.8e-25 });
        let a = law.atoms_for_test();
        let mut s = 0.0;
        let tot: f64 = a.iter().map(|x| x.1).sum();
        for e in [0.010676, 0.0134f64] {
        s = 0.0;
        let mut a = a.clone();
        a.push((0.0, 1.0 - tot));
        for x in &a { for y in &a { let l = x.0 + y.0 - e; if l > 0.0 { s += x.1 * y.1 * -(-l).exp_m1(); } } }
        println!("DBG2 {tilt} {scale} n {} top {} rest {} eps {e} delta {s:e} + inf {:e}", a.len(), a[a.len()-3].0, 1.0 - tot, law.infinite);
        let t = law.tilted(2150.0);
        println!("logmgf {} ; top weight {:e} scale {:e}", law.log_mgf(2150.0), t.weights[t.weights.len()-2], t.scale);
        }
        }
    }
}
