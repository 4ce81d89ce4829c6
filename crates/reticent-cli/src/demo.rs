//! `reticent demo`: a private model of synthetic patients, explained from budget to certificate.

mod patients;
mod story;

use std::path::{Path, PathBuf};

use clap::Args;
use reticent::matrix::{Dense, Matrix};
use reticent::metric::{self, ClassMetrics};
use reticent::model::{Model, Predictions, write_atomically};
use reticent::privacy::Epsilon;
use reticent::table::{Layout, Schema, Table, Target};
use reticent::train::{FitRequest, Nonzero, ParameterStyle, TaskName, Trained};

use crate::failure::Failure;
use crate::interrupt::{self, Phase};
use crate::output::{self, Overwrite};
use crate::parse_number;
use patients::Patient;

/// The arguments of `reticent demo`.
#[derive(Debug, Args)]
pub struct DemoArgs {
    /// The privacy budget of the model that is shown
    #[arg(long, value_name = "EPSILON", default_value = "1", allow_hyphen_values = true, value_parser = epsilon)]
    epsilon: Epsilon,

    /// Keep the patients, their schema and the model in this folder, to try the other
    /// commands on
    #[arg(long, value_name = "FOLDER")]
    keep: Option<PathBuf>,

    #[command(flatten)]
    overwrite: Overwrite,
}

fn epsilon(text: &str) -> Result<Epsilon, String> {
    parse_number::quantity(text, Epsilon::new)
}

/// Patients to learn from, and others to be measured on.
const TRAINING: usize = 20_000;
const HELD_OUT: usize = 5_000;

/// The files that --keep leaves.
const TRAINING_FILE: &str = "patients.csv";
const HELD_OUT_FILE: &str = "held-out.csv";
const SCHEMA_FILE: &str = "schema.toml";
const MODEL_FILE: &str = "model.json";

/// Well below 1/20 000.
const DELTA: f64 = 1e-6;

/// Budgets to compare.
const EPSILONS: [f64; 5] = [0.1, 0.3, 1.0, 3.0, 10.0];

/// Everything that the story shows.
struct Findings {
    trained: Trained,
    metrics: ClassMetrics,
    /// The same without privacy.
    exact: ClassMetrics,
    /// The weights without privacy that are not zero.
    exact_weights: usize,
    /// ε and the AUC that it buys.
    curve: Vec<(f64, f64)>,
    kept: Option<PathBuf>,
}

impl DemoArgs {
    /// Runs the demonstration, and explains it.
    pub fn run(&self) -> Result<String, Failure> {
        if let Some(folder) = &self.keep {
            for name in [TRAINING_FILE, HELD_OUT_FILE, SCHEMA_FILE, MODEL_FILE] {
                output::refuse_existing(&folder.join(name), self.overwrite)?;
            }
        }
        interrupt::install_handler();
        let schema = Schema::from_toml(&patients::schema()).map_err(Failure::of)?;
        let train = patients::invent(TRAINING, 1);
        let test = patients::invent(HELD_OUT, 2);
        let study = Study::new(&schema, &train, &test)?;
        let trained = study.fit(Some(self.epsilon))?;
        let metrics = study.measure(&trained.model)?;
        let reference = study.fit(None)?.model;
        let curve = self.curve(&study, &metrics)?;
        if let Some(folder) = &self.keep {
            interrupt::enter(Phase::Writing);
            keep(folder, &train, &test, &trained.model)?;
        }
        let findings = Findings {
            trained,
            metrics,
            exact: study.measure(&reference)?,
            exact_weights: reference.nonzero(),
            curve,
            kept: self.keep.clone(),
        };
        Ok(story::render(&findings))
    }

    /// The AUC at several budgets, including that of the model that is shown.
    fn curve(&self, study: &Study, shown: &ClassMetrics) -> Result<Vec<(f64, f64)>, Failure> {
        let asked = self.epsilon.get();
        let mut epsilons: Vec<f64> = EPSILONS.into_iter().filter(|&e| e != asked).collect();
        epsilons.push(asked);
        epsilons.sort_by(f64::total_cmp);
        let auc = |metrics: &ClassMetrics| metrics.auc.unwrap_or(f64::NAN);
        epsilons
            .into_iter()
            .map(|epsilon| {
                if epsilon == asked {
                    return Ok((epsilon, auc(shown)));
                }
                let epsilon = Epsilon::new(epsilon).map_err(Failure::of)?;
                let model = study.fit(Some(epsilon))?.model;
                Ok((epsilon.get(), auc(&study.measure(&model)?)))
            })
            .collect()
    }
}

/// The patients in the form that fits take.
struct Study {
    train: Table<'static>,
    test: Table<'static>,
}

impl Study {
    fn new(schema: &Schema, train: &[Patient], test: &[Patient]) -> Result<Self, Failure> {
        Ok(Self {
            train: table(schema, train)?,
            test: table(schema, test)?,
        })
    }

    /// A private model, or without a budget one that is not: either way as `reticent fit` makes it.
    fn fit(&self, epsilon: Option<Epsilon>) -> Result<Trained, Failure> {
        let request = FitRequest {
            task: Some(TaskName::Logistic),
            epsilon: Some(epsilon.map_or(f64::INFINITY, Epsilon::get)),
            delta: epsilon.map(|_| DELTA),
            nonzero: Some(Nonzero::Auto),
            schema: true,
            ..FitRequest::default()
        };
        let checked = request.check(ParameterStyle::Flags).map_err(Failure::of)?;
        let trained = checked.train(self.train.clone(), None, None, &mut ());
        trained.map_err(Failure::of)
    }

    fn measure(&self, model: &Model) -> Result<ClassMetrics, Failure> {
        match model.predict(&self.test.features).map_err(Failure::of)? {
            Predictions::Classes { scores, .. } => metric::classes(&scores, ill(&self.test))
                .ok_or_else(|| Failure::Failed("there are no patients to measure on".to_owned())),
            Predictions::Multiclass { .. } | Predictions::Values(_) => {
                Err(Failure::Failed("a model of classes".to_owned()))
            }
        }
    }
}

fn ill<'a>(table: &'a Table) -> &'a [u32] {
    match &table.target {
        Target::Classes { class, .. } => class,
        _ => &[],
    }
}

/// The table that reading the patients' CSV through the schema would give.
fn table(schema: &Schema, patients: &[Patient]) -> Result<Table<'static>, Failure> {
    let width = schema.width();
    let mut values = vec![0.0; patients.len() * width];
    for (row, patient) in values.chunks_mut(width).zip(patients) {
        let mut fields: Vec<&str> = patient.fields.iter().map(String::as_str).collect();
        fields.push(if patient.ill { "yes" } else { "no" });
        for (column, value) in schema.encode(&fields).map_err(Failure::of)? {
            row[column as usize] = value;
        }
    }
    let features = Dense::new(values, patients.len(), width).map_err(Failure::of)?;
    Ok(Table {
        features: Matrix::Dense(features),
        target: Target::Classes {
            class: patients
                .iter()
                .map(|patient| u32::from(patient.ill))
                .collect(),
            names: vec!["no".to_owned(), "yes".to_owned()],
        },
        layout: Layout::Named(schema.clone()),
        assumed: Vec::new(),
    })
}

/// Keeps the files, for trying the other commands.
fn keep(folder: &Path, train: &[Patient], test: &[Patient], model: &Model) -> Result<(), Failure> {
    let failed = |path: &Path| {
        let path = path.display().to_string();
        move |error: std::io::Error| Failure::Failed(format!("{path}: {error}"))
    };
    std::fs::create_dir_all(folder).map_err(failed(folder))?;
    for (name, content) in [
        (TRAINING_FILE, patients::csv(train)),
        (HELD_OUT_FILE, patients::csv(test)),
        (SCHEMA_FILE, patients::schema()),
    ] {
        let path = folder.join(name);
        write_atomically(&path, content.as_bytes()).map_err(failed(&path))?;
    }
    model.write(&folder.join(MODEL_FILE)).map_err(Failure::of)
}
