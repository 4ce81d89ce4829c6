//! Some rows of a Parquet file, column by column.

use parquet::basic::ConvertedType;
use parquet::column::reader::{ColumnReader, ColumnReaderImpl, get_column_reader};
use parquet::data_type::{ByteArray, DataType};
use parquet::file::reader::RowGroupReader;

use super::super::csv::Problem;
use super::super::encode::Cell;
use super::super::error::ReadProblem;
use super::pages::CheckedPages;
use super::{Used, per_day};

/// How many rows are decoded at a time.
const ROWS: usize = 1 << 13;

/// The rows of a row group, some at a time.
pub(super) struct Batches {
    /// By the number of the leaf; unused ones are absent.
    readers: Vec<Option<(ColumnReader, ColumnType)>>,
    left: usize,
    batch: Batch,
}

/// What the decoded values of a column mean.
#[derive(Clone, Copy)]
struct ColumnType {
    optional: bool,
    unsigned: bool,
    /// Of a column that is declared to hold dates: how many make a day.
    per_day: Option<i64>,
}

/// Some rows.
pub(super) struct Batch {
    columns: Vec<Values>,
    rows: usize,
}

/// The values of a column, nulls among them.
#[derive(Default)]
enum Values {
    #[default]
    Unused,
    Truths(Vec<Option<bool>>),
    Integers(Vec<Option<i128>>),
    Days(Vec<Option<i64>>),
    Numbers(Vec<Option<f64>>),
    Texts(Vec<Option<ByteArray>>),
}

impl Batch {
    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    /// The content of a cell; the column must be one of those that are used.
    pub(super) fn cell(&self, column: usize, row: usize) -> Cell<'_> {
        match &self.columns[column] {
            Values::Unused => Cell::Null,
            Values::Truths(values) => values[row].map_or(Cell::Null, Cell::Truth),
            Values::Integers(values) => values[row].map_or(Cell::Null, Cell::Integer),
            Values::Days(values) => values[row].map_or(Cell::Null, Cell::Day),
            Values::Numbers(values) => values[row].map_or(Cell::Null, Cell::Number),
            Values::Texts(values) => match &values[row] {
                Some(text) => Cell::Text(text.data().trim_ascii()),
                None => Cell::Null,
            },
        }
    }
}

impl Batches {
    pub(super) fn new(group: Box<dyn RowGroupReader + '_>, used: &[Used]) -> Result<Self, Problem> {
        let width = group.num_columns();
        let mut readers: Vec<_> = (0..width).map(|_| None).collect();
        for &Used { leaf, dates } in used {
            let column = group.metadata().column(leaf).column_descr_ptr();
            let kind = &*column;
            let kind = ColumnType {
                optional: kind.max_def_level() > 0,
                unsigned: matches!(
                    kind.converted_type(),
                    ConvertedType::UINT_8
                        | ConvertedType::UINT_16
                        | ConvertedType::UINT_32
                        | ConvertedType::UINT_64
                ),
                per_day: per_day(kind).filter(|_| dates),
            };
            let pages = CheckedPages(group.get_column_page_reader(leaf)?);
            readers[leaf] = Some((get_column_reader(column.clone(), Box::new(pages)), kind));
        }
        let left = usize::try_from(group.metadata().num_rows());
        Ok(Self {
            readers,
            left: left.map_err(|_| damaged("a negative number of rows"))?,
            batch: Batch {
                columns: (0..width).map(|_| Values::Unused).collect(),
                rows: 0,
            },
        })
    }

    /// The next rows, if there are any.
    pub(super) fn next(&mut self) -> Result<Option<&Batch>, Problem> {
        let rows = self.left.min(ROWS);
        if rows == 0 {
            return Ok(None);
        }
        for (column, reader) in self.readers.iter_mut().enumerate() {
            if let Some((reader, kind)) = reader {
                self.batch.columns[column] = values(reader, *kind, rows)?;
            }
        }
        self.left -= rows;
        self.batch.rows = rows;
        Ok(Some(&self.batch))
    }
}

fn damaged(reason: &str) -> Problem {
    ReadProblem::Parquet(reason.to_owned()).into()
}

fn values(reader: &mut ColumnReader, kind: ColumnType, rows: usize) -> Result<Values, Problem> {
    let nulls = kind.optional;
    Ok(match reader {
        ColumnReader::BoolColumnReader(reader) => {
            Values::Truths(decoded(reader, nulls, rows, |value| value)?)
        }
        ColumnReader::Int32ColumnReader(reader) if let Some(day) = kind.per_day => {
            Values::Days(decoded(reader, nulls, rows, |value| {
                i64::from(value).div_euclid(day)
            })?)
        }
        ColumnReader::Int64ColumnReader(reader) if let Some(day) = kind.per_day => {
            Values::Days(decoded(reader, nulls, rows, |value| value.div_euclid(day))?)
        }
        // Unsigned numbers are stored in the bits of signed ones.
        ColumnReader::Int32ColumnReader(reader) => {
            Values::Integers(decoded(reader, nulls, rows, |value| match kind.unsigned {
                true => i128::from(value as u32),
                false => i128::from(value),
            })?)
        }
        ColumnReader::Int64ColumnReader(reader) => {
            Values::Integers(decoded(reader, nulls, rows, |value| match kind.unsigned {
                true => i128::from(value as u64),
                false => i128::from(value),
            })?)
        }
        ColumnReader::FloatColumnReader(reader) => {
            Values::Numbers(decoded(reader, nulls, rows, f64::from)?)
        }
        ColumnReader::DoubleColumnReader(reader) => {
            Values::Numbers(decoded(reader, nulls, rows, |value| value)?)
        }
        ColumnReader::ByteArrayColumnReader(reader) => {
            let texts = decoded(reader, nulls, rows, |value| value)?;
            let all_text = |text: &ByteArray| std::str::from_utf8(text.data()).is_ok();
            if !texts.iter().flatten().all(all_text) {
                return Err(ReadProblem::NotUtf8.into());
            }
            Values::Texts(texts)
        }
        ColumnReader::Int96ColumnReader(_) | ColumnReader::FixedLenByteArrayColumnReader(_) => {
            return Err(damaged("a column changes its type"));
        }
    })
}

/// Exactly `rows` values, with the nulls restored among them.
fn decoded<T: DataType, V>(
    reader: &mut ColumnReaderImpl<T>,
    nulls: bool,
    rows: usize,
    value: impl Fn(T::T) -> V,
) -> Result<Vec<Option<V>>, Problem> {
    let mut present = Vec::with_capacity(rows);
    let mut levels = Vec::new();
    let wanted = nulls.then_some(&mut levels);
    let (read, _, _) = reader.read_records(rows, wanted, None, &mut present)?;
    let enough = match nulls {
        true => levels.len() == rows,
        false => present.len() == rows,
    };
    if read != rows || !enough {
        return Err(damaged("a column has fewer values than rows"));
    }
    let mut present = present.into_iter().map(value);
    let spread: Vec<Option<V>> = match nulls {
        false => present.map(Some).collect(),
        true => (levels.iter())
            .map(|&level| if level > 0 { present.next() } else { None })
            .collect(),
    };
    Ok(spread)
}
