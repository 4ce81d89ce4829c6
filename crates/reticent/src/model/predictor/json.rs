//! The part of the model file that a predictor writes, and reads again.

use std::collections::HashMap;
use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserializer, MapAccess, Visitor};
use serde::ser::Serializer;
use serde::{Deserialize, Serialize};

use super::Predictor;
use crate::fit::{CalibrationMap, ColumnRange, LinearFunction};
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
    /// Of one whose columns are clipped to ranges: the ends.
    pub ranges: Option<ByName<(f64, f64)>>,
}

/// A linear function as written in the file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::model) struct FunctionForm {
    intercept: f64,
    weights: Weights,
}

/// Weights by the names of their features.
pub(in crate::model) type Weights = ByName<f64>;

/// Names and values: an object, whose order counts.
pub(in crate::model) struct ByName<T>(Vec<(String, T)>);

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
            ranges: self.named_ranges(layout),
        }
    }

    /// The ranges by the names of the features, if there are any.
    fn named_ranges(&self, layout: &Layout) -> Option<ByName<(f64, f64)>> {
        let named =
            |range: &ColumnRange| (layout.name(range.column as usize), (range.low, range.high));
        let ranges: Vec<_> = self.ranges().iter().map(named).collect();
        (!ranges.is_empty()).then_some(ByName(ranges))
    }

    /// The predictor of a file, for one score or for `several`.
    pub(in crate::model) fn of_parts(
        mut parts: Parts,
        several: bool,
        layout: &Layout,
    ) -> Result<Self, ModelError> {
        let (points, ranges) = (parts.calibration.take(), parts.ranges.take());
        let functions = functions(parts, several)?;
        if several && functions.len() == 1 {
            return Err(ModelError::Task);
        }
        let columns = ColumnNames::new(layout);
        let function = |form: FunctionForm| {
            Ok(LinearFunction {
                weights: columns.of(form.weights)?,
                intercept: form.intercept,
            })
        };
        let functions: Result<_, ModelError> = functions.into_iter().map(function).collect();
        let mut functions: Vec<LinearFunction> = functions?;
        match (points, ranges, functions.pop()) {
            (None, None, last) => Ok(Self::Linear(functions.into_iter().chain(last).collect())),
            (Some(points), None, Some(function)) if !several => {
                let map = CalibrationMap::new(points).ok_or(ModelError::Calibration)?;
                Ok(Self::Calibrated { function, map })
            }
            (None, Some(ranges), Some(function)) if !several => {
                let range = |(column, (low, high))| ColumnRange { column, low, high };
                let ranges = columns.of(ranges)?.into_iter().map(range).collect();
                Ok(Self::WithinRanges { function, ranges })
            }
            _ => Err(ModelError::Task),
        }
    }
}

/// The weights of a function, by the names of the features.
fn named(output: &LinearFunction, layout: &Layout) -> Weights {
    let named = |&(column, weight): &(u32, f64)| (layout.name(column as usize), weight);
    ByName(output.weights.iter().map(named).collect())
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

/// The columns of a layout by their names.
struct ColumnNames<'a> {
    layout: &'a Layout,
    named: HashMap<&'a str, usize>,
}

impl<'a> ColumnNames<'a> {
    fn new(layout: &'a Layout) -> Self {
        let named = match layout {
            Layout::Numbered { .. } => HashMap::new(),
            Layout::Named(schema) => {
                let names = schema.features().iter().enumerate();
                names.map(|(j, name)| (name.as_str(), j)).collect()
            }
        };
        Self { layout, named }
    }

    fn column(&self, name: &str) -> Option<u32> {
        let column = match self.layout {
            Layout::Numbered { first, width } => name
                .parse::<usize>()
                .ok()
                .and_then(|number| number.checked_sub(*first as usize))
                // The name must be written as we write it: no +3, no 03.
                .filter(|&j| j < *width && self.layout.name(j) == name),
            Layout::Named(_) => self.named.get(name).copied(),
        };
        column.and_then(|j| j.try_into().ok())
    }

    /// Values by column.
    fn of<T>(&self, values: ByName<T>) -> Result<Vec<(u32, T)>, ModelError> {
        let known = |(name, value): (String, T)| match self.column(&name) {
            Some(column) => Ok((column, value)),
            None => Err(ModelError::Unknown(name)),
        };
        values.0.into_iter().map(known).collect()
    }
}

impl<T: Serialize> Serialize for ByName<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for ByName<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(ByNameVisitor(PhantomData))
    }
}

struct ByNameVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for ByNameVisitor<T> {
    type Value = ByName<T>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("an object of features and their values")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<ByName<T>, A::Error> {
        let mut values = Vec::new();
        while let Some(entry) = map.next_entry()? {
            values.push(entry);
        }
        Ok(ByName(values))
    }
}
