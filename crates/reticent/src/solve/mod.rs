//! Optimisers that know nothing of privacy.

mod frank_wolfe;
mod region;

pub use frank_wolfe::{Solution, Stop, frank_wolfe};
pub use region::{LinearOracle, Region, Vertices};
