//! The answer as one JSON object, for programs.

use reticent::privacy::{Accountant, Adjacency, Charge, Delta, NoiseMultiplier};
use serde::Serialize;

use crate::account::Answer;

#[derive(Serialize)]
struct Report {
    epsilon: f64,
    delta: Delta,
    adjacency: Adjacency,
    accountant: Accountant,
    #[serde(skip_serializing_if = "Option::is_none")]
    noise: Option<NoiseMultiplier>,
    events: Vec<EventReport>,
}

#[derive(Serialize)]
struct EventReport {
    #[serde(flatten)]
    charge: Charge,
    share: f64,
}

/// One line: an object whose numbers read back as exactly the same floats.
pub fn render(answer: &Answer) -> String {
    let report = Report {
        epsilon: answer.account.epsilon,
        delta: answer.account.delta,
        adjacency: answer.adjacency,
        accountant: answer.account.accountant,
        noise: answer.noise,
        events: answer
            .charges
            .iter()
            .zip(&answer.account.shares)
            .map(|(&charge, &share)| EventReport { charge, share })
            .collect(),
    };
    // Serialisation fails only for maps with unusual keys or for writers: there are none.
    let mut line = serde_json::to_string(&report).unwrap_or_default();
    line.push('\n');
    line
}
