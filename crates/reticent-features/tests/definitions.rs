//! Each map against its definition, computed plainly from what a prepared map tells of itself: so a
//! writer of another format can rely on it.

use std::f64::consts::{PI, TAU};

use reticent_features::{
    EPSILON, FeatureMap, PreparedMap, RandomConvolutions, RandomFourier, Scattering,
};

fn features(map: &PreparedMap, row: &[f32]) -> Vec<f32> {
    let mut features = vec![0.0; map.outputs()];
    map.apply(row, &mut map.scratch(), &mut features);
    features
}

/// Group normalisation by its definition.
fn normalised(values: &[f64], groups: usize) -> Vec<f64> {
    let length = values.len() / groups;
    let mut all = Vec::new();
    for group in values.chunks(length) {
        let mean = group.iter().sum::<f64>() / length as f64;
        let squares = group.iter().map(|x| (x - mean).powi(2)).sum::<f64>();
        let deviation = (squares / length as f64 + EPSILON).sqrt();
        all.extend(
            group
                .iter()
                .map(|x| (x - mean) / deviation / (values.len() as f64).sqrt()),
        );
    }
    all
}

fn assert_near(found: &[f32], expected: &[f64], most: f64) {
    assert_eq!(found.len(), expected.len());
    for (j, (&found, &expected)) in found.iter().zip(expected).enumerate() {
        assert!(
            (f64::from(found) - expected).abs() < most,
            "{j}: {found} is not {expected}"
        );
    }
}

/// A row of numbers whose largest is 1, so that it is not scaled.
fn some_row(n: usize) -> Vec<f32> {
    (0..n).map(|i| (i * i * i % 23) as f32 / 22.0).collect()
}

/// Left times right; both in rows, those of `left` of length `inner`.
fn product(left: &[f64], right: &[f64], inner: usize) -> Vec<f64> {
    let width = right.len() / inner;
    let entry = |at: usize| -> f64 {
        let row = &left[at / width * inner..][..inner];
        row.iter()
            .enumerate()
            .map(|(k, x)| x * right[k * width + at % width])
            .sum()
    };
    (0..left.len() / inner * width).map(entry).collect()
}

fn doubles(values: &[f32]) -> Vec<f64> {
    values.iter().map(|&x| f64::from(x)).collect()
}

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

/// The sum over frequencies of coefficients times waves, or the other way round, by definition;
/// `spectrum` is transposed, `values` is in rows.
fn transform(
    values: &[(f64, f64)],
    (height, width): (usize, usize),
    sign: f64,
    transposed: bool,
) -> Vec<(f64, f64)> {
    let n = height * width;
    let place = |at: usize, columns_first: bool| {
        if columns_first {
            (at % height, at / height)
        } else {
            (at / width, at % width)
        }
    };
    (0..n)
        .map(|to| {
            let (ky, kx) = place(to, !transposed);
            values
                .iter()
                .enumerate()
                .fold((0.0, 0.0), |sum, (from, &(re, im))| {
                    let (y, x) = place(from, transposed);
                    let turns = (ky * y) as f64 / height as f64 + (kx * x) as f64 / width as f64;
                    let (sin, cos) = (sign * TAU * turns).sin_cos();
                    (sum.0 + re * cos - im * sin, sum.1 + re * sin + im * cos)
                })
        })
        .collect()
}

#[test]
fn scattering_is_what_its_filters_and_averages_say() {
    let (height, width) = (7, 9);
    let mut map = Scattering::new("7x9".parse().unwrap());
    (map.angles, map.groups) = (3, 4);
    let Ok(PreparedMap::Scattering(prepared)) = FeatureMap::Scattering(map.clone()).prepare()
    else {
        panic!("not prepared")
    };
    let row = some_row(height * width);
    let (rows, columns) = prepared.padding();
    let pixel = |y: &usize, x: &usize| f64::from(row[y * width + x]);
    let padded: Vec<f64> = rows
        .iter()
        .flat_map(|y| columns.iter().map(move |x| pixel(y, x)))
        .collect();
    assert_eq!(prepared.levels()[0].size(), (rows.len(), columns.len()));

    let average = |image: &[f64], level: usize| {
        let level = &prepared.levels()[level];
        let left = product(&doubles(level.low_pass_rows()), image, level.size().0);
        product(&left, &doubles(level.low_pass_columns()), level.size().1)
    };
    // |x ∗ ψ|: the spectra's product at the level of x, folded onto the level of ψ.
    let modulus = |image: &[f64], level: usize, (scale, angle): (u32, u32)| {
        let (height, width) = prepared.levels()[level].size();
        let after = prepared.levels()[scale as usize].size();
        let image: Vec<(f64, f64)> = image.iter().map(|&x| (x, 0.0)).collect();
        let spectrum = transform(&image, (height, width), -1.0, false);
        let filter = prepared.wavelet(scale, angle, level as u32);
        let mut folded = vec![(0.0, 0.0); after.0 * after.1];
        for (at, (&(re, im), &factor)) in spectrum.iter().zip(filter).enumerate() {
            let (ky, kx) = (at % height, at / height);
            let to = &mut folded[kx % after.1 * after.0 + ky % after.0];
            *to = (to.0 + re * f64::from(factor), to.1 + im * f64::from(factor));
        }
        let values = transform(&folded, after, 1.0, true);
        values
            .iter()
            .map(|(re, im)| re.hypot(*im))
            .collect::<Vec<f64>>()
    };
    let mut expected = Vec::new();
    for path in map.paths() {
        let mut image = padded.clone();
        let mut level = 0;
        for wavelet in [path.first, path.second].into_iter().flatten() {
            image = modulus(&image, level, wavelet);
            level = wavelet.0 as usize;
        }
        expected.extend(average(&image, level));
    }
    let prepared = PreparedMap::Scattering(prepared);
    assert_near(&features(&prepared, &row), &normalised(&expected, 4), 1e-4);
}

#[test]
fn scattering_hardly_changes_when_an_image_moves() {
    let disc = |centre: f32| -> Vec<f32> {
        let pixel = |at: usize| {
            let (y, x) = ((at / 28) as f32 - 14.0, (at % 28) as f32 - centre);
            (6.0 - (y * y + x * x).sqrt()).clamp(0.0, 1.0)
        };
        (0..784).map(pixel).collect()
    };
    let angle = |a: &[f32], b: &[f32]| {
        let dot = |a: &[f32], b: &[f32]| {
            doubles(a)
                .iter()
                .zip(doubles(b))
                .map(|(x, y)| x * y)
                .sum::<f64>()
        };
        (dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()).acos()
    };
    let map = Scattering {
        scales: 3,
        groups: 1,
        ..Scattering::new("28x28".parse().unwrap())
    };
    let map = FeatureMap::Scattering(map).prepare().unwrap();
    let (here, there) = (disc(13.0), disc(14.0));
    let moved = angle(&features(&map, &here), &features(&map, &there));
    assert!(
        moved < 0.5 * angle(&here, &there),
        "{moved} and {}",
        angle(&here, &there)
    );
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

/// A Morlet wavelet has sum 0, and is centred on 3π/4 at the finest scale, along its angle.
#[test]
fn wavelets_ignore_constants_and_peak_at_their_frequency() {
    let map = FeatureMap::Scattering(Scattering::new("60x60".parse().unwrap()));
    let Ok(PreparedMap::Scattering(prepared)) = map.prepare() else {
        panic!("not prepared")
    };
    let (height, width) = prepared.levels()[0].size();
    // Angle 3 of 8 is along the rows' axis: from row to row.
    let filter = prepared.wavelet(0, 3, 0);
    assert_eq!(filter[0], 0.0);
    let peak = (0..filter.len())
        .max_by(|&a, &b| filter[a].total_cmp(&filter[b]))
        .unwrap();
    assert_eq!(peak / height, 0);
    let frequency = TAU * (peak % height) as f64 / height as f64;
    assert!(
        (frequency - 0.75 * PI).abs() < TAU / height as f64,
        "{frequency}, {width}"
    );
}
