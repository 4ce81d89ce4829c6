//! Random convolutions and Fourier features against their definition, computed plainly from what a prepared map tells of
//! itself: so a writer of another format can rely on it.

mod support;

use reticent_features::{FeatureMap, PreparedMap, RandomConvolutions, RandomFourier};
use support::{assert_near, doubles, features, normalised, product, some_row};

#[test]
fn convolutions_are_what_their_filters_and_pooling_say() {
    let map = RandomConvolutions {
        filters: 5,
        patch: 3,
        cells: 2,
        threshold: 0.2,
        groups: 5,
        ..RandomConvolutions::new("2x7x8".parse().unwrap(), 3)
    };
    let Ok(PreparedMap::RandomConvolutions(prepared)) =
        FeatureMap::RandomConvolutions(map.clone()).prepare()
    else {
        panic!("not prepared")
    };
    for filter in prepared.filters().chunks(18) {
        let (sum, squares) = doubles(filter)
            .iter()
            .fold((0.0, 0.0), |s, x| (s.0 + x, s.1 + x * x));
        assert!(sum.abs() < 1e-6 && (squares - 1.0).abs() < 1e-6);
    }
    let row = some_row(112);
    let (rows, columns) = (5, 6);
    let right = doubles(&prepared.pooling_columns());
    let transposed: Vec<f64> = (0..columns * 2)
        .map(|at| right[at % 2 * columns + at / 2])
        .collect();
    let mut expected = Vec::new();
    for f in 0..5 {
        for sign in [1.0, -1.0] {
            let mut kept = Vec::new();
            for at in 0..rows * columns {
                let (y, x) = (at / columns, at % columns);
                let response: f64 = (0..18)
                    .map(|tap| {
                        let (colour, dy, dx) = (tap / 9, tap / 3 % 3, tap % 3);
                        let pixel = row[colour * 56 + (y + dy) * 8 + x + dx];
                        f64::from(prepared.filters()[f * 18 + tap]) * f64::from(pixel)
                    })
                    .sum();
                kept.push((sign * response - map.threshold).max(0.0));
            }
            let left = product(&doubles(&prepared.pooling_rows()), &kept, rows);
            expected.extend(product(&left, &transposed, columns));
        }
    }
    let prepared = PreparedMap::RandomConvolutions(prepared);
    assert_near(&features(&prepared, &row), &normalised(&expected, 5), 1e-5);
}

#[test]
fn fourier_features_are_cosines_of_their_weights() {
    let map = RandomFourier::new(3, 40, 9);
    let Ok(PreparedMap::Fourier(prepared)) = FeatureMap::Fourier(map).prepare() else {
        panic!("not prepared")
    };
    let row = [0.25, -1.0, 0.7];
    let angles = product(&doubles(&row), &doubles(prepared.weights()), 3);
    let expected: Vec<f64> = angles
        .iter()
        .zip(prepared.phases())
        .map(|(angle, &phase)| (angle + f64::from(phase)).cos() * f64::from(prepared.factor()))
        .collect();
    assert!((f64::from(prepared.factor()) - 40f64.powf(-0.5)).abs() < 1e-8);
    assert_near(
        &features(&PreparedMap::Fourier(prepared), &row),
        &expected,
        1e-6,
    );
}

/// Of 20 000 features, twice an inner product has standard error below 1/√20 000 = 0.0071 (cosines
/// of two angles: the variance of 2·cos·cos is at most 1). Bounds of five of them: a false alarm of
/// the six pairs has probability below 10⁻⁵, and the seed is fixed.
#[test]
fn fourier_features_approximate_the_gaussian_kernel() {
    let map = RandomFourier {
        scale: 1.5,
        ..RandomFourier::new(4, 20_000, 1)
    };
    let prepared = FeatureMap::Fourier(map).prepare().unwrap();
    let rows = [
        [0.0; 4],
        [1.0, 0.0, 0.0, 0.0],
        [-1.0, 1.0, 0.5, 0.0],
        [2.0, -2.0, 1.0, 1.0],
    ];
    let mapped = rows.map(|row| features(&prepared, &row));
    for a in 0..4 {
        for b in 0..=a {
            let inner = doubles(&mapped[a])
                .iter()
                .zip(doubles(&mapped[b]))
                .map(|(x, y)| x * y)
                .sum::<f64>();
            let squares = rows[a]
                .iter()
                .zip(rows[b])
                .map(|(x, y)| f64::from(x - y).powi(2))
                .sum::<f64>();
            let kernel = (-squares / (2.0 * 1.5 * 1.5)).exp();
            assert!(
                (2.0 * inner - kernel).abs() < 5.0 / 20_000f64.sqrt(),
                "{a} {b}: {inner} {kernel}"
            );
        }
    }
}
