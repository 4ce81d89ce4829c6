//! The columns of a text file that are asked for by name, as numbers.

use super::super::columns::{number, places};
use super::super::encode::Cell;
use super::super::error::ReadProblem;
use super::super::source::Source;
use super::cut::Blocks;
use super::{BLOCK, Dialect, Problem, first};

/// Appends the values of these columns, row after row.
pub(in super::super) fn columns(
    source: Source,
    tabs: bool,
    names: &[String],
    values: &mut Vec<f64>,
) -> Result<(), Problem> {
    let dialect = Dialect {
        delimiter: if tabs { b'\t' } else { b',' },
        comment: None,
    };
    let mut blocks = Blocks::new(source, dialect, BLOCK);
    let (block, start) = first(&mut blocks)?;
    let fields = start.record.len();
    let wanted = places(start.record.iter(), names).map_err(|(field, problem)| Problem {
        line: (!matches!(problem, ReadProblem::SameNames)).then_some(start.line),
        field: field.map(|field| field + 1),
        problem,
    })?;
    let mut block = Some(block.after(start.end));
    while let Some(some) = block {
        let mut fault = Ok(());
        let whole = some.each_record(fields, |record| {
            for (&field, name) in wanted.iter().zip(names) {
                if fault.is_err() {
                    return;
                }
                match number(Cell::Text(record[field].trim_ascii()), name) {
                    Ok(value) => values.push(value),
                    Err(problem) => {
                        fault = Err(Problem {
                            line: Some(some.line_of(record)),
                            field: Some(field + 1),
                            problem,
                        });
                    }
                }
            }
        });
        // What is found in a record comes before what is wrong with a later one.
        fault?;
        whole?;
        block = blocks.next()?;
    }
    Ok(())
}
