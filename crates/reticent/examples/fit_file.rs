//! From a CSV file and its schema to a private model, its certificate and predictions.
//!
//! `cargo run --release -p reticent --example fit_file`

use std::error::Error;
use std::fmt::Write;

use reticent::model::{Model, Predictions, probability};
use reticent::table::{Reading, Schema, WantedTarget, read};
use reticent::train::{FitRequest, ParameterStyle, TaskName};

/// What any such table may hold: chosen without looking at this one.
const SCHEMA: &str = r#"
version = 1
column = [
  {name = "age", kind = "numeric", bounds = [18, 98]},
  {name = "ward", kind = "categorical", levels = ["heart", "lungs"]},
  {name = "ill", kind = "target", classes = ["no", "yes"]},
]
"#;

/// Fits a file that it makes up.
pub fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::temp_dir().join(format!("reticent-fit-file-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let result = fit(&folder);
    std::fs::remove_dir_all(&folder)?;
    result
}

fn fit(folder: &std::path::Path) -> Result<(), Box<dyn Error>> {
    let (table, file) = (folder.join("patients.csv"), folder.join("model.json"));
    std::fs::write(&table, patients())?;

    // The table, through its schema. It is the user's own copy, and still open.
    let schema = Schema::from_toml(SCHEMA)?;
    let reading = Reading {
        wanted: WantedTarget::Classes(None),
        columns: None,
        zero_based: false,
        schema: Some(&schema),
        progress: &|_, _| {},
    };
    let table = read(&table, &reading)?;
    let features = table.features.clone();

    // What is declared. The schema maps features to [−1, 1], so the rows need no other bound.
    let request = FitRequest {
        task: Some(TaskName::Logistic),
        epsilon: Some(1.0),
        delta: Some(1e-8),
        schema: true,
        ..FitRequest::default()
    };
    let checked = request.check(ParameterStyle::Arguments)?;

    // Plan, clip, seal, fit, certify: no public rows, no seed, no watcher.
    let trained = checked.train(table, None, None, &mut ())?;
    trained.model.write(&file)?;

    // Anyone with the file can recompute what was spent.
    let model = Model::read(&file)?;
    let certificate = model.certificate();
    println!(
        "{} weights; epsilon = {} at delta = {}; holds: {}",
        model.nonzero(),
        certificate.statement.epsilon,
        certificate.statement.delta.get(),
        certificate.verify().holds(),
    );
    if let Predictions::Classes { scores, names } = model.predict(&features)? {
        println!(
            "first record: {} with {:.2}",
            names[1],
            probability(scores[0])
        );
    }
    Ok(())
}

/// Five thousand patients who never lived: the old are ill.
fn patients() -> String {
    let mut text = "age,ward,ill\n".to_owned();
    for i in 0..5000 {
        let age = 18 + i * 37 % 80;
        let ward = ["heart", "lungs", "bones"][i % 3];
        let ill = if age + i % 20 > 70 { "yes" } else { "no" };
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{age},{ward},{ill}");
    }
    text
}
