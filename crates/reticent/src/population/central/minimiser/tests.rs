use proptest::prelude::*;

use super::*;
use crate::matrix::{Csr, Dense, Matrix};
use crate::population::records::Records;
use crate::table::{Layout, RecordBound, Table, Target, TargetRange};
use crate::testing::pairs;

const HUBER: Loss = Loss::Squared { threshold: 0.6 };

#[derive(Debug, Clone)]
struct Case {
    rows: Vec<Vec<f32>>,
    targets: Vec<f64>,
    bound: RecordBound,
    loss: Loss,
    lambda: f64,
    support: Option<Vec<u32>>,
    intercept: bool,
    /// Of three columns and the intercept; the first of them are taken.
    centre: Option<[f64; 4]>,
}

impl Case {
    fn centre(&self) -> Option<&[f64]> {
        let columns = self.support.as_ref().map_or(self.rows[0].len(), Vec::len);
        let coordinates = columns + usize::from(self.intercept);
        self.centre.as_ref().map(|centre| &centre[..coordinates])
    }

    fn features(&self, sparse: bool) -> Matrix<'static> {
        let width = self.rows[0].len();
        if !sparse {
            return Matrix::Dense(Dense::new(self.rows.concat(), self.rows.len(), width).unwrap());
        }
        let starts = (0..=self.rows.len()).map(|i| i * width).collect();
        let columns: Vec<_> = (0..self.rows.len()).flat_map(|_| 0..width as u32).collect();
        Matrix::Sparse(Csr::new(starts, columns, self.rows.concat(), width).unwrap())
    }

    fn records(&self, sparse: bool, adjacency: Adjacency) -> Records<'static> {
        let width = self.rows[0].len();
        let target = match self.loss {
            Loss::Logistic => Target::Classes {
                class: self.targets.iter().map(|y| u32::from(*y > 0.0)).collect(),
                names: vec!["no".to_owned(), "yes".to_owned()],
            },
            Loss::Squared { .. } => Target::Values(self.targets.clone()),
        };
        let table = Table {
            features: self.features(sparse),
            target,
            layout: Layout::Numbered { first: 1, width },
            assumed: Vec::new(),
            units: None,
        };
        let range = TargetRange {
            low: -1.0,
            high: 1.0,
        };
        table
            .enforce(self.bound, Some(range), false, adjacency)
            .unwrap()
    }

    fn what(&self, records: u64) -> RegularisedLoss<'_> {
        RegularisedLoss {
            loss: self.loss,
            lambda: self.lambda,
            support: self.support.as_deref(),
            intercept: self.intercept,
            centre: self.centre(),
            records,
        }
    }

    fn solved(&self, adjacency: Adjacency, records: u64) -> Minimiser {
        let sealed = self.records(false, adjacency);
        sealed
            .central()
            .unwrap()
            .minimiser(&self.what(records))
            .unwrap()
    }
}

fn case() -> impl Strategy<Value = Case> {
    let bound = prop_oneof![
        (0.3..3.0f64).prop_map(RecordBound::L2),
        (0.3..3.0f64).prop_map(RecordBound::Linf),
    ];
    let loss = prop_oneof![Just(Loss::Logistic), Just(HUBER)];
    let support = prop_oneof![Just(None), Just(Some(vec![0, 2])), Just(Some(vec![1]))];
    let rows = prop::collection::vec(prop::collection::vec(-3.0..3.0f32, 3), 6);
    let targets = prop::collection::vec(-1.0..1.0f64, 6);
    let centre = prop::option::of([-9.0..9.0f64, -9.0..9.0, -9.0..9.0, -9.0..9.0]);
    let rest = (bound, loss, 0.1..2.0f64, support, any::<bool>(), centre);
    (rows, targets, rest).prop_map(|(rows, targets, rest)| {
        let (bound, loss, lambda, support, intercept, centre) = rest;
        Case {
            rows,
            targets,
            bound,
            loss,
            lambda,
            support,
            intercept,
            centre,
        }
    })
}

/// How far apart two queries are, over what the first says that they can be.
fn share_of_sensitivity(a: &Query<'_>, b: &Query<'_>) -> f64 {
    assert_eq!(a.raw_sensitivity(), b.raw_sensitivity());
    let moved = pairs(a.raw_values(), b.raw_values());
    let squares: f64 = moved.map(|(a, b)| ((a - b) as f64).powi(2)).sum();
    squares.sqrt() / a.raw_sensitivity().l2
}

fn public(width: usize, bound: RecordBound) -> PublicFeatures {
    let entry = |k: usize| ((k * 7919) as f32 * 0.618_034).fract() * 2.0 - 1.0;
    let values = (0..10 * width).map(entry).collect();
    let matrix = Matrix::Dense(Dense::new(values, 10, width).unwrap());
    PublicFeatures::enforced(matrix, bound).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn no_record_moves_a_minimiser_or_its_answers_by_more_than_their_sensitivity(
        case in case(),
        row in prop::collection::vec(-3.0..3.0f32, 3),
        target in -1.0..1.0f64,
    ) {
        let mut replaced = case.clone();
        replaced.rows[0] = row;
        replaced.targets[0] = target;
        let mut removed = case.clone();
        removed.rows.remove(0);
        removed.targets.remove(0);
        let width = case.support.as_ref().map_or(3, Vec::len);
        let public = public(width, case.bound);
        for (adjacency, other) in [
            (Adjacency::ReplaceOne, replaced),
            (Adjacency::AddRemove, removed),
        ] {
            let (a, b) = (case.solved(adjacency, 6), other.solved(adjacency, 6));
            let weights = share_of_sensitivity(&a.weights().unwrap(), &b.weights().unwrap());
            prop_assert!(weights <= 1.0, "{weights}");
            let answers = |m: &Minimiser| m.answers(&public).unwrap();
            let answers = share_of_sensitivity(&answers(&a), &answers(&b));
            prop_assert!(answers <= 1.0, "{answers}");
        }
    }

    #[test]
    fn the_gradient_is_as_small_as_promised_and_storage_does_not_matter(case in case()) {
        let what = case.what(6);
        let [dense, sparse] = [false, true].map(|sparse| {
            case.records(sparse, Adjacency::ReplaceOne).central().unwrap().minimiser(&what).unwrap()
        });
        prop_assert_eq!(&dense.point, &sparse.point);
        // Central differences of the objective itself.
        let records = case.records(false, Adjacency::ReplaceOne);
        let columns = case.support.clone().unwrap_or_else(|| vec![0, 1, 2]);
        let objective = |w: &[f64]| {
            let unit = records.clip.grid.step();
            let losses = (0..6).map(|i| {
                let mut margin = if case.intercept { w[w.len() - 1] } else { 0.0 };
                records.features.for_row(i, |j, x| {
                    if let Ok(place) = columns.binary_search(&(j as u32)) {
                        margin += f64::from(x) * unit * w[place];
                    }
                });
                case.loss.value(margin, records.targets[i])
            });
            let centre = case.centre().map_or(vec![0.0; w.len()], <[f64]>::to_vec);
            let far = w.iter().zip(centre).map(|(w, v)| (w - v) * (w - v));
            losses.sum::<f64>() / 6.0 + case.lambda / 2.0 * far.sum::<f64>()
        };
        for j in 0..dense.point.len() {
            let at = |h: f64| {
                let mut w = dense.point.clone();
                w[j] += h;
                objective(&w)
            };
            let slope = (at(1e-5) - at(-1e-5)) / 2e-5;
            // The differences err by about 1e-10, more at the kink of Huber's curvature.
            prop_assert!(slope.abs() <= dense.bounds.tolerance + 5e-5, "{slope}");
        }
    }
}

/// Slopes of both signs that stay at their bound, so that nothing but the ridge holds the weight.
fn saturated(upwards: usize) -> Case {
    let sign = |i: usize| if i < upwards { 1.0 } else { -1.0 };
    Case {
        rows: vec![vec![1.0]; 20],
        targets: (0..20).map(sign).collect(),
        bound: RecordBound::Linf(1.0),
        loss: Loss::Squared { threshold: 0.01 },
        lambda: 0.1,
        support: None,
        intercept: false,
        centre: None,
    }
}

/// One record of twenty turns round: the minimiser moves by 2RB/(nλ), and the rest of what is
/// stated, for tolerance and grid, is less than a thousandth.
#[test]
fn the_sensitivity_is_reached() {
    let solve = |upwards| saturated(upwards).solved(Adjacency::ReplaceOne, 20);
    let (a, b) = (solve(10), solve(11));
    let exact = 2.0 * 0.01 / (20.0 * 0.1);
    assert!((a.point[0] - b.point[0]).abs() > exact * 0.999);
    let share = share_of_sensitivity(&a.weights().unwrap(), &b.weights().unwrap());
    assert!((0.999..=1.0).contains(&share), "{share}");
    let public = public(1, RecordBound::Linf(1.0));
    let answers = |m: &Minimiser| m.answers(&public).unwrap();
    let share = share_of_sensitivity(&answers(&a), &answers(&b));
    assert!((0.999..=1.0).contains(&share), "{share}");
}

/// With squares in one column, ŵ = (Σxy + nλv)/(Σx² + nλ).
#[test]
fn least_squares_have_their_closed_form() {
    let mut case = saturated(7);
    case.loss = Loss::Squared { threshold: 2.0 };
    // A declared number of records takes the place of theirs.
    for (adjacency, n) in [(Adjacency::ReplaceOne, 20), (Adjacency::AddRemove, 4000)] {
        let found = case.solved(adjacency, n);
        let exact = (7.0 - 13.0) / (20.0 + n as f64 * case.lambda);
        let near = found.bounds.tolerance / case.lambda;
        assert!(
            (found.point[0] - exact).abs() <= near && near < 2e-3,
            "{near}"
        );
        let mut centred = case.clone();
        centred.centre = Some([0.3; 4]);
        let found = centred.solved(adjacency, n);
        let exact = exact + n as f64 * case.lambda * 0.3 / (20.0 + n as f64 * case.lambda);
        let near = found.bounds.tolerance / case.lambda;
        assert!((found.point[0] - exact).abs() <= near && near < 2e-3);
    }
}

#[test]
fn what_is_no_problem_is_refused() {
    let case = saturated(3);
    let records = case.records(false, Adjacency::ReplaceOne);
    let refused = |what: RegularisedLoss<'_>| {
        records
            .central()
            .unwrap()
            .minimiser(&what)
            .map(drop)
            .unwrap_err()
    };
    let what = case.what(20);
    for lambda in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let error = refused(RegularisedLoss { lambda, ..what });
        assert!(matches!(error, MinimiserError::Lambda(_)), "{error}");
    }
    for records in [0, 19] {
        let error = refused(RegularisedLoss { records, ..what });
        assert!(matches!(error, MinimiserError::Records { .. }), "{error}");
    }
    for support in [&[][..], &[1], &[0, 0]] {
        let support = Some(support);
        let error = refused(RegularisedLoss { support, ..what });
        assert_eq!(error, MinimiserError::Support { width: 1 });
    }
    for centre in [&[][..], &[0.0, 0.0], &[f64::NAN]] {
        let centre = Some(centre);
        let error = refused(RegularisedLoss { centre, ..what });
        assert!(matches!(error, MinimiserError::Centre { .. }), "{error}");
    }
    let minimiser = records.central().unwrap().minimiser(&what).unwrap();
    let answers = |public| minimiser.answers(&public).map(drop).unwrap_err();
    let wide = public(2, RecordBound::Linf(1.0));
    let error = MinimiserError::Public {
        given: 2,
        expected: 1,
    };
    assert_eq!(answers(wide), error);
    let zeros = Matrix::Dense(Dense::new(vec![0.0; 3], 3, 1).unwrap());
    let zeros = PublicFeatures::enforced(zeros, RecordBound::Linf(1.0)).unwrap();
    assert_eq!(answers(zeros), MinimiserError::NoPublic);
    let huber = RegularisedLoss {
        loss: HUBER,
        ..what
    };
    let refused = records.central().unwrap().objective(&huber).map(drop);
    assert_eq!(refused, Err(MinimiserError::NotSmooth));
}
