//! What the tests share: exact floats, and tails of the distributions they compare with.

use dashu_int::UBig;

use crate::noise::big::Span;
use crate::noise::parameter::{Dyadic, dyadic_span};

/// Bounds of the positive float `x` in units of 2^−`p`.
pub fn span(x: f64, p: usize) -> Span {
    let d = Dyadic::within("x", x, -1000, 1000).unwrap();
    dyadic_span(&UBig::from(d.mantissa), d.exponent, p)
}

/// The p-value of Pearson's chi-square test of `observed` counts against `expected` ones.
///
/// Bins expected to hold fewer than ten are pooled, in order, with their neighbours.
pub fn chi_square(observed: &[u64], expected: &[f64]) -> f64 {
    assert_eq!(observed.len(), expected.len());
    let mut bins = Vec::new();
    let (mut o, mut e) = (0.0, 0.0);
    for (&observed, &expected) in observed.iter().zip(expected) {
        o += observed as f64;
        e += expected;
        if e >= 10.0 {
            bins.push((o, e));
            (o, e) = (0.0, 0.0);
        }
    }
    if let Some(last) = bins.last_mut() {
        last.0 += o;
        last.1 += e;
    }
    assert!(bins.len() >= 2, "too few draws to compare anything");
    let statistic: f64 = bins.iter().map(|(o, e)| (o - e) * (o - e) / e).sum();
    upper_gamma((bins.len() - 1) as f64 / 2.0, statistic / 2.0)
}

/// The p-value of Kolmogorov and Smirnov's test that `places` are uniform on \[0, 1\].
pub fn kolmogorov_smirnov(mut places: Vec<f64>) -> f64 {
    places.sort_by(f64::total_cmp);
    let n = places.len() as f64;
    let gap = |(i, &u): (usize, &f64)| ((i + 1) as f64 / n - u).max(u - i as f64 / n);
    let d = places.iter().enumerate().map(gap).fold(0.0, f64::max);
    let x = (n.sqrt() + 0.12 + 0.11 / n.sqrt()) * d;
    let term =
        |k: i32| (if k % 2 == 1 { 2.0 } else { -2.0 }) * (-2.0 * (f64::from(k) * x).powi(2)).exp();
    if x < 0.2 {
        1.0
    } else {
        (1..100).map(term).sum()
    }
}

/// The two-sided p-value of `hits` among `trials` of probability `p`, by the normal law.
pub fn proportion(hits: u64, trials: u64, p: f64) -> f64 {
    let (hits, trials) = (hits as f64, trials as f64);
    let z = (hits - trials * p).abs() / (trials * p * (1.0 - p)).sqrt();
    2.0 * upper_normal(z)
}

/// P(Z > x).
pub fn upper_normal(x: f64) -> f64 {
    0.5 * libm::erfc(x / std::f64::consts::SQRT_2)
}

/// P(Gamma(a) > x), the regularised incomplete gamma function Q(a, x).
pub fn upper_gamma(a: f64, x: f64) -> f64 {
    if x <= 0.0 {
        return 1.0;
    }
    let front = (a * x.ln() - x - libm::lgamma(a)).exp();
    if x < a + 1.0 {
        // The series of the lower function.
        let (mut term, mut sum, mut n) = (1.0 / a, 1.0 / a, a);
        while term > sum * 1e-17 {
            n += 1.0;
            term *= x / n;
            sum += term;
        }
        1.0 - front * sum
    } else {
        // Legendre's continued fraction, by Lentz's method.
        let mut b = x + 1.0 - a;
        let (mut c, mut d) = (1e300, 1.0 / b);
        let mut h = d;
        for i in 1..10_000 {
            let i = f64::from(i);
            let factor = -i * (i - a);
            b += 2.0;
            d = 1.0 / (factor * d + b);
            c = b + factor / c;
            h *= d * c;
            if (d * c - 1.0).abs() < 1e-15 {
                break;
            }
        }
        front * h
    }
}

#[test]
fn the_tails_have_their_known_values() {
    let near = |a: f64, b: f64| assert!((a / b - 1.0).abs() < 1e-9, "{a} {b}");
    near(upper_gamma(1.0, 2.5), (-2.5f64).exp());
    near(upper_gamma(1.0, 0.5), (-0.5f64).exp());
    near(upper_gamma(2.0, 9.0), 10.0 * (-9.0f64).exp());
    near(upper_gamma(0.5, 2.0), libm::erfc(2.0f64.sqrt()));
    near(upper_normal(1.959963984540054), 0.025);
}

#[test]
fn a_wrong_law_is_noticed() {
    // A die of which one face shows 2 % too often, in 60 000 × 6 throws.
    let wrong = [60_000, 60_000, 60_000, 60_000, 61_200, 58_800];
    assert!(chi_square(&wrong, &[60_000.0; 6]) < 1e-6);
    let right = [60_100, 59_900, 60_050, 59_950, 60_200, 59_800];
    assert!(chi_square(&right, &[60_000.0; 6]) > 0.01);
    let squares = (0..10_000)
        .map(|i| (f64::from(i) / 1e4).powf(1.1))
        .collect();
    assert!(kolmogorov_smirnov(squares) < 1e-6);
    let uniform = (0..10_000).map(|i| (f64::from(i) + 0.5) / 1e4).collect();
    assert!(kolmogorov_smirnov(uniform) > 0.5);
}
