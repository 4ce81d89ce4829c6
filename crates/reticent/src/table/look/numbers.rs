//! The numbers of a column, and what its bounds do to them.

use super::super::schema::Bounds;
use super::{NumbersLook, Tally};

/// How many texts that are no numbers are quoted.
const QUOTED: usize = 3;

/// The numbers of a column.
#[derive(Debug, Default)]
pub(super) struct Numbers {
    pub(super) count: u64,
    ends: Option<(f64, f64)>,
    pub(super) below: u64,
    pub(super) above: u64,
    /// Whether all are whole.
    pub(super) fractional: bool,
    /// Texts that are no numbers.
    pub(super) texts: Tally,
    pub(super) quoted: Vec<String>,
    /// NaN and infinity.
    pub(super) infinite: Tally,
}

impl Numbers {
    pub(super) fn see(&mut self, value: f64, bounds: Bounds) {
        self.count += 1;
        let (least, greatest) = self.ends.unwrap_or((value, value));
        self.ends = Some((least.min(value), greatest.max(value)));
        self.below += u64::from(value < bounds.low());
        self.above += u64::from(value > bounds.high());
        self.fractional |= value.fract() != 0.0;
    }

    pub(super) fn see_text(&mut self, text: String, line: impl FnOnce() -> u64) {
        self.texts.add(line);
        if self.quoted.len() < QUOTED && !self.quoted.contains(&text) {
            self.quoted.push(text);
        }
    }

    /// The least and the greatest.
    pub(super) fn ends(&self) -> Option<(f64, f64)> {
        self.ends
    }

    pub(super) fn look(&self, bounds: Bounds) -> NumbersLook {
        NumbersLook {
            low: bounds.low(),
            high: bounds.high(),
            count: self.count,
            least: self.ends.map(|(least, _)| least),
            greatest: self.ends.map(|(_, greatest)| greatest),
            below: self.below,
            above: self.above,
            refused: self.texts.count + self.infinite.count,
        }
    }
}
