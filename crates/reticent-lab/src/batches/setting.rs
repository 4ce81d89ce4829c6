//! A method and its options as a person types them, run on sealed records.

use std::num::NonZeroU64;
use std::time::Instant;

use reticent::fit::{
    Facts, FitInput, Fitted, MethodOptions, MethodRequest, OptionValue, Planned, Task, TaskName,
};
use reticent::noise::Generator;
use reticent::population::Records;
use reticent::privacy::{Adjacency, Budget, Event};

/// What is asked for beside the method.
#[derive(Debug, Clone, Copy)]
pub struct Trial {
    /// None for a model without privacy.
    pub budget: Option<Budget>,
    pub adjacency: Adjacency,
    pub task: Task,
}

impl Trial {
    /// The plan of a method with its options, `sgd --optimizer adam --epochs 4`, for a table with these
    /// facts.
    pub fn plan(&self, setting: &str, facts: Facts) -> Box<dyn Planned> {
        let mut words = setting.split_whitespace();
        let method = words.next().expect("a setting begins with a method");
        let mut options = MethodOptions::default();
        while let Some(flag) = words.next() {
            let name = flag.strip_prefix("--").expect("options begin with --");
            let value = words.next().expect("options have a value");
            options.set(name, option(value));
        }
        let (task, classes) = match self.task {
            Task::Logistic => (TaskName::Logistic, None),
            Task::Multinomial { classes } => (TaskName::Multinomial, Some(classes)),
            Task::Linear => (TaskName::Linear, None),
        };
        let request = MethodRequest {
            task,
            method: method.parse().expect("a method"),
            budget: self.budget,
            adjacency: self.adjacency,
            nonzero: None,
            intercept: true,
            class_weight: None,
            options,
            classes,
            public_rows: None,
        };
        let plan = request.plan(facts);
        plan.unwrap_or_else(|error| panic!("{setting}: {error}")).0
    }

    /// Fits it to sealed records, with the time that takes in seconds.
    pub fn fit(
        &self,
        setting: &str,
        records: &Records<'_>,
        facts: Facts,
        seed: u64,
    ) -> (Fitted, f64) {
        timed(&*self.plan(setting, facts), FitInput::Sealed(records), seed)
    }
}

/// Runs a plan, and says how long that took.
pub fn timed(plan: &dyn Planned, input: FitInput<'_>, seed: u64) -> (Fitted, f64) {
    let mut randomness = Generator::not_private(seed);
    let began = Instant::now();
    let fitted = plan.run(input, &mut randomness, &mut ());
    let fitted = fitted.expect("the plan runs");
    (fitted, began.elapsed().as_secs_f64())
}

/// The value of an option: a whole number, a number or a name.
fn option(text: &str) -> OptionValue {
    if let Ok(count) = text.parse::<NonZeroU64>() {
        return count.into();
    }
    match text.parse::<f64>() {
        Ok(number) => number.into(),
        Err(_) => text.into(),
    }
}

/// How often records are looked at for all that a fit releases, on average, in numbers of all records.
pub fn passes(fitted: &Fitted) -> f64 {
    let of_charge = |event: Event| match event {
        Event::SubsampledGaussian { rate, .. } => rate.get(),
        _ => 1.0,
    };
    let charges = fitted.statement.charges.iter();
    charges
        .map(|charge| charge.count.get() as f64 * of_charge(charge.event))
        .sum()
}

/// A setting followed by each of these endings; an empty one leaves it as it is.
pub fn with_endings(setting: &str, endings: &[&str]) -> Vec<String> {
    let of_ending = |ending: &&str| match ending.is_empty() {
        true => setting.to_owned(),
        false => format!("{setting} {ending}"),
    };
    endings.iter().map(of_ending).collect()
}

/// The place of the largest figure.
pub fn best(figures: &[f64]) -> usize {
    let places = 0..figures.len();
    places
        .max_by(|a, b| figures[*a].total_cmp(&figures[*b]))
        .expect("there are settings to choose from")
}
