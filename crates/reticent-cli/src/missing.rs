//! Flags that have no default, because each is a promise that only a person can make: what is
//! missing is explained, all of it at once.

use clap::error::ErrorKind;

use crate::refusal::{Refusal, listed};

/// What was not given.
#[derive(Default)]
pub struct Missing(Vec<&'static str>);

impl Missing {
    /// Notes that `--flag` is missing, unless it is there.
    pub fn unless(&mut self, given: bool, flag: &'static str) {
        if !given {
            self.0.push(flag);
        }
    }

    /// Whether nothing is.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// What is missing, and how to choose it.
    pub fn refusal(mut self) -> Refusal {
        self.0
            .sort_by_key(|flag| ORDER.iter().position(|other| other == flag));
        let names: Vec<String> = self.0.iter().map(|flag| format!("--{flag}")).collect();
        let (was, none) = match self.0.len() {
            1 => ("was", "it has no default"),
            _ => ("were", "they have no defaults"),
        };
        let mut message = format!("{} {was} not given, and {none}", listed(&names));
        for flag in &self.0 {
            message.push_str("\n\n  ");
            message.push_str(how_to_choose(flag));
        }
        Refusal::new(ErrorKind::MissingRequiredArgument, message)
    }
}

/// The order in which a person would choose.
const ORDER: [&str; 10] = [
    "task",
    "n",
    "d",
    "k",
    "epsilon",
    "delta",
    "rows",
    "target-range",
    "public-n",
    "out",
];

/// How a person would choose the value of a flag.
fn how_to_choose(flag: &str) -> &'static str {
    match flag {
        "task" => {
            "--task logistic      for two classes
  --task multinomial   for several
  --task linear        for a number"
        }
        "epsilon" => {
            "--epsilon E   the privacy budget: whatever one record says, it changes the
      odds of any outcome by a factor of at most e^E. Around 1 is a strong
      promise, 3 a usual one, beyond 10 a weak one. Start with --epsilon 1
      Or give --rho R in its place: the budget in zero-concentrated privacy,
      where releases add up. 0.02 is at most --epsilon 0.9 at --delta 1e-6"
        }
        "delta" => {
            "--delta D     the probability that the promise may fail by: far below 1/n for
      n records, since at 1/n publishing a whole record is allowed. 1/n² is a
      good choice: --delta 1e-6 for a thousand records, 1e-8 for ten thousand"
        }
        "rows" => {
            "--rows l2=1   every row is scaled down to length 1 if it is longer: for text
      (tf-idf) and for rows that are normalised anyway
  --rows linf=1 every value is clipped to [−1, 1]: for 0/1 features and features
      that were scaled by public numbers
      Choose it by what the columns mean, not by looking at this table"
        }
        "target-range" => {
            "--target-range LO,HI   between which numbers the target lies; what is beyond
      is clipped. Take what any such table could hold (an age: 0,120), not the
      least and the largest of this one: those are facts about single people"
        }
        "public-n" => {
            "--public-n N0 under add-remove adjacency the number of records is private, and
      a public number takes its place: a guess you could print in a newspaper,
      such as 30000. It need not be right; the closer, the better the model"
        }
        "out" => "--out FILE    where the model and its certificate go, such as model.json",
        "n" => "--n N         the number of records that the table will have",
        "d" => {
            "--d D         the number of features that the table will have (or --schema,
      which tells)"
        }
        "k" => "--k K         the number of classes that the table will have",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_missing_flag_is_explained_within_80_columns() {
        for flag in ORDER {
            let text = how_to_choose(flag);
            assert!(text.starts_with(&format!("--{flag} ")), "{flag}");
            for line in text.lines() {
                assert!(line.chars().count() <= 80, "{line}");
            }
        }
        let mut missing = Missing::default();
        for flag in ORDER {
            missing.unless(false, flag);
        }
        let message = missing.refusal().message;
        assert!(
            ORDER
                .iter()
                .all(|flag| message.contains(&format!("--{flag}")))
        );
    }
}
