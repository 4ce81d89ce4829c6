//! `reticent demo`: a private model of synthetic patients, explained from budget to certificate.

mod patients;
mod story;

use std::path::{Path, PathBuf};

use clap::Args;
use reticent::fit::{Facts, FrankWolfe, FrankWolfePlan, Task};
use reticent::loss::Loss;
use reticent::matrix::{Dense, Matrix};
use reticent::metric::{self, ClassMetrics};
use reticent::model::{Model, Predictions, write_atomically};
use reticent::privacy::{Budget, Delta, Epsilon};
use reticent::solve::{Problem, Region, Stop, frank_wolfe};
use reticent::table::{Layout, RecordBound, Schema, Table, Target};
use reticent::train::{FitRequest, ParameterStyle, TaskName};

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

/// The method that is shown.
const METHOD: &str = "frank-wolfe";
/// Well below 1/20 000.
const DELTA: f64 = 1e-6;

/// Budgets to compare.
const EPSILONS: [f64; 5] = [0.1, 0.3, 1.0, 3.0, 10.0];

/// When the model without privacy is good enough.
const STOP: Stop = Stop {
    gap: 2e-3,
    steps: 500,
};

/// Everything that the story shows.
struct Findings {
    model: Model,
    metrics: ClassMetrics,
    /// The same without privacy.
    exact: ClassMetrics,
    /// The weights without privacy that are not zero.
    exact_weights: usize,
    /// ε and the AUC that it buys.
    curve: Vec<(f64, f64)>,
    steps: u64,
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
        let (model, steps) = study.fit(self.epsilon)?;
        let (exact, exact_weights) = study.without_privacy(self.epsilon)?;
        let metrics = study.measure(&model)?;
        let curve = self.curve(&study, &metrics)?;
        if let Some(folder) = &self.keep {
            interrupt::enter(Phase::Writing);
            keep(folder, &train, &test, &model)?;
        }
        let findings = Findings {
            model,
            metrics,
            exact,
            exact_weights,
            curve,
            steps,
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
                let (model, _) = study.fit(Epsilon::new(epsilon).map_err(Failure::of)?)?;
                Ok((epsilon, auc(&study.measure(&model)?)))
            })
            .collect()
    }
}

/// The patients in the form that fits take.
struct Study {
    train: Table<'static>,
    test: Table<'static>,
    facts: Facts,
}

impl Study {
    fn new(schema: &Schema, train: &[Patient], test: &[Patient]) -> Result<Self, Failure> {
        let train = table(schema, train)?;
        let facts = Facts {
            records: train.features.rows() as u64,
            columns: train.features.width(),
            rows: RecordBound::Linf(1.0),
        };
        Ok(Self {
            train,
            test: table(schema, test)?,
            facts,
        })
    }

    fn plan(&self, epsilon: Epsilon) -> Result<FrankWolfePlan, Failure> {
        let delta = Delta::new(DELTA).map_err(Failure::of)?;
        let parameters = FrankWolfe::new(Task::Logistic, Budget::new(epsilon, delta));
        parameters.plan(self.facts).map_err(Failure::of)
    }

    /// A private model, and the steps that it took.
    fn fit(&self, epsilon: Epsilon) -> Result<(Model, u64), Failure> {
        let request = FitRequest {
            task: Some(TaskName::Logistic),
            method: METHOD.parse().map_err(Failure::of)?,
            epsilon: Some(epsilon.get()),
            delta: Some(DELTA),
            schema: true,
            ..FitRequest::default()
        };
        let checked = request.check(ParameterStyle::Flags).map_err(Failure::of)?;
        let trained = checked.train(self.train.clone(), None, None, &mut ());
        let steps = self.plan(epsilon)?.iterations().get();
        Ok((trained.map_err(Failure::of)?.model, steps))
    }

    fn measure(&self, model: &Model) -> Result<ClassMetrics, Failure> {
        match model.predict(&self.test.features).map_err(Failure::of)? {
            Predictions::Classes { scores, .. } => self.metrics(&scores),
            Predictions::Multiclass { .. } | Predictions::Values(_) => {
                Err(Failure::Failed("a model of classes".to_owned()))
            }
        }
    }

    fn metrics(&self, scores: &[f64]) -> Result<ClassMetrics, Failure> {
        metric::classes(scores, ill(&self.test))
            .ok_or_else(|| Failure::Failed("there are no patients to measure on".to_owned()))
    }

    /// What the same region allows without privacy, and with how many weights.
    fn without_privacy(&self, epsilon: Epsilon) -> Result<(ClassMetrics, usize), Failure> {
        let targets: Vec<f64> = ill(&self.train).iter().map(|&ill| f64::from(ill)).collect();
        let region = Region::L1 {
            radius: self.plan(epsilon)?.region().l1_radius(self.facts.columns),
        };
        let problem = Problem {
            features: &self.train.features,
            targets: &targets,
            loss: Loss::Logistic,
            region: &region,
            intercept: true,
        };
        let solution = frank_wolfe(problem, STOP);
        let scores: Vec<f64> = (0..self.test.features.rows())
            .map(|row| {
                let mut score = solution.intercept;
                self.test.features.for_row(row, |column, value| {
                    score += solution.weights[column] * f64::from(value);
                });
                score
            })
            .collect();
        let weights = solution
            .weights
            .iter()
            .filter(|&&weight| weight != 0.0)
            .count();
        Ok((self.metrics(&scores)?, weights))
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
        units: None,
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
