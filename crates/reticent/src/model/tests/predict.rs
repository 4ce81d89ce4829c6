//! Predictions from rows clipped to the bounds of training.

use super::*;
use crate::matrix::{Csr, Dense, Matrix};
use crate::testing::pairs;

fn dense(rows: &[[f32; 6]]) -> Matrix<'static> {
    Matrix::Dense(Dense::new(rows.concat(), rows.len(), 6).unwrap())
}

/// The same rows without their zeros.
fn sparse(rows: &[[f32; 6]]) -> Matrix<'static> {
    let (mut starts, mut columns, mut values) = (vec![0], vec![], vec![]);
    for row in rows {
        for (j, &value) in row.iter().enumerate().filter(|(_, value)| **value != 0.0) {
            columns.push(j as u32);
            values.push(value);
        }
        starts.push(columns.len());
    }
    Matrix::Sparse(Csr::new(starts, columns, values, 6).unwrap())
}

fn margins(predictions: Predictions) -> Vec<f64> {
    match predictions {
        Predictions::Classes { scores, .. } | Predictions::Multiclass { scores, .. } => scores,
        Predictions::Values(values) => values,
    }
}

const ROWS: [[f32; 6]; 4] = [
    [0.0, 0.5, 0.0, 0.0, 0.0, 0.0],
    [0.0, 3.0, 4.0, 0.0, 0.0, 0.0],
    [0.0, -8.0, 0.0, 0.5, 0.0, 0.25],
    [0.0; 6],
];

#[test]
fn a_long_row_is_held_to_the_bound_as_in_training() {
    let near = |ours: &[f64], expected: [f64; 4]| {
        for (ours, expected) in pairs(ours, expected) {
            // The grid of training has steps of 2⁻²⁰ of the bound.
            assert!((ours - expected).abs() < 1e-5, "{ours} {expected}");
        }
    };
    let l2 = margins(
        logistic(RecordBound::L2(1.0))
            .predict(&dense(&ROWS))
            .unwrap(),
    );
    let length = (64.0 + 0.25 + 0.0625f64).sqrt();
    near(&l2, [-0.1, -0.07, -0.25 - 2.4 / length, -0.25]);
    let linf = margins(
        logistic(RecordBound::Linf(2.0))
            .predict(&dense(&ROWS))
            .unwrap(),
    );
    near(&linf, [-0.1, 0.35, -0.85, -0.25]);
}

#[test]
fn sparse_and_dense_rows_and_any_number_of_threads_give_the_same_bits() {
    let rows: Vec<[f32; 6]> = (0..500)
        .map(|i| {
            std::array::from_fn(|j| {
                if (i + j) % 3 == 0 {
                    0.0
                } else {
                    (i * j) as f32 / 7.0
                }
            })
        })
        .collect();
    for rows_bound in [RecordBound::L2(1.5), RecordBound::Linf(0.5)] {
        let model = logistic(rows_bound);
        let expected = model.predict(&dense(&rows)).unwrap();
        for threads in [1, 2, 7] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            let again = pool.unwrap().install(|| model.predict(&sparse(&rows)));
            assert_eq!(again.as_ref(), Ok(&expected));
        }
    }
}

#[test]
fn a_linear_prediction_is_what_the_weights_say_even_beyond_the_range() {
    let range = TargetRange {
        low: 0.0,
        high: 1.0,
    };
    let certificate = Certificate {
        target: Some(range),
        ..certificate()
    };
    let fitted = Fitted::linear(
        vec![LinearFunction {
            weights: vec![(0, 8.0)],
            intercept: 0.0,
        }],
        certificate.statement.clone(),
    );
    let certificate = asked_for(certificate, &Outcome::Value(range));
    let model = Model::new(&fitted, Outcome::Value(range), true, layout(), certificate).unwrap();
    let row = [[1.0, 0.0, 0.0, 0.0, 0.0, 0.0]];
    assert_eq!(
        model.predict(&dense(&row)),
        Ok(Predictions::Values(vec![4.5]))
    );
}

#[test]
fn log_odds_are_the_map_of_the_linear_function() {
    let (mapped, plain) = (
        calibrated(RecordBound::Linf(8.0)),
        logistic(RecordBound::Linf(8.0)),
    );
    let rows = [-8.0, -1.0, 0.0, 0.5, 1.0, 7.0, 8.0].map(|x| [0.0, x, 0.0, 0.0, 0.0, 0.0]);
    let scores = |model: &Model| match model.predict(&dense(&rows)) {
        Ok(Predictions::Classes { scores, .. }) => scores,
        other => panic!("{other:?}"),
    };
    let map = mapped.predictor().map().unwrap();
    let expected: Vec<f64> = scores(&plain).iter().map(|t| map.log_odds(*t)).collect();
    assert_eq!(scores(&mapped), expected);
    assert_ne!(expected, scores(&plain));
}

#[test]
fn a_table_of_another_width_is_refused() {
    let narrow = Matrix::Dense(Dense::new(vec![0.0; 5], 1, 5).unwrap());
    let expected = Err(WidthError { given: 5, model: 6 });
    assert_eq!(linear(true).predict(&narrow), expected);
}

#[test]
fn a_width_that_only_a_file_claims_takes_no_memory() {
    let width = u32::MAX as usize;
    let certificate = Certificate {
        columns: width as u64,
        ..certificate()
    };
    let fitted = Fitted::linear(
        vec![LinearFunction {
            weights: vec![(u32::MAX - 1, 2.0)],
            intercept: 0.0,
        }],
        certificate.statement.clone(),
    );
    let layout = Layout::Numbered { first: 0, width };
    let model = Model::new(
        &fitted,
        Outcome::Classes(classes()),
        true,
        layout,
        certificate,
    );
    let model = Model::from_json(model.unwrap().to_json().as_bytes()).unwrap();
    let row = Csr::new(vec![0, 1], vec![u32::MAX - 1], vec![0.5], width).unwrap();
    let scores = margins(model.predict(&Matrix::Sparse(row)).unwrap());
    assert_eq!(scores, [1.0]);
}

#[test]
fn probabilities_stay_between_0_and_1_and_mirror_each_other() {
    assert_eq!(probability(0.0), 0.5);
    assert_eq!((probability(1e6), probability(-1e6)), (1.0, 0.0));
    assert!(probability(-700.0) > 0.0);
    for score in [0.1, 1.0, 5.0, 30.0] {
        assert!((probability(score) + probability(-score) - 1.0).abs() < 1e-15);
    }
}

#[test]
fn several_classes_have_a_score_each_record_after_record() {
    let model = multinomial(three(), Outcome::Classes(numbered(3))).unwrap();
    let rows = [[0.0, 0.5, 0.5, 0.0, 0.0, 0.0], [0.0; 6]];
    let expected = Predictions::Multiclass {
        scores: vec![1.5, -0.875, 0.0, 0.5, -0.5, 0.0],
        names: ["0", "1", "2"].map(str::to_owned).to_vec(),
    };
    assert_eq!(model.predict(&dense(&rows)), Ok(expected.clone()));
    assert_eq!(model.predict(&sparse(&rows)), Ok(expected));
}

#[test]
fn probabilities_of_several_classes_have_their_closed_forms_and_never_overflow() {
    assert_eq!(probabilities(&[3.0; 4]), [0.25; 4]);
    let thirds = probabilities(&[0.0, std::f64::consts::LN_2]);
    assert!((thirds[0] - 1.0 / 3.0).abs() < 1e-15 && (thirds[1] - 2.0 / 3.0).abs() < 1e-15);
    assert_eq!(probabilities(&[1e300, -1e300, 0.0]), [1.0, 0.0, 0.0]);
    assert_eq!(probabilities(&[f64::INFINITY, 0.0]), [1.0, 0.0]);
    assert_eq!(probabilities(&[f64::NEG_INFINITY; 2]), [0.5; 2]);
    for score in [-700.0, -1.5, 0.3, 40.0] {
        let [first, second] = probabilities(&[0.0, score])[..] else {
            panic!("two classes");
        };
        assert!((second - probability(score)).abs() <= 1e-15 * second);
        assert!((first + second - 1.0).abs() < 1e-15);
    }
    assert_eq!(likeliest(&[1.0, 3.0, 3.0, 2.0]), 1);
    assert_eq!(likeliest(&[-1.0]), 0);
}
