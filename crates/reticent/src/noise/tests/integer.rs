//! Rounded Gaussian, discrete Laplace and discrete Gaussian against their exact laws.

use super::ALARM;
use super::support::{chi_square, kolmogorov_smirnov, upper_normal};
use crate::noise::{
    DiscreteGaussian, DiscreteLaplace, ParameterError, RoundedGaussian, SeededGenerator,
};

/// Counts `trials` draws on −reach..=reach, what lies beyond at the ends, and compares with
/// `mass` (a bin each, the ends holding their tails).
fn check_mass(name: &str, trials: u64, mass: &[f64], mut draw: impl FnMut() -> i64) {
    let reach = (mass.len() / 2) as i64;
    let mut counts = vec![0u64; mass.len()];
    for _ in 0..trials {
        counts[(draw().clamp(-reach, reach) + reach) as usize] += 1;
    }
    let total: f64 = mass.iter().sum();
    assert!((total - 1.0).abs() < 1e-9, "{name}: mass {total}");
    let expected: Vec<f64> = mass.iter().map(|p| p * trials as f64).collect();
    let p = chi_square(&counts, &expected);
    assert!(p > ALARM, "{name}: p = {p:e}");
}

/// P(round(σZ) = k), the ends with their tails.
fn rounded_gaussian_mass(sigma: f64, reach: i64) -> Vec<f64> {
    let beyond = |k: i64| upper_normal((k as f64 - 0.5) / sigma);
    let at = |k: i64| {
        if k == reach {
            beyond(k)
        } else {
            beyond(k) - beyond(k + 1)
        }
    };
    (-reach..=reach)
        .map(|k| {
            if k == 0 {
                1.0 - 2.0 * beyond(1)
            } else {
                at(k.abs())
            }
        })
        .collect()
}

/// P(k) ∝ exp(−rate·|k|), the ends with their tails.
fn laplace_mass(rate: f64, reach: i64) -> Vec<f64> {
    let ratio = (-rate).exp();
    let zero = (1.0 - ratio) / (1.0 + ratio);
    let end = (-rate * reach as f64).exp() / (1.0 + ratio);
    (-reach..=reach)
        .map(|k| {
            if k.abs() == reach {
                end
            } else {
                zero * (-rate * k.abs() as f64).exp()
            }
        })
        .collect()
}

/// P(k) ∝ exp(−k²/(2σ²)); `reach` must leave nothing of note beyond.
fn discrete_gaussian_mass(sigma: f64, reach: i64) -> Vec<f64> {
    let weight = |k: i64| (-((k * k) as f64) / (2.0 * sigma * sigma)).exp();
    let total: f64 = (-reach..=reach).map(weight).sum();
    (-reach..=reach).map(|k| weight(k) / total).collect()
}

const SCALES: [f64; 3] = [0.3, 1.0, 7.5];

/// 2 000 000 draws for each of three scales; false alarm 3e-6.
#[test]
fn rounded_gaussians_have_their_mass_function() {
    for (seed, sigma) in SCALES.into_iter().enumerate() {
        let mut rng = SeededGenerator::not_private(seed as u64);
        let sampler = RoundedGaussian::new(sigma).unwrap();
        let mass = rounded_gaussian_mass(sigma, (8.0 * sigma) as i64 + 1);
        check_mass(&format!("sigma {sigma}"), 2_000_000, &mass, || {
            sampler.sample(&mut rng)
        });
    }
}

/// 150 000 draws for each of four scales, two bits at a time; false alarm 4e-6. At the last
/// scale a draw starts some five units wide, so that its rounding needs bits again and again.
#[test]
fn rounded_gaussians_keep_it_on_the_slow_paths() {
    for (seed, sigma) in [0.3, 1.0, 7.5, 300.0].into_iter().enumerate() {
        let mut rng = SeededGenerator::not_private(10 + seed as u64);
        let sampler = RoundedGaussian::new(sigma).unwrap();
        let mass = rounded_gaussian_mass(sigma, (8.0 * sigma) as i64 + 1);
        check_mass(&format!("sigma {sigma}"), 150_000, &mass, || {
            sampler.sample_at::<2, _>(&mut rng)
        });
    }
}

/// 200 000 draws for each of four scales and 20 000 three bits at a time; false alarm 5e-6.
/// At 2⁵⁴ about a third of the draws needs more bits than the first word has.
#[test]
fn rounded_gaussians_are_normal_at_large_scales() {
    for exponent in [20, 30, 50, 54] {
        let mut rng = SeededGenerator::not_private(20 + exponent);
        let sigma = (1u64 << exponent) as f64;
        let sampler = RoundedGaussian::new(sigma).unwrap();
        let places = |k: i64| 1.0 - upper_normal(k as f64 / sigma);
        let p = kolmogorov_smirnov(
            (0..200_000)
                .map(|_| places(sampler.sample(&mut rng)))
                .collect(),
        );
        assert!(p > ALARM, "2^{exponent}: p = {p:e}");
    }
    let mut rng = SeededGenerator::not_private(19);
    let sampler = RoundedGaussian::new(1e9).unwrap();
    let place = |k: i64| 1.0 - upper_normal(k as f64 / 1e9);
    let draws = (0..20_000).map(|_| place(sampler.sample_at::<3, _>(&mut rng)));
    let p = kolmogorov_smirnov(draws.collect());
    assert!(p > ALARM, "slowly: p = {p:e}");
}

/// The last bits too: 200 000 draws at 2⁵⁶ modulo 64 are uniform; false alarm 1e-6. The first
/// word alone would leave gaps.
#[test]
fn rounded_gaussians_have_no_gaps_at_large_scales() {
    let mut rng = SeededGenerator::not_private(18);
    let sampler = RoundedGaussian::new((1u64 << 56) as f64).unwrap();
    let mut counts = [0; 64];
    for _ in 0..200_000 {
        counts[sampler.sample(&mut rng).rem_euclid(64) as usize] += 1;
    }
    let p = chi_square(&counts, &[200_000.0 / 64.0; 64]);
    assert!(p > ALARM, "p = {p:e}");
}

/// 1 000 000 draws for each of three scales; false alarm 3e-6.
#[test]
fn discrete_laplace_has_its_mass_function() {
    for (seed, scale) in SCALES.into_iter().enumerate() {
        let mut rng = SeededGenerator::not_private(30 + seed as u64);
        let sampler = DiscreteLaplace::new(1.0 / scale).unwrap();
        let mass = laplace_mass(1.0 / scale, (12.0 * scale) as i64 + 1);
        check_mass(&format!("scale {scale}"), 1_000_000, &mass, || {
            sampler.sample(&mut rng)
        });
    }
}

/// 100 000 draws for each of three scales, two bits at a time; false alarm 3e-6.
#[test]
fn discrete_laplace_keeps_it_on_the_slow_paths() {
    for (seed, scale) in SCALES.into_iter().enumerate() {
        let mut rng = SeededGenerator::not_private(40 + seed as u64);
        let sampler = DiscreteLaplace::new(1.0 / scale).unwrap();
        let mass = laplace_mass(1.0 / scale, (12.0 * scale) as i64 + 1);
        check_mass(&format!("scale {scale}"), 100_000, &mass, || {
            sampler.sample_at::<2, _>(&mut rng)
        });
    }
}

/// 100 000 draws for each of three rates; false alarm 3e-6. The least rate is the least
/// supported, where most draws need more bits than the first word has.
#[test]
fn discrete_laplace_is_exponential_at_large_scales() {
    for (seed, rate) in [2f64.powi(-30), 1e-12, 2f64.powi(-52)]
        .into_iter()
        .enumerate()
    {
        let mut rng = SeededGenerator::not_private(50 + seed as u64);
        let sampler = DiscreteLaplace::new(rate).unwrap();
        let place = |k: i64| {
            let tail = 0.5 * (-rate * k.abs() as f64).exp();
            if k < 0 { tail } else { 1.0 - tail }
        };
        let p = kolmogorov_smirnov(
            (0..100_000)
                .map(|_| place(sampler.sample(&mut rng)))
                .collect(),
        );
        assert!(p > ALARM, "rate {rate}: p = {p:e}");
    }
}

/// 1 000 000 draws for each of three scales; false alarm 3e-6.
#[test]
fn discrete_gaussians_have_their_mass_function() {
    for (seed, sigma) in SCALES.into_iter().enumerate() {
        let mut rng = SeededGenerator::not_private(60 + seed as u64);
        let sampler = DiscreteGaussian::new(sigma).unwrap();
        let mass = discrete_gaussian_mass(sigma, (10.0 * sigma) as i64 + 1);
        check_mass(&format!("sigma {sigma}"), 1_000_000, &mass, || {
            sampler.sample(&mut rng)
        });
    }
}

/// 60 000 draws for each of three scales, two bits at a time; false alarm 3e-6.
#[test]
fn discrete_gaussians_keep_it_on_the_slow_paths() {
    for (seed, sigma) in SCALES.into_iter().enumerate() {
        let mut rng = SeededGenerator::not_private(70 + seed as u64);
        let sampler = DiscreteGaussian::new(sigma).unwrap();
        let mass = discrete_gaussian_mass(sigma, (10.0 * sigma) as i64 + 1);
        check_mass(&format!("sigma {sigma}"), 60_000, &mass, || {
            sampler.sample_at::<2, _>(&mut rng)
        });
    }
}

/// 100 000 draws at 2³⁰; false alarm 1e-6. There the law is the normal one but for 1e-9.
#[test]
fn discrete_gaussians_are_normal_at_large_scales() {
    let mut rng = SeededGenerator::not_private(80);
    let sigma = (1u64 << 30) as f64;
    let sampler = DiscreteGaussian::new(sigma).unwrap();
    let place = |k: i64| 1.0 - upper_normal(k as f64 / sigma);
    let p = kolmogorov_smirnov(
        (0..100_000)
            .map(|_| place(sampler.sample(&mut rng)))
            .collect(),
    );
    assert!(p > ALARM, "p = {p:e}");
}

#[test]
fn scales_out_of_range_are_refused() {
    for value in [f64::NAN, f64::INFINITY, 0.0, -1.0, 1e300, 1e-300] {
        let same = |error: ParameterError| error.value.to_bits() == value.to_bits();
        assert!(same(RoundedGaussian::new(value).unwrap_err()));
        assert!(same(DiscreteLaplace::new(value).unwrap_err()));
        assert!(same(DiscreteGaussian::new(value).unwrap_err()));
    }
}

#[test]
fn the_ends_of_the_ranges_work() {
    let mut rng = SeededGenerator::not_private(90);
    for _ in 0..100 {
        assert_eq!(
            RoundedGaussian::new(2f64.powi(-20))
                .unwrap()
                .sample(&mut rng),
            0
        );
        assert_eq!(
            DiscreteLaplace::new(2f64.powi(20))
                .unwrap()
                .sample(&mut rng),
            0
        );
        assert_eq!(
            DiscreteGaussian::new(2f64.powi(-10))
                .unwrap()
                .sample(&mut rng),
            0
        );
        assert_ne!(
            RoundedGaussian::new(2f64.powi(56))
                .unwrap()
                .sample(&mut rng),
            0
        );
        assert_ne!(
            DiscreteGaussian::new(2f64.powi(40))
                .unwrap()
                .sample(&mut rng),
            0
        );
    }
}
