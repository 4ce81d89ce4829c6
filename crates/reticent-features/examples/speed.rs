//! How long each map takes for a row: `cargo run --release -p reticent-features --example speed`.

use std::time::Instant;

use reticent_features::{
    FeatureMap, FeatureMapError, RandomConvolutions, RandomFourier, Scattering,
};

fn main() -> Result<(), FeatureMapError> {
    let (grey, coloured) = ("28x28".parse()?, "3x32x32".parse()?);
    for (rows, map) in [
        ("28x28", FeatureMap::Scattering(Scattering::new(grey))),
        ("3x32x32", FeatureMap::Scattering(Scattering::new(coloured))),
        (
            "28x28",
            FeatureMap::RandomConvolutions(RandomConvolutions::new(grey, 0)),
        ),
        (
            "3x32x32",
            FeatureMap::RandomConvolutions(RandomConvolutions::new(coloured, 0)),
        ),
        (
            "100 columns",
            FeatureMap::Fourier(RandomFourier::new(100, 1000, 0)),
        ),
        (
            "784 columns",
            FeatureMap::Fourier(RandomFourier::new(784, 4000, 0)),
        ),
    ] {
        let start = Instant::now();
        let prepared = map.prepare()?;
        let preparing = start.elapsed();
        let mut scratch = prepared.scratch();
        let mut features = vec![0.0; prepared.outputs()];
        // No zeros, which some maps skip.
        let row: Vec<f32> = (0..map.inputs())
            .map(|i| (1 + i * i % 97) as f32 / 97.0)
            .collect();
        // The best of many runs, each short: other programs only ever add time.
        let best = (0..500)
            .map(|_| {
                let start = Instant::now();
                prepared.apply(std::hint::black_box(&row), &mut scratch, &mut features);
                start.elapsed()
            })
            .min()
            .unwrap_or_default();
        println!(
            "| {} | {rows} | {} | {:.2} ms | {:.0} ms |",
            map.name(),
            prepared.outputs(),
            best.as_secs_f64() * 1e3,
            preparing.as_secs_f64() * 1e3,
        );
    }
    Ok(())
}
