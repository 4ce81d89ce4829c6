//! What a fit would do and spend, before there are any data.
//!
//! `cargo run --release -p reticent --example plan`

use std::error::Error;

use reticent::table::RecordBound;
use reticent::train::{FitRequest, Nonzero, ParameterStyle, TaskName};

/// Prints the plan of a fit.
pub fn main() -> Result<(), Box<dyn Error>> {
    // Everything that a person declares; nothing here comes from a table.
    let request = FitRequest {
        task: Some(TaskName::Logistic),
        epsilon: Some(1.0),
        delta: Some(1e-9),
        rows: Some(RecordBound::Linf(1.0)),
        nonzero: Some(Nonzero::Count(16)),
        ..FitRequest::default()
    };
    // What is missing or contradictory is refused here, with how to choose it.
    let checked = request.check(ParameterStyle::Arguments)?;

    // The public facts: 30 000 records, 123 columns, two classes.
    let (plan, why) = checked.plan(checked.facts(30_000, 123), 2)?;
    println!("method {}", plan.name());
    println!("because {}", why.unwrap_or_default());
    for entry in plan.summary() {
        println!("  {:<16}{:<16}{}", entry.name, entry.value, entry.meaning);
    }

    // The releases that it will charge, and what they cost together.
    if let Some(spending) = plan.spending() {
        for charge in spending.charges() {
            println!("  {charge:?}");
        }
        println!("epsilon = {}", spending.account().epsilon);
    }
    Ok(())
}
