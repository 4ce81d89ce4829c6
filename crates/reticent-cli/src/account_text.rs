//! The answer for a person at a terminal.

use std::fmt::Write;

use anstyle::Style;
use reticent::privacy::{Accountant, Adjacency, Charge, Event, NoiseMultiplier, Sampling};

use crate::account::{AdjacencyReason, Answer};
use crate::evaluate::short;
use crate::format_number::{exact, rounded_up};
use crate::style::{ALARM, BAR, LOUD, NAME, QUIET, bar};

/// Significant digits of a noise that was found; rounded up, so that it may be used as shown.
const NOISE_DIGITS: usize = 6;

/// From this δ on, whole records may be published from all but the smallest tables.
const LARGE_DELTA: f64 = 1e-2;

/// Columns of a full share bar.
const BAR_WIDTH: usize = 20;

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

/// One row per event: what, how often, which share of the whole.
pub fn events(
    out: &mut String,
    charges: &[Charge],
    shares: &[f64],
    found: Option<NoiseMultiplier>,
) {
    let rows: Vec<[String; 3]> = charges
        .iter()
        .map(|charge| {
            [
                charge.event.name().to_owned(),
                settings(&charge.event, found),
                charge.count.to_string(),
            ]
        })
        .collect();
    let width = |column: usize, header: &str| {
        rows.iter()
            .map(|row| row[column].chars().count())
            .fold(header.len(), usize::max)
    };
    let (kind, given, count) = (width(0, "event"), width(1, ""), width(2, "count"));
    let _ = writeln!(
        out,
        "  {NAME}{:<kind$}  {:<given$}  {:>count$}   {:>7}{NAME:#}",
        "event", "", "count", "share"
    );
    for (row, &share) in rows.iter().zip(shares) {
        let _ = writeln!(
            out,
            "  {:<kind$}  {:<given$}  {:>count$}   {:>7}  {BAR}{}{BAR:#}",
            row[0],
            row[1],
            row[2],
            percent(share),
            bar(share, BAR_WIDTH)
        );
    }
}

/// The event's settings; the noise that was found, as in the headline.
fn settings(event: &Event, found: Option<NoiseMultiplier>) -> String {
    let noise_text = |noise: &NoiseMultiplier| match found {
        Some(found) if found == *noise => rounded_up(found.get(), NOISE_DIGITS),
        _ => shown(noise.get()),
    };
    match event {
        Event::Gaussian { noise } => format!("noise={}", noise_text(noise)),
        Event::Exponential { range } => format!("range={}", shown(range.get())),
        Event::Pure { epsilon } => format!("epsilon={}", shown(epsilon.get())),
        Event::Zcdp { rho } => format!("rho={}", shown(rho.get())),
        Event::SubsampledGaussian {
            noise,
            rate,
            sampling,
        } => format!(
            "noise={}, rate={}, {}",
            noise_text(noise),
            shown(rate.get()),
            sampling.name()
        ),
    }
}

/// A number as it was typed, or four digits of one that was computed; the JSON has all of them.
fn shown(value: f64) -> String {
    const TYPED: usize = 8;
    let exact = exact(value);
    match exact.len() <= TYPED {
        true => exact,
        false => short(value),
    }
}

fn percent(share: f64) -> String {
    if share > 0.0 && share < 0.0005 {
        "< 0.1 %".to_owned()
    } else {
        format!("{:.1} %", 100.0 * share)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_share_is_not_called_nothing() {
        assert_eq!(percent(0.12345), "12.3 %");
        assert_eq!(percent(1e-6), "< 0.1 %");
        assert_eq!(percent(0.0), "0.0 %");
    }
}
