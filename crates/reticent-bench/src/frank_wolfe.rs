//! A step of private Frank–Wolfe on news20, beside one pass over its non-zeros.

use std::hint::black_box;
use std::path::Path;

use reticent::data::{
    ClassPattern, Matrix, Reading, RecordBound, Records, Table, Vertex, Wanted, read,
};
use reticent::loss::Loss;
use reticent::mechanism::exponential;
use reticent::noise::{Aim, Grid, SecureGenerator};
use reticent::privacy::{Adjacency, Budget, Charge, Delta, Epsilon, Event, Ledger, Range};

use crate::measure::{Row, Unit, time};

/// Steps of a fit.
const STEPS: u64 = 1000;
/// The ℓ₁ radius.
const RADIUS: f64 = 50.0;
/// The η of each of 1000 selections that together cost ε = 1 at δ = 1e-6.
const ETA: f64 = 0.013958;

/// Prints the rows, if the data are there.
pub fn steps() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/news20.xz");
    if !path.exists() {
        println!("news20 is not at {}: its rows are left out", path.display());
        return;
    }
    measure(news20(&path));
}

/// Classes 1 to 10 against the rest.
fn news20(path: &Path) -> Table {
    let class = |name: &str, labels| ClassPattern {
        name: name.to_owned(),
        labels,
    };
    let first_ten = (1..=10).map(|label| label.to_string()).collect();
    let classes = [class("rest", None), class("first ten", Some(first_ten))];
    let reading = Reading {
        wanted: Wanted::Classes(Some(&classes)),
        columns: Some(62_061),
        zero_based: false,
        schema: None,
        progress: &|_, _| {},
    };
    read(path, &reading).unwrap()
}

/// The rows of a sparse table of two classes.
pub fn measure(table: Table) {
    let Matrix::Sparse(features) = &table.features else {
        panic!("news20 is sparse");
    };
    let values: Vec<f32> = (0..features.rows())
        .flat_map(|i| features.row(i).1.to_vec())
        .collect();
    Row::new("one pass over the non-zeros of news20", Unit::Milliseconds)
        .ours(time(1, || _ = black_box(sum(&values))))
        .print();
    drop(values);

    let records = table
        .enforce(RecordBound::L2(1.0), None, false, Adjacency::ReplaceOne)
        .unwrap();
    Row::new("Frank–Wolfe on news20, a step", Unit::Milliseconds)
        .goal(0.3)
        .ours(time(1, || fit(&records)).per(STEPS as usize))
        .print();
}

/// A sum in sixteen lanes, as fast as memory.
fn sum(values: &[f32]) -> f32 {
    let mut lanes = [0.0; 16];
    for chunk in values.chunks_exact(16) {
        for (lane, value) in lanes.iter_mut().zip(chunk) {
            *lane += value;
        }
    }
    lanes.iter().sum()
}

/// The whole loop: gradient, selection among both signs of every column, step.
fn fit(records: &Records) {
    let budget = Budget {
        epsilon: Epsilon::new(1.0).unwrap(),
        delta: Delta::new(1e-6).unwrap(),
    };
    let range = Range::new(ETA).unwrap();
    let plan = vec![Charge::new(
        Event::Exponential { range },
        STEPS.try_into().unwrap(),
    )];
    let mut ledger = Ledger::planned(budget, records.adjacency(), plan).unwrap();
    let mut rng = SecureGenerator::from_system().unwrap();
    // An eighth of the noise of the mean gradient, 4RB/(nη).
    let noise = 4.0 / (records.count().unwrap() as f64 * ETA);
    let slope_grid = Grid::new((noise / 8.0).log2().floor() as i32).unwrap();
    let mut gradient = records.gradient(Loss::Logistic, slope_grid).unwrap();
    for t in 0..STEPS {
        let scores = gradient.columns().signed_scores();
        let winner = exponential(&scores, Aim::Lowest, range, &mut ledger, &mut rng).unwrap();
        let (column, value) = match winner.checked_sub(records.width()) {
            None => (winner, RADIUS),
            Some(column) => (column, -RADIUS),
        };
        gradient.step(&Vertex::Axis { column, value }, 2.0 / (t as f64 + 2.0));
    }
    black_box(&mut gradient);
}
