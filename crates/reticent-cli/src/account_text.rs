//! The answer for a person at a terminal.

use std::fmt::Write;

use anstyle::Style;
use reticent::card::{NOISE_DIGITS, events};
use reticent::privacy::{Accountant, Adjacency, Event, Sampling};

use crate::account::{AdjacencyReason, Answer};
use crate::format_number::{exact, rounded_up};
use crate::style::{ALARM, LOUD, NAME, QUIET};

/// From this δ on, whole records may be published from all but the smallest tables.
const LARGE_DELTA: f64 = 1e-2;

/// ε in the first line, then what it depends on, then how it was spent. Colours are always written;
/// the stream drops them where they do not belong.
pub fn render(answer: &Answer) -> String {
    let mut out = String::new();
    headline(&mut out, answer);
    facts(&mut out, answer);
    out.push('\n');
    events(
        &mut out,
        &answer.charges,
        &answer.account.shares,
        answer.noise,
    );
    out
}

fn headline(out: &mut String, answer: &Answer) {
    let epsilon = rounded_up(answer.account.epsilon, 4);
    let alone = if answer.account.epsilon == 0.0 {
        "   δ alone covers these releases"
    } else {
        ""
    };
    // Writing to a String cannot fail, here and below.
    let _ = match answer.noise {
        Some(noise) => writeln!(
            out,
            "{LOUD}noise = {}{LOUD:#}   for ε = {epsilon}{alone}\n",
            rounded_up(noise.get(), NOISE_DIGITS)
        ),
        None => writeln!(out, "{LOUD}ε = {epsilon}{LOUD:#}{alone}\n"),
    };
}

/// A line about what ε depends on: name, value, style of the meaning, meaning.
type Fact = (&'static str, String, Style, String);

/// What ε depends on, one line each.
fn facts(out: &mut String, answer: &Answer) {
    let facts: Vec<Fact> = [
        Some(delta(answer)),
        Some(adjacency(answer)),
        noise(answer),
        Some(accountant(answer)),
    ]
    .into_iter()
    .flatten()
    .collect();
    let width = facts
        .iter()
        .map(|(_, value, ..)| value.chars().count())
        .fold(Adjacency::ReplaceOne.name().len(), usize::max);
    for (name, value, style, meaning) in facts {
        let _ = writeln!(
            out,
            "  {NAME}{name:<10}{NAME:#}  {value:<width$}  {style}{meaning}{style:#}"
        );
    }
}

fn delta(answer: &Answer) -> Fact {
    let delta = answer.account.delta.get();
    let (style, meaning) = if delta < LARGE_DELTA {
        (
            QUIET,
            "must be far below 1/n, n being the number of records",
        )
    } else {
        (ALARM, "a δ this large allows publishing whole records")
    };
    ("delta", exact(delta), style, meaning.to_owned())
}

fn adjacency(answer: &Answer) -> Fact {
    let neighbours = match answer.adjacency {
        Adjacency::ReplaceOne => "one record replaced by any other; n is public",
        Adjacency::AddRemove => "one record added or removed; n is private",
    };
    let because = match answer.because {
        AdjacencyReason::PlanInput => "",
        AdjacencyReason::Default => " (the default)",
        AdjacencyReason::Sampling(Sampling::Poisson) => "; Poisson sampling allows no other",
        AdjacencyReason::Sampling(Sampling::WithoutReplacement) => {
            "; sampling without replacement allows no other"
        }
    };
    let name = answer.adjacency.name().to_owned();
    ("adjacency", name, QUIET, format!("{neighbours}{because}"))
}

/// What noise is relative to, if there is any.
fn noise(answer: &Answer) -> Option<Fact> {
    let sensitivity = match answer.adjacency {
        Adjacency::ReplaceOne => "2C",
        Adjacency::AddRemove => "C",
    };
    let meaning = format!("for sums of vectors of norm at most C, Δ = {sensitivity}");
    let noisy = answer.charges.iter().any(|charge| {
        matches!(
            charge.event,
            Event::Gaussian { .. } | Event::SubsampledGaussian { .. }
        )
    });
    noisy.then(|| ("noise", "σ/Δ".to_owned(), QUIET, meaning))
}

fn accountant(answer: &Answer) -> Fact {
    let accountant = answer.account.accountant;
    let proof = match accountant {
        Accountant::Basic => "sums of pure ε",
        Accountant::Zcdp => "sums of ρ, optimally converted",
        Accountant::Gaussian => "the exact δ(ε) of composed Gaussians",
        Accountant::Rdp => "Rényi divergences, optimally converted",
        Accountant::Pld => "the privacy loss distribution",
    };
    (
        "accountant",
        accountant.name().to_owned(),
        QUIET,
        proof.to_owned(),
    )
}
