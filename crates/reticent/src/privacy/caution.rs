//! What is worth a warning about a budget, from public facts alone: it hardly promises anything, it
//! allows publishing a record, or nothing can be learnt within it.

use std::fmt;

use super::{Adjacency, Charge, total_rho};

/// From here on an ε is warned of: a probability may change by a factor of half a billion.
const WEAK: f64 = 20.0;

/// By how many deviations of its noise a sum must exceed 0 to be seen.
const SEEN: f64 = 4.0;

/// Releases and what they cost, before or after they are made.
#[derive(Debug, Clone, Copy)]
pub struct Cost<'a> {
    /// The ε that is proved.
    pub epsilon: f64,
    /// The δ at which it holds.
    pub delta: f64,
    /// Which tables count as neighbours.
    pub adjacency: Adjacency,
    /// The releases.
    pub charges: &'a [Charge],
    /// The number of records; under add-remove the public number in its place.
    pub records: u64,
}

/// Something to warn of.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Caution {
    /// An ε above 20.
    WeakEpsilon(f64),
    /// A δ of 1/n or more.
    LargeDelta {
        /// δ.
        delta: f64,
        /// The public number of records.
        records: u64,
    },
    /// Too few records for the budget.
    LostInNoise {
        /// The public number of records.
        records: u64,
    },
}

impl Cost<'_> {
    /// Each thing to warn of, once.
    ///
    /// ```
    /// use reticent::privacy::{Adjacency, Caution, Cost};
    ///
    /// let cost = Cost {
    ///     epsilon: 25.0,
    ///     delta: 1e-9,
    ///     adjacency: Adjacency::ReplaceOne,
    ///     charges: &[],
    ///     records: 1000,
    /// };
    /// assert_eq!(cost.cautions(), [Caution::WeakEpsilon(25.0)]);
    /// ```
    pub fn cautions(&self) -> Vec<Caution> {
        let (delta, records) = (self.delta, self.records);
        let weak = self.epsilon > WEAK;
        let large = delta * records as f64 >= 1.0;
        [
            weak.then_some(Caution::WeakEpsilon(self.epsilon)),
            large.then_some(Caution::LargeDelta { delta, records }),
            self.is_lost().then_some(Caution::LostInNoise { records }),
        ]
        .into_iter()
        .flatten()
        .collect()
    }

    /// Whether there are too few records for anything to exceed the noise.
    ///
    /// No sum says more than one over a feature x in [−1, 1] that tells the target outright:
    /// Σ(y − ½)·x for even classes, or half of Σ y·x for a number y in [−1, 1]. Either is n/2, and
    /// moves by 1 if a record is replaced, by ½ if one is added or removed. If the whole ρ of the
    /// releases went into this sum, its noise would be 1/√(2ρ), or half of that; a plan divides the
    /// ρ. So where n/2 is not four deviations of that noise, nothing else is seen either.
    pub fn is_lost(&self) -> bool {
        let Ok(rho) = total_rho(self.charges) else {
            return false;
        };
        let moved = match self.adjacency {
            Adjacency::ReplaceOne => 1.0,
            Adjacency::AddRemove => 0.5,
        };
        let noise = moved / (2.0 * rho).sqrt();
        !self.charges.is_empty() && self.records as f64 / 2.0 < SEEN * noise
    }
}

impl fmt::Display for Caution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::WeakEpsilon(epsilon) => {
                // Never below itself: what is shown must not promise more than was proved.
                let shown = (10.0 * epsilon).ceil() / 10.0;
                write!(
                    f,
                    "epsilon = {shown} is above {WEAK} and hardly a promise: one record may change \
                     the probability of an outcome by a factor of e^{shown}; around 1 is strong, \
                     beyond 10 weak"
                )
            }
            Self::LargeDelta { delta, records } => {
                let n = records as f64;
                write!(
                    f,
                    "delta = {delta:?} is 1/n or more for n = {records}: it allows publishing a \
                     whole record; choose 1/n² = {:.0e} or less",
                    1.0 / (n * n)
                )
            }
            Self::LostInNoise { records } => write!(
                f,
                "n = {records} is too few for this budget: even a perfect feature hardly exceeds \
                 the noise, so that nothing can be learnt; take more records, or a larger budget"
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::privacy::{Event, NoiseMultiplier};

    fn gaussian(noise: f64) -> Charge {
        let noise = NoiseMultiplier::new(noise).unwrap();
        Charge {
            event: Event::Gaussian { noise },
            count: std::num::NonZeroU64::MIN,
        }
    }

    fn cost(charges: &[Charge], records: u64) -> Cost<'_> {
        Cost {
            epsilon: 20.0,
            delta: 1e-6,
            adjacency: Adjacency::ReplaceOne,
            charges,
            records,
        }
    }

    #[test]
    fn the_ends_are_where_they_are_said_to_be() {
        let charges = [gaussian(1.0)];
        // One Gaussian of noise 1 pays ρ = ½: n/2 is compared with 4, or 2 under add-remove.
        assert!(cost(&charges, 7).is_lost() && !cost(&charges, 8).is_lost());
        let counted = |records| Cost {
            adjacency: Adjacency::AddRemove,
            ..cost(&charges, records)
        };
        assert!(counted(3).is_lost() && !counted(4).is_lost());
        assert_eq!(cost(&charges, 999_999).cautions(), []);
        let (delta, records) = (1e-6, 1_000_000);
        assert_eq!(
            cost(&charges, records).cautions(),
            [Caution::LargeDelta { delta, records }]
        );
        let mut weak = cost(&charges, 100);
        weak.epsilon = 20.001;
        assert_eq!(weak.cautions(), [Caution::WeakEpsilon(20.001)]);
        assert!(weak.cautions()[0].to_string().starts_with("epsilon = 20.1"));
    }

    #[test]
    fn what_is_not_charged_is_not_warned_of_as_noise() {
        assert!(!cost(&[], 1).is_lost());
    }
}
