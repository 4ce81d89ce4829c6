//! The model file: JSON in a fixed order, numbers exact to the last bit.
//!
//! Nothing in a file is trusted: its size is bounded before it is read, a number in it never
//! determines how much memory is allocated, unknown and missing fields are refused, and what was
//! read is checked like a newly fitted model.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use serde::de::Deserializer;
use serde::{Deserialize, Serialize};

use super::predictor::json::{ByName, FunctionForm, Parts, Weights};
use super::{
    Certificate, LabelType, Model, ModelError, ModelFileError, Origin, Outcome, Predictor,
    summary_file, weighed, write_atomically,
};
use crate::table::{ClassPattern, Layout};

/// What a model file says it is.
pub const FORMAT: &str = "reticent model";

/// The newest version of the format that is known here, and the one that is written.
pub const VERSION: u64 = 1;

/// The largest size of a model file in bytes: about ten million weights.
pub(super) const MOST_BYTES: u64 = 1 << 29;

/// What every version has: enough to recognise a file.
#[derive(Deserialize)]
struct Header {
    format: String,
    version: u64,
}

/// A model as written in its file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ModelForm {
    format: String,
    version: u64,
    task: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    classes: Option<Vec<ClassPattern>>,
    /// Of labels in memory.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "present"
    )]
    label_type: Option<LabelType>,
    layout: Layout,
    /// Of a table in memory without a schema.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "present"
    )]
    column_names: Option<Vec<String>>,
    /// Of a model with one linear function.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "present"
    )]
    intercept: Option<f64>,
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "present"
    )]
    weights: Option<Weights>,
    /// Of a multinomial model: one per class, in the order of the classes.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "present"
    )]
    outputs: Option<Vec<FunctionForm>>,
    /// Of a model of two classes: points of the map from the function to log-odds, if it is not
    /// the function itself.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "present"
    )]
    calibration: Option<Vec<(f64, f64)>>,
    /// Of a model of a number: the ranges that columns are clipped to before they are weighed.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "present"
    )]
    ranges: Option<ByName<(f64, f64)>>,
    certificate: Certificate,
}

/// A field that may be absent, but not null.
fn present<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    T::deserialize(deserializer).map(Some)
}

impl Model {
    /// The model as JSON, with the same bytes each time.
    pub fn to_json(&self) -> String {
        let Parts {
            intercept,
            weights,
            outputs,
            calibration,
            ranges,
        } = self.predictor.parts(&self.weighed());
        let form = ModelForm {
            format: FORMAT.to_owned(),
            version: VERSION,
            task: self.task().name().to_owned(),
            classes: match &self.outcome {
                Outcome::Classes(classes) => Some(classes.clone()),
                Outcome::Value(_) => None,
            },
            label_type: self.origin.label_type,
            layout: self.layout.clone(),
            column_names: self.origin.column_names.clone(),
            intercept,
            weights,
            outputs,
            calibration,
            ranges,
            certificate: self.certificate.clone(),
        };
        // Serialisation fails only for maps with unusual keys or for writers: there are none.
        let mut text = serde_json::to_string_pretty(&form).unwrap_or_default();
        text.push('\n');
        text
    }

    /// The model of a JSON text that [`to_json`](Self::to_json) wrote; anything else is refused,
    /// with the reason.
    pub fn from_json(text: &[u8]) -> Result<Self, ModelError> {
        if text.len() as u64 > MOST_BYTES {
            return Err(too_large(text.len() as u64));
        }
        check_header(text)?;
        let form: ModelForm = serde_json::from_slice(text)
            .map_err(|error| ModelError::Json(damaged(&error.to_string())))?;
        let several = form.task == "multinomial";
        let parts = Parts {
            intercept: form.intercept,
            weights: form.weights,
            outputs: form.outputs,
            calibration: form.calibration,
            ranges: form.ranges,
        };
        let weighed = weighed(&form.layout, &form.certificate);
        let predictor = Predictor::of_parts(parts, several, &weighed)?;
        let outcome = match (form.task.as_str(), form.classes, form.certificate.target) {
            ("logistic" | "multinomial", Some(classes), None) => Outcome::Classes(classes),
            ("linear", None, Some(range)) => Outcome::Value(range),
            _ => return Err(ModelError::Task),
        };
        let origin = Origin {
            column_names: form.column_names,
            label_type: form.label_type,
        };
        Self::of(predictor, outcome, form.layout, form.certificate)?.with_origin(origin)
    }

    /// Reads a model file.
    pub fn read(path: &Path) -> Result<Self, ModelFileError> {
        let io = |error| ModelFileError::Io {
            file: path.to_owned(),
            error,
        };
        let model = |error| ModelFileError::Model {
            file: path.to_owned(),
            error,
        };
        let file = File::open(path).map_err(io)?;
        let mut text = Vec::new();
        let read = file.take(MOST_BYTES + 1).read_to_end(&mut text);
        read.map_err(io)?;
        Self::from_json(&text).map_err(model)
    }

    /// Writes a model file, whole or not at all.
    pub fn write(&self, path: &Path) -> Result<(), ModelFileError> {
        write_atomically(path, self.to_json().as_bytes()).map_err(|error| ModelFileError::Io {
            file: path.to_owned(),
            error,
        })
    }
}

fn too_large(bytes: u64) -> ModelError {
    ModelError::Size {
        bytes,
        most: MOST_BYTES,
    }
}

pub(super) fn damaged(reason: &str) -> String {
    format!("{reason}; the file is damaged, or was changed by hand")
}

/// Refuses what is not JSON, not a model, or a model of another version.
fn check_header(text: &[u8]) -> Result<(), ModelError> {
    let header: Header = serde_json::from_slice(text).map_err(|error| {
        if error.is_data() {
            ModelError::Format
        } else if error.is_eof() && !text.is_empty() {
            ModelError::Json("it is not JSON to its end; the file was cut short".to_owned())
        } else {
            ModelError::Json("it is not JSON".to_owned())
        }
    })?;
    match header.version {
        _ if header.format == summary_file::FORMAT => Err(ModelError::Summary),
        _ if header.format != FORMAT => Err(ModelError::Format),
        VERSION => Ok(()),
        newer if newer > VERSION => Err(ModelError::Newer(newer)),
        version => Err(ModelError::Version(version)),
    }
}
