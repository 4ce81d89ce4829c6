//! What every population promises: the same answers however its records are split, even if a part
//! was lost and read again.

use std::cell::Cell;
use std::sync::Arc;

use super::gradient::{Follow, Frame, Move, SumsOfGradient};
use super::question::{LocalSum, Sums};
use super::*;
use crate::loss::Loss;
use crate::matrix::{Dense, Matrix};
use crate::noise::Grid;
use crate::privacy::Adjacency;
use crate::solve::Vertex;
use crate::table::{Layout, RecordBound, Table, Target};

const WIDTH: usize = 5;

/// Fixed pseudo-random numbers in [−1, 1).
fn pseudo_random(k: usize) -> f64 {
    2.0 * (k as f64 * 0.618_033_988_749_894_9).fract() - 1.0
}

fn records(rows: std::ops::Range<usize>, classes: u32, adjacency: Adjacency) -> Records<'static> {
    let entry = |i: usize| (0..WIDTH).map(move |j| pseudo_random(i * 977 + j * 31) as f32);
    let values = rows.clone().flat_map(entry).collect();
    let table = Table {
        features: Matrix::Dense(Dense::new(values, rows.len(), WIDTH).unwrap()),
        target: Target::Classes {
            class: rows.map(|i| (i * 7 % classes as usize) as u32).collect(),
            names: (0..classes).map(|k| k.to_string()).collect(),
        },
        layout: Layout::Numbered {
            first: 1,
            width: WIDTH,
        },
        assumed: Vec::new(),
        units: None,
    };
    let bound = RecordBound::Linf(0.8);
    table.enforce(bound, None, false, adjacency).unwrap()
}

/// A step of a path that is kept for replay.
enum Kept {
    Towards(Vec<(usize, Vertex)>, f64),
    Weights(Vec<f64>),
    Intercepts(Vec<f64>),
    /// The sums were computed.
    Look,
}

/// Records that are read again after every few questions, so that their state is lost.
struct Forgetful<'a>(&'a Records<'a>);

struct Remembered<'a> {
    records: &'a Records<'a>,
    frame: Arc<Frame>,
    path: Vec<Kept>,
    state: Box<dyn Follow + 'a>,
    looks: Cell<usize>,
}

impl Population for Forgetful<'_> {
    fn shape(&self) -> Shape {
        self.0.shape()
    }

    fn sum(&self, question: &dyn LocalSum) -> Sums {
        self.0.sum(question)
    }

    fn sum_of_batch(&self, question: &dyn BatchSum, members: &Members<'_>) -> WideSums {
        self.0.sum_of_batch(question, members)
    }

    fn follow(&self, frame: &Arc<Frame>) -> Box<dyn Follow + '_> {
        Box::new(Remembered {
            records: self.0,
            frame: Arc::clone(frame),
            path: Vec::new(),
            state: self.0.follow(frame),
            looks: Cell::new(0),
        })
    }

    fn restricted_to(&self, columns: &[u32]) -> Box<dyn Population + '_> {
        self.0.restricted_to(columns)
    }

    fn framed(&self, frame: TargetFrame) -> Box<dyn Population + '_> {
        self.0.framed(frame)
    }

    fn columns_framed(&self, frames: &[Option<ColumnFrame>]) -> Box<dyn Population + '_> {
        self.0.columns_framed(frames)
    }

    fn class_weight(&self) -> Option<&ClassWeight> {
        self.0.class_weight()
    }

    fn weighted(&self, weights: &[f64]) -> Box<dyn Population + '_> {
        self.0.weighted(weights)
    }

    fn tables(&self) -> Vec<SealedTable> {
        self.0.tables()
    }

    fn central(&self) -> Result<CentralRecords<'_>, NotCentral> {
        self.0.central()
    }
}

impl Follow for Remembered<'_> {
    fn advance(&mut self, step: &Move<'_>) {
        self.path.push(match step {
            Move::Step { towards, size } => Kept::Towards(towards.to_vec(), *size),
            Move::Weights(weights) => Kept::Weights(weights.to_vec()),
            Move::Intercepts(intercepts) => Kept::Intercepts(intercepts.to_vec()),
        });
        self.state.advance(step);
    }

    fn sums(&mut self) -> SumsOfGradient<'_> {
        self.looks.set(self.looks.get() + 1);
        if self.looks.get().is_multiple_of(3) {
            // Lost, and restored by replaying the moves and sums.
            self.state = self.records.follow(&self.frame);
            for kept in &self.path {
                match kept {
                    Kept::Towards(towards, size) => self.state.advance(&Move::Step {
                        towards,
                        size: *size,
                    }),
                    Kept::Weights(weights) => self.state.advance(&Move::Weights(weights)),
                    Kept::Intercepts(all) => self.state.advance(&Move::Intercepts(all)),
                    Kept::Look => drop(self.state.sums()),
                }
            }
        }
        self.path.push(Kept::Look);
        self.state.sums()
    }
}

/// Everything that a gradient answers along a path.
fn walked(population: &dyn Population, slopes: Slopes, frame: &RowFrame<'_>) -> Vec<Vec<i64>> {
    let grid = Grid::new(-6).unwrap();
    let mut gradient = Gradient::ask(population, slopes, grid, frame).unwrap();
    let outputs = gradient.outputs();
    let mut answers = Vec::new();
    for t in 0..24 {
        let size = 2.0 / (t as f64 + 2.0);
        match t % 4 {
            3 => {
                let weight = |k: usize| 3.0 * pseudo_random(t * 31 + k);
                let weights: Vec<f64> = (0..outputs * WIDTH).map(weight).collect();
                gradient.set_weights(&weights);
            }
            _ => {
                let vertex = Vertex::Axis {
                    column: t % WIDTH,
                    value: 4.0 * pseudo_random(t),
                };
                gradient.step(&[(t % outputs, vertex)], size);
            }
        }
        let intercepts: Vec<f64> = (0..outputs).map(|k| pseudo_random(t + 5 * k)).collect();
        gradient.set_intercepts(&intercepts);
        answers.push(gradient.columns().raw_values().to_vec());
        answers.push(gradient.all().raw_values().to_vec());
    }
    answers
}

fn frames() -> [RowFrame<'static>; 4] {
    [
        RowFrame::plain(),
        RowFrame {
            slope: 0.5,
            length: Length::Within(1.1),
            centre: &[],
            scales: &[],
            constant: 0.7,
            offsets: &[],
        },
        RowFrame {
            slope: 0.7,
            length: Length::One,
            centre: &[0.1, -0.2, 0.3, 0.0, 0.05],
            scales: &[],
            constant: 0.8,
            offsets: &[],
        },
        RowFrame {
            slope: 0.7,
            length: Length::One,
            centre: &[],
            scales: &[1.0, 0.25, 0.3, 0.0625, 0.5],
            constant: 0.8,
            offsets: &[],
        },
    ]
}

#[test]
fn a_part_that_is_lost_and_read_again_gives_the_same_bits() {
    let slopes = [(2, Slopes::Loss(Loss::Logistic)), (4, Slopes::Classes)];
    for (classes, slopes) in slopes {
        let whole = records(0..300, classes, Adjacency::ReplaceOne);
        let [first, second] =
            [0..130, 130..300].map(|r| records(r, classes, Adjacency::ReplaceOne));
        let (first, second) = (Forgetful(&first), Forgetful(&second));
        let parts = Parts::new(vec![Box::new(first), Box::new(second)]).unwrap();
        for frame in frames() {
            assert_eq!(
                walked(&parts, slopes, &frame),
                walked(&whole, slopes, &frame)
            );
        }
    }
}

/// In real numbers, before any grid is chosen: fits set their steps and grids by it.
#[test]
fn no_query_has_more_sensitivity_than_its_question_says_beforehand() {
    for adjacency in [Adjacency::ReplaceOne, Adjacency::AddRemove] {
        let records = records(0..40, 2, adjacency);
        let near = |query: &Query<'_>, moved: f64| {
            let sensitivity = query.sensitivity();
            assert!(sensitivity <= moved * (1.0 + 1e-9) && sensitivity > 0.97 * moved);
        };
        let [_, within, unit, _] = frames();
        for (frame, length) in [(within, 1.1), (unit, 1.0)] {
            let slopes = Slopes::Loss(Loss::Logistic);
            let grid = Grid::new(-8).unwrap();
            let mut gradient = Gradient::ask(&records, slopes, grid, &frame).unwrap();
            near(
                &gradient.all(),
                Gradient::moved(adjacency, frame.slope, length),
            );
        }
        let directions = Directions { constant: 0.3 };
        near(
            &directions.ask(&records).unwrap(),
            Directions::moved(adjacency),
        );
        let moments = Moments {
            length: 1.3,
            constant: 0.8,
        };
        // Truncation adds a few grid steps, of which C² spans 2³⁵ or more.
        near(&moments.ask(&records).unwrap(), moments.moved(adjacency));
    }
}

fn column_frames() -> [Option<ColumnFrame>; WIDTH] {
    let frame = |low, high| Some(ColumnFrame::between(low, high));
    [
        frame(-0.01, 0.01),
        None,
        frame(0.3, 0.31),
        frame(-9.0, -5.0),
        frame(-0.8, 0.8),
    ]
}

#[test]
fn framed_columns_of_parts_are_those_of_the_whole() {
    let whole = records(0..300, 2, Adjacency::ReplaceOne);
    let [first, second] = [0..130, 130..300].map(|r| records(r, 2, Adjacency::ReplaceOne));
    let parts = Parts::new(vec![Box::new(first), Box::new(second)]).unwrap();
    let frames = column_frames();
    let moments = |population: &dyn Population| {
        let asked = Moments {
            length: 1.3,
            constant: 0.8,
        };
        let framed = population.columns_framed(&frames);
        assert_eq!(framed.shape(), population.shape());
        asked.ask(&*framed).unwrap().raw_values().to_vec()
    };
    assert_eq!(moments(&parts), moments(&whole));
}

#[test]
fn a_framed_entry_fills_its_bound_and_never_exceeds_it() {
    let records = records(0..300, 2, Adjacency::ReplaceOne);
    let frames = column_frames();
    let framed = records.features_in(&frames);
    let most = records.clip.steps as f32;
    let unit = records.clip.grid.step();
    for i in 0..300 {
        let mut row = Vec::new();
        records.features.for_row(i, |_, x| row.push(x));
        framed.for_row(i, |j, x| {
            assert!(x.abs() <= most && x.fract() == 0.0);
            let expected = match frames[j] {
                None => f64::from(row[j]),
                Some(frame) => {
                    let away = f64::from(row[j]) * unit - frame.location();
                    (away / frame.half_width()).clamp(-1.0, 1.0) * f64::from(most)
                }
            };
            assert!((f64::from(x) - expected).abs() < 1.0, "{i}, {j}");
        });
    }
    // All values lie above this frame, and so at its upper end.
    framed.for_row(7, |j, x| assert!(j != 3 || x == most));
}

#[test]
fn parts_of_different_tables_are_refused() {
    let part = |rows, classes, adjacency| -> Box<dyn Population> {
        Box::new(records(rows, classes, adjacency))
    };
    use Adjacency::{AddRemove, ReplaceOne};
    let refused = |parts| Parts::new(parts).map(drop).unwrap_err();
    assert_eq!(refused(Vec::new()), PartsError::None);
    let two = |classes, adjacency| vec![part(0..3, 2, ReplaceOne), part(3..5, classes, adjacency)];
    assert_eq!(refused(two(3, ReplaceOne)), PartsError::Different(1));
    assert_eq!(refused(two(2, AddRemove)), PartsError::Different(1));
    let one = records(0..3, 2, AddRemove);
    let columns: Vec<u32> = (0..WIDTH as u32).collect();
    let twice: [Vec<Box<dyn Population + '_>>; 2] = [
        vec![Box::new(&one), Box::new(&one)],
        vec![one.restricted_to(&[0, 1]), one.restricted_to(&[1, 2])],
    ];
    for parts in twice {
        assert_eq!(Parts::new(parts).map(drop), Err(PartsError::Twice));
    }
    let alone = Parts::new(vec![one.restricted_to(&columns)]).unwrap();
    assert_eq!(alone.shape().width(), WIDTH);
    let both = Parts::new(two(2, ReplaceOne)).unwrap();
    assert_eq!(both.shape().count(), Some(5));
    assert_eq!(
        both.central().map(drop),
        Err(NotCentral::InParts { parts: 2 })
    );
    let private = Parts::new(vec![part(0..3, 2, AddRemove), part(0..0, 2, AddRemove)]).unwrap();
    assert_eq!(private.shape().count(), None);
}
