//! Optimisers that know nothing of privacy.

mod columns;
mod frank_wolfe;
mod line;
mod region;

pub use frank_wolfe::{Problem, Solution, Stop, frank_wolfe, mean_loss};
pub use region::{LinearOracle, Region, RegionError, Vertices};
