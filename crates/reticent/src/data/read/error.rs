//! What is wrong with a file, where, and what to do.

use std::path::PathBuf;

/// A file that can not be read: the file, the place, the reason, the remedy.
///
/// No content of the file is quoted: a message is a release. Whoever may see the file can look
/// at the place.
#[derive(Debug, thiserror::Error)]
#[error("{}{}: {problem}", file.display(), place(*line, *column))]
pub struct ReadError {
    /// The file.
    pub file: PathBuf,
    /// The line, from 1; for Parquet, the row.
    pub line: Option<u64>,
    /// The byte in the line, from 1; for tables with named columns, the number of the field.
    pub column: Option<u64>,
    /// What is wrong.
    pub problem: ReadProblem,
}

fn place(line: Option<u64>, column: Option<u64>) -> String {
    match (line, column) {
        (Some(line), Some(column)) => format!(":{line}:{column}"),
        (Some(line), None) => format!(":{line}"),
        _ => String::new(),
    }
}

/// What is wrong with a file, with the remedy.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadProblem {
    /// Nothing is there.
    #[error("there is no such file; check the path")]
    NoFile,
    /// The operating system keeps the file from us.
    #[error("the file may not be read; ask its owner for the permission to read it")]
    Forbidden,
    /// A folder was given.
    #[error("this is a folder; give one of the files in it")]
    Directory,
    /// The operating system failed.
    #[error("the file could not be read: {0}")]
    Io(#[from] std::io::Error),
    /// A compressed file that can not be decompressed to its end.
    #[error("the compressed stream ends early or is damaged ({0}); fetch the file again")]
    Damaged(#[source] std::io::Error),
    /// A format that this build does not read.
    #[error("{0} files are not read by this build; convert the file to LIBSVM text")]
    Format(&'static str),
    /// No line holds a record.
    #[error("the file has no records; check that it is the right one")]
    Empty,

    /// A line that starts with a feature.
    #[error("the line has no label; start it with one, as in `1 3:0.5` (0 if it is unknown)")]
    LabelMissing,
    /// A label that is not a number.
    #[error("the label is not a number; LIBSVM labels are numbers, one a line")]
    LabelNotANumber,
    /// A label that is NaN, infinite or beyond `f64`.
    #[error("the label is not a finite number; replace it by one")]
    LabelNotFinite,
    /// Something else than a whole number after `qid:`.
    #[error("`qid:` must be followed by a whole number; correct or remove it")]
    QueryId,
    /// A feature without its value, or without its colon.
    #[error(
        "the line is cut short: a feature is `index:value` without blanks; complete the line, or \
         fetch the file again"
    )]
    CutShort,
    /// An index that is not a whole number.
    #[error("the index is not a whole number; a feature is `index:value`")]
    IndexNotANumber,
    /// An index that does not fit.
    #[error("the index is larger than 4294967295; number the columns from 1 without large gaps")]
    IndexTooLarge,
    /// Index 0 where columns count from 1.
    #[error(
        "index 0, but columns count from 1; if they count from 0 in this file, declare it \
         (--zero-based)"
    )]
    IndexZero,
    /// An index beyond the declared columns.
    #[error("the index lies beyond the {0} declared columns; declare more, or correct the line")]
    IndexBeyondColumns(usize),
    /// The same index twice in a line.
    #[error("the index occurs twice in the line; keep one of the two")]
    IndexTwice,
    /// An index below the one before it.
    #[error("the index is smaller than the one before it; sort the features of each line")]
    IndexOrder,
    /// A value that is not a number.
    #[error("the value is not a number; write it like 3, -0.5 or 1e-3")]
    ValueNotANumber,
    /// NaN or infinity.
    #[error("the value is NaN or infinite; leave the feature out or give it a finite value")]
    ValueNotFinite,
    /// A number beyond `f32`.
    #[error("the value is larger than 3.4e38 in size; rescale the column")]
    ValueTooLarge,

    /// A label that belongs to none of the declared classes.
    #[error(
        "the label belongs to neither declared class; list it in one of them, or let one take all \
         other labels (*)"
    )]
    LabelUndeclared,
    /// One label only, and no classes declared.
    #[error(
        "all records have the same label, and two classes are needed; declare both \
         (--classes NEGATIVE,POSITIVE) if this file happens to have one of them only"
    )]
    OneClass,
    /// More than two labels, and no classes declared.
    #[error(
        "a third label, and two classes are needed; say which labels make up each, the positive \
         class second: --classes '1|2|3,*' takes 1, 2 and 3 against all others"
    )]
    ManyClasses,
}
