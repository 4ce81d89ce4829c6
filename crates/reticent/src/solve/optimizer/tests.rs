//! Tests of the optimisers against closed forms and their defining equations.

use super::*;

fn values(count: usize) -> Vec<f64> {
    (0..count)
        .map(|i| (1.7 * i as f64).sin() + f64::from(i % 3 == 0))
        .collect()
}

#[test]
fn smoothed_values_solve_the_circulant_system() {
    for sigma in [1e-6, 0.5, 1.0, 3.0, 1e6] {
        let smoothing = LaplacianSmoothing::new(sigma);
        for count in [1, 2, 3, 10, 999] {
            let given = values(count);
            let mut smooth = given.clone();
            smoothing.apply(&mut smooth);
            for (i, expected) in given.iter().enumerate() {
                let neighbours = smooth[(i + 1) % count] + smooth[(i + count - 1) % count];
                let product = (1.0 + 2.0 * sigma) * smooth[i] - sigma * neighbours;
                let error = (product - expected).abs();
                assert!(
                    error < 1e-9 * (1.0 + sigma),
                    "{error} at {i} of {count}, {sigma}"
                );
            }
            let kept = smooth.iter().sum::<f64>() - given.iter().sum::<f64>();
            assert!(kept.abs() < 1e-7 * count as f64, "{kept}");
        }
    }
}

/// On ½h·x² plain steps shrink x by 1 − ηh each.
#[test]
fn plain_steps_shrink_a_square_by_a_constant_factor() {
    let (size, curvature) = (0.3, 0.5);
    let mut optimizer = Optimizer::new(UpdateRule::Plain, size, Schedule::Constant, vec![2.0]);
    for _ in 0..10 {
        let slope = curvature * optimizer.point()[0];
        optimizer.step(&[slope]);
    }
    let expected = 2.0 * (1.0f64 - size * curvature).powi(10);
    assert!((optimizer.result()[0] - expected).abs() < 1e-12);
}

/// Under a constant gradient velocities add up to (1 − βᵗ)/(1 − β).
#[test]
fn momentum_accumulates_gradients() {
    let rule = UpdateRule::Momentum {
        decay: 0.8,
        lead: 0.5,
    };
    let mut optimizer = Optimizer::new(rule, 0.1, Schedule::Constant, vec![0.0]);
    let mut expected = 0.0;
    for t in 1..=20 {
        optimizer.step(&[1.0]);
        expected -= 0.1 * ((1.0 - 0.8f64.powi(t)) / 0.2 + 0.5);
    }
    assert!((optimizer.point()[0] - expected).abs() < 1e-12);
}

/// Both means are those of a constant, once they are corrected for their start.
#[test]
fn adam_moves_by_its_size_under_a_constant_gradient_of_any_scale() {
    for slope in [1e-3, -5.0, 1e6] {
        let mut optimizer = Optimizer::new(UpdateRule::ADAM, 0.1, Schedule::Constant, vec![0.0]);
        for _ in 0..50 {
            optimizer.step(&[slope]);
        }
        let moved = optimizer.point()[0] * slope.signum();
        assert!((moved + 5.0).abs() < 1e-3, "{moved}");
    }
}

#[test]
fn schedules_shorten_steps_and_averages_are_means_of_points() {
    let gradient = [1.0];
    let sizes = |schedule: Schedule| -> Vec<f64> {
        let mut optimizer = Optimizer::new(UpdateRule::Plain, 1.0, schedule, vec![0.0]);
        (0..4)
            .map(|_| {
                let before = optimizer.point()[0];
                optimizer.step(&gradient);
                before - optimizer.point()[0]
            })
            .collect()
    };
    assert_eq!(sizes(Schedule::Constant), [1.0; 4]);
    assert_eq!(sizes(Schedule::Linear { steps: 4 }), [1.0, 0.75, 0.5, 0.25]);
    assert_eq!(sizes(Schedule::InverseTime)[..2], [1.0, 0.5]);
    let mut optimizer =
        Optimizer::new(UpdateRule::Plain, 1.0, Schedule::Constant, vec![0.0]).averaging_from(2);
    (0..4).for_each(|_| optimizer.step(&gradient));
    assert_eq!(optimizer.result(), [-3.0]);
}

/// With exact differences the estimate is the gradient, whatever γ is.
#[test]
fn recursive_momentum_follows_the_gradient_where_nothing_is_noisy() {
    let gradient = |x: f64| 3.0 * x - 1.0;
    let (momentum, mut x) = (0.1, 2.0);
    let mut estimate = RecursiveMomentum::new(momentum, vec![gradient(x)]);
    for _ in 0..5 {
        let before = x;
        x -= 0.2 * estimate.estimate()[0];
        let change = (1.0 - momentum) * (gradient(x) - gradient(before)) + momentum * gradient(x);
        estimate.add(&[change]);
        assert!((estimate.estimate()[0] - gradient(x)).abs() < 1e-12);
    }
}

#[test]
fn the_penalty_has_the_slope_of_its_value() {
    let value = |x: f64| saturating_penalty(x, 0.3);
    assert!((value(2.0) - 0.3 * 4.0 / 5.0).abs() < 1e-15);
    for x in [-4.0, -0.5, 0.0, 0.2, 3.0] {
        let h = 1e-6;
        let slope = (value(x + h) - value(x - h)) / (2.0 * h);
        assert!((saturating_penalty_slope(x, 0.3) - slope).abs() < 1e-8);
    }
}

/// By a gradient of 1 in one step, and 0 in the others.
#[test]
fn the_noise_of_a_point_is_what_each_gradient_has_moved_it_by() {
    let momentum = UpdateRule::Momentum {
        decay: 0.9,
        lead: 0.4,
    };
    for rule in [UpdateRule::Plain, momentum] {
        let run = |noisy: usize| {
            let mut optimizer = Optimizer::new(rule, 0.3, Schedule::Constant, vec![0.0]);
            (0..20).for_each(|step| optimizer.step(&[f64::from(u8::from(step == noisy))]));
            optimizer
        };
        let expected = (0..20).map(|noisy| run(noisy).point()[0].powi(2));
        let expected = expected.sum::<f64>().sqrt();
        let found = run(0).noise_of_point().unwrap();
        assert!((found - expected).abs() < 1e-12, "{found} for {expected}");
    }
    let unknown = Optimizer::new(UpdateRule::ADAM, 0.3, Schedule::Constant, vec![0.0]);
    assert_eq!(unknown.noise_of_point(), None);
}

/// On a square, of which every batch knows the gradient but for noise, STORM ends nearer to the minimum than
/// where it began, and nearer than its last gradients are noisy.
#[test]
fn storm_finds_the_minimum_from_noisy_gradients_of_batches() {
    let mut storm = Storm::new(2.0, 1.0, None, vec![3.0, -3.0]);
    for step in 0..20_000 {
        // Of mean 0 over the steps.
        let noise = (1.7 * f64::from(step)).sin();
        storm.step(|x| vec![x[0] - 1.0 + noise, x[1] + 2.0 * noise]);
    }
    let [x, y] = storm.point() else {
        panic!("two coordinates")
    };
    assert!((x - 1.0).abs() < 0.05 && y.abs() < 0.05, "{x} {y}");
}

/// The first step is along the gradient alone, and as long as it was asked to be where that has length G.
#[test]
fn storm_takes_a_first_step_of_the_size_that_is_asked_for() {
    let mut storm = Storm::new(2.0, 1.0, Some(0.1), vec![0.0]);
    let mut asked = 0;
    storm.step(|_| {
        asked += 1;
        vec![2.0]
    });
    assert!((storm.point()[0] + 0.2).abs() < 1e-12 && asked == 1);
    storm.step(|_| {
        asked += 1;
        vec![2.0]
    });
    assert_eq!(asked, 3, "and then one batch at two points");
}

/// Of a hundred coordinates, whose gradients are those of a square along one and noise-like along the others.
#[test]
fn steps_that_are_too_long_are_halved_until_gradients_swing_no_more() {
    let curvature = 1.0;
    // Twice the longest step that does not diverge.
    let mut optimizer = Optimizer::new(
        UpdateRule::Plain,
        4.0 / curvature,
        Schedule::Constant,
        vec![1.0; 100],
    );
    let mut swings = Swings::default();
    for step in 0..200 {
        let mut gradient: Vec<f64> = (0..100)
            .map(|j| 0.01 * (((step * 37 + j * 101) % 17) as f64 / 8.0 - 1.0))
            .collect();
        gradient[0] = curvature * optimizer.point()[0];
        if swings.seen(&gradient) {
            optimizer.halve();
        }
        optimizer.step(&gradient);
    }
    assert!(optimizer.point()[0].abs() < 0.1, "{}", optimizer.point()[0]);
    assert_eq!(
        optimizer.noise_of_point(),
        None,
        "steps were of several sizes"
    );
}

#[test]
fn few_coordinates_and_gradients_that_agree_are_no_swings() {
    let one = [vec![1.0; 63], vec![-1.0; 63]];
    let mut few = Swings::default();
    assert!(one.iter().all(|gradient| !few.seen(gradient)));
    let mut alike = Swings::default();
    let slopes = [1.0, 0.7, 0.0, 0.4];
    assert!(slopes.iter().all(|slope| !alike.seen(&vec![*slope; 80])));
    assert!(alike.seen(&vec![-0.1; 80]));
}
