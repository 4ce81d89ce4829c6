//! Class weights: how much the records of each class count for, where they do not count alike.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::units::WHOLE_SHARE;

/// How much a record counts for, by its class.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ClassWeight {
    /// Such that all classes weigh the same together, by the class counts that a fit releases.
    Balanced,
    /// Declared: a finite number above 0 for each class, in their order. Only their ratios matter.
    Numbers(Vec<f64>),
}

impl ClassWeight {
    /// The name of balanced weights.
    pub const BALANCED: &'static str = "balanced";

    /// Whether there is a weight for each of so many classes, and all of them are sound.
    pub fn fits(&self, classes: usize) -> bool {
        match self {
            Self::Balanced => true,
            Self::Numbers(weights) => {
                let sound = |weight: &f64| *weight > 0.0 && weight.is_finite();
                weights.len() == classes && weights.iter().all(sound)
            }
        }
    }

    /// The weight of each class, the largest being 1, for classes of about so many records: a function
    /// of declared numbers and of released ones.
    pub(crate) fn of_counts(&self, counts: &[f64]) -> Vec<f64> {
        let relative = match self {
            Self::Balanced => counts.iter().map(|count| 1.0 / count.max(1.0)).collect(),
            Self::Numbers(weights) => weights.clone(),
        };
        let most = relative.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
        let of_most = |weight: &f64| (weight / most).clamp(LEAST, 1.0);
        relative.iter().map(of_most).collect()
    }
}

/// "balanced", or "1 to 5".
impl fmt::Display for ClassWeight {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Balanced => f.write_str(Self::BALANCED),
            Self::Numbers(weights) => {
                let weights: Vec<String> = weights.iter().map(f64::to_string).collect();
                f.write_str(&weights.join(" to "))
            }
        }
    }
}

/// The least share that is one.
const LEAST: f64 = 1.0 / WHOLE_SHARE as f64;

/// A weight in whole steps of a share, rounded down.
pub(crate) fn share_of(weight: f64) -> u32 {
    // Within its range: the cast saturates, and what is not a number becomes 0.
    ((weight * f64::from(WHOLE_SHARE)) as u32).min(WHOLE_SHARE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn balanced_classes_weigh_the_same_and_the_rarest_counts_in_full() {
        let weights = ClassWeight::Balanced.of_counts(&[9800.0, 200.0, 400.0]);
        assert_eq!(weights[1], 1.0);
        assert!((weights[0] * 9800.0 - 200.0).abs() < 1e-9);
        assert!((weights[2] * 400.0 - 200.0).abs() < 1e-9);
    }

    #[test]
    fn declared_weights_are_ratios_and_never_exceed_a_whole() {
        let declared = ClassWeight::Numbers(vec![3.0, 6.0]);
        assert_eq!(declared.of_counts(&[1.0, 1.0]), [0.5, 1.0]);
        let extreme = ClassWeight::Numbers(vec![1e-300, 1e300]);
        let shares: Vec<u32> = extreme
            .of_counts(&[1.0; 2])
            .into_iter()
            .map(share_of)
            .collect();
        assert_eq!(shares, [1, WHOLE_SHARE]);
        assert_eq!(share_of(f64::NAN), 0);
    }

    #[test]
    fn weights_are_one_per_class_and_sound() {
        assert!(ClassWeight::Numbers(vec![1.0, 2.0]).fits(2));
        for weights in [
            vec![1.0],
            vec![1.0, 0.0],
            vec![1.0, f64::NAN],
            vec![1.0, f64::INFINITY],
        ] {
            assert!(!ClassWeight::Numbers(weights).fits(2));
        }
    }
}
