//! The part of the model file that a predictor writes, and reads again.

use std::collections::HashMap;
use std::fmt;

use serde::de::{Deserializer, MapAccess, Visitor};
use serde::ser::Serializer;
use serde::{Deserialize, Serialize};

use super::Predictor;
use crate::fit::{CalibrationMap, LinearFunction};
use crate::model::ModelError;
use crate::model::file::damaged;
use crate::table::Layout;

/// The predictor's fields of the file.
pub(in crate::model) struct Parts {
    /// Of one linear function.
    pub intercept: Option<f64>,
    pub weights: Option<Weights>,
    /// Of several.
    pub outputs: Option<Vec<FunctionForm>>,
    /// Of one with a map to log-odds: its points.
    pub calibration: Option<Vec<(f64, f64)>>,
}

/// A linear function as written in the file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::model) struct FunctionForm {
    intercept: f64,
    weights: Weights,
}

/// Names and values: an object, whose order counts.
pub(in crate::model) struct Weights(Vec<(String, f64)>);

impl Predictor {
    /// Its part of the file.
    pub(in crate::model) fn parts(&self, layout: &Layout) -> Parts {
        let form = |output: &LinearFunction| FunctionForm {
            intercept: output.intercept,
            weights: named(output, layout),
        };
        let (mut intercept, mut weights, mut outputs) = (None, None, None);
        match self.functions() {
            [one] => {
                intercept = Some(one.intercept);
                weights = Some(named(one, layout));
            }
            several => outputs = Some(several.iter().map(form).collect()),
        }
        Parts {
            intercept,
            weights,
            outputs,
            calibration: self.map().map(|map| map.points().to_vec()),
        }
    }

    /// The predictor of a file, for one score or for `several`.
    pub(in crate::model) fn of_parts(
        mut parts: Parts,
        several: bool,
        layout: &Layout,
    ) -> Result<Self, ModelError> {
        let points = parts.calibration.take();
        let functions = functions(parts, several)?;
        if several && functions.len() == 1 {
            return Err(ModelError::Task);
        }
        let mut functions = columns(functions, layout)?;
        match (points, functions.pop()) {
            (None, last) => Ok(Self::Linear(functions.into_iter().chain(last).collect())),
            (Some(points), Some(function)) if !several => {
                let map = CalibrationMap::new(points).ok_or(ModelError::Calibration)?;
                Ok(Self::Calibrated { function, map })
            }
            _ => Err(ModelError::Task),
        }
    }
}

/// The weights of a function, by the names of the features.
fn named(output: &LinearFunction, layout: &Layout) -> Weights {
    let named = |&(column, weight): &(u32, f64)| (layout.name(column as usize), weight);
    Weights(output.weights.iter().map(named).collect())
}

/// The linear functions of a file: a single one, or one per class if there are `several`.
fn functions(parts: Parts, several: bool) -> Result<Vec<FunctionForm>, ModelError> {
    let missing = |name: &str| ModelError::Json(damaged(&format!("missing field `{name}`")));
    match (parts.intercept, parts.weights, parts.outputs) {
        (None, None, Some(outputs)) if several => Ok(outputs),
        (None, None, None) if several => Err(missing("outputs")),
        (Some(intercept), Some(weights), None) if !several => {
            Ok(vec![FunctionForm { intercept, weights }])
        }
        (None, _, None) if !several => Err(missing("intercept")),
        (_, None, None) if !several => Err(missing("weights")),
        _ => Err(ModelError::Task),
    }
}

/// The functions with their weights by column.
fn columns(forms: Vec<FunctionForm>, layout: &Layout) -> Result<Vec<LinearFunction>, ModelError> {
    let named: HashMap<&str, usize> = match layout {
        Layout::Numbered { .. } => HashMap::new(),
        Layout::Named(schema) => {
            let names = schema.features().iter().enumerate();
            names.map(|(j, name)| (name.as_str(), j)).collect()
        }
    };
    let column = |name: &str| match layout {
        Layout::Numbered { first, width } => name
            .parse::<usize>()
            .ok()
            .and_then(|number| number.checked_sub(*first as usize))
            // The name must be written as we write it: no +3, no 03.
            .filter(|&j| j < *width && layout.name(j) == name),
        Layout::Named(_) => named.get(name).copied(),
    };
    let known = |(name, weight): (String, f64)| match column(&name).and_then(|j| j.try_into().ok())
    {
        Some(column) => Ok((column, weight)),
        None => Err(ModelError::Unknown(name)),
    };
    forms
        .into_iter()
        .map(|form| {
            let weights: Result<_, _> = form.weights.0.into_iter().map(known).collect();
            Ok(LinearFunction {
                weights: weights?,
                intercept: form.intercept,
            })
        })
        .collect()
}

impl Serialize for Weights {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, weight)| (name, weight)))
    }
}

impl<'de> Deserialize<'de> for Weights {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(WeightsVisitor)
    }
}

struct WeightsVisitor;

impl<'de> Visitor<'de> for WeightsVisitor {
    type Value = Weights;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("an object of features and their weights")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Weights, A::Error> {
        let mut weights = Vec::new();
        while let Some(entry) = map.next_entry()? {
            weights.push(entry);
        }
        Ok(Weights(weights))
    }
}
