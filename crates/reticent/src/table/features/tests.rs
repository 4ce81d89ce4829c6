//! What rows are mapped to: by themselves, with the same bits, and within their bound.

use rayon::ThreadPoolBuilder;

use super::*;
use crate::features::{RandomFourier, Scattering};
use crate::matrix::Csr;
use crate::table::Target;

fn on(_: f64) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

fn table(features: Matrix<'_>) -> Table<'_> {
    let rows = features.rows();
    Table {
        layout: Layout::Numbered {
            first: 1,
            width: features.width(),
        },
        target: Target::Values((0..rows).map(|i| i as f64).collect()),
        features,
        assumed: vec!["a fact".to_owned()],
        units: None,
    }
}

/// More rows than are mapped at once, of 6 × 6 pixels.
fn images() -> (Vec<f32>, usize) {
    let rows = ROWS + 44;
    let pixel = |k: usize| ((k * 7919 + k / 36) % 11) as f32 - 2.0;
    ((0..rows * 36).map(pixel).collect(), rows)
}

fn maps() -> [FeatureMap; 2] {
    [
        FeatureMap::Scattering(Scattering::new("6x6".parse().unwrap())),
        FeatureMap::Fourier(RandomFourier::new(36, 50, 3)),
    ]
}

fn dense(values: Vec<f32>, rows: usize) -> Matrix<'static> {
    let width = values.len() / rows;
    Matrix::Dense(Dense::new(values, rows, width).unwrap())
}

#[test]
fn a_row_is_mapped_by_itself_with_the_same_bits_on_any_number_of_threads() {
    let (values, rows) = images();
    for map in maps() {
        let prepared = map.prepare().unwrap();
        let (mut scratch, mut row) = (prepared.scratch(), vec![0.0; map.outputs()]);
        for threads in [1, 3] {
            let pool = ThreadPoolBuilder::new().num_threads(threads).build();
            let table = table(dense(values.clone(), rows));
            let mapped = pool.unwrap().install(|| table.map_features(&map, &mut on));
            let mapped = mapped.unwrap();
            assert_eq!(mapped.layout, Layout::of_features(map.outputs()));
            assert_eq!(mapped.assumed, ["a fact"]);
            let Matrix::Dense(features) = &mapped.features else {
                panic!("features are dense");
            };
            for i in 0..rows {
                prepared.apply(&values[i * 36..][..36], &mut scratch, &mut row);
                assert_eq!(features.row(i), row, "row {i} on {threads} threads");
            }
        }
    }
}

#[test]
fn sparse_rows_have_the_features_of_dense_ones() {
    let (values, rows) = images();
    let (mut starts, mut columns, mut kept) = (vec![0], Vec::new(), Vec::new());
    for row in values.chunks(36) {
        for (column, &value) in row.iter().enumerate().filter(|(_, value)| **value != 0.0) {
            columns.push(column as u32);
            kept.push(value);
        }
        starts.push(kept.len());
    }
    let sparse = Matrix::Sparse(Csr::new(starts, columns, kept, 36).unwrap());
    for map in maps() {
        let of = |rows| table(rows).map_features(&map, &mut on).unwrap().features;
        assert_eq!(of(sparse.clone()), of(dense(values.clone(), rows)));
    }
}

#[test]
fn another_record_changes_its_own_features_alone() {
    let (values, rows) = images();
    for map in maps() {
        let of = |values: &[f32]| {
            let table = table(dense(values.to_vec(), rows));
            table.map_features(&map, &mut on).unwrap().features
        };
        let before = of(&values);
        let mut changed = values.clone();
        changed[36 * 5..][..36].fill(f32::MAX);
        changed[36 * 5] = f32::MIN;
        let after = of(&changed);
        for i in 0..rows {
            let row = |matrix: &Matrix| {
                let mut row = Vec::new();
                matrix.for_row(i, |_, value| row.push(value));
                row
            };
            assert_eq!(row(&before) == row(&after), i != 5, "row {i}");
            let norm: f64 = row(&after).iter().map(|x| f64::from(*x).powi(2)).sum();
            assert!(norm < 1.0 + 1e-4, "row {i}: {norm}");
        }
    }
}

#[test]
fn rows_of_another_length_are_refused_with_both_numbers() {
    let refused = table(dense(vec![0.0; 70], 2)).map_features(&maps()[0], &mut on);
    let message = refused.unwrap_err().to_string();
    assert!(message.contains("36 columns"), "{message}");
    assert!(message.contains("35 columns"), "{message}");
}

#[test]
fn whoever_watches_can_stop_it() {
    let (values, rows) = images();
    let mut shares = Vec::new();
    let stopped = table(dense(values, rows)).map_features(&maps()[1], &mut |share| {
        shares.push(share);
        match shares.len() {
            1 => ControlFlow::Continue(()),
            _ => ControlFlow::Break(()),
        }
    });
    assert_eq!(stopped, Err(FeaturesError::Stopped));
    assert_eq!(shares, [0.0, 0.1]);
}
