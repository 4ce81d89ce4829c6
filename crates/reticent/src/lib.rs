//! Sparse linear models under differential privacy.
//!
//! A number computed from the data carries its sensitivity; a number that the library releases went
//! through a mechanism; the ledger adds up the mechanisms.
//!
//! | module | what is in it |
//! |---|---|
//! | [`features`] | fixed, public maps of rows that come before a linear model |
//! | [`fit`] | private estimators: parameters, plan, loop |
//! | [`loss`] | squared, Huber, logistic: value, slope, bounds |
//! | [`matrix`] | feature matrices: sparse and dense rows |
//! | [`mechanism`] | the only way for a number to be released from the data |
//! | [`metric`] | accuracy, AUC, log-loss, MSE, R² |
//! | [`model`] | weights, certificate, file format, prediction |
//! | [`noise`] | exact samplers over a cryptographic generator |
//! | [`population`] | sealed records, and the queries that they answer |
//! | [`privacy`] | budget, events, ledger, accountants, calibration |
//! | [`solve`] | optimisers that know nothing of privacy |
//! | [`summary`] | private counts, means, quantiles and histograms of columns |
//! | [`table`] | readers, schemas, enforced bounds |
//! | [`train`] | from a table and declared parameters to a model, in one call |
//!
//! # A private model
//!
//! A request holds what a person declares, a plan says what will be spent, and training spends it:
//!
//! ```
//! use reticent::matrix::{Dense, Matrix};
//! use reticent::model::Predictions;
//! use reticent::table::{Layout, RecordBound, Table, Target};
//! use reticent::train::{FitRequest, Nonzero, ParameterStyle, TaskName};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let checked = FitRequest {
//!     task: Some(TaskName::Logistic),
//!     epsilon: Some(1.0),
//!     delta: Some(1e-8),
//!     rows: Some(RecordBound::Linf(1.0)), // enforced: entries beyond are clipped
//!     nonzero: Some(Nonzero::Count(1)),
//!     ..FitRequest::default()
//! }
//! .check(ParameterStyle::Arguments)?;
//!
//! // Made-up records: the first of three features decides.
//! let (n, d) = (2000, 3);
//! let bit = |i: usize, j: usize| if i >> j & 1 == 1 { 1.0 } else { -1.0 };
//! let values = (0..n * d).map(|k| bit(k / d, k % d)).collect();
//! let features = Matrix::Dense(Dense::new(values, n, d)?);
//! let table = Table {
//!     features: features.clone(),
//!     target: Target::Classes {
//!         class: (0..n as u32).map(|i| i & 1).collect(),
//!         names: vec!["well".to_owned(), "ill".to_owned()],
//!     },
//!     layout: Layout::Numbered { first: 0, width: d },
//!     assumed: Vec::new(),
//!     units: None,
//! };
//!
//! // What the fit will do and spend, from public facts alone ...
//! let (plan, _) = checked.plan(checked.facts(n, d), 2)?;
//! println!("{} will spend {:?}", plan.name(), plan.spending().map(|s| s.account().epsilon));
//! // ... and the fit, with noise from the operating system's generator.
//! let model = checked.train(table, None, None, &mut ())?.model;
//!
//! assert!(model.certificate().verify().holds());
//! let Predictions::Classes { scores, names } = model.predict(&features)? else { unreachable!() };
//! println!("record 0 is {}", names[usize::from(scores[0] > 0.0)]);
//! # Ok(())
//! # }
//! ```
//!
//! # A release of your own
//!
//! Which of three features matters most? It takes a plan that is calibrated to a budget, a query
//! and a release:
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
pub mod card;
pub mod features;
pub mod fit;
pub mod loss;
pub mod matrix;
pub mod mechanism;
pub mod metric;
pub mod model;
pub mod noise;
mod parallel;
pub mod population;
pub mod privacy;
pub mod solve;
pub mod summary;
pub mod table;
#[cfg(test)]
mod testing;
pub mod train;

/// The guide's example, compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/guide/rust.md")]
struct Guide;
