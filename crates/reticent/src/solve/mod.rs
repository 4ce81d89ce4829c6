//! Optimisers without privacy.

mod batched_loss;
mod cholesky;
mod columns;
mod curvature;
mod design;
mod frank_wolfe;
mod hard_threshold;
mod largest;
mod lasso;
mod line;
mod optimizer;
mod region;
mod ridge;
mod shrink;
mod spectral;
mod symmetric;

pub use batched_loss::{BatchedLoss, Targets};
pub(crate) use cholesky::Cholesky;
pub use design::{Design, LinearProblem};
pub use frank_wolfe::{Problem, Solution, Stop, frank_wolfe, mean_loss};
pub use hard_threshold::{
    MultinomialProblem, MultinomialSolution, SparseSolution, hard_threshold,
    multinomial_hard_threshold, multinomial_lasso,
};
pub(crate) use largest::{keep_largest, largest};
pub use lasso::{LassoPoint, Path, lasso, lasso_in_ball, lasso_of_size, lasso_path};
pub use optimizer::{
    LaplacianSmoothing, Optimizer, RecursiveMomentum, Schedule, Storm, Swings, UpdateRule,
    saturating_penalty, saturating_penalty_slope,
};
pub use region::{LinearOracle, Region, RegionError, Vertex, Vertices};
pub use ridge::{RidgeFacts, RidgeProblem, RidgeSolution, ridge};
pub use spectral::operator_norm_bound;
pub use symmetric::Eigen;
