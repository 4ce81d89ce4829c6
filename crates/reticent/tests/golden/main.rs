//! Seeded fits of every method, task, adjacency, row bound and storage give the same bits as ever.
//!
//! `tests/data/golden.json` has a digest of the weights and one of the charged events of each fit,
//! or that it is refused. It was recorded before fits were separated from the records that they run
//! on; `GOLDEN=record cargo test -p reticent --test golden` records it anew, which only a change
//! that is meant to change models may do. (The bits rest on `exp` and `ln` of the platform's own
//! library: they are those of Linux on x86-64.)

mod cases;
mod parts;
mod regions;
mod table;

use std::collections::BTreeMap;
use std::path::PathBuf;

use reticent::fit::{FitInput, LinearFunction, Released};
use reticent::model::{Certificate, Method, Model, Outcome};
use reticent::noise::Generator;
use reticent::privacy::Statement;
use reticent::table::ClassPattern;

use cases::{Case, cases};

const SEED: u64 = 20_261_118;

/// FNV-1a: a digest that distinguishes any two recorded fits, and needs no crate.
fn digest(bytes: impl IntoIterator<Item = u8>) -> String {
    let mix = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    let hash = bytes.into_iter().fold(0xcbf2_9ce4_8422_2325, mix);
    format!("{hash:016x}")
}

fn of_outputs(outputs: &[LinearFunction]) -> String {
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
    run_on(case).unwrap_or_else(|_| "refused".into())
}

fn run_on(case: &Case) -> Result<String, String> {
    let (request, facts) = (&case.request, case.facts);
    let range = case.range();
    let table = case.shape.table(request.task, case.sparse);
    let layout = table.layout.clone();
    let (plan, _) = request.plan(facts).map_err(|error| error.to_string())?;
    let held = table.clip(facts.rows, range, request.intercept).unwrap();
    let mut randomness = Generator::not_private(SEED);
    let fitted = match plan.spending() {
        Some(spending) => {
            let records = held.seal(spending.adjacency());
            plan.run(FitInput::Sealed(&records), &mut randomness, &mut ())
        }
        None => plan.run(FitInput::Open(&held), &mut randomness, &mut ()),
    };
    let fitted = fitted.map_err(|error| error.to_string())?;
    let charges = of_charges(&fitted.statement);
    match &fitted.released {
        Released::Columns(columns) => {
            let columns = columns.iter().flat_map(|column| column.to_le_bytes());
            Ok(format!("{} {charges}", digest(columns)))
        }
        released if plan.spending().is_some() => {
            Ok(format!("{} {charges}", of_outputs(released.outputs())))
        }
        // In the units of the target.
        _ => {
            let mut certificate =
                Certificate::new(fitted.statement.clone(), facts, Method::new("", &[]));
            certificate.target = range;
            let outcome = match range {
                Some(range) => Outcome::Value(range),
                None => Outcome::Classes(names(plan.task().classes())),
            };
            let model = Model::new(&fitted, outcome, request.intercept, layout, certificate);
            let model = model.map_err(|error| error.to_string())?;
            Ok(of_outputs(model.predictor().functions()))
        }
    }
}

/// Classes by any name.
fn names(count: u32) -> Vec<ClassPattern> {
    let class = |k: u32| ClassPattern {
        name: k.to_string(),
        labels: Some(vec![k.to_string()]),
    };
    (0..count).map(class).collect()
}

fn recorded() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data/golden.json")
}

fn recorded_digests() -> BTreeMap<String, String> {
    let text = std::fs::read_to_string(recorded()).unwrap();
    serde_json::from_str(&text).unwrap()
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
    let expected = recorded_digests();
    let fits =
        |map: &BTreeMap<String, String>| map.values().filter(|digest| *digest != "refused").count();
    assert!(
        fits(&expected) >= 60,
        "{} fits are recorded",
        fits(&expected)
    );
    let changed: Vec<String> = expected
        .iter()
        .filter(|(name, digest)| found.get(*name) != Some(digest))
        .map(|(name, digest)| format!("{name}: {digest}, now {:?}", found.get(name)))
        .collect();
    assert!(
        changed.is_empty(),
        "{} changed:\n{}",
        changed.len(),
        changed.join("\n")
    );
    assert_eq!(found.len(), expected.len(), "a case was never recorded");
}
