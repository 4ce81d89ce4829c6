//! Lists of any length, against the two bounds of `grid`.

use super::grid::{Grid, Loss, bracket};
use super::*;
use crate::privacy::accountant::pld::Quality;

/// `got` is at least the lower bound, and above the upper one by at most 1e-3 of it; the
/// bounds are within `width` of each other.
fn assert_between(list: &[(Loss, u64)], got: f64, delta: f64, width: f64, what: &str) {
    let half = 1 << 16;
    let step = (2.0 * got + 8.0) / half as f64;
    assert_between_on(Grid { step, half }, list, (got, delta), width, what);
}

/// The same, the bounds being computed on that grid.
fn assert_between_on(
    grid: Grid,
    list: &[(Loss, u64)],
    (got, delta): (f64, f64),
    width: f64,
    what: &str,
) {
    let (low, high) = bracket(list, grid, delta);
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

/// With next to no frequencies for the direct sum, the FFT does all of the work.
#[test]
fn the_fft_alone_is_between_the_bounds_of_a_grid() {
    let quality = Quality {
        work: 1.0,
        grid: 1 << 17,
        ..FINAL
    };
    for (noise, rate, delta) in CASES {
        for count in [3, 100] {
            let solve = |sampling, direction| {
                let charges = [subsampled(sampling, noise, rate, count)];
                let parts = Parts::new(&charges).unwrap();
                parts.solve(direction, delta, quality, 0.0)
            };
            let what = format!("{count} of noise {noise} rate {rate} delta {delta:e}");
            for (got, loss) in [
                (solve(POISSON, Direction::Remove), Loss::Remove(noise, rate)),
                (solve(POISSON, Direction::Add), Loss::Add(noise, rate)),
                (
                    solve(REPLACE, Direction::Remove),
                    Loss::Replace(noise, rate),
                ),
            ] {
                assert_between(&[(loss, count)], got, delta, 0.02, &what);
            }
        }
    }
}

/// Losses up to 1000 times ε, amid those of a small Gaussian and a small pure release.
#[test]
fn rare_and_large_losses_are_between_the_bounds_of_a_grid() {
    let charges = [
        subsampled(POISSON, 0.4, 1e-4, 5),
        gaussian(2000.0, 1),
        pure(1e-3, 1),
    ];
    let list = [
        (Loss::Remove(0.4, 1e-4), 5),
        (Loss::Remove(2000.0, 1.0), 1),
        (Loss::Response(1e-3), 1),
    ];
    for kinds in [0..1, 0..2, 0..3] {
        let delta = 0.3 * 5e-4 * 0.79;
        let got = total(&charges[kinds.clone()], delta);
        let what = format!("kinds {kinds:?} delta {delta:e}");
        let half = 1 << 19;
        let step = 16.0 / half as f64;
        let grid = Grid { step, half };
        assert_between_on(grid, &list[kinds], (got, delta), 0.03, &what);
    }
}
