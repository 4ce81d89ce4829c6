//! Records: a table whose bounds have been enforced, and which can no longer be read.

use super::matrix::Matrix;
use super::sum::RecordBound;
use super::table::{Table, Target};
use crate::noise::Grid;
use crate::privacy::Adjacency;

/// The declared range of a numeric target, enforced by clipping.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TargetRange {
    /// The least target.
    pub low: f64,
    /// The greatest.
    pub high: f64,
}

/// A table whose bounds have been enforced: what a private fit may see of the data, which is
/// queries and nothing else.
///
/// # Privacy
///
/// Each record is mapped, as a function of itself alone, to whole grid steps within its bound
/// (see [`BoundedSum`](super::BoundedSum) for the argument), and its target to [−1, 1] or
/// {0, 1}. The enforced record is used everywhere, in the margin as in the gradient. No record
/// is dropped.
pub struct Records {
    /// In whole grid steps, each of which `f32` holds exactly.
    pub(super) features: Matrix,
    pub(super) targets: Vec<f64>,
    pub(super) bound: RecordBound,
    /// The bound in whole grid steps.
    pub(super) steps: u64,
    pub(super) grid: Grid,
    pub(super) adjacency: Adjacency,
}

/// Why bounds can not be enforced: all of it about declared, public facts.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum EnforceError {
    /// The bound of the rows is not a positive finite number that the grid can span.
    #[error("the bound of the rows must be between 1e-100 and 1e100; got {0}")]
    Rows(f64),
    /// The range of the target is empty, not finite, or missing.
    #[error("a numeric target needs a finite range low < high")]
    Range,
    /// There is no target to learn from.
    #[error("the table has no target")]
    NoTarget,
}

impl Table {
    /// Enforces the bounds, and shuts the table.
    ///
    /// A numeric target is clipped to `range` and mapped to [−1, 1]: by its middle and half
    /// its width if `centred`, else divided by the larger end. The second of two classes is
    /// 1, the first 0.
    pub fn enforce(
        self,
        rows: RecordBound,
        range: Option<TargetRange>,
        centred: bool,
        adjacency: Adjacency,
    ) -> Result<Records, EnforceError> {
        let _ = (
            rows,
            range,
            centred,
            adjacency,
            &self.features,
            Target::Absent,
        );
        todo!()
    }
}

impl Records {
    /// The number of records: public under replace-one adjacency only.
    pub fn len(&self) -> usize {
        self.targets.len()
    }

    /// Whether there is no record.
    pub fn is_empty(&self) -> bool {
        self.targets.is_empty()
    }

    /// The number of features.
    pub fn width(&self) -> usize {
        self.features.width()
    }

    /// The declared bound of the rows.
    pub fn bound(&self) -> RecordBound {
        self.bound
    }

    /// Which tables count as neighbours.
    pub fn adjacency(&self) -> Adjacency {
        self.adjacency
    }
}
