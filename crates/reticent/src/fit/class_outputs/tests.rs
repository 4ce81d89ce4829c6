//! What is promised of class counts and of a calibration: rates that follow from the counts, margins that
//! are brought back to probabilities, and nothing worse than the rates where noise is larger than the
//! records.
//!
//! Seeds are fixed. Limits are at least four standard deviations of what a seed could give (sampling of the
//! classes, and noise), so that another seed would fail by chance less than once in 10 000.

mod rates;

use super::*;
use crate::fit::testing::budget;
use crate::matrix::{Dense, Matrix};
use crate::noise::Randomness;
use crate::population::Records;
use crate::privacy::{Adjacency, Budget, Delta, Rho, total_rho};
use crate::table::{Layout, Table, Target};
use crate::testing::pairs;

const WIDTH: usize = 4;
const TWO_CLASSES: Task = Task::Logistic;
const THREE_CLASSES: Task = Task::Multinomial { classes: 3 };
/// Noise multipliers of a whole plan: next to none, and some of a budget of ε ≈ 0.02.
const GENEROUS: f64 = 0.02;
const TINY: f64 = 200.0;

fn facts(records: usize) -> Facts {
    Facts {
        records: records as u64,
        columns: WIDTH,
        rows: RecordBound::Linf(1.0),
    }
}

/// Records with known probabilities, and the functions that they follow.
struct Made {
    values: Vec<f32>,
    class: Vec<u32>,
    truth: Vec<LinearFunction>,
}

impl Made {
    /// Uniform rows in [−1, 1]; classes from the softmax of the functions, or with one from its log-odds.
    fn new(rows: usize, truth: Vec<LinearFunction>, seed: u64) -> Self {
        let mut random = Generator::not_private(seed);
        let mut uniform = || (random.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
        let values: Vec<f32> = (0..rows * WIDTH)
            .map(|_| (2.0 * uniform() - 1.0) as f32)
            .collect();
        let linear = Released::Linear(truth.clone());
        let draw = |row: &[f32]| {
            let mut left = uniform();
            let classes = of_classes(&linear, row);
            let drawn = classes.iter().position(|p| {
                left -= p;
                left < 0.0
            });
            drawn.unwrap_or(classes.len() - 1) as u32
        };
        let class = values.chunks(WIDTH).map(draw).collect();
        Self {
            values,
            class,
            truth,
        }
    }

    /// Two classes whose second is about 50 %, 2 % or 98 % of the records.
    fn two(rows: usize, intercept: f64) -> Self {
        let truth = LinearFunction::of(&[1.5, -1.0, 1.2, 0.0], intercept);
        Self::new(rows, vec![truth], 3)
    }

    fn three(rows: usize) -> Self {
        let truth = [
            LinearFunction::of(&[1.5, -1.0, 0.0, 0.0], 0.6),
            LinearFunction::of(&[-1.0, 1.5, 0.5, 0.0], 0.0),
            LinearFunction::of(&[0.0, 0.0, -1.2, 0.0], -0.8),
        ];
        Self::new(rows, truth.to_vec(), 4)
    }

    fn task(&self) -> Task {
        match self.truth.len() {
            1 => TWO_CLASSES,
            _ => THREE_CLASSES,
        }
    }

    fn records(&self, adjacency: Adjacency) -> Records<'static> {
        let rows = self.class.len();
        let classes = self.truth.len().max(2);
        let table = Table {
            features: Matrix::Dense(Dense::new(self.values.clone(), rows, WIDTH).unwrap()),
            target: Target::Classes {
                class: self.class.clone(),
                names: (0..classes).map(|k| k.to_string()).collect(),
            },
            layout: Layout::Numbered {
                first: 1,
                width: WIDTH,
            },
            assumed: Vec::new(),
            units: None,
        };
        let bound = RecordBound::Linf(1.0);
        table.enforce(bound, None, false, adjacency).unwrap()
    }

    /// The mean prediction of each class.
    fn mean(&self, model: &Released) -> Vec<f64> {
        let mut means = vec![0.0; self.truth.len().max(2)];
        for row in self.values.chunks(WIDTH) {
            for (mean, p) in pairs(&mut means, of_classes(model, row)) {
                *mean += p / self.class.len() as f64;
            }
        }
        means
    }

    /// The slope of a model's log-odds in the true ones, of two classes: least squares over the records,
    /// each by how undecided it is.
    fn slope(&self, model: &Released) -> f64 {
        let truth = Released::Linear(self.truth.clone());
        let rows = || self.values.chunks(WIDTH);
        let points: Vec<(f64, f64, f64)> = rows()
            .map(|row| {
                let (x, y) = (scores(&truth, row)[0], scores(model, row)[0]);
                (x, y, sigmoid(x) * (1.0 - sigmoid(x)))
            })
            .collect();
        let total: f64 = points.iter().map(|(.., w)| w).sum();
        let mean = |of: fn(&(f64, f64, f64)) -> f64| -> f64 {
            points.iter().map(|point| point.2 * of(point)).sum::<f64>() / total
        };
        let (x, y) = (mean(|p| p.0), mean(|p| p.1));
        (mean(|p| p.0 * p.1) - x * y) / (mean(|p| p.0 * p.0) - x * x)
    }

    /// The share of each class among the records.
    fn shares(&self) -> Vec<f64> {
        let mut shares = vec![0.0; self.truth.len().max(2)];
        for class in &self.class {
            shares[*class as usize] += 1.0 / self.class.len() as f64;
        }
        shares
    }

    /// The model that is released for `functions`, where the whole plan has noise `z`; what was
    /// charged is the plan.
    fn calibrated(
        &self,
        functions: Vec<LinearFunction>,
        z: f64,
        (adjacency, seed): (Adjacency, u64),
    ) -> (Released, ClassRates) {
        let outputs = ClassOutputs::new(multiplier(z), self.task(), Around::Calibration).unwrap();
        let mut ledger = Ledger::filter(unlimited(), adjacency);
        let mut randomness = Generator::not_private(seed);
        let records = self.records(adjacency);
        // Under add-remove the number of records is declared, and may be wrong.
        let facts = match adjacency {
            Adjacency::ReplaceOne => facts(self.class.len()),
            Adjacency::AddRemove => facts(1000),
        };
        let rates = outputs.rates(&records, &facts, &mut ledger, &mut randomness);
        let rates = rates.unwrap();
        let table = (&records as &dyn Population, &facts);
        let found = outputs.calibrate(functions, &[], &rates, table, &mut ledger, &mut randomness);
        assert_eq!(
            noises(&ledger.statement().charges),
            noises(&outputs.charges())
        );
        (found.unwrap(), rates)
    }
}

/// The noise of every release, whatever their order.
fn noises(charges: &[Charge]) -> Vec<f64> {
    let of_charge = |charge: &Charge| {
        let Event::Gaussian { noise } = charge.event else {
            panic!("Gaussians only");
        };
        std::iter::repeat_n(noise.get(), charge.count.get() as usize)
    };
    let mut noises: Vec<f64> = charges.iter().flat_map(of_charge).collect();
    noises.sort_by(f64::total_cmp);
    noises
}

/// Whatever a test charges.
fn unlimited() -> Budget {
    Budget::zcdp(Rho::new(1e6).unwrap(), Delta::new(1e-6).unwrap()).unwrap()
}

/// The scores of a row: log-odds of the second of two classes, or one per class.
fn scores(model: &Released, row: &[f32]) -> Vec<f64> {
    let score = |f: &LinearFunction| {
        let terms = f
            .weights
            .iter()
            .map(|(j, w)| w * f64::from(row[*j as usize]));
        let margin = f.intercept + terms.sum::<f64>();
        model.map().map_or(margin, |map| map.log_odds(margin))
    };
    model.outputs().iter().map(score).collect()
}

/// The probability of each class; with one function of two.
fn of_classes(model: &Released, row: &[f32]) -> Vec<f64> {
    let scores = scores(model, row);
    if let [log_odds] = scores[..] {
        let p = sigmoid(log_odds);
        return vec![1.0 - p, p];
    }
    let largest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let odds: Vec<f64> = scores.iter().map(|s| (s - largest).exp()).collect();
    let total: f64 = odds.iter().sum();
    odds.iter().map(|odds| odds / total).collect()
}

/// The same functions with margins that are too small or too large, measured from the log-odds of the
/// classes' shares, and shifted by so many of their own units.
fn wrong(made: &Made, scale: f64, shift: f64) -> Vec<LinearFunction> {
    let origins: Vec<f64> = match made.shares()[..] {
        [first, second] => vec![(second / first).ln()],
        ref shares => shares.iter().map(|share| share.ln()).collect(),
    };
    let of_class = |(k, (f, origin)): (usize, (&LinearFunction, f64))| {
        let shift = scale * shift * (1.0 - 0.7 * k as f64);
        f.clone().scaled(scale, origin - scale * origin + shift)
    };
    let functions = pairs(&made.truth, origins).enumerate();
    functions.map(of_class).collect()
}

/// Factors and shifts of margins, whose deviation is 1.2.
const WRONG: [(f64, f64); 6] = [
    (0.1, 0.0),
    (0.1, 1.0),
    (0.1, -1.0),
    (10.0, 0.0),
    (10.0, 1.0),
    (10.0, -1.0),
];

/// 40 000 records. A slope is known to about 1.5 % from a balanced table, and to 3 % from the 800
/// records of a rare class, as the deviation of the classes' own sampling; the sum of predictions is fitted
/// to the count itself, and only noise is between them: 0.1 % of the rare class here.
#[test]
fn margins_of_two_classes_that_are_scaled_and_shifted_are_brought_back() {
    for adjacency in [Adjacency::ReplaceOne, Adjacency::AddRemove] {
        for intercept in [0.0, -4.7, 4.7] {
            let made = Made::two(40_000, intercept);
            let shares = made.shares();
            let rare = shares[0].min(shares[1]);
            assert!((0.45..0.5).contains(&rare) || (0.015..0.025).contains(&rare));
            for (scale, shift) in WRONG {
                let functions = wrong(&made, scale, shift);
                let (found, _) = made.calibrated(functions, GENEROUS, (adjacency, 1));
                let case = format!("{intercept} × {scale} + {shift}: {found:?}");
                let slope = made.slope(&found);
                assert!((0.9..1.1).contains(&slope), "slope {slope} of {case}");
                for (mean, share) in pairs(made.mean(&found), &shares) {
                    let ratio = mean / share;
                    assert!((0.99..1.01).contains(&ratio), "mean {ratio} of {case}");
                }
            }
        }
    }
}

/// 40 000 records: a slope is known to about 1.5 %. Terms of badly predicted records are shortened, which costs
/// another 6 %; Newton's steps are as many as they are, and the farther shifted, the less near they come.
#[test]
fn margins_of_three_classes_that_are_scaled_and_shifted_are_brought_back() {
    for adjacency in [Adjacency::ReplaceOne, Adjacency::AddRemove] {
        let made = Made::three(40_000);
        for scale in [0.1, 1.0, 10.0] {
            for (shift, of_slope, of_mean) in [(0.0, 0.1, 0.01), (0.3, 0.15, 0.03)] {
                let functions = wrong(&made, scale, shift);
                let (found, _) = made.calibrated(functions, GENEROUS, (adjacency, 1));
                let case = format!("× {scale} + {shift}: {found:?}");
                let slope = found.outputs()[0].weights[0].1 / made.truth[0].weights[0].1;
                assert!((slope - 1.0).abs() < of_slope, "slope {slope} of {case}");
                for (mean, share) in pairs(made.mean(&found), made.shares()) {
                    let ratio = mean / share;
                    assert!((ratio - 1.0).abs() < of_mean, "mean {ratio} of {case}");
                }
            }
        }
    }
}

/// A model whose order is wrong throughout is not turned round: it becomes flat.
#[test]
fn margins_that_say_the_opposite_become_flat() {
    let made = Made::two(20_000, -1.0);
    let turned = wrong(&made, -1.0, 0.0);
    let (found, _) = made.calibrated(turned, GENEROUS, (Adjacency::ReplaceOne, 1));
    let slope = -made.slope(&found);
    assert!(slope > 0.0 && slope < 0.1, "{slope}");
    for (mean, share) in pairs(made.mean(&found), made.shares()) {
        assert!((mean / share - 1.0).abs() < 0.01);
    }
}

/// Over 20 seeds. The mean prediction is fitted to counts, by sums of probabilities and a histogram that have
/// about as much noise each: √3 deviations of a count together, and the limit is four of these.
#[test]
fn a_tiny_budget_keeps_the_order_and_the_rates() {
    for made in [
        Made::two(4000, -1.0),
        Made::two(4000, 3.0),
        Made::three(4000),
    ] {
        for seed in 0..20 {
            for adjacency in [Adjacency::ReplaceOne, Adjacency::AddRemove] {
                for (z, limit) in [(TINY / 10.0, true), (TINY, false), (1e4, false)] {
                    let before = wrong(&made, 10.0, -2.0);
                    let (found, rates) = made.calibrated(before.clone(), z, (adjacency, seed));
                    for (found, before) in pairs(found.outputs(), &before) {
                        assert!(found.intercept.is_finite());
                        for (found, before) in pairs(&found.weights, &before.weights) {
                            let slope = found.1 / before.1;
                            assert!(slope > 0.0 && slope.is_finite(), "{slope}");
                        }
                    }
                    let means = made.mean(&found);
                    assert!(means.iter().all(|mean| mean.is_finite()));
                    for (mean, share) in pairs(means, made.shares()) {
                        let off = (mean - share).abs() * made.class.len() as f64;
                        let most = 4.0 * 3f64.sqrt() * rates.deviation;
                        assert!(!limit || off < most, "{off} {most} {seed} {adjacency:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn a_model_without_weights_becomes_the_rates() {
    for made in [Made::two(500, -1.0), Made::three(500)] {
        let constant = |k: usize| LinearFunction::of(&[], 40.0 - 7.0 * k as f64);
        let functions: Vec<LinearFunction> = (0..made.truth.len()).map(constant).collect();
        let outputs = ClassOutputs::new(multiplier(1.0), made.task(), Around::Calibration).unwrap();
        let mut ledger = Ledger::filter(unlimited(), Adjacency::ReplaceOne);
        let mut randomness = Generator::not_private(1);
        let (records, facts) = (made.records(Adjacency::ReplaceOne), facts(500));
        let rates = outputs
            .rates(&records, &facts, &mut ledger, &mut randomness)
            .unwrap();
        let table = (&records as &dyn Population, &facts);
        let found = outputs.calibrate(functions, &[], &rates, table, &mut ledger, &mut randomness);
        let constants = Released::Linear(rates.functions());
        assert_eq!(found.unwrap(), constants);
        // Whether there are weights may be an outcome: what is charged is what was planned.
        let count =
            |charges: &[Charge]| charges.iter().map(|charge| charge.count.get()).sum::<u64>();
        let (planned, charged) = (outputs.charges(), ledger.statement().charges);
        assert_eq!(count(&charged), count(&planned));
        let near = 1e-9 * total_rho(&planned).unwrap();
        assert!((total_rho(&charged).unwrap() - total_rho(&planned).unwrap()).abs() < near);
        for (mean, share) in pairs(made.mean(&constants), rates.shares()) {
            assert!((mean - share).abs() < 1e-9);
        }
    }
}

/// Two classes by one function each, as a multinomial model of two classes has.
#[test]
fn two_classes_may_have_two_functions() {
    use crate::fit::{Auto, FitInput};
    let made = Made::two(4000, -1.0);
    let task = Task::Multinomial { classes: 2 };
    let auto = Auto::new(task, budget(5.0, 1e-6));
    let (plan, _) = auto.plan(facts(4000)).unwrap();
    let records = made.records(Adjacency::ReplaceOne);
    let mut randomness = Generator::not_private(1);
    let fitted = plan.run(FitInput::Sealed(&records), &mut randomness, &mut ());
    let fitted = fitted.unwrap();
    assert_eq!(fitted.outputs().len(), 2);
    for (mean, share) in pairs(made.mean(&fitted.released), made.shares()) {
        assert!((mean / share - 1.0).abs() < 0.2, "{mean} {share}");
    }
}

/// Log-odds that are −3, then rise, and then stay at 1.
fn levelled(margin: f64) -> f64 {
    (4.0 * margin - 1.0).clamp(-3.0, 1.0)
}

/// The mean of |p − p*|. The best straight map leaves 0.048; heights at nine knots, fitted without a prior to
/// as many records, between 0.006 and 0.008 over five draws. The limit is ten of their deviations above.
#[test]
fn log_odds_that_level_off_are_followed() {
    let truth = LinearFunction::of(&[0.7, -0.5, 0.4, 0.0], 0.0);
    let mut made = Made::new(40_000, vec![truth.clone()], 5);
    let margins = |row: &[f32]| scores(&Released::Linear(vec![truth.clone()]), row)[0];
    let mut random = Generator::not_private(6);
    let mut uniform = || (random.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
    made.class = made
        .values
        .chunks(WIDTH)
        .map(|row| u32::from(uniform() < sigmoid(levelled(margins(row)))))
        .collect();
    for adjacency in [Adjacency::ReplaceOne, Adjacency::AddRemove] {
        for scale in [0.3, 5.0] {
            let functions = vec![truth.clone().scaled(scale, 0.0)];
            let (found, _) = made.calibrated(functions, GENEROUS, (adjacency, 1));
            let rows = || made.values.chunks(WIDTH);
            let off: f64 = rows()
                .map(|row| (of_classes(&found, row)[1] - sigmoid(levelled(margins(row)))).abs())
                .sum();
            let mean = off / made.class.len() as f64;
            assert!(mean < 0.015, "{mean}: {found:?}");
            // The linear function says which class is the likelier one.
            let Released::Calibrated { function, map } = &found else {
                panic!("{found:?}");
            };
            assert!(map.log_odds(0.0).abs() < 1e-9);
            let linear = Released::Linear(vec![function.clone()]);
            for row in rows() {
                let (margin, log_odds) = (scores(&linear, row)[0], scores(&found, row)[0]);
                assert!((margin > 0.0) == (log_odds > 0.0) || margin.abs() < 1e-9);
            }
        }
    }
}
