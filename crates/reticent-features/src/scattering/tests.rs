//! Coefficients against kymatio, and what holds for filters and features.

use std::f32::consts::PI;

use serde::Deserialize;

use super::{PreparedScattering, Scattering};

#[derive(Deserialize)]
struct Vectors {
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    image: String,
    scales: u32,
    angles: u32,
    pixels: Vec<f32>,
    coefficients: Vec<f32>,
}

/// What kymatio divides by.
#[expect(clippy::approx_constant, reason = "it is an approximation")]
const THEIR_PI: f32 = 3.1415;

/// The largest pixel of each case is 1, so rows are not scaled.
#[test]
fn coefficients_are_those_of_kymatio() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/kymatio.json");
    let vectors: Vectors = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    assert_eq!(vectors.cases.len(), 2);
    for case in vectors.cases {
        let mut map = Scattering::new(case.image.parse().unwrap());
        (map.scales, map.angles, map.groups) = (case.scales, case.angles, 1);
        map.check().unwrap();
        let prepared = PreparedScattering::new(&map);
        let mut ours = vec![0.0; prepared.outputs()];
        assert_eq!(ours.len(), case.coefficients.len());
        let mut scratch = vec![0.0; prepared.scratch_length()];
        prepared.coefficients(&case.pixels, &mut scratch, &mut ours);

        let (rows, columns) = map.grid();
        let paths = map.paths();
        for (j, (&ours, &theirs)) in ours.iter().zip(&case.coefficients).enumerate() {
            let path = paths[j / (rows * columns)];
            let order = path.first.iter().count() + path.second.iter().count();
            // Each of their filters is divided by a rounded π.
            let corrected = theirs * (THEIR_PI / PI).powi(order as i32 + 1);
            assert!(
                (ours - corrected).abs() < 2e-6,
                "{}, {}: {ours} is not {corrected}",
                case.image,
                map.output_name(j)
            );
        }
    }
}
