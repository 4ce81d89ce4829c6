//! Questions whose answer is one sum over the records.

mod class_calibration;
mod class_counts;
mod counts;
mod directions;
mod framed_sums;
mod histogram;
mod loss_changes;
mod margin_sums;
mod margins;
mod medians;
mod moments;
mod products;
#[cfg(test)]
mod tests;

use super::parts;
use super::records::Records;
pub use class_calibration::ClassCalibration;
pub use class_counts::ClassCounts;
pub use directions::Directions;
pub use framed_sums::{FramedSums, FramedValue};
pub use histogram::{Counted, Histograms};
pub use loss_changes::LossChanges;
pub use margin_sums::{CellTerms, MarginSums};
pub use margins::{MarginHistogram, ReleasedFunctions};
pub use medians::{Lengths, Residuals};
pub use moments::{Moments, MomentsError};

/// What a question sums over records in one place: integers, which are added over places.
///
/// It is a function of each record alone, of public numbers and of what was released.
pub trait LocalSum: Sync {
    /// The sum over these records, sealed: any code that can name a question may call this.
    fn over(&self, records: &Records<'_>) -> Sums;
}

/// A sealed sum over records. A question makes a query of it.
#[derive(Default)]
pub struct Sums(Vec<i64>);

impl Sums {
    /// The sum over the records of both.
    pub(super) fn merged(mut self, other: Self) -> Self {
        parts::add(&mut self.0, &other.0);
        self
    }
}
