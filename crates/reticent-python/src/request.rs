//! What a person declares about a fit, checked; the plan that follows, and the fit.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use pyo3::types::PyList;
use reticent::features::DeclaredMap;
use reticent::fit::ProgressObserver;
use reticent::matrix::Matrix;
use reticent::model::{LabelType, Origin};
use reticent::privacy::Rho;
use reticent::table::{
    self, ClassPattern, ClassWeight, Layout, MOST_UNIT_ROWS, ProtectedUnit, RecordBound, Table,
    Target, TargetRange, WantedTarget,
};
use reticent::train::{
    self, CheckedRequest, MethodName, Nonzero, ParameterStyle, RunCost, TaskName, TrainError,
};

use crate::error::value_error;
use crate::features::Features;
use crate::model::Model;
use crate::options;
use crate::plan::Plan;
use crate::privacy::caution::described;
use crate::privacy::certificate::Certificate;
use crate::privacy::name;
use crate::schema::{Column, NamedColumn, Schema, encoded};
use crate::threads::free;
use crate::watch::{FitWatcher, failed};

/// Everything that is declared about a fit, checked; nothing in it comes from the data.
#[pyclass(frozen, module = "reticent._engine")]
pub struct FitRequest {
    inner: CheckedRequest,
}

/// What was fitted: the model, why this method, how many steps.
type Trained = (Model, Option<String>, u64);

/// What was chosen: columns by their number, and what that cost.
type Selected = (Vec<u32>, Certificate);

/// How a fit is run: a dictionary.
#[derive(FromPyObject)]
struct Run<'py> {
    /// For noise that can be repeated, which is not private.
    #[pyo3(item)]
    seed: Option<u64>,
    /// Called with the steps done and planned.
    #[pyo3(item)]
    progress: Option<Py<PyAny>>,
    /// What else is assumed to be public.
    #[pyo3(item)]
    assumed: Vec<String>,
    /// A list that receives the certificate before anything else can go wrong.
    #[pyo3(item)]
    spent: Bound<'py, PyList>,
    /// Whose each row is, and how many rows of one person count.
    #[pyo3(item)]
    groups: Option<(Column<'py>, u64)>,
}

/// How much records count for by their class.
#[derive(FromPyObject)]
enum ClassWeightArgument {
    Name(String),
    Numbers(Vec<f64>),
}

impl ClassWeightArgument {
    fn checked(self) -> PyResult<ClassWeight> {
        match self {
            Self::Numbers(weights) => Ok(ClassWeight::Numbers(weights)),
            Self::Name(name) if name == ClassWeight::BALANCED => Ok(ClassWeight::Balanced),
            Self::Name(_) => Err(value_error(
                "class_weight must be 'balanced' or a dictionary with a number for each class",
            )),
        }
    }
}

/// One target per row.
#[derive(FromPyObject)]
pub enum Targets<'py> {
    /// Numbers.
    Values(PyReadonlyArray1<'py, f64>),
    /// Classes by their place among the names, and the names.
    Classes(PyReadonlyArray1<'py, u32>, Vec<String>),
}

impl Targets<'_> {
    pub fn copied(self) -> PyResult<Target> {
        Ok(match self {
            Self::Values(values) => {
                Target::Values(values.as_slice().map_err(value_error)?.to_vec())
            }
            Self::Classes(class, names) => Target::Classes {
                class: class.as_slice().map_err(value_error)?.to_vec(),
                names,
            },
        })
    }
}

/// How many weights are asked for.
#[derive(FromPyObject)]
enum NonzeroArgument {
    Count(usize),
    Name(String),
}

impl NonzeroArgument {
    fn checked(self) -> PyResult<Nonzero> {
        match self {
            Self::Count(count) => Ok(Nonzero::Count(count)),
            Self::Name(name) if name == Nonzero::AUTO => Ok(Nonzero::Auto),
            Self::Name(_) => Err(value_error("nonzero must be a whole number or 'auto'")),
        }
    }
}

#[pymethods]
impl FitRequest {
    #[new]
    #[pyo3(signature = (
        *, task, method="auto", epsilon=None, delta=None, rho=None, row_bound=None,
        target_range=None, adjacency="replace-one", public_n=None, nonzero=None, intercept=true,
        class_weight=None, classes=None, features=None, schema=false, public=false, options=BTreeMap::new(),
    ))]
    #[expect(
        clippy::too_many_arguments,
        reason = "each is a keyword with its own meaning"
    )]
    fn new(
        task: &str,
        method: &str,
        epsilon: Option<f64>,
        delta: Option<f64>,
        rho: Option<f64>,
        row_bound: Option<(String, f64)>,
        target_range: Option<(f64, f64)>,
        adjacency: &str,
        public_n: Option<u64>,
        nonzero: Option<NonzeroArgument>,
        intercept: bool,
        class_weight: Option<ClassWeightArgument>,
        classes: Option<Vec<String>>,
        features: Option<&str>,
        schema: bool,
        public: bool,
        options: BTreeMap<String, Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let models: Vec<MethodName> = MethodName::models().collect();
        let request = train::FitRequest {
            task: Some(name::named("task", task, &TaskName::ALL, TaskName::name)?),
            method: name::named("method", method, &models, MethodName::name)?,
            epsilon,
            delta,
            rho,
            adjacency: name::adjacency(adjacency)?,
            public_n,
            rows: row_bound.as_ref().map(rows).transpose()?,
            range: target_range.map(|(low, high)| TargetRange { low, high }),
            classes: classes.map(|names| names.iter().map(|name| class(name)).collect()),
            features: features.map(declared_map).transpose()?,
            schema,
            public,
            nonzero: nonzero.map(NonzeroArgument::checked).transpose()?,
            intercept,
            class_weight: class_weight.map(ClassWeightArgument::checked).transpose()?,
            options: options::given(options)?,
        };
        let inner = request
            .check(ParameterStyle::Arguments)
            .map_err(value_error)?;
        Ok(Self { inner })
    }

    /// The same request for tables of a schema, which may declare a map of features.
    fn with_schema(&self, schema: &Schema) -> PyResult<Self> {
        let inner = self.inner.with_schema(&schema.inner).map_err(value_error)?;
        Ok(Self { inner })
    }

    /// What a fit would do and spend.
    #[pyo3(signature = (records, columns, classes=2, width=None))]
    fn plan(
        &self,
        py: Python<'_>,
        records: usize,
        columns: usize,
        classes: usize,
        width: Option<f64>,
    ) -> PyResult<Plan> {
        let map = self.inner.feature_map(columns).map_err(value_error)?;
        let facts = self.inner.facts(records, columns);
        let planned = free(py, || self.inner.plan(facts, classes))?;
        let (plan, why) = planned.map_err(value_error)?;
        match plan.spending() {
            Some(spending) => Ok(Plan::of(&*plan, spending, why, map, width)),
            None => Err(value_error(
                "epsilon=float('inf') spends nothing, so there is nothing to plan",
            )),
        }
    }

    /// What is worth a warning about a fit, before it spends: the name of the reason, and a sentence.
    #[pyo3(signature = (records, columns, classes=2, public_rows=None))]
    fn cautions(
        &self,
        py: Python<'_>,
        records: usize,
        columns: usize,
        classes: usize,
        public_rows: Option<usize>,
    ) -> PyResult<Vec<(&'static str, String)>> {
        let facts = self.inner.facts(records, columns);
        let cautions = free(py, || self.inner.cautions(facts, classes, public_rows))?;
        let of_map = self.inner.map_caution();
        let of_map = of_map.map(|text| ("features", text.to_owned()));
        Ok(cautions.into_iter().map(described).chain(of_map).collect())
    }

    /// Fits a model of arrays: a target is a number, or the place of its class among the names.
    #[pyo3(signature = (
        features, target, how, *, public=None, assumed=Vec::new(), names=None, labels=None,
    ))]
    #[expect(
        clippy::too_many_arguments,
        reason = "each is a keyword with its own meaning"
    )]
    fn train(
        &self,
        py: Python<'_>,
        features: Features<'_>,
        target: Targets<'_>,
        how: Run<'_>,
        public: Option<Features<'_>>,
        assumed: Vec<String>,
        names: Option<Vec<String>>,
        labels: Option<&str>,
    ) -> PyResult<Trained> {
        let origin = Origin {
            column_names: names,
            label_type: label_type(labels)?,
        };
        let before = features.fingerprint()?;
        let table = table_of(py, &features, target, assumed)?;
        let trained = self.fit(py, table, public, how, origin)?;
        self.unchanged(py, &features, before)?;
        Ok(trained)
    }

    /// Chooses columns of arrays, and fits no model.
    #[pyo3(signature = (features, target, how, *, assumed=Vec::new()))]
    fn choose(
        &self,
        py: Python<'_>,
        features: Features<'_>,
        target: Targets<'_>,
        how: Run<'_>,
        assumed: Vec<String>,
    ) -> PyResult<Selected> {
        let before = features.fingerprint()?;
        let chosen = self.pick(py, table_of(py, &features, target, assumed)?, how)?;
        self.unchanged(py, &features, before)?;
        Ok(chosen)
    }

    /// Fits a model of a data frame, the target among its columns, by a schema.
    #[pyo3(signature = (
        schema, columns, how, *, public=None, assumed=Vec::new(), labels=None,
    ))]
    #[expect(
        clippy::too_many_arguments,
        reason = "each is a keyword with its own meaning"
    )]
    fn train_frame(
        &self,
        py: Python<'_>,
        schema: &Schema,
        columns: Vec<NamedColumn<'_>>,
        how: Run<'_>,
        public: Option<Features<'_>>,
        assumed: Vec<String>,
        labels: Option<&str>,
    ) -> PyResult<Trained> {
        let origin = Origin {
            column_names: None,
            label_type: label_type(labels)?,
        };
        let mut table = encoded(py, &schema.inner, &columns, self.wanted())?;
        table.assumed.extend(assumed);
        self.fit(py, table, public, how, origin)
    }

    /// Chooses features of a data frame, the target among its columns, by a schema.
    #[pyo3(signature = (schema, columns, how, *, assumed=Vec::new()))]
    fn choose_frame(
        &self,
        py: Python<'_>,
        schema: &Schema,
        columns: Vec<NamedColumn<'_>>,
        how: Run<'_>,
        assumed: Vec<String>,
    ) -> PyResult<Selected> {
        let mut table = encoded(py, &schema.inner, &columns, self.wanted())?;
        table.assumed.extend(assumed);
        self.pick(py, table, how)
    }
}

impl FitRequest {
    /// What a table must have as its target.
    fn wanted(&self) -> WantedTarget<'static> {
        match self.inner.task() {
            TaskName::Linear => WantedTarget::Values,
            TaskName::Logistic => WantedTarget::Classes(None),
            TaskName::Multinomial => WantedTarget::MultipleClasses(None),
        }
    }

    /// Chooses with the interpreter released.
    fn pick(&self, py: Python<'_>, table: Table<'_>, how: Run<'_>) -> PyResult<Selected> {
        let Run {
            seed,
            progress,
            assumed,
            spent,
            groups,
        } = how;
        let mut table = in_groups(table, groups)?;
        assumed.iter().for_each(|fact| table.assume(fact));
        let mut watch = FitWatcher::new(progress);
        let chosen = self.guarded(py, seed, &mut watch, |watch| {
            self.inner.choose(table, seed, watch)
        })?;
        let certificate = Certificate::of(chosen.certificate);
        note(py, &watch, &spent, &certificate)?;
        Ok((chosen.columns, certificate))
    }

    /// Fits with the interpreter released.
    fn fit(
        &self,
        py: Python<'_>,
        mut table: Table<'_>,
        public: Option<Features<'_>>,
        how: Run<'_>,
        origin: Origin,
    ) -> PyResult<Trained> {
        // Whatever is wrong is found before anything is spent.
        let width = table.layout.width();
        if origin
            .column_names
            .as_ref()
            .is_some_and(|names| names.len() != width)
        {
            return Err(value_error("X must have one name per column"));
        }
        let public: Option<Matrix<'static>> = match public {
            None => None,
            Some(rows) => {
                let fact = "that the public rows hold nothing of the private records";
                table.assumed.push(fact.to_owned());
                Some(rows.matrix(py)?.into_owned())
            }
        };
        let Run {
            seed,
            progress,
            assumed,
            spent,
            groups,
        } = how;
        let mut table = in_groups(table, groups)?;
        assumed.iter().for_each(|fact| table.assume(fact));
        let mut watch = FitWatcher::new(progress);
        let trained = self.guarded(py, seed, &mut watch, |watch| {
            self.inner.train(table, public, seed, watch)
        })?;
        let certificate = Certificate::of(trained.model.certificate().clone());
        note(py, &watch, &spent, &certificate)?;
        let model = trained.model.with_origin(origin).map_err(value_error)?;
        Ok((Model::of(model), trained.why, watch.total()))
    }

    /// Refuses the result if borrowed columns are not what they were: then a row may have had two
    /// entries in one column, beyond its bound.
    fn unchanged(&self, py: Python<'_>, features: &Features<'_>, before: u64) -> PyResult<()> {
        if features.fingerprint()? == before {
            return Ok(());
        }
        let message = "X was changed while it was fitted, so that its bounds did not hold: there \
                       is no model, and nothing is promised of this run";
        Err(match self.inner.budget() {
            None => value_error(message),
            Some(budget) => {
                let nothing = RunCost {
                    epsilon: f64::INFINITY,
                    delta: budget.delta(),
                    rho: budget.rho().map(|_| f64::INFINITY),
                    secure: true,
                };
                failed(py, message, nothing)
            }
        })
    }

    /// Runs a fit; a failure states what it cost, and so does a panic, which may come after noise
    /// was drawn and then counts as the whole budget.
    fn guarded<T: Send>(
        &self,
        py: Python<'_>,
        seed: Option<u64>,
        watch: &mut FitWatcher,
        work: impl FnOnce(&mut dyn ProgressObserver) -> Result<T, TrainError> + Send,
    ) -> PyResult<T> {
        // After a panic only the watcher's step counter is used again.
        let done = watch.listen(py, |watch| catch_unwind(AssertUnwindSafe(|| work(watch))))?;
        match (done, self.inner.budget()) {
            (Ok(done), _) => done.map_err(|error| watch.exception(py, error)),
            (Err(panic), None) => resume_unwind(panic),
            (Err(_), Some(budget)) => {
                let cost = RunCost {
                    epsilon: budget.epsilon().get(),
                    delta: budget.delta(),
                    rho: budget.rho().map(Rho::get),
                    secure: seed.is_none(),
                };
                let message = format!(
                    "the engine failed, which is a mistake in it, or X was changed while it was \
                     fitted; there is no model, but noise may have been drawn: count this run as \
                     {cost}"
                );
                Err(failed(py, &message, cost))
            }
        }
    }
}

/// Stores the certificate where it is found even if the return is interrupted.
fn note(
    py: Python<'_>,
    watch: &FitWatcher,
    spent: &Bound<'_, PyList>,
    certificate: &Certificate,
) -> PyResult<()> {
    spent.append(Certificate::of(certificate.inner.clone()))?;
    watch.check_interrupted(py, &certificate.inner.statement)
}

/// Arrays as a table, whose columns may be borrowed from them.
fn table_of<'a>(
    py: Python<'_>,
    features: &'a Features<'_>,
    target: Targets<'_>,
    assumed: Vec<String>,
) -> PyResult<Table<'a>> {
    let (_, width) = features.shape();
    Ok(Table {
        features: features.matrix(py)?,
        target: target.copied()?,
        // As in a LIBSVM file, so that the command predicts from one.
        layout: Layout::Numbered { first: 1, width },
        assumed,
        units: None,
    })
}

/// A map of features, of its JSON.
fn declared_map(text: &str) -> PyResult<DeclaredMap> {
    // By way of a value: an error of a text would name a line and a column that nobody wrote.
    let value: serde_json::Value = serde_json::from_str(text).map_err(value_error)?;
    serde_json::from_value(value).map_err(value_error)
}

/// A map with every default that does not depend on the table, of its JSON and as such.
#[pyfunction]
pub fn map_in_full(text: &str) -> PyResult<String> {
    serde_json::to_string(&declared_map(text)?.in_full()).map_err(value_error)
}

/// The type of labels by its name.
fn label_type(name: Option<&str>) -> PyResult<Option<LabelType>> {
    let parsed = name.map(str::parse).transpose();
    parsed.map_err(value_error)
}

/// The table with whose each row is, if that is given beside it.
fn in_groups<'a>(mut table: Table<'a>, groups: Option<(Column<'_>, u64)>) -> PyResult<Table<'a>> {
    if let Some((groups, rows)) = groups {
        let Some(rows) = ProtectedUnit::rows(rows) else {
            return Err(value_error(format!(
                "unit_rows is {rows}; it must be between 1 and {MOST_UNIT_ROWS}"
            )));
        };
        let declared = ProtectedUnit { column: None, rows };
        table.units = Some(table::units(&groups.values()?, declared).map_err(value_error)?);
    }
    Ok(table)
}

fn rows((norm, bound): &(String, f64)) -> PyResult<RecordBound> {
    match norm.as_str() {
        "l2" => Ok(RecordBound::L2(*bound)),
        "linf" => Ok(RecordBound::Linf(*bound)),
        other => Err(value_error(format!(
            "the norm of row_bound is '{other}'; write row_bound=('l2', {bound}) or \
             row_bound=('linf', {bound})"
        ))),
    }
}

/// A class of one label.
fn class(name: &str) -> ClassPattern {
    ClassPattern {
        name: name.to_owned(),
        labels: Some(vec![name.to_owned()]),
    }
}
