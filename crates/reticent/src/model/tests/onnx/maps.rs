//! What graphs of maps of features promise: the features of the map, whatever the row.

use crate::features::{
    Colours, FeatureMap, PreparedMap, RandomConvolutions, RandomFourier, Scattering,
};

use super::super::*;
use super::evaluator::evaluated;
use super::tensor::Tensor;
use crate::matrix::{Dense, Matrix};
use crate::model::onnx::map_alone;

/// Maps of images: grey and coloured ones of odd sizes, one to three scales, several groups.
fn image_maps() -> Vec<FeatureMap> {
    let [grey, coloured, small] = ["9x11", "3x8x10", "18x16"].map(|shape| shape.parse().unwrap());
    let scattering = |scales, angles, groups, image| {
        FeatureMap::Scattering(Scattering {
            image,
            scales,
            angles,
            groups,
            colours: Colours::suiting(image),
        })
    };
    vec![
        FeatureMap::Scattering(Scattering::new(grey)),
        scattering(1, 3, 6, coloured),
        scattering(3, 4, 61, small),
        FeatureMap::RandomConvolutions(RandomConvolutions::new(grey, 5)),
        FeatureMap::RandomConvolutions(RandomConvolutions {
            filters: 21,
            patch: 3,
            cells: 2,
            groups: 6,
            ..RandomConvolutions::new(coloured, 6)
        }),
    ]
}

/// Rows with numbers from −1 to 1, with many zeros.
fn some_rows(count: usize, width: usize) -> Vec<Vec<f32>> {
    let entry = |at: usize| match at % 3 {
        0 => 0.0,
        _ => (at * 7919 % 2003) as f32 / 1001.0 - 1.0,
    };
    let row = |i: usize| (0..width).map(|j| entry(i * width + j)).collect();
    (0..count).map(row).collect()
}

/// What the graph of a map makes of rows, beside what the map does.
fn both(map: &PreparedMap, rows: &[Vec<f32>]) -> (Vec<f64>, Vec<f64>) {
    let numbers = rows.concat().into_iter().map(f64::from).collect();
    let features = Tensor::new(&[rows.len(), rows[0].len()], numbers);
    let (known, _) = evaluated(&map_alone(map, rows[0].len()), features);
    let graph = &known["mapped"];
    assert_eq!(graph.shape, [rows.len(), map.outputs()]);
    let mut scratch = map.scratch();
    let mut ours = vec![0.0; map.outputs()];
    let mut all = Vec::new();
    for row in rows {
        map.apply(row, &mut scratch, &mut ours);
        all.extend(ours.iter().copied().map(f64::from));
    }
    (graph.numbers.clone(), all)
}

fn agrees(map: &FeatureMap, rows: &[Vec<f32>], allowed: f64) {
    let prepared = map.prepare().unwrap();
    let (graph, ours) = both(&prepared, rows);
    for (at, (graph, ours)) in graph.iter().zip(&ours).enumerate() {
        let (row, name) = (at / map.outputs(), map.output_name(at % map.outputs()));
        let off = (graph - ours).abs();
        assert!(off <= allowed, "{map:?}, row {row}, {name}: {graph} {ours}");
    }
    // A map that makes zeros of everything would agree with anything.
    assert!(ours.iter().any(|x| x.abs() > 0.01));
}

#[test]
fn the_graph_of_a_map_of_images_makes_its_features() {
    for map in image_maps() {
        let n = map.inputs();
        let mut rows = some_rows(4, n);
        rows.push(rows[0].iter().map(|x| 255.0 * x.abs()).collect());
        rows.push(vec![0.0; n]);
        rows.push(vec![0.25; n]);
        agrees(&map, &rows, 1e-5);
    }
}

#[test]
fn the_graph_of_a_map_of_images_knows_every_finite_row() {
    for map in image_maps() {
        let n = map.inputs();
        let pixel = |of: &dyn Fn(usize) -> f32| (0..n).map(of).collect::<Vec<f32>>();
        let rows = [
            vec![f32::MAX; n],
            vec![f32::from_bits(1); n],
            pixel(&|i| if i % 2 == 0 { f32::MAX } else { f32::MIN }),
            pixel(&|i| if i == n / 2 { -1e-30 } else { 0.0 }),
            pixel(&|i| if i == 0 { 1e38 } else { 1e-38 }),
        ];
        agrees(&map, &rows, 1e-5);
    }
}

#[test]
fn the_graph_of_fourier_features_makes_them() {
    for (inputs, outputs) in [(1, 30), (7, 50), (40, 9)] {
        let map = FeatureMap::Fourier(RandomFourier::new(inputs, outputs, 8));
        let n = map.inputs();
        let mut rows = some_rows(20, n);
        rows.push(vec![0.0; n]);
        rows.push(vec![10.0; n]);
        agrees(&map, &rows, 1e-5);
    }
}

#[test]
fn a_row_that_is_not_finite_becomes_zeros() {
    let fourier = FeatureMap::Fourier(RandomFourier::new(7, 50, 8));
    for map in image_maps().into_iter().chain([fourier]) {
        let prepared = map.prepare().unwrap();
        let mut rows = some_rows(4, map.inputs());
        rows[0][1] = f32::NAN;
        rows[1][2] = f32::INFINITY;
        rows[2][0] = f32::NEG_INFINITY;
        let (graph, ours) = both(&prepared, &rows);
        let odd = 3 * map.outputs();
        assert!(graph[..odd].iter().all(|&x| x == 0.0), "{map:?}");
        assert!(ours[..odd].iter().all(|&x| x == 0.0));
        assert!(graph[odd..].iter().any(|x| x.abs() > 0.01));
    }
}

/// A model of two classes whose rows go through a map, with a weight for each third feature.
fn model(map: &FeatureMap, bound: RecordBound) -> Model {
    let certificate = Certificate {
        columns: map.outputs() as u64,
        features: Some(map.clone()),
        ..certificate_of(statement(), bound)
    };
    let columns = (0..map.outputs() as u32).step_by(3);
    let function = LinearFunction {
        weights: columns.map(|j| (j, f64::from(j * 37 % 11) - 5.0)).collect(),
        intercept: 0.25,
    };
    let fitted = Fitted::linear(vec![function], certificate.statement.clone());
    let outcome = Outcome::Classes(classes());
    let certificate = asked_for(certificate, &outcome);
    let width = map.inputs();
    let layout = Layout::Numbered { first: 1, width };
    Model::new(&fitted, outcome, true, layout, certificate).unwrap()
}

/// Of a step of the grid, a feature may be on the other side: scores of these weights differ by
/// less than 1e-5 still.
#[test]
fn the_graph_of_a_model_with_a_map_predicts_from_its_rows() {
    let fourier = FeatureMap::Fourier(RandomFourier::new(7, 50, 8));
    for map in image_maps().into_iter().chain([fourier]) {
        let width = map.inputs();
        let rows = some_rows(5, width);
        // The bound of features, and one that shortens them.
        for bound in [
            RecordBound::L2(1.0),
            RecordBound::L2(0.1),
            RecordBound::Linf(0.02),
        ] {
            let model = model(&map, bound);
            let table = Dense::new(rows.concat(), rows.len(), width).unwrap();
            let Ok(Predictions::Classes { scores, .. }) = model.predict(&Matrix::Dense(table))
            else {
                panic!("it predicts two classes");
            };
            let numbers = rows.concat().into_iter().map(f64::from).collect();
            let features = Tensor::new(&[rows.len(), width], numbers);
            let (known, _) = evaluated(&model.to_onnx().unwrap(), features);
            for (ours, graph) in scores.iter().zip(&known["scores"].numbers) {
                assert!(
                    (ours - graph).abs() < 1e-5,
                    "{map:?}, {bound:?}: {ours} {graph}"
                );
            }
            assert!(scores.iter().any(|score| (score - 0.25).abs() > 1e-3));
        }
    }
}

/// Filters are written once, and transforms of the same size share a matrix.
#[test]
fn a_graph_is_not_much_larger_than_the_filters_of_its_map() {
    let [digits, photos] = ["28x28", "3x32x32"].map(|shape| shape.parse().unwrap());
    for (map, most) in [
        (FeatureMap::Scattering(Scattering::new(digits)), 300_000),
        (FeatureMap::Scattering(Scattering::new(photos)), 300_000),
        (
            FeatureMap::RandomConvolutions(RandomConvolutions::new(photos, 1)),
            100_000,
        ),
    ] {
        let size = map_alone(&map.prepare().unwrap(), map.inputs()).len();
        assert!(size < most, "{}: {size}", map.name());
    }
}
