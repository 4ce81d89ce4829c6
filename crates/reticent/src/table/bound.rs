//! Declared bounds of rows and targets, and why they cannot be enforced.

use super::Target;
use super::clip::{Clip, grid_for};
use super::read::MOST_CLASSES;

/// The declared bound of each record, enforced by clipping.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RecordBound {
    /// ‖x‖₂ ≤ the value; longer records are shortened.
    L2(f64),
    /// |xⱼ| ≤ the value; larger entries are clamped.
    Linf(f64),
}

/// The declared range of a numeric target, enforced by clipping.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TargetRange {
    /// The least target.
    pub low: f64,
    /// The greatest.
    pub high: f64,
}

/// The largest possible number of records.
pub(crate) const MOST_RECORDS: usize = u32::MAX as usize;

/// Why bounds cannot be enforced. Every message is about declared, public facts.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum EnforceError {
    /// The bound of the rows is not a positive finite number that the grid can span.
    #[error("the bound of the rows must be between 1e-100 and 1e100; got {0}")]
    Rows(f64),
    /// The range of the target is empty, beyond ±1e100, or missing.
    #[error(
        "a numeric target needs a range low < high within ±1e100; declare one, such as 0 to 100"
    )]
    Range,
    /// There is no target to learn from.
    #[error("the table has no target to learn from; name the column that holds it")]
    NoTarget,
    /// More rows than a `u32` can count.
    #[error("a table may have at most 4294967295 rows")]
    TooManyRows,
    /// Classes without a name, or not enough of them.
    #[error(
        "a table needs between 2 and {MOST_CLASSES} classes, and each of its records one of them"
    )]
    Classes,
    /// More rows of one person than may be declared.
    #[error(
        "at most {0} rows of one person may count here; declare rows = {0} or fewer (under add-remove \
         adjacency fewer than under replace-one)"
    )]
    UnitRows(u32),
    /// Two labels of the table that are one.
    #[error(
        "two labels of the table are one class: labels that are numbers are compared as numbers, so \
         that 01 and 1 are the same; write them alike, or with a letter before them"
    )]
    SameLabels,
    /// Weights that are not one per class, above 0.
    #[error(
        "class weights need a finite number above 0 for each of the {0} classes, or \"balanced\"; \
         numbers have no classes"
    )]
    ClassWeights(u32),
    /// Not one target per row.
    #[error("a table needs one target per row")]
    Shape,
}

/// Targets as numbers in [−1, 1] or classes by their number, and how many classes there are.
pub(super) fn mapped(
    target: Target,
    range: Option<TargetRange>,
    centred: bool,
) -> Result<(Vec<f64>, u32), EnforceError> {
    match target {
        Target::Classes { class, names } => map_classes(class, names.len()),
        Target::Values(values) => Ok((map_targets(values, range, centred)?, 0)),
        Target::Absent => Err(EnforceError::NoTarget),
    }
}

/// The bound on a grid on which it spans at most 2²⁰ steps, all of them whole numbers that
/// `f32` holds exactly.
pub(crate) fn clip_for(bound: RecordBound) -> Result<Clip, EnforceError> {
    let (RecordBound::L2(value) | RecordBound::Linf(value)) = bound;
    let grid = grid_for(value).ok_or(EnforceError::Rows(value))?;
    Ok(Clip {
        bound,
        grid,
        steps: (value / grid.step()) as u64,
    })
}

/// Classes as numbers from 0 below `count`, and how many there are.
fn map_classes(class: Vec<u32>, count: usize) -> Result<(Vec<f64>, u32), EnforceError> {
    let classes = match u32::try_from(count) {
        Ok(classes) if (2..=MOST_CLASSES).contains(&count) => classes,
        _ => return Err(EnforceError::Classes),
    };
    if class.iter().any(|&class| class >= classes) {
        return Err(EnforceError::Classes);
    }
    Ok((class.into_iter().map(f64::from).collect(), classes))
}

/// Clips targets to their range and maps them to [−1, 1]; NaN becomes 0.
fn map_targets(
    mut values: Vec<f64>,
    range: Option<TargetRange>,
    centred: bool,
) -> Result<Vec<f64>, EnforceError> {
    let Some(TargetRange { low, high }) = range else {
        return Err(EnforceError::Range);
    };
    if !(low < high && low >= -1e100 && high <= 1e100) {
        return Err(EnforceError::Range);
    }
    let (middle, half) = if centred {
        // Halved first, so that nothing overflows.
        (low / 2.0 + high / 2.0, high / 2.0 - low / 2.0)
    } else {
        (0.0, low.abs().max(high.abs()))
    };
    for value in &mut values {
        let mapped = (value.clamp(low, high) - middle) / half;
        *value = if mapped.is_nan() {
            0.0
        } else {
            mapped.clamp(-1.0, 1.0)
        };
    }
    Ok(values)
}
