//! A sum of bounded records, released by a Gaussian mechanism under a stated budget.
//!
//! `cargo run --release -p reticent --example sum_with_mechanism`

use std::error::Error;

use reticent::mechanism::gaussian;
use reticent::noise::{Grid, SecureGenerator};
use reticent::population::BoundedSum;
use reticent::privacy::{Adjacency, Budget, Charge, Delta, Epsilon, Event, Ledger, calibrate};
use reticent::table::RecordBound;

/// Releases the sum of some records.
pub fn main() -> Result<(), Box<dyn Error>> {
    let budget = Budget::new(Epsilon::new(1.0)?, Delta::new(1e-6)?);
    let adjacency = Adjacency::ReplaceOne;

    // The plan: one Gaussian release, with the least noise that fits the budget.
    let plan = |noise| vec![Charge::once(Event::Gaussian { noise })];
    let calibrated = calibrate(plan, adjacency, budget)?;
    let mut ledger = Ledger::planned(budget, adjacency, calibrated.charges)?;

    // Each record is clipped to ℓ₂ length 1 and added up on a public grid, in integers. The sum
    // becomes a query, which knows its sensitivity and which nobody can read ...
    let mut sum = BoundedSum::new(2, RecordBound::L2(1.0), Grid::new(-20)?)?;
    for i in 0..1000 {
        let angle = f64::from(i) / 1000.0;
        sum.add(&[angle.cos(), angle.sin()])?;
    }
    let query = sum.into_query(adjacency)?;

    // ... except through a mechanism, which charges the ledger and then draws.
    let mut randomness = SecureGenerator::from_system()?;
    let released = gaussian(&query, calibrated.noise, &mut ledger, &mut randomness)?;

    println!("sum, with noise: {:?}", released.to_real());
    println!("spent: epsilon = {}", ledger.statement().epsilon);
    Ok(())
}
