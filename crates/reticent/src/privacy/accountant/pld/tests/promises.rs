//! One kind of event at a time, against oracles.

use proptest::prelude::*;

use super::*;

/// dp-accounting 0.6, connecting the dots, gives 5.196251 with steps of 1e-3 and 5.193500
/// with 5e-4: its error being quadratic in the step, the exact value is 5.19258.
#[test]
fn the_reference_setting_costs_5_1926() {
    let got = total(&[subsampled(POISSON, 1.1, 0.01, 10_000)], 1e-5);
    assert_just_above(got, 5.19258, 3e-4, "reference");
}

/// 1e-3, but where the tilted law has so little mass in its tail that the bounds on the
/// roundings show.
fn margin(rate: f64, share: f64) -> f64 {
    if rate < 1e-4 && share < 1e-6 {
        3e-3
    } else {
        1e-3
    }
}

/// ε of one direction by the general method, for a release whose ε has a closed form.
fn composed(charge: Charge, direction: Direction, delta: f64) -> f64 {
    let parts = Parts::new(&[charge]).unwrap();
    parts.solve(direction, delta, FINAL, 0.0)
}

#[test]
fn one_poisson_release_is_as_its_closed_form_says() {
    for noise in [0.3, 0.7, 1.0, 5.0, 100.0] {
        for rate in [1e-6, 1e-3, 0.1, 0.5, 0.99] {
            for share in [0.3, 1e-3, 1e-9] {
                let delta = share * oracle::remove(noise, rate, 0.0);
                let charge = subsampled(POISSON, noise, rate, 1);
                let what = format!("noise {noise} rate {rate} delta {delta:e}");
                let remove = oracle::inverse(|e| oracle::remove(noise, rate, e), delta);
                let got = composed(charge, Direction::Remove, delta);
                assert_just_above(got, remove, margin(rate, share), &what);
                // Its closed form cancels where α is within 1e-9 of 1.
                if rate > 1e-4 && delta > 1e-12 {
                    let add = oracle::inverse(|e| oracle::add(noise, rate, e), delta);
                    let got = composed(charge, Direction::Add, delta);
                    assert_just_above(got, add, 1e-3, &what);
                    assert!(add <= remove, "{what}: removing is the worse");
                }
                assert_just_above(total(&[charge], delta), remove, 1e-6, &what);
            }
        }
    }
}

#[test]
fn one_release_without_replacement_is_as_its_profile_says() {
    for noise in [0.4, 1.0, 5.0, 100.0] {
        for rate in [1e-6, 1e-3, 0.1, 0.9] {
            for share in [0.3, 1e-3, 1e-9] {
                let delta = share * oracle::replace(noise, rate, 0.0);
                let charge = subsampled(REPLACE, noise, rate, 1);
                let what = format!("noise {noise} rate {rate} delta {delta:e}");
                let exact = oracle::inverse(|e| oracle::replace(noise, rate, e), delta);
                let got = composed(charge, Direction::Remove, delta);
                assert_just_above(got, exact, margin(rate, share), &what);
                assert_just_above(total(&[charge], delta), exact, 1e-6, &what);
            }
        }
    }
}

/// Where the closed form is all rounding, the general method takes over.
#[test]
fn one_release_of_enormous_noise_is_nearly_free() {
    for sampling in [POISSON, REPLACE] {
        let total_variation = 0.1 * 1e-9 / (2.0 * std::f64::consts::PI).sqrt();
        let got = total(&[subsampled(sampling, 1e9, 0.1, 1)], 0.3 * total_variation);
        assert!(got > 0.0 && got < 1e-9, "{got:e}");
    }
}

#[test]
fn a_rate_of_one_is_the_plain_gaussian() {
    for sampling in [POISSON, REPLACE] {
        for noise in [0.3, 1.0, 30.0] {
            for count in [1, 10, 1000] {
                for delta in [0.05, 1e-5, 1e-30] {
                    let mu = (count as f64).sqrt() / noise;
                    if mu > 25.0 {
                        continue; // The oracle's tails underflow.
                    }
                    let exact = oracle::inverse(|e| oracle::gaussian(mu, e), delta);
                    let got = total(&[subsampled(sampling, noise, 1.0, count)], delta);
                    let what = format!("noise {noise} count {count} delta {delta:e}");
                    assert_just_above(got, exact, 1e-4, &what);
                    assert_eq!(got, total(&[gaussian(noise, count)], delta));
                }
            }
        }
    }
}

/// δ₂(ε) = E δ₁(ε − L): the second release in closed form, the first by quadrature.
#[test]
fn two_releases_are_as_the_profile_convolved_with_itself() {
    for (noise, rate, delta) in [
        (1.82, 1.356e-4, 1.167e-19),
        (1.0, 0.01, 1e-6),
        (0.8, 0.3, 1e-3),
        (5.0, 0.5, 1e-8),
        (2.0, 1e-5, 1e-8),
    ] {
        let zero = 0.5 / noise;
        let loss = |z: f64| (rate * ((z - zero) / noise).exp_m1()).ln_1p();
        let ratio = |z: f64| loss(z).exp();
        let end = 15.0 + 1.0 / noise;
        let kink = |e: f64| [zero + noise * (e.exp_m1() / rate).ln_1p()];
        let remove = |e: f64| {
            oracle::expectation(-15.0, end, &kink(e), |z| {
                ratio(z) * oracle::remove(noise, rate, e - loss(z))
            })
        };
        let replace = |e: f64| {
            let at_zero = (1.0 - rate) * libm::erf(zero / std::f64::consts::SQRT_2);
            at_zero * oracle::replace(noise, rate, e)
                + oracle::expectation(zero, end, &kink(e), |z| {
                    ratio(z) * oracle::replace(noise, rate, e - loss(z))
                        + oracle::replace(noise, rate, e + loss(z))
                })
        };
        let what = format!("noise {noise} rate {rate} delta {delta:e}");
        let exact = oracle::inverse(remove, delta);
        let got = total(&[subsampled(POISSON, noise, rate, 2)], delta);
        assert_just_above(got, exact, 1e-3, &what);
        let exact = oracle::inverse(replace, delta);
        let got = total(&[subsampled(REPLACE, noise, rate, 2)], delta);
        assert_just_above(got, exact, 1e-3, &what);
    }
}

#[test]
fn pure_releases_are_as_randomised_responses() {
    for (e, count, delta) in [
        (1.0, 1, 1e-5),
        (0.1, 100, 1e-5),
        (0.5, 7, 1e-3),
        (0.01, 10_000, 1e-9),
        (2.0, 3, 1e-12),
    ] {
        let exact = oracle::inverse(|x| oracle::responses(e, count, x), delta);
        let got = total(&[pure(e, count)], delta);
        assert_just_above(got, exact, 1e-3, &format!("{count} of {e} at {delta:e}"));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    /// Up to the accuracy promised.
    #[test]
    fn more_noise_or_fewer_releases_never_cost_more(
        noise in 0.5f64..20.0, log_rate in -4.0f64..-0.1, log_count in 0.0f64..7.0,
        log_delta in -20.0f64..-2.0, replaced in any::<bool>(),
    ) {
        let sampling = if replaced { REPLACE } else { POISSON };
        let (rate, delta) = (10f64.powf(log_rate), 10f64.powf(log_delta));
        let count = 10f64.powf(log_count) as u64;
        let at = |noise, rate, count, delta| total(&[subsampled(sampling, noise, rate, count)], delta);
        let base = at(noise, rate, count, delta) * (1.0 + 1e-3);
        prop_assert!(at(noise * 1.3, rate, count, delta) <= base);
        prop_assert!(at(noise, rate * 0.8, count, delta) <= base);
        prop_assert!(at(noise, rate, count.div_ceil(2), delta) <= base);
        prop_assert!(at(noise, rate, count, delta * 3.0) <= base);
    }
}
