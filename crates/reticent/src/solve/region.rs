//! Convex sets that weights are held to.

use crate::data::Vertex;

/// Where the weights may lie.
pub enum Region {
    /// ‖w‖₁ ≤ radius.
    L1 {
        /// The radius.
        radius: f64,
    },
    /// w ≥ 0, Σw = radius.
    Simplex {
        /// The sum of the weights.
        radius: f64,
    },
    /// The convex hull of points.
    Polytope(Vertices),
    /// ‖w‖₂ ≤ radius.
    L2 {
        /// The radius.
        radius: f64,
    },
    /// Any other convex set.
    Oracle(Box<dyn LinearOracle>),
}

/// The corners of a polytope: declared, public.
#[derive(Debug, Clone, PartialEq)]
pub struct Vertices {
    /// One row a corner.
    pub points: Vec<Vec<f64>>,
}

/// A convex set, by its linear minimiser.
pub trait LinearOracle {
    /// A point of the set at which ⟨direction, point⟩ is least.
    fn least(&self, direction: &[f64]) -> Vertex;
    /// An upper bound of ‖w‖₁ on the set.
    fn l1_radius(&self) -> f64;
    /// An upper bound of ‖w‖₂ on the set.
    fn l2_radius(&self) -> f64;
}
