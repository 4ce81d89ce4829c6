//! What a certificate promises, and what it does not, in plain sentences.

use super::format_number::{exact, rounded_up};
use crate::model::Certificate;
use crate::privacy::{Adjacency, Basis};

/// (ε, δ), ρ if it is stated, and the adjacency, in a line.
pub fn headline(certificate: &Certificate) -> String {
    let statement = &certificate.statement;
    if !statement.has_guarantee() {
        return "no guarantee".to_owned();
    }
    let rho = statement.rho.map_or(String::new(), |rho| {
        format!("ρ = {} (zCDP), ", rounded_up(rho, 4))
    });
    format!(
        "{rho}ε = {} at δ = {}, {}",
        rounded_up(statement.epsilon, 4),
        exact(statement.delta.get()),
        statement.adjacency
    )
}

/// What is protected, in a word.
pub fn one_protected(certificate: &Certificate) -> &'static str {
    match certificate.unit {
        Some(_) => "person",
        None => "record",
    }
}

/// Titles and sentences, in the order to read them.
pub fn sections(certificate: &Certificate) -> Vec<(&'static str, Vec<String>)> {
    let mut sections = Vec::new();
    if !certificate.statement.has_guarantee() {
        let nothing = "Nothing: there is no guarantee. The weights may reveal any record.";
        sections.push(("What it promises", vec![nothing.to_owned()]));
    } else if !certificate.verify().holds() {
        let nothing = "Nothing that can be relied on.".to_owned();
        sections.push(("What it promises", vec![nothing]));
    } else if certificate.private {
        sections.push(("What it promises", promise(certificate)));
    } else {
        let nothing = format!(
            "Nothing. Were it not for the reasons above, it would be {}.",
            headline(certificate)
        );
        sections.push(("What it promises", vec![nothing]));
    }
    // Where nothing is promised, nothing can be left out of the promise.
    if certificate.private && certificate.verify().holds() {
        sections.push(("What the promise does not cover", uncovered(certificate)));
    }
    if !certificate.assumed_public.is_empty() {
        let assumed = certificate.assumed_public.clone();
        sections.push(("Assumed to be public, and not checked", assumed));
    }
    sections
}

/// What ε, δ and the adjacency mean.
fn promise(certificate: &Certificate) -> Vec<String> {
    let statement = &certificate.statement;
    let one = one_protected(certificate);
    let (several, rows) = match certificate.unit {
        Some(_) => ("people", " How many rows there are is private."),
        None => ("records", ""),
    };
    let neighbours = match statement.adjacency {
        Adjacency::ReplaceOne => format!(
            "Had any one of the {} {several} been different, anyone who sees this model could hardly \
             tell. That there are {0} {several} is public.{rows}",
            certificate.records
        ),
        Adjacency::AddRemove => format!(
            "Had any one {one} been absent, or one more present, anyone who sees this model could \
             hardly tell. How many {several} there are is private; {} was declared in its place.{rows}",
            certificate.records
        ),
    };
    let delta = statement.delta.get();
    let factor = statement.epsilon.exp();
    let factor = if factor.is_finite() {
        rounded_up(factor, 3)
    } else {
        "e^ε".to_owned()
    };
    let meaning = format!(
        "Precisely: one {one} changes the probability of anything that can be concluded from \
         the model, from p to at most {factor}·p + {}.",
        exact(delta)
    );
    let mut sentences = vec![neighbours, meaning];
    if let Some(unit) = &certificate.unit {
        sentences.push(format!("What is protected is {unit}."));
    }
    if delta * certificate.records as f64 >= 1.0 {
        sentences.push(format!(
            "With {} {several} that δ is too large: publishing a whole {one} would be allowed.",
            certificate.records
        ));
    }
    if statement.epsilon > 10.0 {
        sentences.push("An ε beyond 10 is a weak promise.".to_owned());
    }
    if let Some(rho) = statement.rho {
        sentences.push(format!(
            "In zero-concentrated differential privacy it costs ρ = {}, which adds up with the ρ of \
             whatever else is released about these records under the same adjacency.",
            rounded_up(rho, 4)
        ));
    }
    if statement.basis == Basis::Filter {
        sentences.push("ε is the whole budget of the fit, however much of it was used.".to_owned());
    }
    if let Some(claim) = &certificate.published {
        sentences.push(format!(
            "The noise is that of {}, which claims ε = {} for it. What is stated here is what is \
             proved.",
            claim.source,
            exact(claim.epsilon)
        ));
    }
    sentences
}

/// What is outside the promise.
fn uncovered(certificate: &Certificate) -> Vec<String> {
    let several = match certificate.unit {
        None => "Several records of one person: the promise is for one row.",
        Some(_) => {
            "A person whose rows are under several names: the promise is for the rows of one name."
        }
    };
    vec![
        "Other releases of the same records: another fit, another statistic. What they cost \
         adds up, and no certificate knows of another."
            .to_owned(),
        "Accuracy and other metrics that were measured on private records.".to_owned(),
        "How long the fit took, how much memory it used, and whether it failed.".to_owned(),
        "What is true of the people as a group: the model is meant to reveal that, also about \
         people outside the table."
            .to_owned(),
        several.to_owned(),
        "A certificate that was changed consistently: it is a claim by whoever distributes the \
         file. reticent verify checks its arithmetic and its plan."
            .to_owned(),
    ]
}
