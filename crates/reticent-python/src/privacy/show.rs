//! Certificates for people: a headline and a short table, as text and as HTML.

use std::fmt::Write;

use reticent::model::Certificate;
use reticent::privacy::Charge;
use reticent::table::RecordBound;

/// How many kinds of releases are listed; a longer list ends with the number of the others.
const LISTED: usize = 6;

/// Whether it is private, and by how much, in a line.
pub fn headline(certificate: &Certificate) -> String {
    let statement = &certificate.statement;
    if !statement.has_guarantee() {
        return "NOT PRIVATE, no guarantee".to_owned();
    }
    let private = match certificate.private {
        true => "private",
        false => "NOT PRIVATE, or else",
    };
    let rho = (statement.rho)
        .map(|rho| format!("ρ = {}, ", rounded_up(rho)))
        .unwrap_or_default();
    format!(
        "{private}: {rho}ε = {} at δ = {:?}, {}",
        rounded_up(statement.epsilon),
        statement.delta.get(),
        statement.adjacency
    )
}

/// The headline, and one line per fact.
pub fn text(certificate: &Certificate) -> String {
    let mut out = format!("Certificate, {}", headline(certificate));
    for (name, value) in facts(certificate) {
        // Writing to a String cannot fail, here and below.
        let _ = write!(out, "\n  {name:<14}  {}", plain(&value));
    }
    out
}

/// The same as a table for a notebook.
pub fn html(certificate: &Certificate) -> String {
    let mut out = format!(
        "<table><caption>Certificate, {}</caption><tbody>",
        escaped(&headline(certificate))
    );
    for (name, value) in facts(certificate) {
        let (name, value) = (escaped(name), escaped(&value));
        let style = "style=\"text-align: left\"";
        let _ = write!(
            out,
            "<tr><th {style}>{name}</th><td {style}>{value}</td></tr>"
        );
    }
    out.push_str("</tbody></table>");
    out
}

/// Its facts, each a name and a value.
fn facts(certificate: &Certificate) -> Vec<(&'static str, String)> {
    let mut facts = Vec::new();
    for reason in &certificate.reasons_not_private {
        facts.push(("not private", reason.clone()));
    }
    let parameters: Vec<String> = (certificate.method.parameters.iter())
        .map(|parameter| format!("{}={}", parameter.name, short(&parameter.value)))
        .collect();
    let method = format!("{} {}", certificate.method.name, parameters.join(" "));
    facts.push(("method", method.trim_end().to_owned()));
    let counted = match certificate.unit {
        Some(_) => "people",
        None => "records",
    };
    facts.push((counted, certificate.records.to_string()));
    facts.push(("columns", certificate.columns.to_string()));
    if let Some(map) = &certificate.features {
        facts.push(("features", short(&map.sentence())));
    }
    facts.push((
        "rows",
        match certificate.rows {
            RecordBound::L2(bound) => format!("clipped to l2 = {bound:?}"),
            RecordBound::Linf(bound) => format!("clipped to linf = {bound:?}"),
        },
    ));
    if let Some(range) = certificate.target {
        let held = format!("clipped to {:?} to {:?}", range.low, range.high);
        facts.push(("target", held));
    }
    if certificate.statement.has_guarantee() {
        let name = certificate.statement.accountant.name();
        facts.push(("accountant", name.to_owned()));
        facts.push(("releases", releases(&certificate.statement.charges)));
    }
    if let Some(claim) = &certificate.published {
        let claimed = format!(
            "{} claims ε = {:?} at δ = {:?}; what is proved is stated here",
            claim.source, claim.epsilon, claim.delta
        );
        facts.push(("as published", claimed));
    }
    for assumed in &certificate.assumed_public {
        facts.push(("assumed public", assumed.clone()));
    }
    facts.push(("made by", format!("reticent {}", certificate.version)));
    facts
}

/// The releases, a long list cut short.
fn releases(charges: &[Charge]) -> String {
    let mut listed: Vec<String> = (charges.iter().take(LISTED))
        .map(|charge| format!("{} × {}", charge.count, short(&charge.event.to_string())))
        .collect();
    if charges.len() > LISTED {
        listed.push(format!("and {} more", charges.len() - LISTED));
    }
    listed.join("; ")
}

/// A number ≥ 0 with four decimals, never below itself: a displayed ε must not promise more than
/// was proved.
pub fn rounded_up(value: f64) -> String {
    // The first digits of a small one, four places of another.
    let shown = |value: f64| match value < 0.01 {
        true => format!("{value:.3e}"),
        false => format!("{value:.4}"),
    };
    let nearest = shown(value);
    // `parse` reads what is written in this form.
    if nearest.parse::<f64>().is_ok_and(|shown| shown >= value) {
        nearest
    } else {
        shown((value + 1e-4).min(value * 1.001))
    }
}

/// A text whose long numbers have four significant digits.
pub fn short(text: &str) -> String {
    let ends = |c: char| matches!(c, '=' | ',' | ' ');
    let part = |part: &str| {
        let number = part.trim_end_matches(ends);
        match number.parse::<f64>() {
            Ok(value) if number.len() > 6 && number.contains('.') => {
                // `{:e}` writes what `parse` reads.
                let nearest: f64 = format!("{value:.3e}").parse().unwrap_or(value);
                let nearest = match (1e-4..1e7).contains(&nearest.abs()) {
                    true => format!("{nearest}"),
                    false => format!("{nearest:e}"),
                };
                format!("{nearest}{}", &part[number.len()..])
            }
            _ => part.to_owned(),
        }
    };
    text.split_inclusive(ends).map(part).collect()
}

/// Without control characters, which could control the terminal.
fn plain(text: &str) -> String {
    let show = |c: char| if c.is_control() { '\u{fffd}' } else { c };
    text.chars().map(show).collect()
}

/// As text in HTML.
fn escaped(text: &str) -> String {
    plain(text)
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}
