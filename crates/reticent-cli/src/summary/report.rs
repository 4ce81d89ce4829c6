//! The report of `reticent summary`: for a program, or for a person.

use std::fmt::Write;
use std::io::Write as _;
use std::path::Path;

use reticent::model::{Certificate, CertifiedSummary};
use reticent::privacy::Adjacency;
use reticent::summary::{Bin, ColumnSummary, Estimate, Level, Mean, Quantile};

use crate::format_number::{exact, rounded_up};
use crate::promise;
use crate::style::{ALARM, BAR, LOUD, NAME, QUIET, bar};
use crate::text_layout::{cut, printable, wrapped};

/// Columns of the longest bar.
const BAR_WIDTH: usize = 24;
/// Columns of what a bin or a level is called.
const LABEL_WIDTH: usize = 24;
/// Of more levels, only the most frequent are shown.
const SHOWN_LEVELS: usize = 20;
/// Steps are worth a remark if they are this part of what values were clipped to.
const COARSE: f64 = 0.01;

/// Warnings, on standard error.
pub fn warn(certificate: &Certificate) {
    let mut err = anstream::stderr();
    let mut warn = |text: &str| {
        // Nothing can be reported if standard error is closed.
        let _ = writeln!(err, "{ALARM}warning:{ALARM:#} {text}");
    };
    if !certificate.private {
        let reasons = certificate.reasons_not_private.join("; ");
        warn(&format!("the result is NOT PRIVATE: {reasons}"));
    }
    for caution in certificate.cautions() {
        warn(&caution.to_string());
    }
}

/// One line: an object, as in the file.
pub fn json(found: &CertifiedSummary) -> String {
    // Serialisation fails only for maps with unusual keys or for writers: there are none.
    let mut line = serde_json::to_string(found).unwrap_or_default();
    line.push('\n');
    line
}

/// The cost, then column after column.
pub fn text(found: &CertifiedSummary, file: Option<&Path>) -> String {
    let certificate = &found.certificate;
    let records = found.summary.records;
    let several = match certificate.unit {
        Some(_) => "people",
        None => "records",
    };
    let records = match certificate.statement.adjacency {
        Adjacency::ReplaceOne => format!("{} {several}", exact(records.value)),
        Adjacency::AddRemove => format!("{} {several}", plus_minus(records)),
    };
    let mut out = String::new();
    let headline = promise::headline(certificate);
    // Writing to a String cannot fail, here and below.
    let _ = writeln!(out, "{LOUD}{records}{LOUD:#}   {headline}");
    if !certificate.private {
        let _ = writeln!(out, "\n  {ALARM}NOT PRIVATE{ALARM:#}: do not publish it");
    }
    for column in &found.summary.columns {
        let name = printable(column.name());
        match column {
            ColumnSummary::Numeric {
                range,
                step,
                missing,
                mean,
                quantiles,
                histogram,
                ..
            } => {
                let (low, high) = (exact(range.0), exact(range.1));
                let missing = missing.map(|value| {
                    let value = exact(value);
                    format!("; missing values count as {value}")
                });
                let missing = missing.unwrap_or_default();
                let _ = writeln!(
                    out,
                    "\n{NAME}{name}{NAME:#}  {QUIET}declared {low} to {high}{missing}{QUIET:#}"
                );
                numbers(&mut out, *range, mean, quantiles);
                if *step > COARSE * (mean.clipped_to.1 - mean.clipped_to.0) {
                    out.push_str(&coarse(*step));
                }
                bars(&mut out, &bins(histogram));
            }
            ColumnSummary::Categorical { levels, .. } => {
                let _ = writeln!(
                    out,
                    "\n{NAME}{name}{NAME:#}  {QUIET}{} levels{QUIET:#}",
                    levels.len()
                );
                let shown = most_frequent(levels);
                bars(&mut out, &shown);
                if shown.len() < levels.len() {
                    let left = levels.len() - shown.len();
                    let _ = writeln!(out, "  {QUIET}and {left} more; --json has all{QUIET:#}");
                }
            }
        }
    }
    let meaning = "± and intervals: the privacy noise of 95 of 100 runs, not what another sample \
                   would change. A count below 0 is noise.";
    let _ = write!(out, "\n{QUIET}{}{QUIET:#}", wrapped(meaning, 0));
    for assumed in &certificate.assumed_public {
        let assumed = printable(&format!("Assumed to be public: {assumed}"));
        out.push_str(&wrapped(&assumed, 0));
    }
    if let Some(file) = file {
        let file = file.display();
        let _ = writeln!(out, "Written to {file}; check it: reticent verify {file}");
    }
    out
}

/// That values are read in steps as wide as a part of where they lie.
fn coarse(step: f64) -> String {
    let step = rounded_up(step, 2);
    let text = format!(
        "Values of this column are read in steps of {step}, which the declared range decides: a \
         narrower one would show more."
    );
    wrapped(&text, 2)
}

/// The mean and the quantiles, one line each.
fn numbers(out: &mut String, range: (f64, f64), mean: &Mean, quantiles: &[Quantile]) {
    let (low, high) = mean.clipped_to;
    let shown = high - low;
    let clipped = format!("of values clipped to {} to {}", exact(low), exact(high));
    let Estimate { low, high, .. } = mean.estimate;
    let (figure, remark) = if (low, high) == range {
        let unknown = "nothing can be said: the noise exceeds the range";
        (String::new(), unknown.to_owned())
    } else if mean.estimate.is_symmetric() {
        (plus_minus(mean.estimate), clipped)
    } else {
        // Cut at what values were clipped to.
        let digits = digits((high - low) / 2.0);
        let (low, high) = (fixed(low, digits), fixed(high, digits));
        (format!("between {low} and {high}"), clipped)
    };
    let line = match figure.is_empty() {
        true => format!("  {:<14}  {QUIET}{remark}{QUIET:#}", "mean"),
        false => format!("  {:<14}  {figure:<20}  {QUIET}{remark}{QUIET:#}", "mean"),
    };
    let _ = writeln!(out, "{line}");
    for quantile in quantiles {
        let Estimate { value, low, high } = quantile.estimate;
        // Nobody reads a difference of a thousandth of what is shown.
        let digits = digits((high - low).max(1e-3 * shown));
        let name = match quantile.share {
            0.5 => "median".to_owned(),
            share => format!("{} quantile", exact(share)),
        };
        let _ = writeln!(
            out,
            "  {name:<14}  {:<20}  {QUIET}between {} and {}{QUIET:#}",
            fixed(value, digits),
            fixed(low, digits),
            fixed(high, digits)
        );
    }
}

fn bins(histogram: &[Bin]) -> Vec<(String, Estimate)> {
    let label = |bin: &Bin| format!("{} to {}", exact(bin.from), exact(bin.to));
    histogram
        .iter()
        .map(|bin| (label(bin), bin.count))
        .collect()
}

/// The levels with the largest counts, in their own order.
fn most_frequent(levels: &[Level]) -> Vec<(String, Estimate)> {
    let mut places: Vec<usize> = (0..levels.len()).collect();
    let count = |place: &usize| levels[*place].count.value;
    places.sort_by(|a, b| count(b).total_cmp(&count(a)));
    places.truncate(SHOWN_LEVELS);
    places.sort_unstable();
    let level = |place: usize| (printable(&levels[place].name), levels[place].count);
    places.into_iter().map(level).collect()
}

/// Labels, counts and bars.
fn bars(out: &mut String, rows: &[(String, Estimate)]) {
    let most = rows
        .iter()
        .map(|(_, count)| count.value)
        .fold(1.0, f64::max);
    let label_width = rows
        .iter()
        .map(|(label, _)| label.chars().count())
        .fold(10, usize::max)
        .min(LABEL_WIDTH);
    let counts: Vec<String> = rows.iter().map(|(_, count)| counted(*count)).collect();
    let width = |text: &String| text.chars().count();
    let count_width = counts.iter().map(width).fold(0, usize::max);
    for ((label, count), shown) in rows.iter().zip(&counts) {
        let label = cut(label, label_width);
        let bar = bar(count.value / most, BAR_WIDTH);
        let _ = write!(out, "  {label:<label_width$}  {shown:>count_width$}");
        let _ = match bar.is_empty() {
            true => writeln!(out),
            false => writeln!(out, "  {BAR}{bar}{BAR:#}"),
        };
    }
}

/// A count as a whole number, as it was released: noise may make it less than 0.
fn counted(count: Estimate) -> String {
    // −0.4 is 0.
    let value = count.value.round() + 0.0;
    let noise = count.half_width().ceil();
    format!("{value} ± {noise}")
}

/// With as many decimals as the noise leaves meaningful.
fn plus_minus(estimate: Estimate) -> String {
    let half = estimate.half_width();
    let digits = digits(half);
    format!(
        "{} ± {}",
        fixed(estimate.value, digits),
        fixed(half, digits)
    )
}

/// Decimals that show two digits of a width.
fn digits(width: f64) -> usize {
    match width > 0.0 {
        true => (1 - width.log10().floor() as i32).clamp(0, 12) as usize,
        false => 6,
    }
}

/// A number with so many decimals; very large and very small ones with an exponent.
fn fixed(value: f64, digits: usize) -> String {
    match value.abs() < 1e12 && digits < 12 {
        true => format!("{value:.digits$}"),
        false => exact(value),
    }
}
