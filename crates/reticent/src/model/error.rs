//! Why something is not a model.

use std::path::PathBuf;

use crate::features::FeatureMapError;
use crate::table::ClassPatternError;

/// Why something is not a model.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// The text is not JSON, or not of the right shape.
    #[error("it is not a model that reticent wrote: {0}")]
    Json(String),
    /// The file is larger than any model.
    #[error("it has {bytes} bytes, and a model has at most {most}")]
    Size {
        /// How large it is.
        bytes: u64,
        /// How large a model may be.
        most: u64,
    },
    /// A summary, which predicts nothing.
    #[error(
        "it is a summary of columns, not a model; `reticent verify` checks it, and its figures are \
         under \"summary\" of the JSON"
    )]
    Summary,
    /// It is not a summary, or it was changed.
    #[error("it is not a summary that reticent wrote: {0}")]
    SummaryJson(String),
    /// A version of a summary that this reticent does not know.
    #[error("it has version {0} of the summary format, which this reticent does not know")]
    SummaryVersion(u64),
    /// Neither a model nor a summary.
    #[error("it is neither a model nor a summary that reticent wrote: {0}")]
    Neither(String),
    /// Some other JSON.
    #[error("it is not a model: its format must be \"{}\"", super::FORMAT)]
    Format,
    /// A version that this reticent does not know.
    #[error(
        "it has version {0} of the model format, and this reticent knows up to {known}: it was \
         made by a newer reticent; install that one",
        known = super::VERSION
    )]
    Newer(u64),
    /// A version that does not exist.
    #[error("it claims version {0} of the model format, which does not exist")]
    Version(u64),
    /// The task and what belongs to it disagree.
    #[error(
        "a logistic model has two classes and no target range; a multinomial one has classes and \
         a linear function for each; a linear one has a target range and no classes"
    )]
    Task,
    /// A type of labels where there are none.
    #[error("it states a type of labels, and predicts numbers")]
    LabelType,
    /// Names of columns that the model does not have.
    #[error(
        "the names of its columns are not one per column, or there is a schema, which names them"
    )]
    ColumnNames,
    /// The classes are not distinct.
    #[error("the classes of the model are not distinct: {0}")]
    Classes(ClassPatternError),
    /// Not one linear function per class.
    #[error(
        "the model has {classes} classes and {outputs} linear functions; there must be one per \
         class, or a single one for two classes"
    )]
    Outputs {
        /// How many functions there are.
        outputs: usize,
        /// How many classes.
        classes: usize,
    },
    /// Not an increasing map.
    #[error(
        "the calibration is not 2 to 64 pairs of a margin and its log-odds that increase in both"
    )]
    Calibration,
    /// A range of a column that is empty, not finite, out of order, or of a column without weight.
    #[error(
        "the range of '{0}' is not two finite numbers, the smaller first, of a column that has a \
         weight, in the order of columns"
    )]
    ColumnRange(String),
    /// What was released cannot predict.
    #[error("columns were chosen, and no model was fitted that predicts")]
    NoPredictor,
    /// Columns that cannot be counted or named.
    #[error("a model has between 1 and 2^32 - 1 columns, numbered from 0 or 1, or named")]
    Layout,
    /// The range of the target is not the one that the certificate states.
    #[error("the range of the target is not the one that the certificate states")]
    Range,
    /// A number that is not finite.
    #[error("{0} is not a finite number")]
    NotFinite(String),
    /// A weight of zero, which a model leaves out.
    #[error("{0} is zero; a model lists only the others")]
    Zero(String),
    /// A weight of a feature that the layout does not have.
    #[error("there is a weight for '{0}', which is none of the model's features")]
    Unknown(String),
    /// A weight of a column that the layout does not have.
    #[error("there is a weight for column {column}, and the model has {width} columns from 0")]
    Beyond {
        /// The column.
        column: u32,
        /// How many there are.
        width: usize,
    },
    /// A weight that is listed twice or out of order.
    #[error("{0} is listed twice or out of order; weights follow the columns")]
    Order(String),
    /// The certificate states another number of columns.
    #[error("the certificate states {certificate} columns, and the model has {layout}")]
    Columns {
        /// What the certificate says.
        certificate: u64,
        /// How many there are.
        layout: u64,
    },
    /// A map of features that is none, or of other rows.
    #[error(transparent)]
    Features(FeatureMapError),
    /// Another map than the schema's.
    #[error("the certificate does not state the map of features that the schema declares")]
    OtherFeatures,
    /// The certificate was issued for another fit.
    #[error("the certificate does not state what the ledger of this fit does")]
    Statement,
    /// The certificate contradicts itself.
    #[error("the certificate contradicts itself: {0}")]
    Certificate(String),
}

/// Why a model file could not be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ModelFileError {
    /// The operating system refused.
    #[error("{}: {error}", file.display())]
    Io {
        /// The file.
        file: PathBuf,
        /// What it said.
        error: std::io::Error,
    },
    /// What is in the file is not a model.
    #[error("{}: {error}", file.display())]
    Model {
        /// The file.
        file: PathBuf,
        /// Why not.
        error: ModelError,
    },
}

/// A model that is too large for an ONNX file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "in ONNX the model would take {bytes} bytes or more, and such a file has at most {most}; \
     a model with fewer weights or classes fits"
)]
pub struct OnnxError {
    /// How many bytes it would have, at least.
    pub bytes: u64,
    /// How many it may have.
    pub most: u64,
}
