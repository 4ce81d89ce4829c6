//! What the other files try to go around: the one way that compiles. It keeps them honest:
//! if a path or a name here changes, they fail to compile for the wrong reason.

use reticent::loss::Loss;
use reticent::matrix::{Dense, Matrix};
use reticent::mechanism::gaussian;
use reticent::noise::{Grid, SecureGenerator};
use reticent::population::{BoundedSum, Gradient, Lengths, Population, RowFrame, Slopes};
use reticent::privacy::{
    Adjacency, Budget, Charge, Delta, Epsilon, Event, Ledger, NoiseMultiplier,
};
use reticent::solve::Vertex;
use reticent::table::{Layout, RecordBound, Table, Target};

pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut sum = BoundedSum::new(2, RecordBound::L2(1.0), Grid::new(-20)?)?;
    sum.add(&[0.6, -0.8])?;
    let query = sum.into_query(Adjacency::ReplaceOne)?;

    let noise = NoiseMultiplier::new(10.0)?;
    let budget = Budget::new(Epsilon::new(1.0)?, Delta::new(1e-6)?);
    let plan = vec![Charge::once(Event::Gaussian { noise })];
    let mut ledger = Ledger::planned(budget, Adjacency::ReplaceOne, plan)?;

    let released = gaussian(
        &query,
        noise,
        &mut ledger,
        &mut SecureGenerator::from_system()?,
    )?;
    println!("{:?}", released.to_real());
    gradient()
}

fn gradient() -> Result<(), Box<dyn std::error::Error>> {
    let table = Table {
        features: Matrix::Dense(Dense::new(vec![0.6, -0.8, 1.0, 0.0], 2, 2)?),
        target: Target::Classes {
            class: vec![1, 0],
            names: vec!["no".into(), "yes".into()],
        },
        layout: Layout::Numbered { first: 1, width: 2 },
        assumed: Vec::new(),
        units: None,
    };
    let records = table.enforce(RecordBound::L2(1.0), None, false, Adjacency::ReplaceOne)?;
    let slopes = Slopes::Loss(Loss::Logistic);
    let mut gradient = Gradient::ask(&records, slopes, Grid::new(-10)?, &RowFrame::plain())?;
    let vertex = Vertex::Axis {
        column: 1,
        value: 2.0,
    };
    gradient.step(&[(0, vertex)], 1.0);
    let candidates = gradient.columns().signed_scores().candidates();
    let count = records.shape().count();
    println!("{count:?} records, {candidates} candidates");
    let lengths = Lengths {
        levels: &[0.5, 1.0],
        constant: 0.0,
    };
    let _shut = records.sum(&lengths);
    Ok(())
}
