//! Every question by itself, with hostile parameters that no method uses.

use super::chance::Chance;
use super::table::{Pair, Storage};
use super::{Outcome, Try};
use crate::loss::Loss;
use crate::matrix::{Dense, Matrix};
use crate::mechanism::{
    ReleaseError, exponential, exponential_each, gaussian, geometric, noisy_max, objective, tape,
    top_k, vector,
};
use crate::noise::{Aim, Generator, Grid};
use crate::population::{
    ColumnFrame, Counted, Directions, FramedSums, FramedValue, Gradient, Histograms, LassoCount,
    Length, Lengths, Moments, Population, Query, RegularisedLoss, Residuals, RowFrame, Slopes,
    TargetFrame,
};
use crate::privacy::{
    Adjacency, Budget, Charge, Delta, Epsilon, Ledger, NoiseMultiplier, Range, Rho,
};
use crate::solve::Vertex;
use crate::table::{PublicFeatures, RecordBound};

/// All questions of a hostile table and of its neighbour.
pub(super) fn attack(chance: &mut Chance, adjacency: Adjacency) -> Try {
    let classes = chance.pick(&[0, 2, 2, 4]);
    let pair = Pair::new(chance, classes, adjacency);
    let parts = chance.pick(&[1, 1, 1, 2]);
    let storages = [Storage::new(chance, parts), Storage::new(chance, parts)];
    let seed = chance.bits();
    let records = match adjacency {
        Adjacency::ReplaceOne => pair.protected() as u64,
        Adjacency::AddRemove => 1 + chance.below(60) as u64,
    };
    let run = |rows: &[_], storage: Storage| -> Outcome {
        let sealed = storage.sealed(rows, &pair, true);
        let mut asking = Asking::new(&pair, records, seed);
        asking.all(&*sealed);
        asking.returned.join("; ")
    };
    let (one, two, findings) = tape::coupled(
        pair.difference,
        || run(&pair.first, storages[0]),
        || run(&pair.second, storages[1]),
    );
    Try::done(format!("questions of {pair:?}"), one, two, findings)
}

fn large_budget() -> Budget {
    Budget::new(Epsilon::new(1e9).unwrap(), Delta::new(1e-6).unwrap())
}

/// Asks both tables the same questions, and keeps what is returned besides releases.
pub(crate) struct Asking {
    pub(super) chance: Chance,
    pub(super) ledger: Ledger,
    pub(super) randomness: Generator,
    /// The declared size of a row.
    pub(super) size: f64,
    bound: RecordBound,
    pub(super) width: usize,
    pub(super) classes: u32,
    records: u64,
    pub(super) returned: Vec<String>,
}

impl Asking {
    pub fn new(pair: &Pair, records: u64, seed: u64) -> Self {
        let (RecordBound::L2(size) | RecordBound::Linf(size)) = pair.bound;
        let budget = large_budget();
        Self {
            chance: Chance::new(seed),
            ledger: Ledger::filter(budget, pair.adjacency),
            randomness: Generator::not_private(seed),
            size,
            bound: pair.bound,
            width: pair.width,
            classes: pair.classes,
            records,
            returned: Vec::new(),
        }
    }

    fn all(&mut self, population: &dyn Population) {
        let weighted = self.weighted(population);
        let population = weighted.as_deref().unwrap_or(population);
        self.gradient(population);
        if self.classes == 0 && self.chance.once_in(2) {
            let frame = self.target_frame();
            self.gradient(&*population.framed(frame));
        }
        if let (RecordBound::Linf(_), true) = (self.bound, self.chance.once_in(2)) {
            let frames = self.column_frames();
            let framed = population.columns_framed(&frames);
            self.gradient(&*framed);
            self.moments(&*framed, self.size);
        }
        let constant = self.chance.pick(&[0.0, 0.0, self.size, self.size / 7.0]);
        match (Directions { constant }).ask(population) {
            Ok(query) => self.release(&query),
            Err(error) => self.returned.push(error.to_string()),
        }
        self.moments(population, constant);
        self.medians(population, constant);
        self.batches(population);
        self.loss_changes(population);
        self.histogram(population);
        match population.central() {
            Ok(_) if self.width <= 12 && self.records < 1_000 => self.central(population),
            Ok(_) => {}
            Err(error) => self.returned.push(error.to_string()),
        }
        self.calibration(population);
    }

    /// The population with weights of its classes, if there are to be any: as in a fit, but that they are
    /// public here.
    pub fn weighted<'p>(&self, population: &'p dyn Population) -> Option<Box<dyn Population + 'p>> {
        let asked = population.class_weight()?;
        let weights = asked.of_counts(&vec![3.0; self.classes as usize]);
        Some(population.weighted(&weights))
    }

    /// A ledger for one release over a batch, which no filter covers.
    pub(super) fn ledger_for(&self, charge: Charge, adjacency: Adjacency) -> Ledger {
        Ledger::planned(large_budget(), adjacency, vec![charge]).unwrap()
    }

    pub(super) fn noise(&mut self) -> NoiseMultiplier {
        NoiseMultiplier::new(self.chance.pick(&[3.0, 50.0])).unwrap()
    }

    pub(super) fn keep<T: std::fmt::Debug>(&mut self, released: Result<T, ReleaseError>) {
        self.returned.push(format!("{released:?}"));
    }

    /// A vector, by a Gaussian or by the vector mechanism.
    pub(super) fn release(&mut self, query: &Query<'_>) {
        let noise = self.noise();
        let released = match self.chance.once_in(6) {
            true => {
                let epsilon = Epsilon::new(0.1).unwrap();
                vector(query, epsilon, &mut self.ledger, &mut self.randomness)
            }
            false => gaussian(query, noise, &mut self.ledger, &mut self.randomness),
        };
        self.keep(released);
    }

    /// How many functions have these slopes.
    pub(super) fn functions(&self, slopes: Slopes) -> usize {
        match slopes {
            Slopes::Loss(_) => 1,
            Slopes::Classes => self.classes as usize,
        }
    }

    /// A centre, or scales, or neither.
    pub(super) fn centre_or_scales(&mut self) -> (Vec<f64>, Vec<f64>) {
        let chance = &mut self.chance;
        let centre: Vec<f64> = match chance.below(3) {
            0 => Vec::new(),
            _ => (0..self.width)
                .map(|_| self.size * (2.0 * chance.unit() - 1.0))
                .collect(),
        };
        let scales: Vec<f64> = match centre.is_empty() && chance.once_in(2) {
            true => (0..self.width).map(|_| chance.unit()).collect(),
            false => Vec::new(),
        };
        (centre, scales)
    }

    pub(super) fn slopes(&mut self) -> Slopes {
        match self.classes {
            0 => Slopes::Loss(Loss::Squared {
                threshold: self.chance.pick(&[0.5, 1.0, 2.0]),
            }),
            2 if self.chance.once_in(2) => Slopes::Loss(Loss::Logistic),
            _ => Slopes::Classes,
        }
    }

    fn gradient(&mut self, population: &dyn Population) {
        let slopes = self.slopes();
        let functions = self.functions(slopes);
        let (centre, scales) = self.centre_or_scales();
        let chance = &mut self.chance;
        let longest = self.size * (self.width as f64).sqrt();
        let frame = RowFrame {
            slope: chance.pick(&[f64::INFINITY, 1.0, 0.7, 0.5]),
            length: match chance.below(4) {
                0 => Length::Free,
                1 => Length::Within(longest * chance.pick(&[0.3, 1.0, 1.5])),
                _ => Length::One,
            },
            centre: &centre,
            scales: &scales,
            constant: self.size * chance.pick(&[0.0, 1.0, 0.25]),
            offsets: &[],
        };
        let offsets: Vec<f64> = match chance.below(3) {
            0 => Vec::new(),
            _ => (0..functions)
                .map(|_| chance.pick(&[0.0, -3.0, 1e9, f64::NAN]))
                .collect(),
        };
        let frame = RowFrame {
            offsets: &offsets,
            ..frame
        };
        // Fine enough that truncation does not hide what moves.
        let grid = Grid::new(chance.pick(&[-9, -7, -4])).unwrap();
        let mut gradient = match Gradient::ask(population, slopes, grid, &frame) {
            Ok(gradient) => gradient,
            Err(error) => return self.returned.push(error.to_string()),
        };
        for _ in 0..2 {
            self.look(&mut gradient);
            self.step(&mut gradient);
        }
    }

    /// Every query of a gradient.
    fn look(&mut self, gradient: &mut Gradient<'_>) {
        let several = gradient.outputs() > 1;
        self.release(&gradient.columns());
        self.release(&gradient.intercepts());
        self.release(&gradient.all());
        let range = Range::new(0.1).unwrap();
        let (ledger, randomness) = (&mut self.ledger, &mut self.randomness);
        let scores = match self.chance.below(3) {
            0 => gradient.columns().signed_scores(),
            1 => gradient.columns().scores(),
            _ => gradient.columns().magnitudes(),
        };
        let chosen = exponential(&scores, Aim::Lowest, range, ledger, randomness);
        let epsilon = Epsilon::new(0.1).unwrap();
        let noisiest = noisy_max(&scores, Aim::Lowest, epsilon, ledger, randomness);
        drop(scores);
        let all: Vec<usize> = (0..self.width).collect();
        let norms = gradient.column_norms(&all);
        let best = top_k(&norms, 1, Aim::Highest, range, ledger, randomness);
        let each = several.then(|| {
            let rho = Rho::new(0.01).unwrap();
            exponential_each(&gradient.by_class(), Aim::Lowest, rho, ledger, randomness)
        });
        self.keep(chosen);
        self.keep(noisiest);
        self.keep(best);
        if let Some(each) = each {
            self.keep(each);
        }
    }

    /// Moves the model: weights of any size, and intercepts that saturate the slopes.
    fn step(&mut self, gradient: &mut Gradient<'_>) {
        let outputs = gradient.outputs();
        let chance = &mut self.chance;
        let size = chance.pick(&[0.0, 1.0, 1e6, 1e300, f64::NAN]) / self.size;
        match chance.below(4) {
            0 => {
                let value = |_| size * (2.0 * chance.unit() - 1.0);
                let point = Vertex::Point((0..self.width).map(value).collect());
                gradient.step(&[(chance.below(outputs), point)], chance.unit());
            }
            1 => {
                let vertex = Vertex::Axis {
                    column: chance.below(self.width),
                    value: size,
                };
                gradient.step(&[(chance.below(outputs), vertex)], chance.unit());
            }
            _ => {
                let weight = |_| size * (2.0 * chance.unit() - 1.0);
                let weights: Vec<f64> = (0..self.width * outputs).map(weight).collect();
                gradient.set_weights(&weights);
            }
        }
        let far = [0.0, 1e7, -1e7, f64::INFINITY, f64::NAN];
        let intercepts: Vec<f64> = (0..outputs).map(|_| chance.pick(&far)).collect();
        gradient.set_intercepts(&intercepts);
    }

    fn medians(&mut self, population: &dyn Population, constant: f64) {
        let levels: Vec<f64> = [0.1, 0.5, 0.9, 1.0, 1.1, 2.0, 30.0]
            .map(|level| self.size * level)
            .to_vec();
        let lengths = Lengths {
            levels: &levels,
            constant,
        };
        let range = Range::new(0.1).unwrap();
        let scores = lengths.ask(population);
        let (ledger, randomness) = (&mut self.ledger, &mut self.randomness);
        let first = exponential(&scores, Aim::Highest, range, ledger, randomness);
        let weights = vec![0.4 / self.size; self.width];
        let residuals = Residuals {
            levels: &[0.05, 0.3, 0.5, 0.9, 1.0, 1.5, 2.5],
            weights: &weights,
            intercept: self.chance.pick(&[0.0, 0.5, f64::NAN]),
        };
        let scores = residuals.ask(population);
        let second = exponential(&scores, Aim::Highest, range, ledger, randomness);
        self.keep(first);
        self.keep(second);
    }

    fn moments(&mut self, population: &dyn Population, constant: f64) {
        let length = self.size * self.chance.pick(&[1.0, 2.0, 0.3, 10.0]);
        match (Moments { length, constant }).ask(population) {
            Ok(query) => self.release(&query),
            Err(error) => self.returned.push(error.to_string()),
        }
    }

    /// Frames of any width, beside the bound too, of some columns.
    fn column_frames(&mut self) -> Vec<Option<ColumnFrame>> {
        let (chance, size) = (&mut self.chance, self.size);
        let mut frame = || {
            let low = chance.pick(&[-1.0, -0.5, 0.0, 0.999, -3.0]) * size;
            let width = chance.pick(&[1e-9, 0.001, 0.3, 2.0]) * size;
            (!chance.once_in(3)).then(|| ColumnFrame::between(low, low + width))
        };
        (0..self.width).map(|_| frame()).collect()
    }

    /// A frame of any width, at the ends of the range too.
    fn target_frame(&mut self) -> TargetFrame {
        let low = self.chance.pick(&[-1.0, -0.5, 0.0, 0.999]);
        let width = self.chance.pick(&[1e-9, 0.001, 0.3, 2.0]);
        TargetFrame::between(low, (low + width).min(1.0))
    }

    fn histogram(&mut self, population: &dyn Population) {
        let edges = match self.chance.below(3) {
            0 => vec![-1.0, -0.5, 0.0, 0.5, 1.0],
            1 => vec![0.0],
            _ => (1..64).map(|k| f64::from(k) / 32.0 - 1.0).collect(),
        };
        let framed = match self.classes {
            0 if self.chance.once_in(2) => population.framed(self.target_frame()),
            _ => Box::new(population),
        };
        let end = self.chance.below(self.width) as u32;
        let scaled: Vec<f64> = edges.iter().map(|edge| edge * self.size).collect();
        let all = [
            Counted::Target(&edges),
            Counted::Feature {
                column: end,
                edges: &scaled,
            },
            Counted::Levels {
                first: 0,
                count: end.max(1),
            },
        ];
        let most = if end == 0 { 2 } else { 3 };
        let from = self.chance.below(most);
        let to = from + 1 + self.chance.below(most - from);
        self.release(&Histograms { of: &all[from..to] }.ask(&*framed));
        self.framed_sums(&*framed);
    }

    /// Means in frames of any width, on the records and beside them.
    fn framed_sums(&mut self, population: &dyn Population) {
        let chance = &mut self.chance;
        let mut value = |column: Option<u32>, size: f64| {
            let low = chance.pick(&[-1.0, -0.5, 0.0, 0.999, -3.0]);
            let width = chance.pick(&[f64::MIN_POSITIVE, 1e-9, 0.001, 0.3, 2.0, 1e300]);
            let (low, high) = (low * size, (low + width) * size);
            FramedValue {
                column,
                low,
                high: high.max(low.next_up()),
            }
        };
        let last = self.width as u32 - 1;
        let all = [
            value(None, 1.0),
            value(Some(last), self.size),
            value(Some(0), self.size),
        ];
        let most = if last == 0 { 2 } else { 3 };
        let from = chance.below(most);
        let to = from + 1 + chance.below(most - from);
        self.release(&FramedSums { of: &all[from..to] }.ask(population));
    }

    /// What is not a sum.
    fn central(&mut self, population: &dyn Population) {
        let Ok(sealed) = population.central() else {
            return;
        };
        let range = Range::new(0.1).unwrap();
        let blocks = 1 + self.chance.below(self.records as usize);
        match sealed.votes(blocks, 1) {
            Ok(votes) => {
                let (ledger, randomness) = (&mut self.ledger, &mut self.randomness);
                let chosen = top_k(&votes, 1, Aim::Highest, range, ledger, randomness);
                self.keep(chosen);
            }
            Err(error) => self.returned.push(error.to_string()),
        }
        let loss = match self.classes {
            0 => Loss::Squared {
                threshold: self.chance.pick(&[0.3, 1.0]),
            },
            _ => Loss::Logistic,
        };
        let lasso = LassoCount {
            loss,
            radius: self.chance.pick(&[0.01, 1.0, 100.0]) / self.size,
            intercept: self.chance.once_in(2),
            lo: 0,
            hi: self.chance.pick(&[1, 2, 4]),
        };
        if let Ok(count) = sealed.lasso_count(lasso) {
            let epsilon = Epsilon::new(0.5).unwrap();
            let counted = geometric(&count, epsilon, &mut self.ledger, &mut self.randomness);
            self.keep(counted);
        }
        let lambda = self.size * self.size * self.chance.pick(&[0.1, 10.0, 1e4]);
        let support = self.chance.once_in(3).then_some(&[0][..]);
        let intercept = self.chance.once_in(3);
        let columns = support.map_or(self.width, <[u32]>::len);
        let coordinates = columns + usize::from(intercept);
        let centre = vec![self.chance.pick(&[1.0, -30.0]) / self.size; coordinates];
        let what = RegularisedLoss {
            loss,
            lambda,
            support,
            intercept,
            centre: self.chance.once_in(3).then_some(&centre),
            records: self.records,
        };
        self.err(coordinates);
        match sealed.minimiser(&what) {
            Ok(minimiser) => {
                match minimiser.weights() {
                    Ok(query) => self.release(&query),
                    Err(error) => self.returned.push(error.to_string()),
                }
                match minimiser.answers(&self.public()) {
                    Ok(query) => self.release(&query),
                    Err(error) => self.returned.push(error.to_string()),
                }
            }
            Err(error) => return self.returned.push(error.to_string()),
        }
        if let Ok(whole) = sealed.objective(&what) {
            let epsilon = Epsilon::new(1.0 + whole.least_epsilon()).unwrap();
            let noise = self.noise();
            self.least(coordinates);
            self.err(coordinates);
            let (ledger, randomness) = (&mut self.ledger, &mut self.randomness);
            let released = objective(&whole, epsilon, noise, ledger, randomness);
            self.keep(released);
        }
    }

    /// Along a column, up or down.
    fn direction(&mut self, coordinates: usize) -> Vec<f64> {
        // Records of a wedge differ in the first column.
        let along = match self.chance.once_in(2) {
            true => 0,
            false => self.chance.below(coordinates),
        };
        let sign = self.chance.pick(&[1.0, -1.0]);
        let axis = |j| if j == along { sign } else { 0.0 };
        (0..coordinates).map(axis).collect()
    }

    /// Asks for a search that errs as far as it may; now and then for none, as in a fit.
    fn err(&mut self, coordinates: usize) {
        let direction = self.direction(coordinates);
        if !self.chance.once_in(3) {
            tape::err_towards(direction);
        }
    }

    /// Asks for an objective that is minimal where slopes are saturated, or margins 0; now and then
    /// for none, as in a fit.
    fn least(&mut self, coordinates: usize) {
        let direction = self.direction(coordinates);
        let length = self.chance.pick(&[0.0, 0.0, 1.0, 30.0, 300.0]) / self.size;
        if !self.chance.once_in(4) {
            tape::least_at(direction.iter().map(|w| length * w).collect());
        }
    }

    /// Public rows that point along the columns.
    fn public(&self) -> PublicFeatures {
        let width = self.width;
        let mut values = vec![0.0f32; width * width];
        for j in 0..width {
            values[j * width + j] = self.size as f32;
        }
        let rows = Matrix::Dense(Dense::new(values, width, width).unwrap());
        PublicFeatures::enforced(rows, RecordBound::Linf(self.size)).unwrap()
    }
}
