//! Seeded fits of every method, task, adjacency, row bound and storage give the same bits as ever.
//!
//! `tests/data/golden.json` has a digest of the weights and one of the charged events of each fit,
//! or that it is refused. It was recorded before fits were taken off the records that they run on;
//! `GOLDEN=record cargo test -p reticent --test golden` records it anew, which only a change that is
//! meant to change models may do. (The bits rest on `exp` and `ln` of the platform's own library:
//! they are those of Linux on x86-64.)

mod cases;
mod regions;
mod table;

use std::collections::BTreeMap;
use std::path::PathBuf;

use reticent::fit::{Output, Planned};
use reticent::noise::Generator;
use reticent::privacy::Statement;

use cases::{Case, cases};

const SEED: u64 = 20_261_118;

/// FNV-1a: a digest that tells any two recorded fits apart, and needs no crate.
fn digest(bytes: impl IntoIterator<Item = u8>) -> String {
    let mix = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    let hash = bytes.into_iter().fold(0xcbf2_9ce4_8422_2325, mix);
    format!("{hash:016x}")
}

fn of_outputs(outputs: &[Output]) -> String {
    let mut bytes = Vec::new();
    for output in outputs {
        for (column, weight) in &output.weights {
            bytes.extend(column.to_le_bytes());
            bytes.extend(weight.to_bits().to_le_bytes());
        }
        bytes.extend(output.intercept.to_bits().to_le_bytes());
    }
    digest(bytes)
}

fn of_charges(statement: &Statement) -> String {
    digest(serde_json::to_string(&statement.charges).unwrap().bytes())
}

/// The digest of a fit, or why there is none.
fn run(case: &Case) -> String {
    let table = case.shape.table(case.order.task, case.sparse);
    run_on(case, table).unwrap_or_else(|_| "refused".into())
}

fn run_on(case: &Case, table: reticent::table::Table<'_>) -> Result<String, String> {
    let order = &case.order;
    if case.choose {
        let chosen = order.choose(table, Some(SEED), &mut ());
        let chosen = chosen.map_err(|error| error.to_string())?;
        let columns = chosen
            .columns
            .iter()
            .flat_map(|column| column.to_le_bytes());
        let charges = of_charges(&chosen.certificate.statement);
        return Ok(format!("{} {charges}", digest(columns)));
    }
    let published = order.published_transfer();
    let Some(budget) = order.budget.filter(|_| !published) else {
        let trained = order.train(table, None, Some(SEED), &mut ());
        let model = trained.map_err(|error| error.to_string())?.model;
        return Ok(of_outputs(model.outputs()));
    };
    let facts = order.facts(case.shape.rows, case.shape.width).unwrap();
    let classes = order.outcome(&table).unwrap();
    let classes = match classes {
        reticent::model::Outcome::Classes(classes) => classes.len(),
        reticent::model::Outcome::Value(_) => 0,
    };
    let (plan, _) = order
        .plan(budget, classes, facts, None)
        .map_err(|error| error.to_string())?;
    let held = table
        .hold(order.rows, order.range, order.intercept)
        .unwrap();
    let records = held.shut(order.adjacency);
    let mut randomness = Generator::not_private(SEED);
    let fitted = plan.run(&records, &mut randomness, &mut ());
    let fitted = fitted.map_err(|error| error.to_string())?;
    let charges = of_charges(&fitted.statement);
    Ok(format!("{} {charges}", of_outputs(&fitted.outputs)))
}

fn recorded() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data/golden.json")
}

#[test]
fn seeded_fits_have_the_bits_that_were_recorded() {
    let found: BTreeMap<String, String> = cases()
        .iter()
        .map(|case| (case.name.clone(), run(case)))
        .chain(regions::fits())
        .collect();
    if std::env::var("GOLDEN").is_ok_and(|wish| wish == "record") {
        let json = serde_json::to_string_pretty(&found).unwrap();
        return std::fs::write(recorded(), json + "\n").unwrap();
    }
    let text = std::fs::read_to_string(recorded()).unwrap();
    let expected: BTreeMap<String, String> = serde_json::from_str(&text).unwrap();
    let fits =
        |map: &BTreeMap<String, String>| map.values().filter(|told| *told != "refused").count();
    assert!(
        fits(&expected) >= 60,
        "{} fits are recorded",
        fits(&expected)
    );
    let changed: Vec<String> = expected
        .iter()
        .filter(|(name, told)| found.get(*name) != Some(told))
        .map(|(name, told)| format!("{name}: {told}, now {:?}", found.get(name)))
        .collect();
    assert!(
        changed.is_empty(),
        "{} changed:\n{}",
        changed.len(),
        changed.join("\n")
    );
    assert_eq!(found.len(), expected.len(), "a case was never recorded");
}
