//! Lists of any length, against the two bounds of `grid`.

use super::grid::{Grid, Loss, bracket};
use super::*;

/// `got` is at least the lower bound, and above the upper one by at most 1e-3 of it; the
/// bounds are within `width` of each other.
fn assert_between(list: &[(Loss, u64)], got: f64, delta: f64, width: f64, what: &str) {
    let half = 1 << 16;
    let step = (2.0 * got + 8.0) / half as f64;
    let (low, high) = bracket(list, Grid { step, half }, delta);
    assert!(got >= low * (1.0 - 1e-7), "{what}: {got} is below {low}");
    assert!(got <= high * (1.0 + 1e-3), "{what}: {got} is above {high}");
    assert!(
        high - low <= width * high,
        "{what}: {low} to {high} says little"
    );
}

const CASES: [(f64, f64, f64); 5] = [
    (1.0, 0.01, 1e-6),
    (0.6, 0.02, 1e-5),
    (2.0, 0.1, 1e-5),
    (0.8, 0.3, 1e-3),
    (4.0, 0.5, 1e-8),
];

/// Adding is tested through the larger of the two: removing, in all of these.
#[test]
fn poisson_releases_are_between_the_bounds_of_a_grid() {
    for (noise, rate, delta) in CASES {
        for count in [3, 10, 100, 1000] {
            let got = total(&[subsampled(POISSON, noise, rate, count)], delta);
            let what = format!("{count} of noise {noise} rate {rate} delta {delta:e}");
            let list = [(Loss::Remove(noise, rate), count)];
            assert_between(&list, got, delta, 0.02, &what);
        }
    }
}

#[test]
fn adding_a_record_is_between_the_bounds_of_a_grid() {
    for (noise, rate, delta) in CASES {
        for count in [3, 10, 100, 1000] {
            let charges = [subsampled(POISSON, noise, rate, count)];
            let parts = Parts::new(&charges).unwrap();
            let got = parts.solve(Direction::Add, delta, FINAL, 0.0);
            let what = format!("{count} of noise {noise} rate {rate} delta {delta:e}");
            let list = [(Loss::Add(noise, rate), count)];
            assert_between(&list, got, delta, 0.03, &what);
        }
    }
}

#[test]
fn releases_without_replacement_are_between_the_bounds_of_a_grid() {
    for (noise, rate, delta) in CASES {
        for count in [3, 10, 100, 1000] {
            let got = total(&[subsampled(REPLACE, noise, rate, count)], delta);
            let what = format!("{count} of noise {noise} rate {rate} delta {delta:e}");
            let list = [(Loss::Replace(noise, rate), count)];
            assert_between(&list, got, delta, 0.02, &what);
        }
    }
}

#[test]
fn mixed_lists_are_between_the_bounds_of_a_grid() {
    let charges = [
        subsampled(POISSON, 1.1, 0.02, 200),
        subsampled(REPLACE, 2.0, 0.1, 10),
        gaussian(5.0, 2),
        pure(0.1, 5),
    ];
    let list = [
        (Loss::Remove(1.1, 0.02), 200),
        (Loss::Replace(2.0, 0.1), 10),
        (Loss::Remove(5.0, 1.0), 2),
        (Loss::Response(0.1), 5),
    ];
    for kinds in [0..2, 1..3, 1..4, 0..4] {
        for delta in [1e-3, 1e-6] {
            let got = total(&charges[kinds.clone()], delta);
            let what = format!("kinds {kinds:?} delta {delta:e}");
            assert_between(&list[kinds.clone()], got, delta, 0.02, &what);
        }
    }
}
