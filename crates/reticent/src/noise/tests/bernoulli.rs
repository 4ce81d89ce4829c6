//! Coins and uniform integers against their exact laws.

use super::ALARM;
use super::support::{chi_square, proportion};
use crate::noise::bernoulli::uniform_below_wide;
use crate::noise::{BernoulliExp, SeededGenerator, uniform_below};

/// 200 000 tosses for each of five x, and 20 000 two bits at a time; false alarm 1e-5.
#[test]
fn coins_show_true_with_probability_exp_minus_x() {
    for (seed, x) in [0.01, 0.3, 1.0, 2.5, 6.0].into_iter().enumerate() {
        let mut rng = SeededGenerator::not_private(100 + seed as u64);
        let coin = BernoulliExp::new(x).unwrap();
        let hits = (0..200_000).filter(|_| coin.sample(&mut rng)).count() as u64;
        let p = proportion(hits, 200_000, (-x).exp());
        assert!(p > ALARM, "x = {x}: p = {p:e}");
        let hits = (0..20_000)
            .filter(|_| coin.sample_at::<2, _>(&mut rng))
            .count() as u64;
        let p = proportion(hits, 20_000, (-x).exp());
        assert!(p > ALARM, "x = {x}, slowly: p = {p:e}");
    }
}

#[test]
fn certain_and_impossible_coins_are_constant() {
    let mut rng = SeededGenerator::not_private(110);
    for x in [0.0, -0.0, 1e-300, 2f64.powi(-200)] {
        let coin = BernoulliExp::new(x).unwrap();
        assert!((0..1000).all(|_| coin.sample(&mut rng) && coin.sample_at::<2, _>(&mut rng)));
    }
    for x in [60.0, 127.0, 129.0, 1e9, 1e300] {
        let coin = BernoulliExp::new(x).unwrap();
        assert!((0..1000).all(|_| !coin.sample(&mut rng) && !coin.sample_at::<2, _>(&mut rng)));
    }
    for x in [-1.0, f64::NAN, f64::INFINITY] {
        assert!(BernoulliExp::new(x).is_err());
    }
}

/// 100 000 draws for each of three n, narrow and wide; false alarm 6e-6.
#[test]
fn uniform_integers_are_uniform() {
    // The last n makes Lemire's rejection common: without it one value in three would come
    // up twice as often, which the remainder modulo 60 shows.
    for n in [3, 60, 3 << 62] {
        let mut rng = SeededGenerator::not_private(120 + n % 97);
        let bins = n.min(60);
        let (mut narrow, mut wide) = (vec![0; bins as usize], vec![0; bins as usize]);
        for _ in 0..100_000 {
            let value = uniform_below(n, &mut rng);
            assert!(value < n);
            narrow[(value % bins) as usize] += 1;
            // The same n, 2⁶⁰ times as fine.
            let unit = if n < 100 { 1 << 60 } else { 1 << 40 };
            let value = uniform_below_wide(u128::from(n) * unit, &mut rng) / unit;
            wide[(value as u64 % bins) as usize] += 1;
        }
        let expected = vec![100_000.0 / bins as f64; bins as usize];
        assert!(chi_square(&narrow, &expected) > ALARM, "n = {n}");
        assert!(chi_square(&wide, &expected) > ALARM, "n = {n}, wide");
    }
    let mut rng = SeededGenerator::not_private(130);
    assert!((0..100).all(|_| uniform_below(1, &mut rng) == 0));
    assert!((0..100).all(|_| uniform_below_wide(1, &mut rng) == 0));
    assert_eq!(uniform_below(0, &mut rng), 0);
}
