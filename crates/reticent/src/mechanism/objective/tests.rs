//! With one weight the law of the release has a closed form: ŵ ≤ t if and only if
//! b ≥ −Σψ(t)x − nλt, and b is Laplace.

use super::*;
use crate::loss::Loss;
use crate::matrix::{Dense, Matrix};
use crate::noise::SeededGenerator;
use crate::population::Population;
use crate::population::{MinimiserError, Records, RegularisedLoss};
use crate::privacy::{Adjacency, Budget, Delta, LedgerError};
use crate::table::{Layout, RecordBound, Table, Target};

const LAMBDA: f64 = 0.5;
const EPSILON: f64 = 1.5;

/// Records with the feature ±1.
fn records(features: &[f32], classes: &[bool], adjacency: Adjacency) -> Records<'static> {
    let dense = Dense::new(features.to_vec(), features.len(), 1).unwrap();
    let table = Table {
        features: Matrix::Dense(dense),
        target: Target::Classes {
            class: classes.iter().map(|second| u32::from(*second)).collect(),
            names: vec!["no".into(), "yes".into()],
        },
        layout: Layout::Numbered { first: 1, width: 1 },
        assumed: Vec::new(),
        units: None,
    };
    table
        .enforce(RecordBound::Linf(1.0), None, false, adjacency)
        .unwrap()
}

fn what(records: u64, lambda: f64) -> RegularisedLoss<'static> {
    RegularisedLoss {
        loss: Loss::Logistic,
        lambda,
        support: None,
        intercept: false,
        centre: None,
        records,
    }
}

/// Where nothing else is said.
const CENTRE: [f64; 1] = [0.0];

fn epsilon(value: f64) -> Epsilon {
    Epsilon::new(value).unwrap()
}

fn noise(value: f64) -> NoiseMultiplier {
    NoiseMultiplier::new(value).unwrap()
}

fn budget() -> Budget {
    Budget::new(epsilon(1e9), Delta::new(1e-6).unwrap())
}

/// P(ŵ ≤ t), from the formula in the documentation of `objective`. `apart` is a.
fn law(features: &[f32], classes: &[bool], centre: [f64; 1], apart: f64, t: f64) -> f64 {
    let n = features.len() as f64;
    let beta = (EPSILON - (0.25 / (n * LAMBDA)).ln_1p()) / apart;
    let slopes = features.iter().zip(classes).map(|(x, second)| {
        let x = f64::from(*x);
        Loss::Logistic.slope(x * t, f64::from(*second)) * x
    });
    let b = -slopes.sum::<f64>() - n * LAMBDA * (t - centre[0]);
    // P(B ≥ b) for a Laplace variable of rate β.
    if b > 0.0 {
        0.5 * (-beta * b).exp()
    } else {
        1.0 - 0.5 * (beta * b).exp()
    }
}

fn draws(
    features: &[f32],
    classes: &[bool],
    centre: [f64; 1],
    count: usize,
    seed: u64,
) -> Vec<f64> {
    let records = records(features, classes, Adjacency::ReplaceOne);
    let what = RegularisedLoss {
        centre: Some(&centre),
        ..what(features.len() as u64, LAMBDA)
    };
    let sealed = records.central().unwrap().objective(&what).unwrap();
    let mut ledger = Ledger::filter(budget(), Adjacency::ReplaceOne);
    let mut rng = SeededGenerator::not_private(seed);
    let mut draw = || {
        let released = objective(&sealed, epsilon(EPSILON), noise(1.0), &mut ledger, &mut rng);
        released.unwrap().to_real()[0]
    };
    (0..count).map(|_| draw()).collect()
}

const TABLES: [(&[f32], &[bool]); 2] = [
    (&[1.0, -1.0, 1.0], &[true, true, true]),
    (&[1.0, -1.0, 1.0], &[true, true, false]),
];

/// Kolmogorov–Smirnov, 4000 draws per table and centre: by Massart's inequality the largest distance exceeds
/// 0.0436 with probability at most 2·exp(−2·4000·0.0436²) = 5e-7. The Gaussian noise for the
/// tolerance, and the tolerance itself, are some 1e-4 wide and move the law by about as much.
#[test]
fn the_release_has_the_law_of_the_exact_minimiser() {
    let centres = [CENTRE, [-1.5]];
    let cases = TABLES
        .into_iter()
        .flat_map(|table| centres.map(|centre| (table, centre)));
    for (seed, ((features, classes), centre)) in cases.enumerate() {
        let count = 4000;
        let mut found = draws(features, classes, centre, count, seed as u64);
        found.sort_by(f64::total_cmp);
        let gap = |(i, t): (usize, &f64)| {
            let exact = law(features, classes, centre, 2.0, *t);
            let (below, above) = (i as f64, (i + 1) as f64);
            let n = count as f64;
            (exact - below / n).abs().max((exact - above / n).abs())
        };
        let most = found.iter().enumerate().map(gap).fold(0.0, f64::max);
        assert!(most < 0.0436 + 5e-4, "{most}");
    }
}

/// The odds of every interval between neighbours, from the closed form: within e^ε, and more than
/// e^(0.4·ε). (In one dimension ψx is σ(t) − 1 or σ(t), so that a record moves b by 1, half of what it
/// can in more: β·1 is 0.45·ε here.)
#[test]
fn neighbours_differ_by_no_more_than_epsilon() {
    let [(x, y), (x2, y2)] = TABLES;
    let mut most = 0.0f64;
    for k in -400..400 {
        let (left, right) = (f64::from(k) * 0.05, f64::from(k + 1) * 0.05);
        let p = law(x, y, CENTRE, 2.0, right) - law(x, y, CENTRE, 2.0, left);
        let q = law(x2, y2, CENTRE, 2.0, right) - law(x2, y2, CENTRE, 2.0, left);
        if p > 1e-9 && q > 1e-9 {
            most = most.max((p / q).ln().abs());
        }
    }
    assert!(most <= EPSILON && most > 0.4 * EPSILON, "{most}");
}

/// Bins of the real draws on both tables. With 4000 draws each, a count differs from its mean by
/// more than 5.2 standard deviations with probability below 2e-7, 20 bins and 2 tables below 1e-5.
#[test]
fn histograms_of_neighbours_keep_to_epsilon() {
    let [a, b] = [0, 1].map(|t| {
        let (features, classes) = TABLES[t];
        let mut bins = [0.0f64; 20];
        for draw in draws(features, classes, CENTRE, 4000, 17 + t as u64) {
            bins[((draw + 5.0) * 2.0).clamp(0.0, 19.0) as usize] += 1.0;
        }
        bins
    });
    for (p, q) in a.iter().zip(&b) {
        for (p, q) in [(p, q), (q, p)] {
            let most = EPSILON.exp() * (q + 5.2 * q.max(25.0).sqrt());
            assert!(p - 5.2 * p.sqrt() <= most, "{p} {q}");
        }
    }
}

#[test]
fn both_releases_are_charged_and_none_is_drawn_without() {
    let (features, classes) = TABLES[0];
    let records = records(features, classes, Adjacency::ReplaceOne);
    let what = what(3, LAMBDA);
    let sealed = records.central().unwrap().objective(&what).unwrap();
    let pure = Charge::once(Event::Pure {
        epsilon: epsilon(EPSILON),
    });
    let gaussian = Charge::once(Event::Gaussian { noise: noise(2.0) });
    let release = |plan: Vec<Charge>, rng: &mut SeededGenerator| {
        let mut ledger = Ledger::planned(budget(), Adjacency::ReplaceOne, plan).unwrap();
        objective(&sealed, epsilon(EPSILON), noise(2.0), &mut ledger, rng)
    };
    let mut rng = SeededGenerator::not_private(3);
    for plan in [vec![pure], vec![gaussian]] {
        let refused = release(plan, &mut rng).unwrap_err();
        let ledger = ReleaseError::Ledger(LedgerError::NotInPlan {
            event: pure.event,
            count: pure.count,
        });
        let same = std::mem::discriminant(&refused) == std::mem::discriminant(&ledger);
        assert!(same, "{refused}");
    }
    // Nothing was drawn: the generator is where a new one starts.
    let first = SeededGenerator::not_private(3).next_u64();
    assert_eq!(rng.clone().next_u64(), first);
    let released = release(vec![pure, gaussian], &mut rng).unwrap();
    assert_eq!(released.to_real().len(), 1);
    assert_ne!(rng.next_u64(), first, "nothing was drawn");
}

#[test]
fn an_epsilon_that_the_change_of_volume_exceeds_is_refused() {
    let (features, classes) = TABLES[0];
    let mut rng = SeededGenerator::not_private(3);
    for adjacency in [Adjacency::ReplaceOne, Adjacency::AddRemove] {
        let records = records(features, classes, adjacency);
        let what = what(3, 0.01);
        let sealed = records.central().unwrap().objective(&what).unwrap();
        let least = (0.25f64 / 0.03).ln_1p();
        assert!((sealed.least_epsilon() - least).abs() < 1e-9);
        let mut ledger = Ledger::filter(budget(), adjacency);
        let mut release = |value| {
            let released = objective(&sealed, epsilon(value), noise(1.0), &mut ledger, &mut rng);
            released.map(|released| released.to_real().len())
        };
        let refused = release(least * 0.999).unwrap_err();
        let epsilon = matches!(
            refused,
            ReleaseError::Objective(MinimiserError::Epsilon { .. })
        );
        assert!(epsilon, "{refused}");
        assert_eq!(release(least * 1.5).unwrap(), 1);
    }
}

/// Every b that the proof speaks of is one that the sampler can give, however little ε leaves for it.
#[test]
fn no_linear_term_ends_at_the_edge_of_its_integers() {
    let records = records(&[1.0, -1.0], &[true, false], Adjacency::ReplaceOne);
    let whole = records.central().unwrap();
    let objective = whole.objective(&what(2, LAMBDA)).unwrap();
    for left in [1.0, 1e-3, 1e-6, 1e-9] {
        let epsilon = objective.least_epsilon() + left;
        let perturbation = objective.perturbation(epsilon, &RELEASE_KEY).unwrap();
        let most = (4.0 + 4096.0) / perturbation.rate;
        assert!(most <= (1u64 << 62) as f64, "{left}: {most}");
        VectorLaplace::new(1, perturbation.rate).unwrap();
    }
}

/// A centre whose pull has a square beyond all floats is refused; a search from there would not end.
#[test]
fn a_centre_beyond_all_bounds_is_refused() {
    let records = records(&[1.0, -1.0], &[true, false], Adjacency::AddRemove);
    let whole = records.central().unwrap();
    for (lambda, centre) in [(1e100, 1e60), (1e-30, 1e153), (0.5, 1e200)] {
        let centre = [centre];
        let what = RegularisedLoss {
            centre: Some(&centre),
            ..what(2, lambda)
        };
        let refused = whole.objective(&what).map(drop).unwrap_err();
        assert_eq!(refused, MinimiserError::Far);
    }
}
