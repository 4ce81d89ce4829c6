//! The permanent attack: coupled replay of every method and every question on hostile tables.
//!
//! A try makes a hostile table and a neighbour, runs a fit on the first, and replays what was released
//! to the same fit on the second (`mechanism/tape.rs`): at each release, the actual movement must
//! not exceed the sensitivity that was charged, and noise, grid, kind and order must be the same;
//! at the end models, statements and errors must be the same. `cargo xtask attack` runs it for
//! minutes, and a bounded part of it is among the tests. It covers every method in
//! [`METHODS`](crate::fit::METHODS), and every question by the label of its query, which must be in
//! [`QUESTIONS`].

mod batch;
mod calibration;
pub(crate) mod chance;
mod method;
pub(crate) mod question;
pub(crate) mod table;

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use crate::mechanism::tape::Findings;
use crate::population::query::mutant;
use crate::privacy::Adjacency;
use chance::Chance;

/// The outcome of a fit: its result or its error, to the last bit.
type Outcome = String;

/// All questions, by the labels of their queries. Objective perturbation has three: two parts of
/// its density, and the point that is found.
const QUESTIONS: &[&str] = &[
    "gradient",
    "gradient of intercepts",
    "gradient of all",
    "gradient by class",
    "batch gradient",
    "loss changes",
    "norms of columns",
    "directions",
    "histogram",
    "framed sums",
    "moments",
    "lengths",
    "residuals",
    "votes",
    "minimiser",
    "answers",
    "count",
    "linear term",
    "volume",
    "perturbed minimiser",
    "class counts",
    "margin histogram",
    "margin sums",
    "class calibration",
];

const ADJACENCIES: [Adjacency; 2] = [Adjacency::ReplaceOne, Adjacency::AddRemove];

/// One table, its neighbour, one fit of both.
enum Try {
    /// There is no plan for these parameters.
    Refused,
    Done {
        what: String,
        findings: Findings,
    },
}

impl Try {
    fn done(what: String, one: Outcome, two: Outcome, mut findings: Findings) -> Self {
        if one != two {
            findings
                .faults
                .push(format!("the results differ: {one} and {two}"));
        }
        Self::Done { what, findings }
    }

    /// The try of this number.
    fn number(number: u64) -> Self {
        let mut chance = Chance::new(number);
        let adjacency = chance.pick(&ADJACENCIES);
        match chance.once_in(3) {
            true => question::attack(&mut chance, adjacency),
            false => method::attack(&mut chance, adjacency),
        }
    }
}

/// The result of many tries.
#[derive(Default)]
struct Report {
    tries: u64,
    refused: u64,
    worst: BTreeMap<(&'static str, &'static str), (u64, f64)>,
    faults: Vec<String>,
}

impl Report {
    fn add(&mut self, number: u64, tried: Try) {
        let Try::Done { what, findings } = tried else {
            self.refused += 1;
            return;
        };
        self.tries += 1;
        for (name, (count, ratio)) in findings.worst {
            let worst = self.worst.entry(name).or_default();
            *worst = (worst.0 + count, worst.1.max(ratio));
        }
        for fault in findings.faults {
            let mut text = format!("try {number}: {fault} ({what})");
            text.truncate(
                text.char_indices()
                    .nth(1_500)
                    .map_or(text.len(), |(at, _)| at),
            );
            self.faults.push(text);
        }
    }

    /// The largest ratio of a question, over all kinds of release.
    fn largest(&self, question: &str) -> Option<f64> {
        let of = |((name, _), (_, ratio)): (&(&str, _), &(_, f64))| {
            (*name == question).then_some(*ratio)
        };
        self.worst.iter().filter_map(of).reduce(f64::max)
    }

    fn print(&self) {
        println!("{} tries, {} refused before any", self.tries, self.refused);
        println!(
            "{:<24} {:<18} {:>9}  largest move / sensitivity",
            "question", "release", "compared"
        );
        for ((question, kind), (count, ratio)) in &self.worst {
            println!("{question:<24} {kind:<18} {count:>9}  {ratio:.9}");
        }
        for fault in self.faults.iter().take(5) {
            println!("FAULT {fault}");
        }
    }
}

/// Tries from a number on, until so many are done or the time is up.
fn report(from: u64, tries: u64, until: Option<Instant>) -> Report {
    let mut report = Report::default();
    let mut number = from;
    let in_time = || until.is_none_or(|until| Instant::now() < until);
    while report.tries < tries && in_time() {
        report.add(number, Try::number(number));
        number += 1;
    }
    report
}

fn check(report: &Report) {
    report.print();
    assert!(report.faults.is_empty(), "{}", report.faults[0]);
    for ((question, kind), (_, ratio)) in &report.worst {
        assert!(*ratio <= 1.0, "{question} by {kind}: {ratio}");
        assert!(
            QUESTIONS.contains(question),
            "{question} is asked, and not among QUESTIONS"
        );
    }
    for question in QUESTIONS {
        assert!(
            report.largest(question).is_some(),
            "{question} was never attacked"
        );
    }
}

#[test]
fn no_release_moves_by_more_than_was_charged() {
    check(&report(0, 700, None));
}

/// Run by `cargo xtask attack`, which says for how long and from which seed on.
#[test]
#[ignore = "for `cargo xtask attack`"]
fn for_minutes() {
    let number = |name: &str, otherwise: u64| {
        let value = std::env::var(name).ok();
        value
            .and_then(|value| value.parse().ok())
            .unwrap_or(otherwise)
    };
    let minutes = number("ATTACK_MINUTES", 5);
    let until = Instant::now() + Duration::from_secs(60 * minutes);
    // Each seed has its own numbers.
    let from = number("ATTACK_SEED", 1) << 32;
    check(&report(from, u64::MAX, Some(until)));
}

/// The test of the test: a sensitivity that is one per cent too small is found, for each question
/// in turn and under either adjacency.
#[test]
fn a_sensitivity_that_is_a_per_cent_too_small_is_caught() {
    for question in QUESTIONS {
        for adjacency in ADJACENCIES {
            if (*question, adjacency) == ("votes", Adjacency::AddRemove) {
                continue; // Refused: one more record would move others to other blocks.
            }
            mutant::set(Some(question));
            let caught = (0..20_000).find(|number| {
                let mut chance = Chance::new(1 << 50 | number);
                match question::attack(&mut chance, adjacency) {
                    Try::Refused => false,
                    Try::Done { findings, .. } => findings
                        .worst
                        .iter()
                        .any(|((name, _), (_, ratio))| name == question && *ratio > 1.0),
                }
            });
            mutant::set(None);
            println!("{question} under {adjacency:?}: caught at try {caught:?}");
            assert!(caught.is_some(), "a mutant of {question} survived");
        }
    }
}
