//! Rényi divergences against high-precision vectors (`tests/data/renyi.json`) and against
//! the binomial sum, which is exact at integer orders.

use serde_json::Value;

use super::rdp;
use crate::privacy::event::{Event, Sampling};
use crate::privacy::quantity::{Epsilon, NoiseMultiplier, Range, SamplingRate};
use crate::privacy::special::ln_mix_exp;

fn vectors(name: &str) -> Vec<Value> {
    let file: Value =
        serde_json::from_str(include_str!("../../../../tests/data/renyi.json")).unwrap();
    let rows = file[name].as_array().unwrap().clone();
    assert!(!rows.is_empty(), "there are no vectors of {name}");
    rows
}

fn number(row: &Value, name: &str) -> f64 {
    let value = &row[name];
    match value.as_str() {
        Some(digits) => digits.parse().unwrap(),
        None => value.as_f64().unwrap(),
    }
}

fn subsampled(rate: f64, noise: f64, sampling: Sampling) -> Event {
    Event::SubsampledGaussian {
        noise: NoiseMultiplier::new(noise).unwrap(),
        rate: SamplingRate::new(rate).unwrap(),
        sampling,
    }
}

/// Never below the exact value (to the last digits of its printing), nor above by more.
fn assert_just_above(given: f64, exact: f64, tolerance: f64, row: &Value) {
    let ratio = given / exact;
    assert!(
        ratio >= 1.0 - 3e-16,
        "{row}: {given} is too small ({ratio})"
    );
    assert!(
        ratio <= 1.0 + tolerance,
        "{row}: {given} is too large ({ratio})"
    );
}

#[test]
fn poisson_matches_quadrature_at_any_order() {
    for row in vectors("poisson") {
        let event = subsampled(
            number(&row, "rate"),
            number(&row, "noise"),
            Sampling::Poisson,
        );
        let alpha = number(&row, "alpha");
        assert_just_above(rdp(&event, alpha), number(&row, "rdp"), 1e-9, &row);
    }
}

/// Fifty steps of rate 0.01 and noise 2.5. dp-accounting 0.6 agrees at integer orders; at
/// fractional ones it drops the signs of the binomial coefficients and is above the exact
/// value: 6.70579741e-4 at order 1.5, 1.08548710e-3 at 2.5.
#[test]
fn fifty_poisson_steps_cost_what_is_known() {
    let event = subsampled(0.01, 2.5, Sampling::Poisson);
    for (alpha, exact) in [
        (1.5, 6.50070897e-4),
        (2.5, 1.08541806e-3),
        (5.0, 2.18075656e-3),
        (50.0, 2.38460375e-2),
        (100.0, 1.67416308e2),
    ] {
        let ratio: f64 = 50.0 * rdp(&event, alpha) / exact;
        assert!((ratio - 1.0).abs() < 1e-8, "order {alpha}: {ratio}");
    }
}

#[test]
fn poisson_is_never_below_the_binomial_sum_at_integers() {
    for (q, sigma) in [
        (0.01_f64, 1.0_f64),
        (0.3, 0.4),
        (1e-5, 3.0),
        (0.05, 30.0),
        (0.7, 8.0),
    ] {
        for alpha in [2_u32, 3, 7, 20, 61] {
            // A − 1 = Σ C(α,j) q^j (1−q)^{α−j} (e^{j(j−1)/(2σ²)} − 1), all terms positive.
            let n = f64::from(alpha);
            let mut weight = (1.0 - q).powi(alpha as i32);
            let mut excess = 0.0;
            for j in 0..=alpha {
                let j = f64::from(j);
                excess += weight * (j * (j - 1.0) / (2.0 * sigma * sigma)).exp_m1();
                weight *= (n - j) / (j + 1.0) * q / (1.0 - q);
            }
            let exact = excess.ln_1p() / (n - 1.0);
            let ratio = rdp(&subsampled(q, sigma, Sampling::Poisson), n) / exact;
            if exact.is_finite() {
                assert!(
                    (ratio - 1.0).abs() < 1e-9,
                    "q={q} σ={sigma} α={alpha}: {ratio}"
                );
            }
        }
    }
}

#[test]
fn without_replacement_matches_the_theorem_or_is_below_it_by_convexity() {
    for row in vectors("without-replacement") {
        let (q, sigma, alpha) = (
            number(&row, "rate"),
            number(&row, "noise"),
            number(&row, "alpha"),
        );
        let by_convexity = ln_mix_exp(q, 0.5 * alpha * (alpha - 1.0) / (sigma * sigma));
        let exact = number(&row, "rdp").min(by_convexity / (alpha - 1.0));
        let given = rdp(&subsampled(q, sigma, Sampling::WithoutReplacement), alpha);
        // Below by a little where the closed form beats Cauchy–Schwarz at odd moments.
        let ratio = given / exact;
        assert!((0.999..1.001).contains(&ratio), "{row}: {given} ({ratio})");
    }
}

#[test]
fn without_replacement_is_never_below_a_pair_that_it_must_cover() {
    // A record that moves the batch's sum by 1 against one that does not: the outputs are
    // those of Poisson's worst case, whose divergence is known exactly.
    for (q, sigma) in [
        (0.01, 1.1),
        (0.3, 0.4),
        (1e-5, 3.0),
        (0.05, 30.0),
        (0.7, 8.0),
    ] {
        for alpha in [1.01, 1.5, 2.0, 3.7, 20.0, 61.0, 500.5, 1e4] {
            let given = rdp(&subsampled(q, sigma, Sampling::WithoutReplacement), alpha);
            let pair = rdp(&subsampled(q, sigma, Sampling::Poisson), alpha);
            assert!(given >= pair * (1.0 - 1e-9), "q={q} σ={sigma} α={alpha}");
        }
    }
}

#[test]
fn pure_matches_its_extreme_and_a_bounded_range_is_never_below_it() {
    for row in vectors("pure") {
        let event = Event::Pure {
            epsilon: Epsilon::new(number(&row, "epsilon")).unwrap(),
        };
        let given = rdp(&event, number(&row, "alpha"));
        assert_just_above(given, number(&row, "rdp"), 1e-9, &row);
    }
    for row in vectors("bounded-range") {
        let (range, alpha) = (number(&row, "range"), number(&row, "alpha"));
        let event = Event::Exponential {
            range: Range::new(range).unwrap(),
        };
        let given = rdp(&event, alpha);
        assert!(given >= number(&row, "rdp"), "{row}");
        assert!(
            given <= alpha * range * range / 8.0 * (1.0 + 1e-11),
            "{row}"
        );
    }
}

#[test]
fn subsampling_never_costs_more_than_the_whole_and_all_of_it_costs_the_same() {
    for sampling in [Sampling::Poisson, Sampling::WithoutReplacement] {
        for sigma in [0.02, 0.3, 2.0, 1e4, 1e11] {
            for alpha in [1.0 + 1e-6, 1.5, 8.0, 1e3, 1e7, 1e12] {
                let whole = 0.5 * alpha / (sigma * sigma);
                for rate in [1e-9, 0.3, 1.0] {
                    let given = rdp(&subsampled(rate, sigma, sampling), alpha);
                    assert!(
                        given <= whole * (1.0 + 1e-11),
                        "{rate} {sigma} {alpha}: {given}"
                    );
                    assert!(rate < 1.0 || given >= whole);
                }
            }
        }
    }
}
