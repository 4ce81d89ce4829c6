//! Lists of several kinds of event, extremes, and what is refused.

use super::*;
use crate::privacy::quantity::{Range, Rho};

#[test]
fn the_order_of_the_list_does_not_matter() {
    let mut charges = vec![
        subsampled(POISSON, 1.1, 0.01, 1000),
        gaussian(4.0, 3),
        pure(0.1, 5),
        subsampled(POISSON, 6.0, 0.2, 40),
    ];
    let forwards = total(&charges, 1e-6);
    charges.reverse();
    let backwards = total(&charges, 1e-6);
    assert!(
        (forwards / backwards - 1.0).abs() < 1e-3,
        "{forwards} {backwards}"
    );
}

#[test]
fn a_list_costs_more_than_its_parts_and_less_than_their_sum() {
    let a = [subsampled(POISSON, 1.1, 0.01, 1000)];
    let b = [gaussian(2.0, 1)];
    let c = [pure(0.3, 4)];
    let all = [a[0], b[0], c[0]];
    let together = total(&all, 3e-6);
    for part in [&a[..], &b, &c] {
        assert!(total(part, 3e-6) < together);
    }
    assert!(together < total(&a, 1e-6) + total(&b, 1e-6) + total(&c, 1e-6));
}

#[test]
fn splitting_a_charge_changes_nothing() {
    let whole = total(&[subsampled(REPLACE, 1.0, 0.01, 1000)], 1e-5);
    let parts = [
        subsampled(REPLACE, 1.0, 0.01, 400),
        subsampled(REPLACE, 1.0, 0.01, 600),
    ];
    assert!((total(&parts, 1e-5) / whole - 1.0).abs() < 1e-6);
}

#[test]
fn a_gaussian_amid_releases_too_small_to_matter_keeps_its_exact_cost() {
    let exact = oracle::inverse(|e| oracle::gaussian(1.0, e), 1e-5);
    let charges = [gaussian(1.0, 1), subsampled(POISSON, 100.0, 1e-6, 100)];
    assert_just_above(total(&charges, 1e-5), exact, 1e-4, "gaussian");
}

#[test]
fn many_small_releases_approach_a_gaussian_from_above() {
    // The central limit: μ² = count·rate²·(e^{1/σ²} − 1) (Bu et al. 2020).
    for (noise, rate, count) in [
        (50.0, 0.01f64, 1_000_000_000u64),
        (1.0, 1e-6, 1_000_000_000),
    ] {
        let chi_squared = (1.0f64 / (noise * noise)).exp_m1();
        let mu = rate * (count as f64 * chi_squared).sqrt();
        let limit = oracle::inverse(|e| oracle::gaussian(mu, e), 1e-5);
        let got = total(&[subsampled(POISSON, noise, rate, count)], 1e-5);
        assert!((got / limit - 1.0).abs() < 5e-3, "{got} {limit}");
    }
}

#[test]
fn extremes_are_answered_with_a_number() {
    for noise in [1e-6, 0.06, 1.0, 1e12] {
        for rate in [1e-300, 1e-6, 1.0f64.next_down()] {
            for count in [1, u64::MAX] {
                for delta in [1e-300, 1e-30, 0.999] {
                    for sampling in [POISSON, REPLACE] {
                        let got = total(&[subsampled(sampling, noise, rate, count)], delta);
                        assert!(got >= 0.0, "{noise} {rate} {count} {delta}: {got}");
                    }
                }
            }
        }
    }
    for e in [1e-300, 1e-9, 700.0, 1e300] {
        for count in [1, u64::MAX] {
            let got = total(&[pure(e, count)], 1e-9);
            assert!(got >= 0.0, "{e} {count}: {got}");
        }
    }
}

#[test]
fn a_delta_that_covers_the_list_leaves_nothing_to_pay() {
    assert_eq!(total(&[], 1e-9), 0.0);
    assert_eq!(total(&[subsampled(POISSON, 1.0, 1e-9, 10)], 1e-6), 0.0);
    assert_eq!(total(&[gaussian(1e6, 1)], 1e-3), 0.0);
}

#[test]
fn what_is_known_by_its_rho_only_is_refused() {
    let rho = Rho::new(0.1).unwrap();
    let charges = [gaussian(1.0, 1), times(Event::Zcdp { rho }, 1)];
    assert_eq!(epsilon(&charges, Delta::new(1e-6).unwrap()), None);
}

#[test]
fn a_selection_is_taken_for_a_pure_release_of_its_range() {
    let range = Range::new(0.1).unwrap();
    let selection = [gaussian(1.0, 1), times(Event::Exponential { range }, 3)];
    let release = [gaussian(1.0, 1), pure(0.1, 3)];
    assert_eq!(total(&selection, 1e-6), total(&release, 1e-6));
}

/// Settings in which an earlier version was below the exact value: masses that underflow,
/// losses that cancel. Exact values: mpmath, 400 digits.
#[test]
fn where_floats_run_out_the_result_is_still_not_below() {
    for (noise, rate, delta, exact) in [
        (0.05, 0.5, 1e-60, 525.678_387_330_836_2),
        (0.05, 0.5, 1e-100, 623.443_898_146_804_5),
        (0.1, 0.5, 1e-200, 350.672_726_457_115_3),
        (
            0.22216947047094815,
            9.41912467939371e-41,
            8.973018296620661e-63,
            1.567_718_280_878_758_5e-17,
        ),
        (
            0.2009600056702793,
            1.1592683341510498e-43,
            5.229713747110488e-66,
            2.683_107_616_158_973_6e-17,
        ),
    ] {
        for sampling in [POISSON, REPLACE] {
            let charges = [subsampled(sampling, noise, rate, 1)];
            let closed = total(&charges, delta);
            let general = Parts::new(&charges)
                .unwrap()
                .solve(Direction::Remove, delta, FINAL, 0.0);
            assert!(
                closed >= exact && general >= exact,
                "{exact}: {closed}, {general}"
            );
        }
    }
}

/// 10¹⁸ releases of a large μ² and a thousand of one that is too small to add to it: each
/// sum must be rounded up. Exact value: mpmath, 400 digits.
#[test]
fn small_costs_beside_large_ones_are_not_lost() {
    let mut charges = vec![gaussian(1e-6, 1_000_000_000_000_000_000)];
    for i in 0..1000 {
        let noise = 1.0 + f64::from(i) / 1000.0;
        charges.push(gaussian(noise, (6.9e13 * noise * noise) as u64));
    }
    assert!(total(&charges, 1e-6) >= 5.000_000_000_000_393e29);
}
