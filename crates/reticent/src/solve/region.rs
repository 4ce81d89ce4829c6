//! Convex sets that weights are constrained to.

/// A point that an iterate moves towards.
#[derive(Debug, Clone, PartialEq)]
pub enum Vertex {
    /// `value` on one axis, 0 on the others.
    Axis {
        /// Which axis.
        column: usize,
        /// How far out.
        value: f64,
    },
    /// Any point, one value per column.
    Point(Vec<f64>),
}

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
    /// One row per corner.
    pub points: Vec<Vec<f64>>,
}

/// A convex set, by its linear minimiser.
pub trait LinearOracle: Send + Sync {
    /// A point of the set at which ⟨direction, point⟩ is least.
    fn least(&self, direction: &[f64]) -> Vertex;
    /// An upper bound of ‖w‖₁ on the set.
    fn l1_radius(&self) -> f64;
    /// An upper bound of ‖w‖₂ on the set.
    fn l2_radius(&self) -> f64;
}

/// Why a region cannot hold the weights of some number of columns.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RegionError {
    /// A radius, or the farthest corner, that is not a positive finite number, or nearly not.
    #[error("the size of a region must lie between 1e-100 and 1e100; got {0}")]
    Radius(f64),
    /// A polytope that is the origin.
    #[error("every vertex of the polytope is 0, and so would be every weight")]
    OnlyOrigin,
    /// Vertices that no grid holds.
    #[error(
        "the largest coordinate of the vertices must lie between 1e-100 and 1e100 in size; got {0}"
    )]
    Coordinates(f64),
    /// A polytope without corners.
    #[error("a polytope needs at least one vertex")]
    NoVertex,
    /// A corner of another length.
    #[error(
        "vertex {corner} of the polytope has {given} numbers; the table has {columns} features"
    )]
    Length {
        /// Which vertex, from 1.
        corner: usize,
        /// Its coordinates.
        given: usize,
        /// The table's columns.
        columns: usize,
    },
    /// A corner that is not finite.
    #[error("vertex {0} of the polytope has a number that is not a finite number")]
    NotFinite(usize),
}

impl Region {
    /// Checks that it is a region for weights of `columns` columns.
    pub fn check(&self, columns: usize) -> Result<(), RegionError> {
        if let Self::Polytope(vertices) = self {
            vertices.check(columns)?;
        }
        let radius = self.l2_radius();
        if (1e-100..=1e100).contains(&radius) {
            Ok(())
        } else {
            Err(RegionError::Radius(radius))
        }
    }

    /// A point of the region at which ⟨direction, point⟩ is least; the first of equals.
    pub fn least(&self, direction: &[f64]) -> Vertex {
        match self {
            Self::L1 { radius } => {
                let size = |j: usize| -direction[j].abs();
                let column = first_least((0..direction.len()).map(size));
                // Against the gradient; outwards if it is flat.
                let value = if direction[column] > 0.0 {
                    -radius
                } else {
                    *radius
                };
                Vertex::Axis { column, value }
            }
            Self::Simplex { radius } => Vertex::Axis {
                column: first_least(direction.iter().copied()),
                value: *radius,
            },
            Self::Polytope(vertices) => {
                let scores = vertices.points.iter().map(|point| dot(point, direction));
                Vertex::Point(vertices.points[first_least(scores)].clone())
            }
            Self::L2 { radius } => Vertex::Point(against(direction, *radius)),
            Self::Oracle(oracle) => oracle.least(direction),
        }
    }

    /// The corner of a candidate's number: the order of [`Query::signed_scores`] for the ℓ₁
    /// ball, of the columns for the simplex, of the list for a polytope.
    ///
    /// [`Query::signed_scores`]: crate::population::Query::signed_scores
    ///
    /// # Panics
    ///
    /// If there is no such candidate.
    pub(crate) fn corner(&self, candidate: usize, columns: usize) -> Vertex {
        match self {
            Self::L1 { radius } => Vertex::Axis {
                column: candidate % columns,
                value: if candidate < columns {
                    *radius
                } else {
                    -radius
                },
            },
            Self::Simplex { radius } => Vertex::Axis {
                column: candidate,
                value: *radius,
            },
            Self::Polytope(vertices) => Vertex::Point(vertices.points[candidate].clone()),
            Self::L2 { .. } | Self::Oracle(_) => panic!("a region that has no corners"),
        }
    }

    /// An upper bound of ‖w‖₁ on the region, for `columns` columns.
    pub fn l1_radius(&self, columns: usize) -> f64 {
        match self {
            Self::L1 { radius } | Self::Simplex { radius } => *radius,
            Self::Polytope(vertices) => {
                vertices.largest(|point| point.iter().map(|x| x.abs()).sum())
            }
            Self::L2 { radius } => radius * (columns as f64).sqrt(),
            Self::Oracle(oracle) => oracle.l1_radius(),
        }
    }

    /// An upper bound of ‖w‖₂ on the region.
    pub fn l2_radius(&self) -> f64 {
        match self {
            Self::L1 { radius } | Self::Simplex { radius } | Self::L2 { radius } => *radius,
            Self::Polytope(vertices) => vertices.largest(|point| dot(point, point).sqrt()),
            Self::Oracle(oracle) => oracle.l2_radius(),
        }
    }

    /// How many corners a selection chooses among; `None` where the region is not given by them.
    pub fn candidates(&self, columns: usize) -> Option<usize> {
        match self {
            Self::L1 { .. } => Some(2 * columns),
            Self::Simplex { .. } => Some(columns),
            Self::Polytope(vertices) => Some(vertices.points.len()),
            Self::L2 { .. } | Self::Oracle(_) => None,
        }
    }

    /// Whether the origin is in it for certain, so that a solver may start there.
    pub(super) fn holds_the_origin(&self) -> bool {
        matches!(self, Self::L1 { .. } | Self::L2 { .. })
    }
}

/// What it is and how large, in a word or two.
impl std::fmt::Display for Region {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::L1 { radius } => write!(f, "the l1 ball of radius {radius}"),
            Self::Simplex { radius } => write!(f, "the simplex of sum {radius}"),
            Self::Polytope(vertices) => match vertices.points.len() {
                1 => f.write_str("a polytope of one vertex"),
                count => write!(f, "a polytope of {count} vertices"),
            },
            Self::L2 { radius } => write!(f, "the l2 ball of radius {radius}"),
            Self::Oracle(oracle) => {
                write!(f, "a convex set within l2 radius {}", oracle.l2_radius())
            }
        }
    }
}

impl Vertices {
    fn check(&self, columns: usize) -> Result<(), RegionError> {
        if self.points.is_empty() {
            return Err(RegionError::NoVertex);
        }
        for (corner, point) in (1..).zip(&self.points) {
            if point.len() != columns {
                return Err(RegionError::Length {
                    corner,
                    given: point.len(),
                    columns,
                });
            }
            if !point.iter().all(|x| x.is_finite()) {
                return Err(RegionError::NotFinite(corner));
            }
        }
        let coordinates = self.points.iter().flatten();
        let largest = coordinates.fold(0.0f64, |most, value| most.max(value.abs()));
        match largest {
            0.0 => Err(RegionError::OnlyOrigin),
            // A query scores them on a grid of this size.
            _ if !(1e-100..=1e100).contains(&largest) => Err(RegionError::Coordinates(largest)),
            _ => Ok(()),
        }
    }

    fn largest(&self, norm: impl Fn(&[f64]) -> f64) -> f64 {
        self.points
            .iter()
            .map(|point| norm(point))
            .fold(0.0, f64::max)
    }
}

pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The index of the first of the least scores; 0 if there are none.
fn first_least(scores: impl Iterator<Item = f64>) -> usize {
    let mut best = (0, f64::INFINITY);
    for (index, score) in scores.enumerate() {
        if score < best.1 {
            best = (index, score);
        }
    }
    best.0
}

/// The point of length `radius` that points against `direction`; the origin if that is flat.
fn against(direction: &[f64], radius: f64) -> Vec<f64> {
    let norm = dot(direction, direction).sqrt();
    let scale = if norm > 0.0 { -radius / norm } else { 0.0 };
    direction.iter().map(|x| x * scale).collect()
}

impl Vertex {
    /// w ← (1 − size)·w + size·vertex.
    pub(crate) fn pull(&self, weights: &mut [f64], size: f64) {
        for weight in weights.iter_mut() {
            *weight *= 1.0 - size;
        }
        match self {
            Self::Axis { column, value } => weights[*column] += size * value,
            Self::Point(values) => {
                for (weight, value) in weights.iter_mut().zip(values) {
                    *weight += size * value;
                }
            }
        }
    }
}
