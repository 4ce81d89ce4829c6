//! What was released, as immutable data: the only input of an accountant.
//!
//! An event states a mechanism and its noise *relative to the sensitivity* under the
//! adjacency of the list that it is in, so that it means the same whatever the data. Its cost is
//! not part of it: that is for the accountants.

use std::num::NonZeroU64;

use serde::{Deserialize, Serialize};

use super::quantity::{Epsilon, NoiseMultiplier, Range, Rho, SamplingRate};

/// Which tables count as neighbours; the unit is the row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Adjacency {
    /// The tables differ in one record; the number of records is public.
    ReplaceOne,
    /// One table has one more record; the number of records is private.
    AddRemove,
}

impl Adjacency {
    /// The name in files and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::ReplaceOne => "replace-one",
            Self::AddRemove => "add-remove",
        }
    }

    /// By how many records' contributions the sums of two neighbours differ: replacing a record
    /// removes one contribution and adds another.
    pub fn differing_records(self) -> u32 {
        match self {
            Self::ReplaceOne => 2,
            Self::AddRemove => 1,
        }
    }
}

impl std::fmt::Display for Adjacency {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// How the batch of a subsampled release is drawn, afresh for each release.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sampling {
    /// Each record is in the batch with probability `rate`, independently.
    Poisson,
    /// A uniformly random batch of a fixed size, `rate` = size / number of records.
    WithoutReplacement,
}

impl Sampling {
    /// The name in files and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Poisson => "poisson",
            Self::WithoutReplacement => "without-replacement",
        }
    }

    /// The one adjacency under which the amplification theorem we rely on is proved:
    /// Mironov et al. 2019 for Poisson, Wang et al. 2019 and Balle et al. 2018 without
    /// replacement.
    pub fn adjacency(self) -> Adjacency {
        match self {
            Self::Poisson => Adjacency::AddRemove,
            Self::WithoutReplacement => Adjacency::ReplaceOne,
        }
    }
}

/// One release.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Event {
    /// Gaussian noise of standard deviation `noise` × the ℓ₂ sensitivity.
    Gaussian {
        /// σ/Δ₂.
        noise: NoiseMultiplier,
    },
    /// A selection by the exponential mechanism of bounded range η.
    Exponential {
        /// η.
        range: Range,
    },
    /// Any ε-differentially private release.
    Pure {
        /// ε.
        epsilon: Epsilon,
    },
    /// Any ρ-zCDP release.
    Zcdp {
        /// ρ.
        rho: Rho,
    },
    /// A Gaussian release over a secret random batch of the records.
    SubsampledGaussian {
        /// σ/Δ₂, Δ₂ being the sensitivity of the query on the batch.
        noise: NoiseMultiplier,
        /// The share of the records in a batch.
        rate: SamplingRate,
        /// How the batch is drawn.
        sampling: Sampling,
    },
}

impl Event {
    /// The name in files and on the command line.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Gaussian { .. } => "gaussian",
            Self::Exponential { .. } => "exponential",
            Self::Pure { .. } => "pure",
            Self::Zcdp { .. } => "zcdp",
            Self::SubsampledGaussian { .. } => "subsampled-gaussian",
        }
    }

    /// The only adjacency that the event may be charged under, if there is only one.
    pub fn required_adjacency(&self) -> Option<Adjacency> {
        match self {
            Self::SubsampledGaussian { sampling, .. } => Some(sampling.adjacency()),
            _ => None,
        }
    }
}

/// As on the command line, but for the count: `gaussian:noise=1.1`.
impl std::fmt::Display for Event {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:", self.name())?;
        match self {
            Self::Gaussian { noise } => write!(f, "noise={noise}"),
            Self::Exponential { range } => write!(f, "range={range}"),
            Self::Pure { epsilon } => write!(f, "epsilon={epsilon}"),
            Self::Zcdp { rho } => write!(f, "rho={rho}"),
            Self::SubsampledGaussian {
                noise,
                rate,
                sampling,
            } => write!(f, "noise={noise},rate={rate},sampling={}", sampling.name()),
        }
    }
}

/// An event and how often it happens.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "ChargeForm")]
pub struct Charge {
    /// What is released each time.
    #[serde(flatten)]
    pub event: Event,
    /// How many times.
    pub count: NonZeroU64,
}

impl Charge {
    /// `count` releases of the same kind.
    pub fn new(event: Event, count: NonZeroU64) -> Self {
        Self { event, count }
    }

    /// A single release.
    pub fn once(event: Event) -> Self {
        Self::new(event, NonZeroU64::MIN)
    }
}

/// A charge as written in a file: the keys of all kinds, and no others. (A flattened event would
/// accept unknown keys.)
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ChargeForm {
    kind: String,
    noise: Option<NoiseMultiplier>,
    range: Option<Range>,
    epsilon: Option<Epsilon>,
    rho: Option<Rho>,
    rate: Option<SamplingRate>,
    sampling: Option<Sampling>,
    count: NonZeroU64,
}

impl TryFrom<ChargeForm> for Charge {
    type Error = String;

    fn try_from(form: ChargeForm) -> Result<Self, String> {
        let selection_and_pure = (form.range, form.epsilon, form.rho);
        let gaussian = (form.noise, form.rate, form.sampling);
        let event = match (form.kind.as_str(), gaussian, selection_and_pure) {
            ("gaussian", (Some(noise), None, None), (None, None, None)) => {
                Event::Gaussian { noise }
            }
            ("exponential", (None, None, None), (Some(range), None, None)) => {
                Event::Exponential { range }
            }
            ("pure", (None, None, None), (None, Some(epsilon), None)) => Event::Pure { epsilon },
            ("zcdp", (None, None, None), (None, None, Some(rho))) => Event::Zcdp { rho },
            (
                "subsampled-gaussian",
                (Some(noise), Some(rate), Some(sampling)),
                (None, None, None),
            ) => Event::SubsampledGaussian {
                noise,
                rate,
                sampling,
            },
            _ => {
                return Err(format!(
                    "'{}' with these keys is not a release; there are gaussian (noise), \
                     exponential \
                     (range), pure (epsilon), zcdp (rho) and subsampled-gaussian (noise, rate, \
                     sampling)",
                    form.kind
                ));
            }
        };
        Ok(Self::new(event, form.count))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_charge_reads_back_from_its_file_form() {
        let text = r#"{"kind":"subsampled-gaussian","noise":1.5,"rate":0.25,"sampling":"without-replacement","count":7}"#;
        let charge: Charge = serde_json::from_str(text).unwrap();
        assert_eq!(charge.count.get(), 7);
        assert_eq!(
            charge.event.required_adjacency(),
            Some(Adjacency::ReplaceOne)
        );
        assert_eq!(serde_json::to_string(&charge).unwrap(), text);
    }

    #[test]
    fn a_file_with_nonsense_in_it_is_refused() {
        for text in [
            r#"{"kind":"gaussian","noise":0,"count":1}"#,
            r#"{"kind":"gaussian","noise":1,"count":0}"#,
            r#"{"kind":"gaussian","noise":1,"count":-1}"#,
            r#"{"kind":"gaussian","count":1}"#,
            r#"{"kind":"gauss","noise":1,"count":1}"#,
            r#"{"kind":"zcdp","rho":null,"count":1}"#,
            r#"{"kind":"zcdp","rho":1,"noise":1,"count":1}"#,
            r#"{"kind":"zcdp","rho":1,"remark":1,"count":1}"#,
            r#"{"kind":"zcdp","rho":1,"rho":1,"count":1}"#,
        ] {
            assert!(serde_json::from_str::<Charge>(text).is_err(), "{text}");
        }
    }
}
