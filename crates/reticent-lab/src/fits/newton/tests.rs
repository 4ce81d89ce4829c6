use super::*;

/// Records of `order` entries within ±`reach`, their classes drawn at random.
fn rows(count: usize, order: usize, outputs: usize, reach: f64, source: &mut Source) -> Rows {
    let values = (0..count * order).map(|_| reach * (2.0 * source.uniform() - 1.0));
    let values = values.collect();
    let classes = outputs.max(2) as f64;
    let class = (0..count).map(|_| (source.uniform() * classes) as usize);
    let class = class.collect();
    let length = 0.6 * reach * (order as f64).sqrt();
    Rows::new(values, order, class, outputs, 0.0, length)
}

#[test]
fn with_next_to_no_noise_the_weights_are_those_of_maximum_likelihood() {
    let setting = Setting {
        slopes: [std::f64::consts::SQRT_2; 2],
        gradient: 1e-9,
        curvature: 1e-9,
    };
    let newton = Newton {
        steps: 12,
        share: 0.5,
    };
    for outputs in [1, 4] {
        let mut source = Source::new(3);
        let rows = rows(400, 5, outputs, 1.0, &mut source);
        let found = newton.run(&rows, &setting, &mut source);
        let likeliest = rows.likeliest();
        assert!(inner(&found, &found) > 0.01, "still where it began");
        for j in 0..found.len() {
            assert!((found[j] - likeliest[j]).abs() < 1e-6);
            // The loss is flat there.
            let at = |by: f64| {
                let mut moved = found.clone();
                moved[j] += by;
                rows.loss(&moved)
            };
            let slope = (at(1e-4) - at(-1e-4)) / 2e-4;
            assert!(slope.abs() < 1e-4, "output {outputs}, weight {j}: {slope}");
        }
    }
}

#[test]
fn one_record_moves_gradient_and_curvature_by_no_more_than_their_sensitivity() {
    let mut source = Source::new(4);
    for outputs in [1, 2, 3, 7] {
        for scale in [0.0, 0.5, 3.0, 50.0] {
            for _ in 0..50 {
                let mut one = || rows(1, 4, outputs, 2.0, &mut source);
                let (first, second) = (one(), one());
                let weights: Vec<f64> = std::iter::repeat_with(|| scale * source.normal())
                    .take(4 * outputs)
                    .collect();
                let slope = 0.9;
                let (g, h) = first.derivatives(&weights, slope);
                let (g2, h2) = second.derivatives(&weights, slope);
                assert_eq!((g.len(), g2.len()), (4 * outputs, 4 * outputs));
                let moved: f64 = g.iter().zip(&g2).map(|(a, b)| (a - b).powi(2)).sum();
                let most = 2.0 * slope * first.length * (1.0 + 1e-12);
                assert!(moved.sqrt() <= most);
                let most = first.curvature_sensitivity() * (1.0 + 1e-12);
                assert!(distance(&h, &h2) <= most);
            }
        }
    }
}

/// The Frobenius norm of the difference of two symmetric matrices, of which the lower halves
/// are given.
fn distance(one: &[Vec<f64>], other: &[Vec<f64>]) -> f64 {
    let (one, other) = (whole(one.to_vec()), whole(other.to_vec()));
    assert_eq!(one.len(), other.len());
    let pairs = one.iter().flatten().zip(other.iter().flatten());
    pairs.map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
}

#[test]
fn two_records_at_right_angles_move_the_curvature_by_all_of_its_sensitivity() {
    for outputs in [1, 2] {
        let one = |values: [f64; 2]| {
            Rows::new(values.to_vec(), 2, vec![0], outputs, 0.0, 3.0)
                .derivatives(&vec![0.0; 2 * outputs], 1.0)
                .1
        };
        let rows = Rows::new(vec![3.0, 0.0], 2, vec![0], outputs, 0.0, 3.0);
        // The second is three times as long as records may be.
        let moved = distance(&one([3.0, 0.0]), &one([0.0, 9.0]));
        assert!((moved / rows.curvature_sensitivity() - 1.0).abs() < 1e-12);
    }
}
