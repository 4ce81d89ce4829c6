//! The vector mechanism's noise against its exact law.

use super::ALARM;
use super::support::{chi_square, kolmogorov_smirnov, upper_gamma};
use crate::noise::{SeededGenerator, VectorError, VectorLaplace};

/// The norm in units of 1/rate.
fn radius(rate: f64, vector: &[i64]) -> f64 {
    rate * vector
        .iter()
        .map(|&k| (k as f64) * (k as f64))
        .sum::<f64>()
        .sqrt()
}

/// 20 000 vectors for each of three dimensions; false alarm 3e-6. At this rate rounding
/// moves the norm by a billionth.
#[test]
fn the_radius_is_gamma_distributed() {
    let rate = 2f64.powi(-30);
    for d in [1, 3, 10] {
        let mut rng = SeededGenerator::not_private(300 + d as u64);
        let sampler = VectorLaplace::new(d, rate).unwrap();
        let places =
            (0..20_000).map(|_| upper_gamma(d as f64, radius(rate, &sampler.sample(&mut rng))));
        let p = kolmogorov_smirnov(places.collect());
        assert!(p > ALARM, "d = {d}: p = {p:e}");
    }
}

/// 20 000 vectors in three dimensions, and 3 000 two bits at a time; false alarm 8e-6.
/// There every coordinate of a uniform direction is uniform on \[−1, 1\] (Archimedes); so is
/// that along any other axis, and the angle about an axis.
#[test]
fn the_direction_is_uniform() {
    let rate = 2f64.powi(-30);
    let sampler = VectorLaplace::new(3, rate).unwrap();
    let mut rng = SeededGenerator::not_private(310);
    let fast: Vec<_> = (0..20_000).map(|_| sampler.sample(&mut rng)).collect();
    let slow: Vec<_> = (0..3_000)
        .map(|_| sampler.sample_at::<2, _>(2, &mut rng))
        .collect();
    for vectors in [fast, slow] {
        let unit = |v: &Vec<i64>| {
            let length = radius(1.0, v);
            [
                v[0] as f64 / length,
                v[1] as f64 / length,
                v[2] as f64 / length,
            ]
        };
        let along = |a: [f64; 3]| {
            let dot = |u: [f64; 3]| u[0] * a[0] + u[1] * a[1] + u[2] * a[2];
            vectors.iter().map(|v| (dot(unit(v)) + 1.0) / 2.0).collect()
        };
        let angle = |v: &Vec<i64>| 0.5 + (v[1] as f64).atan2(v[0] as f64) / std::f64::consts::TAU;
        for places in [
            along([1.0, 0.0, 0.0]),
            along([0.0, 0.0, 1.0]),
            along([0.6, -0.8, 0.0]),
            vectors.iter().map(angle).collect(),
        ] {
            let p = kolmogorov_smirnov(places);
            assert!(p > ALARM, "p = {p:e}");
        }
    }
}

/// 100 000 draws at each of two rates, and 10 000 two bits at a time; false alarm 4e-6.
/// With d = 1 it is the rounded Laplace law: P(0) = 1 − exp(−rate/2) and
/// P(±k) = ½·exp(−rate·(k−½))·(1 − exp(−rate)).
#[test]
fn one_dimension_is_the_rounded_laplace_law() {
    for (seed, rate) in [0.4f64, 2.0].into_iter().enumerate() {
        let mut rng = SeededGenerator::not_private(320 + seed as u64);
        let sampler = VectorLaplace::new(1, rate).unwrap();
        let reach = (12.0 / rate) as i64;
        let mass = |k: i64| {
            let tail = 0.5 * (-rate * (k.abs() as f64 - 0.5)).exp();
            match k.abs() {
                0 => 1.0 - (-rate / 2.0).exp(),
                k if k == reach => tail,
                _ => tail * (1.0 - (-rate).exp()),
            }
        };
        let check = |trials: u64, draw: &mut dyn FnMut() -> i64| {
            let mut counts = vec![0u64; (2 * reach + 1) as usize];
            for _ in 0..trials {
                counts[(draw().clamp(-reach, reach) + reach) as usize] += 1;
            }
            let expected: Vec<f64> = (-reach..=reach).map(|k| mass(k) * trials as f64).collect();
            let p = chi_square(&counts, &expected);
            assert!(p > ALARM, "rate {rate}: p = {p:e}");
        };
        check(100_000, &mut || sampler.sample(&mut rng)[0]);
        check(10_000, &mut || sampler.sample_at::<2, _>(2, &mut rng)[0]);
    }
}

/// 30 000 vectors, and 5 000 two bits at a time; false alarm 2e-6. In two dimensions at rate 3
/// the chance that both coordinates round to 0 is known by quadrature.
#[test]
fn rounding_is_to_the_nearest_in_every_coordinate() {
    // ∫∫ over [−½, ½]² of rate²/(2π)·exp(−rate·‖z‖), by the midpoint rule.
    let rate = 3.0f64;
    let n = 1000;
    let mut zero = 0.0;
    for i in 0..n {
        for j in 0..n {
            let at = |i: i32| (f64::from(i) + 0.5) / f64::from(n) * 0.5;
            zero += (-rate * at(i).hypot(at(j))).exp();
        }
    }
    zero *= rate * rate / std::f64::consts::TAU / f64::from(n).powi(2);
    let sampler = VectorLaplace::new(2, rate).unwrap();
    let mut rng = SeededGenerator::not_private(330);
    let fast = (0..30_000)
        .filter(|_| sampler.sample(&mut rng) == [0, 0])
        .count();
    let slow = (0..5_000)
        .filter(|_| sampler.sample_at::<2, _>(2, &mut rng) == [0, 0])
        .count();
    for (hits, trials) in [(fast, 30_000), (slow, 5_000)] {
        let p = super::support::proportion(hits as u64, trials, zero);
        assert!(p > ALARM, "p = {p:e}");
    }
}

#[test]
fn what_cannot_be_is_a_typed_error() {
    assert_eq!(
        VectorLaplace::new(0, 1.0).unwrap_err(),
        VectorError::NoCoordinates
    );
    assert!(matches!(
        VectorLaplace::new(2, f64::NAN),
        Err(VectorError::Rate(_))
    ));
}
