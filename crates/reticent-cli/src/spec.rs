//! An event as it is written after `--event`: `kind:key=value,...`.

use std::num::NonZeroU64;

use reticent::privacy::{
    Charge, Epsilon, Event, NoiseMultiplier, OutOfRange, Range, Rho, Sampling, SamplingRate,
};

use crate::number;

/// An event on the command line, whose noise may be what is sought.
#[derive(Debug, Clone, PartialEq)]
pub enum EventSpec {
    /// Everything is given.
    Whole(Charge),
    /// A Gaussian that leaves its noise out.
    Open {
        /// What makes it an event, once the noise is known.
        form: Form,
        /// How often it happens.
        count: NonZeroU64,
    },
}

/// A Gaussian event but for its noise.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Form {
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

impl Form {
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
            return Err(unknown("kind", kind, &KINDS.map(|(name, _)| name)));
        };
        let mut settings = Settings::read(kind, keys, rest)?;
        let count = match settings.take("count") {
            Some(text) => number::parse_count(text)?,
            None => NonZeroU64::MIN,
        };
        let event = match kind {
            "gaussian" => return settings.gaussian(Form::Gaussian, count),
            "subsampled-gaussian" => {
                let form = Form::Subsampled {
                    rate: settings.number("rate", SamplingRate::new)?,
                    sampling: sampling(settings.required("sampling")?)?,
                };
                return settings.gaussian(form, count);
            }
            "exponential" => Event::Exponential {
                range: settings.number("range", Range::new)?,
            },
            "pure" => Event::Pure {
                epsilon: settings.number("epsilon", Epsilon::new)?,
            },
            _ => Event::Zcdp {
                rho: settings.number("rho", Rho::new)?,
            },
        };
        Ok(Self::Whole(Charge::new(event, count)))
    }

    /// The charge, if nothing is left out.
    pub fn whole(&self) -> Option<Charge> {
        match self {
            Self::Whole(charge) => Some(*charge),
            Self::Open { .. } => None,
        }
    }

    /// The charge, with `noise` where it is left out.
    pub fn with(&self, noise: NoiseMultiplier) -> Charge {
        match self {
            Self::Whole(charge) => *charge,
            Self::Open { form, count } => Charge::new(form.with(noise), *count),
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
                form: Form::Subsampled { sampling, .. },
                ..
            } => Some(*sampling),
            _ => None,
        }
    }
}

/// The `key=value` pairs of one event: known keys, none twice.
struct Settings<'a> {
    kind: &'static str,
    pairs: Vec<(&'a str, &'a str)>,
}

impl<'a> Settings<'a> {
    fn read(
        kind: &'static str,
        keys: &[&'static str],
        text: Option<&'a str>,
    ) -> Result<Self, String> {
        let keys: Vec<&str> = keys.iter().copied().chain(["count"]).collect();
        let mut pairs: Vec<(&str, &str)> = Vec::new();
        for part in text.into_iter().flat_map(|text| text.split(',')) {
            if part.trim().is_empty() {
                return Err(format!(
                    "a key=value is missing at a ':' or ','; {kind} takes {}",
                    keys.join(", ")
                ));
            }
            let (key, value) = part.split_once('=').unwrap_or((part, ""));
            let (key, value) = (key.trim(), value.trim());
            if !keys.contains(&key) {
                return Err(unknown(&format!("key of {kind}"), key, &keys));
            }
            if value.is_empty() {
                return Err(format!("'{key}' has no value; write {key}=..."));
            }
            if let Some((_, first)) = pairs.iter().find(|(known, _)| *known == key) {
                return Err(format!(
                    "'{key}' is given twice, as {first} and as {value}; give it once"
                ));
            }
            pairs.push((key, value));
        }
        Ok(Self { kind, pairs })
    }

    fn take(&mut self, key: &str) -> Option<&'a str> {
        let place = self.pairs.iter().position(|(known, _)| *known == key)?;
        Some(self.pairs.remove(place).1)
    }

    fn required(&mut self, key: &str) -> Result<&'a str, String> {
        let kind = self.kind;
        self.take(key)
            .ok_or_else(|| format!("{kind} needs {key}=...; it was not given"))
    }

    fn number<T>(&mut self, key: &str, new: fn(f64) -> Result<T, OutOfRange>) -> Result<T, String> {
        checked(self.required(key)?, new)
    }

    fn gaussian(mut self, form: Form, count: NonZeroU64) -> Result<EventSpec, String> {
        Ok(match self.take("noise") {
            Some(text) => {
                let noise = checked(text, NoiseMultiplier::new)?;
                EventSpec::Whole(Charge::new(form.with(noise), count))
            }
            None => EventSpec::Open { form, count },
        })
    }
}

fn checked<T>(text: &str, new: fn(f64) -> Result<T, OutOfRange>) -> Result<T, String> {
    new(number::parse(text)?).map_err(|error| error.to_string())
}

fn sampling(text: &str) -> Result<Sampling, String> {
    SAMPLINGS
        .into_iter()
        .find(|sampling| sampling.name() == text)
        .ok_or_else(|| unknown("sampling", text, &SAMPLINGS.map(Sampling::name)))
}

/// What to say of a name that is none of `allowed`.
fn unknown(what: &str, given: &str, allowed: &[&str]) -> String {
    let nearest = allowed
        .iter()
        .map(|name| (strsim::jaro_winkler(given, name), name))
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .filter(|(likeness, _)| *likeness > 0.8);
    let hint = match nearest {
        Some((_, name)) => format!("; did you mean {name}?"),
        None => String::new(),
    };
    format!(
        "'{given}' is not a {what}; allowed: {}{hint}",
        allowed.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// What a hand or a script could get wrong: names, signs, separators, other alphabets.
        #[test]
        fn no_text_makes_it_panic_and_every_refusal_says_something(
            text in prop_oneof![
                any::<String>(),
                "(gaussian|pure|zcdp|exponential|subsampled-gaussian|gausian)?:?([a-z]{0,8}=?[-−+0-9.eEnaif]{0,6},?){0,5}",
            ],
        ) {
            if let Err(message) = EventSpec::parse(&text) {
                prop_assert!(!message.is_empty());
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
