//! What the tests of maps share.

// Each test program uses a part of it.
#![allow(dead_code)]

use reticent_features::{
    Colours, FeatureMap, PreparedMap, RandomConvolutions, RandomFourier, Scattering,
};

/// Small maps of each kind, on grey and coloured images of odd sizes.
pub fn maps() -> Vec<FeatureMap> {
    let grey = "9x11".parse().unwrap();
    let coloured = "3x8x10".parse().unwrap();
    let mut three_scales = Scattering::new("18x16".parse().unwrap());
    (
        three_scales.scales,
        three_scales.angles,
        three_scales.groups,
    ) = (3, 4, 61);
    vec![
        FeatureMap::Scattering(Scattering::new(grey)),
        FeatureMap::Scattering(Scattering::new(coloured)),
        FeatureMap::Scattering(Scattering {
            colours: Colours::AsGiven,
            ..Scattering::new(coloured)
        }),
        FeatureMap::Scattering(three_scales),
        FeatureMap::RandomConvolutions(RandomConvolutions::new(grey, 5)),
        FeatureMap::RandomConvolutions(RandomConvolutions {
            filters: 21,
            patch: 3,
            cells: 2,
            groups: 6,
            ..RandomConvolutions::new(coloured, 6)
        }),
        FeatureMap::Fourier(RandomFourier::new(7, 50, 8)),
    ]
}

/// The features of one row, with memory of their own.
pub fn features(map: &PreparedMap, row: &[f32]) -> Vec<f32> {
    let mut features = vec![f32::NAN; map.outputs()];
    map.apply(row, &mut map.scratch(), &mut features);
    features
}

/// The same numbers as `f64`.
pub fn doubles(values: &[f32]) -> Vec<f64> {
    values.iter().map(|&x| f64::from(x)).collect()
}

/// Panics unless each number is near the one that is expected.
pub fn assert_near(found: &[f32], expected: &[f64], most: f64) {
    assert_eq!(found.len(), expected.len());
    for (j, (&found, &expected)) in found.iter().zip(expected).enumerate() {
        assert!(
            (f64::from(found) - expected).abs() < most,
            "{j}: {found} is not {expected}"
        );
    }
}

/// A row of numbers whose largest is 1, so that it is not scaled.
pub fn some_row(n: usize) -> Vec<f32> {
    (0..n).map(|i| (i * i * i % 23) as f32 / 22.0).collect()
}

/// Left times right; both in rows, those of `left` of length `inner`.
pub fn product(left: &[f64], right: &[f64], inner: usize) -> Vec<f64> {
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

/// Group normalisation by its definition.
pub fn normalised(values: &[f64], groups: usize) -> Vec<f64> {
    let length = values.len() / groups;
    let mut all = Vec::new();
    for group in values.chunks(length) {
        let mean = group.iter().sum::<f64>() / length as f64;
        let squares = group.iter().map(|x| (x - mean).powi(2)).sum::<f64>();
        let deviation = (squares / length as f64 + reticent_features::EPSILON).sqrt();
        all.extend(
            group
                .iter()
                .map(|x| (x - mean) / deviation / (values.len() as f64).sqrt()),
        );
    }
    all
}
