//! Releases as a table: what, how often, which share of the whole.

use std::fmt::Write;

use super::format_number::{exact, rounded_up, short};
use super::style::{BAR, NAME, bar};
use crate::privacy::{Charge, Event, NoiseMultiplier};

/// Significant digits of a noise that was found; rounded up, so that it may be used as shown.
pub const NOISE_DIGITS: usize = 6;

/// Columns of a full share bar.
const BAR_WIDTH: usize = 20;

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
    // Writing to a String cannot fail, here and below.
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
