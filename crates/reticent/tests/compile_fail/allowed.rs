//! What the other files try to go around: the one way that compiles. It keeps them honest:
//! if a path or a name here changes, they fail to compile for the wrong reason.

use reticent::data::{BoundedSum, RecordBound};
use reticent::mechanism::gaussian;
use reticent::noise::{Grid, SecureGenerator};
use reticent::privacy::{Adjacency, Budget, Charge, Delta, Epsilon, Event, Ledger, NoiseMultiplier};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut sum = BoundedSum::new(2, RecordBound::L2(1.0), Grid::new(-20)?)?;
    sum.add(&[0.6, -0.8])?;
    let query = sum.into_query(Adjacency::ReplaceOne)?;

    let noise = NoiseMultiplier::new(10.0)?;
    let budget = Budget { epsilon: Epsilon::new(1.0)?, delta: Delta::new(1e-6)? };
    let plan = vec![Charge::once(Event::Gaussian { noise })];
    let mut ledger = Ledger::planned(budget, Adjacency::ReplaceOne, plan)?;

    let released = gaussian(&query, noise, &mut ledger, &mut SecureGenerator::from_system()?)?;
    println!("{:?}", released.to_real());
    Ok(())
}
