//! An event as it is written after `--event`: `kind:key=value,...`.

use std::num::NonZeroU64;

use reticent::privacy::{
    Charge, Epsilon, Event, NoiseMultiplier, Range, Rho, Sampling, SamplingRate,
};

use crate::event_keys::Settings;
use crate::names::{kind_meant, unknown};
use crate::parse_number;

/// An event on the command line, whose noise may be left to solve for.
#[derive(Debug, Clone, PartialEq)]
pub enum EventSpec {
    /// Everything is given.
    Whole(Charge),
    /// A Gaussian that leaves its noise out.
    Open {
        /// The rest of the event, once the noise is known.
        form: GaussianForm,
        /// How often it happens.
        count: NonZeroU64,
        /// As it was typed.
        typed: String,
    },
}

/// A Gaussian event without its noise.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum GaussianForm {
    /// Over all the records.
    Gaussian,
    /// Over a batch.
    Subsampled {
        /// The share of the records in a batch.
        rate: SamplingRate,
        /// How the batch is drawn.
        sampling: Sampling,
    },
}

impl GaussianForm {
    fn with(self, noise: NoiseMultiplier) -> Event {
        match self {
            Self::Gaussian => Event::Gaussian { noise },
            Self::Subsampled { rate, sampling } => Event::SubsampledGaussian {
                noise,
                rate,
                sampling,
            },
        }
    }
}

/// The kinds and the keys that each takes besides `count`.
const KINDS: [(&str, &[&str]); 5] = [
    ("gaussian", &["noise"]),
    ("exponential", &["range"]),
    ("pure", &["epsilon"]),
    ("zcdp", &["rho"]),
    ("subsampled-gaussian", &["noise", "rate", "sampling"]),
];

const SAMPLINGS: [Sampling; 2] = [Sampling::Poisson, Sampling::WithoutReplacement];

impl EventSpec {
    /// Reads `kind:key=value,...`, or says what was given and what is allowed.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (kind, rest) = match text.split_once(':') {
            Some((kind, rest)) => (kind.trim(), Some(rest)),
            None => (text.trim(), None),
        };
        let Some(&(kind, keys)) = KINDS.iter().find(|(name, _)| *name == kind) else {
            let kinds = KINDS.map(|(name, _)| name);
            return Err(unknown("kind", kind, &kinds, kind_meant(kind)));
        };
        let mut settings = Settings::read(kind, keys, rest)?;
        let count = match settings.take("count") {
            Some(text) => parse_number::count(text)?,
            None => NonZeroU64::MIN,
        };
        let event = match kind {
            "gaussian" => return Self::gaussian(settings, GaussianForm::Gaussian, count, text),
            "subsampled-gaussian" => {
                let form = GaussianForm::Subsampled {
                    rate: settings.quantity("rate", SamplingRate::new)?,
                    sampling: sampling(settings.required("sampling")?)?,
                };
                return Self::gaussian(settings, form, count, text);
            }
            "exponential" => Event::Exponential {
                range: settings.quantity("range", Range::new)?,
            },
            "pure" => Event::Pure {
                epsilon: settings.quantity("epsilon", Epsilon::new)?,
            },
            _ => Event::Zcdp {
                rho: settings.quantity("rho", Rho::new)?,
            },
        };
        Ok(Self::Whole(Charge::new(event, count)))
    }

    fn gaussian(
        mut settings: Settings<'_>,
        form: GaussianForm,
        count: NonZeroU64,
        typed: &str,
    ) -> Result<Self, String> {
        Ok(match settings.take("noise") {
            Some(text) => {
                let noise = parse_number::quantity(text, NoiseMultiplier::new)?;
                Self::Whole(Charge::new(form.with(noise), count))
            }
            None => Self::Open {
                form,
                count,
                typed: typed.to_owned(),
            },
        })
    }

    /// The charge, if nothing is left out.
    pub fn whole(&self) -> Option<Charge> {
        match self {
            Self::Whole(charge) => Some(*charge),
            Self::Open { .. } => None,
        }
    }

    /// As it was typed, if its noise is left out.
    pub fn open(&self) -> Option<&str> {
        match self {
            Self::Whole(_) => None,
            Self::Open { typed, .. } => Some(typed),
        }
    }

    /// The charge, with `noise` where it is left out.
    pub fn with(&self, noise: NoiseMultiplier) -> Charge {
        match self {
            Self::Whole(charge) => *charge,
            Self::Open { form, count, .. } => Charge::new(form.with(noise), *count),
        }
    }

    /// How its batches are drawn, if it has any.
    pub fn sampling(&self) -> Option<Sampling> {
        match self {
            Self::Whole(Charge {
                event: Event::SubsampledGaussian { sampling, .. },
                ..
            })
            | Self::Open {
                form: GaussianForm::Subsampled { sampling, .. },
                ..
            } => Some(*sampling),
            _ => None,
        }
    }
}

fn sampling(text: &str) -> Result<Sampling, String> {
    SAMPLINGS
        .into_iter()
        .find(|sampling| sampling.name() == text)
        .ok_or_else(|| unknown("sampling", text, &SAMPLINGS.map(Sampling::name), None))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// What a person or a script could get wrong: names, signs, separators, other alphabets.
        #[test]
        fn no_text_makes_it_panic_and_every_refusal_says_something(
            text in prop_oneof![
                any::<String>(),
                "(gaussian|pure|zcdp|exponential|subsampled-gaussian|gausian)?:?([a-z]{0,8}=?[-−+0-9./eEnaif]{0,6},?){0,5}",
            ],
        ) {
            let kind = text.split(':').next().unwrap_or_default().trim();
            match EventSpec::parse(&text) {
                Ok(_) => prop_assert!(KINDS.iter().any(|(name, _)| *name == kind)),
                Err(message) => prop_assert!(!message.trim().is_empty()),
            }
        }

        #[test]
        fn what_is_written_is_what_is_meant(noise in 1e-6..1e12f64, count in 1..u64::MAX) {
            let parsed = EventSpec::parse(&format!("gaussian:noise={noise},count={count}"));
            let event = Event::Gaussian { noise: NoiseMultiplier::new(noise).unwrap() };
            let charge = Charge::new(event, NonZeroU64::new(count).unwrap());
            prop_assert_eq!(parsed, Ok(EventSpec::Whole(charge)));
        }
    }
}
