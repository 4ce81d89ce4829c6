//! What is wrong with a file, where, and what to do.

use std::path::PathBuf;

use super::classes::MOST_CLASSES;

/// A file that cannot be read: the file, the place, the reason, the remedy.
///
/// No content of the file is quoted: a message is a release. Anyone who may see the file can look
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

/// The names of columns; of many, the first.
fn listed(columns: &[String]) -> String {
    const SHOWN: usize = 20;
    let shown: Vec<String> = columns
        .iter()
        .take(SHOWN)
        .map(|name| format!("'{name}'"))
        .collect();
    match columns.len().checked_sub(SHOWN) {
        None | Some(0) => shown.join(", "),
        Some(more) => format!("{} and {more} more", shown.join(", ")),
    }
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
    /// Permission to read the file was denied.
    #[error("the file may not be read; ask its owner for the permission to read it")]
    Forbidden,
    /// A folder was given.
    #[error("this is a folder; give one of the files in it")]
    Directory,
    /// The operating system failed.
    #[error("the file could not be read: {0}")]
    Io(#[from] std::io::Error),
    /// A compressed file that cannot be decompressed to its end.
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
    #[error("the label is not a number; LIBSVM labels are numbers, one per line")]
    LabelNotANumber,
    /// A label that is NaN or infinite.
    #[error("the label is not a finite number; replace it by one")]
    LabelNotFinite,
    /// Something other than a whole number after `qid:`.
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

    /// A label that belongs to none of the declared classes.
    #[error(
        "the label belongs to none of the declared classes; list it in one of them, or let one \
         take all other labels (*)"
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
         class second: --classes '1|2|3,*' takes 1, 2 and 3 against all others; or fit several \
         classes (--task multinomial)"
    )]
    ManyClasses,
    /// More labels than there may be classes, and no classes declared.
    #[error(
        "more than {MOST_CLASSES} different labels, which are too many classes; is the target a \
         number (--task linear)? if not, say which labels make up each class (--classes)"
    )]
    ManyLabels,
    /// The number of declared classes is not two.
    #[error(
        "{0} classes are declared, and two are needed; join some with | or let one take all other \
         labels (*), or fit several classes (--task multinomial)"
    )]
    NotTwoDeclared(usize),
    /// Too few or too many declared classes.
    #[error("{0} classes are declared, and between 2 and {MOST_CLASSES} are needed")]
    DeclaredClasses(usize),

    /// A table with named columns, and no schema.
    #[error(
        "a table with named columns is read through a schema; write one with `reticent schema \
         FILE`, complete it, and give it with --schema"
    )]
    NoSchema,
    /// The schema names no target, and one is needed.
    #[error("the schema describes no target; give one of its columns kind = \"target\"")]
    SchemaWithoutTarget,
    /// Numbers where classes are wanted.
    #[error("the schema gives the target a range, and classes are needed; give it classes")]
    TargetIsNumber,
    /// Classes where numbers are wanted.
    #[error("the schema gives the target classes, and numbers are needed; give it a range")]
    TargetIsClasses,
    /// A column of the file that the schema does not describe.
    #[error(
        "this column is not described by the schema; add it there, with kind = \"ignored\" if it \
         is not wanted (or set header = false if the first line is a record)"
    )]
    ColumnUnknown,
    /// A column that the schema does not describe, where it describes one that is not there.
    #[error(
        "this column is not described by the schema, which describes {} instead; rename it in one \
         of the two, or describe it in the schema (or set header = false if the first line is a \
         record; if a title stands above the header, remove it)",
        listed(.0)
    )]
    ColumnRenamed(Vec<String>),
    /// A header of one field, where there should be several.
    #[error(
        "the header is one field, and the schema describes {columns} columns with {delimiter:?} \
         between; declare what separates the fields (delimiter = \";\" or \"\\t\" at the top of \
         the schema)"
    )]
    OneField {
        /// How many columns the schema has.
        columns: usize,
        /// What it says is between them.
        delimiter: char,
    },
    /// A name in a header that looks like a value.
    #[error(
        "what should be the name of a column looks like a value, or occurs twice: the first line \
         may be a record; if it is, add --no-header; if it is the header, name the columns, or add \
         --header to take the line as it is"
    )]
    HeaderOfValues,
    /// Two columns of one name.
    #[error("the header names this column a second time; rename one of the two")]
    ColumnTwice,
    /// A column of the schema that the file does not have.
    #[error(
        "there is no column '{0}', which the schema describes; add it to the file, or correct its name"
    )]
    ColumnAbsent(String),
    /// A column in memory that is longer or shorter than the others.
    #[error("the column does not have one value per row, as the first one has; give it one")]
    ColumnLength,
    /// A vertex with another number of values than the first.
    #[error(
        "the first vertex has {0} numbers, and this one has {1}; a vertex has one number per feature"
    )]
    VertexLength(usize, usize),
    /// No vertices.
    #[error("the file has no vertices; write one per line, with one number per feature")]
    NoVertices,
    /// A number of a vertex that is not a number, or not finite.
    #[error(
        "this is not a finite number; write it like 3, -0.5 or 1e-3, and put a # before a header"
    )]
    VertexNumber,
    /// Nothing between two commas.
    #[error("the field is empty; write a number between two commas, 0 for none")]
    VertexFieldEmpty,
    /// Numbers of a vertex that are separated by something else.
    #[error("the numbers of a vertex are separated by commas or blanks; replace each ;")]
    VertexSeparator,
    /// A line with more or fewer fields.
    #[error(
        "the record does not have {0} fields; complete it, or quote fields that hold delimiters (a \
         decimal comma may be one)"
    )]
    FieldCount(usize),
    /// A text in a numeric column.
    #[error(
        "column '{0}' is numeric, and this is not a number; write it like 3, -0.5 or 1e-3, with a \
         point for decimals and without separators of thousands, units, % or dates; or list the \
         text as missing in the schema"
    )]
    FieldNotANumber(String),
    /// NaN or infinity.
    #[error(
        "column '{0}' is numeric, and this is not a finite number; replace it, leave it empty, or \
         list the text as missing in the schema"
    )]
    FieldNotFinite(String),
    /// Something else than a number in a column of a model without a schema.
    #[error(
        "column '{0}' must hold numbers, and this is none; write it like 3, -0.5 or 1e-3: a model \
         without a schema has no rule for missing values"
    )]
    PlainNumber(String),
    /// Two columns of a model without a schema that have the same name.
    #[error(
        "two columns of the model have one name, so that they cannot be found by it; give LIBSVM \
         text, whose columns have numbers"
    )]
    SameNames,
    /// More rows than a matrix may have.
    #[error("{0}; cut the file into parts")]
    NotAMatrix(String),
    /// Something else in a column of dates.
    #[error(
        "column '{0}' holds dates, and this is none; write it like 2024-03-31, or list the text as \
         missing in the schema"
    )]
    FieldNotADate(String),
    /// A missing value where the schema allows none.
    #[error(
        "the value is missing, and the schema refuses that in column '{0}'; fill it in, or choose \
         another rule in the schema (missing = \"middle\")"
    )]
    FieldMissing(String),
    /// A missing target, and no rule for it.
    #[error(
        "the target is missing, and a record is never dropped for that; fill it in, or choose what \
         stands for it in the schema (missing = …)"
    )]
    TargetMissing,
    /// Zero bytes at the start.
    #[error(
        "this is UTF-16, a workbook or another file that is not UTF-8 text; export it as \"CSV \
         UTF-8\", or convert it, for example with iconv -f UTF-16 -t UTF-8"
    )]
    NoText,
    /// A record of nobody.
    #[error(
        "column '{0}' says whose a row is, and it is empty here; fill it in, with a name of its own \
         if the row is nobody else's: a record is never dropped for that"
    )]
    UnitMissing(String),
    /// A float that does not tell people apart.
    #[error(
        "column '{0}' says whose a row is, and this number is too large to be exact where it is \
         stored: people would be taken for one another; store the column as text"
    )]
    UnitInexact(String),
    /// Bytes that are not text.
    #[error(
        "the text is not UTF-8; export it as \"CSV UTF-8\", or convert it, for example with iconv -f \
         LATIN1 -t UTF-8"
    )]
    NotUtf8,
    /// Text between the end of a quoted field and the next delimiter.
    #[error(
        "text follows the quote that closes a field: that quote, or one in a record before, opens \
         or closes where it should not; quote the whole field, and double the quotes in it"
    )]
    AfterQuote,
    /// A quote that is not closed before the end of the file.
    #[error("a quote that opens here is never closed; close or double it, or fetch the file again")]
    OpenQuote,
    /// A record without end.
    #[error("a record that starts here is longer than 64 MiB; a quote is probably not closed")]
    RecordTooLong,
    /// A Parquet file that cannot be read.
    #[error("the Parquet file is damaged or of an unknown kind ({0}); fetch or write it again")]
    Parquet(String),
    /// A column of lists, maps or groups.
    #[error("column '{0}' is nested or repeated; only plain columns are read: write it out flat")]
    Nested(String),
    /// A column of a type that is not read.
    #[error("column '{0}' is neither numbers, Booleans nor UTF-8 text; convert it")]
    ColumnType(String),
    /// LIBSVM text, whose columns have numbers.
    #[error("the columns of LIBSVM text have no names, and it needs no schema; fit it as it is")]
    NoNames,
    /// A column that was asked for by name.
    #[error("there is no column '{name}'; the file has {}", listed(.columns))]
    NoSuchColumn {
        /// What was asked for.
        name: String,
        /// The names of the header.
        columns: Vec<String>,
    },
    /// Values that give neither bounds nor levels.
    #[error(
        "the values of column '{0}' are neither two different numbers nor a thousand strings at \
         most, nor two labels; declare it yourself, or ignore it"
    )]
    NothingToTake(String),
}
