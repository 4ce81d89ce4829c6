//! The declared methods, and the values of their options from Python.

use std::collections::BTreeMap;
use std::num::NonZeroU64;

use numpy::PyReadonlyArray2;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyList};
use reticent::fit::{MethodName, MethodOption, OptionType, Releases, declared_options};
use reticent::train::{MethodOptions, OptionValue, ParameterStyle};

use crate::error::value_error;

/// The methods, each with its name, meaning, tasks and options.
#[pyfunction]
pub fn methods(py: Python<'_>) -> PyResult<Bound<'_, PyList>> {
    let all = PyList::empty(py);
    for method in MethodName::all() {
        let declaration = method.declaration();
        let tasks: Vec<&str> = declaration.tasks.iter().map(|task| task.name()).collect();
        let options = PyList::empty(py);
        for option in declaration.options {
            options.append(described(py, option)?)?;
        }
        let described = PyDict::new(py);
        described.set_item("name", declaration.name)?;
        described.set_item("meaning", declaration.meaning)?;
        described.set_item("tasks", tasks)?;
        described.set_item("fits_a_model", declaration.releases == Releases::Model)?;
        described.set_item("options", options)?;
        all.append(described)?;
    }
    Ok(all)
}

fn described<'py>(py: Python<'py>, option: &MethodOption) -> PyResult<Bound<'py, PyDict>> {
    let (kind, names) = match option.value {
        OptionType::Positive => ("positive", Vec::new()),
        OptionType::Count => ("count", Vec::new()),
        OptionType::Flag => ("flag", Vec::new()),
        OptionType::Name(names) => ("name", names()),
        OptionType::NameOrVertices(names) => ("name or vertices", names()),
        OptionType::PublicRows => ("public rows", Vec::new()),
    };
    let tasks: Vec<&str> = option.tasks.iter().map(|task| task.name()).collect();
    let described = PyDict::new(py);
    described.set_item("name", ParameterStyle::Arguments.name(option.name))?;
    described.set_item("meaning", option.meaning)?;
    described.set_item("default", option.default)?;
    described.set_item("kind", kind)?;
    described.set_item("names", names)?;
    described.set_item("tasks", tasks)?;
    Ok(described)
}

/// Options by the names of their parameters; None counts as not given.
pub fn given(values: BTreeMap<String, Bound<'_, PyAny>>) -> PyResult<MethodOptions> {
    let mut options = MethodOptions::default();
    let declared = declared_options();
    for (name, value) in values {
        if value.is_none() {
            continue;
        }
        let of_name = |option: &MethodOption| ParameterStyle::Arguments.name(option.name) == name;
        let found = declared.iter().find(|(option, _)| of_name(option));
        let (option, _) = found
            .ok_or_else(|| PyTypeError::new_err(format!("no method has an option '{name}'")))?;
        options.set(option.name, converted(option, &name, &value)?);
    }
    Ok(options)
}

fn converted(option: &MethodOption, name: &str, value: &Bound<'_, PyAny>) -> PyResult<OptionValue> {
    let wrong = |what: &str| {
        let given = value.get_type().name();
        let given = given.map_or_else(|_| "something else".to_owned(), |name| name.to_string());
        PyTypeError::new_err(format!("{name} must be {what}; got {given}"))
    };
    let is_truth = value.is_instance_of::<PyBool>();
    match option.value {
        OptionType::Positive => match value.extract::<f64>() {
            Ok(number) if !is_truth => Ok(number.into()),
            _ => Err(wrong("a number")),
        },
        OptionType::Count => match value.extract::<i128>() {
            Ok(count) if !is_truth => {
                let count = u64::try_from(count).ok().and_then(NonZeroU64::new);
                count.map(OptionValue::Count).ok_or_else(|| {
                    value_error(format!(
                        "{name} is {value}; it must be {}",
                        option.allowed()
                    ))
                })
            }
            _ => Err(wrong("a whole number")),
        },
        OptionType::Flag => {
            let truth = value.extract::<bool>();
            truth
                .map(OptionValue::Flag)
                .map_err(|_| wrong("True or False"))
        }
        OptionType::Name(_) => {
            let text = value.extract::<String>();
            text.map(OptionValue::Name).map_err(|_| wrong("a name"))
        }
        OptionType::NameOrVertices(_) => {
            if let Ok(text) = value.extract::<String>() {
                return Ok(OptionValue::Name(text));
            }
            let points = value.extract::<PyReadonlyArray2<'_, f64>>();
            let points = points.map_err(|_| wrong("a name or an array of vertices"))?;
            let rows = points.as_array();
            Ok(OptionValue::Vertices(
                rows.rows().into_iter().map(|row| row.to_vec()).collect(),
            ))
        }
        OptionType::PublicRows => Err(wrong("passed beside the options")),
    }
}
