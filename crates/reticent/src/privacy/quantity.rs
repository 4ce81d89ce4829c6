//! The numbers that privacy is stated in, as types that cannot hold invalid values.
//!
//! Each is a checked `f64`: it can be made only by `new` or by deserialisation, and
//! both refuse what its meaning excludes with the same [`OutOfRange`] error.

use serde::{Deserialize, Serialize};

/// A number outside the range of its quantity: what it was, and what is allowed.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[error("{quantity} is {given}; it must be {allowed}")]
pub struct OutOfRange {
    /// The quantity's name, as a person would say it.
    pub quantity: &'static str,
    /// The value that was given.
    pub given: f64,
    /// The values that would have been accepted.
    pub allowed: &'static str,
}

/// Defines a checked newtype over `f64`.
macro_rules! quantity {
    ($(#[$doc:meta])* $name:ident, $quantity:literal, $allowed:literal, $valid:expr) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Serialize, Deserialize)]
        #[serde(try_from = "f64", into = "f64")]
        pub struct $name(f64);

        impl $name {
            #[doc = concat!("Checks that the value is ", $allowed, ".")]
            pub fn new(value: f64) -> Result<Self, OutOfRange> {
                let valid: fn(f64) -> bool = $valid;
                if valid(value) {
                    Ok(Self(value))
                } else {
                    Err(OutOfRange { quantity: $quantity, given: value, allowed: $allowed })
                }
            }

            /// The value as a plain number.
            pub fn get(self) -> f64 {
                self.0
            }
        }

        impl TryFrom<f64> for $name {
            type Error = OutOfRange;

            fn try_from(value: f64) -> Result<Self, OutOfRange> {
                Self::new(value)
            }
        }

        impl From<$name> for f64 {
            fn from(value: $name) -> f64 {
                value.0
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

quantity!(
    /// ε: the largest factor e^ε by which one record may change the probability of an outcome.
    Epsilon, "epsilon", "a finite number above 0", |v| v > 0.0 && v.is_finite()
);
quantity!(
    /// δ: the probability with which the promise of ε may fail.
    Delta, "delta", "above 0 and below 1", |v| v > 0.0 && v < 1.0
);
quantity!(
    /// ρ of zero-concentrated differential privacy (Bun–Steinke 2016): Rényi divergence
    /// at most ρα at every order α > 1.
    Rho, "rho", "a finite number above 0", |v| v > 0.0 && v.is_finite()
);
quantity!(
    /// The noise multiplier σ/Δ: a Gaussian's standard deviation over the sensitivity of
    /// what it hides, under the adjacency of the ledger.
    NoiseMultiplier, "noise", "between 1e-6 and 1e12", |v| (1e-6..=1e12).contains(&v)
);
quantity!(
    /// η of the exponential mechanism: how far one record can move the log-odds between
    /// two candidates.
    Range, "range", "a finite number above 0", |v| v > 0.0 && v.is_finite()
);
quantity!(
    /// The share of the records that a batch holds: the inclusion probability under
    /// Poisson sampling, batch over records without replacement.
    SamplingRate, "rate", "above 0 and at most 1", |v| v > 0.0 && v <= 1.0
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nonsense_is_refused_with_what_was_given_and_what_is_allowed() {
        for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -1.0, 0.0] {
            assert!(Epsilon::new(value).is_err());
            assert!(Delta::new(value).is_err());
            assert!(Rho::new(value).is_err());
            assert!(NoiseMultiplier::new(value).is_err());
            assert!(Range::new(value).is_err());
            assert!(SamplingRate::new(value).is_err());
        }
        assert!(Delta::new(1.0).is_err());
        assert!(SamplingRate::new(1.0).is_ok());
        assert!(SamplingRate::new(1.0f64.next_up()).is_err());
        let message = Delta::new(1.5).unwrap_err().to_string();
        assert_eq!(message, "delta is 1.5; it must be above 0 and below 1");
    }

    #[test]
    fn a_file_cannot_hold_nonsense_either() {
        assert!(serde_json::from_str::<Delta>("1e-6").is_ok());
        let error = serde_json::from_str::<Delta>("-0.5")
            .unwrap_err()
            .to_string();
        assert!(error.contains("above 0 and below 1"), "{error}");
    }
}
