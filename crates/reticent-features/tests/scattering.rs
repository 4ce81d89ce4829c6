//! Scattering against its definition, computed plainly from what a prepared map tells of
//! itself: so a writer of another format can rely on it.

mod support;

use std::f64::consts::{PI, TAU};

use reticent_features::{Colours, FeatureMap, ImageShape, PreparedMap, Scattering};
use support::{assert_near, doubles, features, normalised, product, some_row};

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

/// One pixel is white, so that both images are as bright and neither is scaled.
#[test]
fn opponent_colours_are_those_of_an_image_that_was_changed_before() {
    let shape: ImageShape = "3x12x10".parse().unwrap();
    let usual = Scattering::new(shape);
    assert_eq!(usual.colours, Colours::Opponent);
    let plain = Scattering {
        colours: Colours::AsGiven,
        ..usual.clone()
    };
    let mut row = some_row(360);
    for colour in row.chunks_mut(120) {
        colour[0] = 1.0;
    }
    let matrix = Colours::Opponent.matrix().unwrap();
    let changed: Vec<f32> = (0..360)
        .map(|at| {
            let pixel = [0, 1, 2].map(|colour| row[colour * 120 + at % 120]);
            matrix[at / 120].iter().zip(pixel).map(|(w, x)| w * x).sum()
        })
        .collect();
    let of = |map: Scattering, row: &[f32]| {
        features(&FeatureMap::Scattering(map).prepare().unwrap(), row)
    };
    let (found, expected) = (of(usual, &row), of(plain.clone(), &changed));
    let distance = |one: &[f32], other: &[f32]| {
        let squares = one.iter().zip(other).map(|(x, y)| (x - y) * (x - y));
        squares.sum::<f32>().sqrt()
    };
    assert!(distance(&found, &expected) < 1e-5);
    assert!(distance(&found, &of(plain, &row)) > 0.1, "as given");
}
