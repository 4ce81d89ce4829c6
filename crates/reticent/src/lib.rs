//! Sparse linear models under differential privacy.
//!
//! A number that comes out of the data carries its sensitivity; a number that comes out of
//! the library went through a mechanism; the ledger adds the mechanisms up.
//!
//! | room | what is in it |
//! |---|---|
//! | [`fit`] | private estimators: parameters, plan, loop |
//! | [`loss`] | squared, Huber, logistic: value, slope, bounds |
//! | [`matrix`] | feature matrices: sparse and dense rows |
//! | [`mechanism`] | the only doors that a number can leave the data by |
//! | [`metric`] | accuracy, AUC, log-loss, MSE, R² |
//! | [`model`] | weights, certificate, file format, prediction |
//! | [`noise`] | exact samplers over a cryptographic generator |
//! | [`population`] | sealed records, and the questions that they answer |
//! | [`privacy`] | budget, events, ledger, accountants, calibration |
//! | [`solve`] | optimisers that know nothing of privacy |
//! | [`table`] | readers, schemas, bounds that are enforced |
//! | [`train`] | from a table and what was declared to a model: all of it in one call |
//!
//! Which of three features matters most? A plan, calibrated to a budget; a query; a release:
//!
//! ```
//! use reticent::population::BoundedSum;
//! use reticent::table::RecordBound;
//! use reticent::mechanism::exponential;
//! use reticent::noise::{Aim, Grid, SecureGenerator};
//! use reticent::privacy::{Adjacency, Budget, Charge, Delta, Epsilon, Event, Ledger, Range};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let budget = Budget::new(Epsilon::new(1.0)?, Delta::new(1e-6)?);
//! let range = Range::new(1.0)?;
//! let plan = vec![Charge::once(Event::Exponential { range })];
//! let mut ledger = Ledger::planned(budget, Adjacency::ReplaceOne, plan)?;
//!
//! let mut sum = BoundedSum::new(3, RecordBound::Linf(1.0), Grid::new(-20)?)?;
//! for record in [[0.9, -0.1, 0.0], [0.8, 0.3, -0.2], [1.0, 0.0, 0.1]] {
//!     sum.add(&record)?;
//! }
//! let sizes = sum.into_query(Adjacency::ReplaceOne)?.magnitudes();
//!
//! let mut randomness = SecureGenerator::from_system()?;
//! let winner = exponential(&sizes, Aim::Highest, range, &mut ledger, &mut randomness)?;
//! println!("feature {winner}, at epsilon = {}", ledger.statement().epsilon);
//! # Ok(())
//! # }
//! ```

#[cfg(test)]
mod attack;
pub mod fit;
pub mod loss;
pub mod matrix;
pub mod mechanism;
pub mod metric;
pub mod model;
pub mod noise;
pub mod population;
pub mod privacy;
pub mod solve;
pub mod table;
pub mod train;

/// The README's example, compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
