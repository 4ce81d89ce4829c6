//! The file of a summary: its figures and its certificate, numbers exact to the last bit.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::file::{MOST_BYTES, damaged};
use super::{Certificate, Model, ModelError, ModelFileError, write_atomically};
use crate::summary::Summary;

/// What the certificate of a summary calls its method.
pub(crate) const SUMMARY: &str = "summary";
/// What such a file says it is.
pub(super) const FORMAT: &str = "reticent summary";
/// The only version of the format.
const VERSION: u64 = 1;

/// A summary that can be published, with what was spent on it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CertifiedSummary {
    format: String,
    version: u64,
    /// The figures.
    pub summary: Summary,
    /// What was spent, and everything that the guarantee depends on.
    pub certificate: Certificate,
}

impl CertifiedSummary {
    /// A summary and its certificate.
    pub fn new(summary: Summary, certificate: Certificate) -> Self {
        Self {
            format: FORMAT.to_owned(),
            version: VERSION,
            summary,
            certificate,
        }
    }

    /// As JSON, with the same bytes each time.
    pub fn to_json(&self) -> String {
        // Serialisation fails only for maps with unusual keys or for writers: there are none.
        let mut text = serde_json::to_string_pretty(self).unwrap_or_default();
        text.push('\n');
        text
    }

    /// The summary of a JSON text that [`to_json`](Self::to_json) wrote.
    pub fn from_json(text: &[u8]) -> Result<Self, ModelError> {
        let read: Self = serde_json::from_slice(text)
            .map_err(|error| ModelError::SummaryJson(damaged(&error.to_string())))?;
        if read.format != FORMAT {
            let reason = format!("its format must be \"{FORMAT}\"");
            return Err(ModelError::SummaryJson(reason));
        }
        if read.version != VERSION {
            return Err(ModelError::SummaryVersion(read.version));
        }
        let certificate = &read.certificate;
        certificate.check().map_err(ModelError::Certificate)?;
        if certificate.summary.is_none() {
            let reason = "it is not of a summary".to_owned();
            return Err(ModelError::Certificate(reason));
        }
        Ok(read)
    }

    /// Writes the file, whole or not at all.
    pub fn write(&self, path: &Path) -> Result<(), ModelFileError> {
        write_atomically(path, self.to_json().as_bytes()).map_err(|error| ModelFileError::Io {
            file: path.to_owned(),
            error,
        })
    }
}

/// What a file says it is.
#[derive(Deserialize)]
struct Header {
    format: String,
}

/// The certificate of a file: of a model, or of a summary.
pub fn read_certificate(path: &Path) -> Result<Certificate, ModelFileError> {
    let io = |error| ModelFileError::Io {
        file: path.to_owned(),
        error,
    };
    let file = File::open(path).map_err(io)?;
    let mut text = Vec::new();
    let read = file.take(MOST_BYTES + 1).read_to_end(&mut text);
    read.map_err(io)?;
    let header: Result<Header, _> = serde_json::from_slice(&text);
    let certificate = match header {
        Ok(header) if header.format == FORMAT => {
            CertifiedSummary::from_json(&text).map(|read| read.certificate)
        }
        // What is cut short may have been either.
        _ => Model::from_json(&text)
            .map(|model| model.certificate)
            .map_err(|error| match error {
                ModelError::Json(reason) => ModelError::Neither(reason),
                error => error,
            }),
    };
    certificate.map_err(|error| ModelFileError::Model {
        file: path.to_owned(),
        error,
    })
}
