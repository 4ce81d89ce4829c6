//! Columns found by their names, as numbers that are taken as they are: rows for a model whose
//! columns have names and no schema.

use std::path::Path;

use super::csv::Problem;
use super::encode::Cell;
use super::error::{ReadError, ReadProblem};
use super::key::Key;
use super::source::Source;
use super::{Format, csv, whole_file};
use crate::matrix::{Matrix, Order};
use crate::table::{Layout, Table, Target};

/// Whether the columns of a file have names, by its own name: CSV and Parquet do, LIBSVM text does
/// not.
pub fn has_names(path: &Path) -> bool {
    Format::of(path) != Format::Libsvm
}

/// Reads the columns with these names from CSV with a header or from Parquet, in the order of the
/// names. Others are left alone. A truth value is 1 or 0; what is not a number refuses the file,
/// as there is no rule for it.
pub fn read_columns(path: &Path, names: &[String]) -> Result<Table<'static>, ReadError> {
    let mut values = Vec::new();
    numbers(path, names, &mut values).map_err(|problem| problem.in_file(path))?;
    let width = names.len();
    let rows = values.len() / width.max(1);
    if rows == 0 {
        return Err(whole_file(path)(ReadProblem::Empty));
    }
    let features = Matrix::from_dense(&values, rows, width, Order::Rows);
    Ok(Table {
        features: features
            .map_err(|error| whole_file(path)(ReadProblem::NotAMatrix(error.to_string())))?,
        target: Target::Absent,
        layout: Layout::Numbered { first: 1, width },
        assumed: Vec::new(),
        units: None,
    })
}

fn numbers(path: &Path, names: &[String], values: &mut Vec<f64>) -> Result<(), Problem> {
    match Format::of(path) {
        Format::Libsvm => Err(ReadProblem::NoNames.into()),
        Format::Csv => csv::columns(Source::open(path, &|_, _| {})?, is_tsv(path), names, values),
        #[cfg(feature = "parquet")]
        Format::Parquet => super::parquet::columns(path, names, values),
        #[cfg(not(feature = "parquet"))]
        Format::Parquet => Err(ReadProblem::Format("Parquet").into()),
    }
}

/// Whether tabs separate the fields, by the name of the file.
fn is_tsv(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy());
    let name = name.unwrap_or_default().to_ascii_lowercase();
    let endings = [".tsv", ".tsv.gz", ".tsv.bz2", ".tsv.xz", ".tsv.zst"];
    endings.iter().any(|ending| name.ends_with(ending))
}

/// Which field has which of the names, in their order.
pub(super) fn places<'a>(
    header: impl Iterator<Item = &'a [u8]>,
    names: &[String],
) -> Result<Vec<usize>, (Option<usize>, ReadProblem)> {
    let mut places: Vec<Option<usize>> = vec![None; names.len()];
    let mut wanted = std::collections::HashMap::new();
    for (at, name) in names.iter().enumerate() {
        if wanted.insert(name.trim().as_bytes(), at).is_some() {
            return Err((None, ReadProblem::SameNames));
        }
    }
    for (field, name) in header.enumerate() {
        if let Some(&at) = wanted.get(name.trim_ascii())
            && places[at].replace(field).is_some()
        {
            return Err((Some(field), ReadProblem::ColumnTwice));
        }
    }
    let found = places.iter().zip(names);
    let found = found
        .map(|(place, name)| place.ok_or_else(|| (None, ReadProblem::ColumnAbsent(name.clone()))));
    found.collect()
}

/// A cell as a number.
pub(super) fn number(cell: Cell, name: &str) -> Result<f64, ReadProblem> {
    let number = Key::of(cell).and_then(|key| key.number().ok());
    number.ok_or_else(|| ReadProblem::PlainNumber(name.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(file: &str, text: &str, names: &[&str]) -> Result<Matrix<'static>, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(file);
        std::fs::write(&path, text).unwrap();
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let read = read_columns(&path, &names).map(|table| table.features);
        read.map_err(|error| error.to_string().split_off(folder.path().as_os_str().len()))
    }

    #[test]
    fn columns_are_found_by_their_names_in_any_order() {
        let rows = [0.1, 2.5, -1.0, 1e-3, 1.0, 0.0];
        let expected = Matrix::from_dense(&rows, 2, 3, Order::Rows).unwrap();
        let found = read(
            "a.csv",
            "\u{feff}id,b, a ,\"c\"\nx,2.5,0.1,-1\ny, 1,1e-3,false\n",
            &["a", "b", "c"],
        );
        assert_eq!(found.unwrap(), expected);
        let found = read(
            "a.tsv",
            "c\tb\ta\n-1\t2.5\t.1\n0\tTrue\t0.001\n",
            &["a", "b", "c"],
        );
        assert_eq!(found.unwrap(), expected);
    }

    #[test]
    fn what_is_wrong_is_placed_and_not_quoted() {
        for (text, names, expected) in [
            (
                "a,b\n1,2\n3,secret\n",
                &["b"][..],
                "a.csv:3:2: column 'b' must hold numbers",
            ),
            (
                "a,b\n1,\n",
                &["b"],
                "a.csv:2:2: column 'b' must hold numbers",
            ),
            (
                "a,b\n1,nan\n",
                &["b"],
                "a.csv:2:2: column 'b' must hold numbers",
            ),
            ("a,b\nx,2\n", &["b", "c"], "a.csv:1: there is no column 'c'"),
            (
                "a,b,b\n1,2,3\n",
                &["b"],
                "a.csv:1:3: the header names this column a second",
            ),
            (
                "a,b\n1,2\n3\n",
                &["b"],
                "a.csv:3: the record does not have 2 fields",
            ),
            (
                "a,b\n1,x\n3\n",
                &["b"],
                "a.csv:2:2: column 'b' must hold numbers",
            ),
            ("a,b\n", &["b"], "a.csv: the file has no records"),
            (
                "a,b\n1,2\n",
                &["b", "b"],
                "a.csv: two columns of the model have one name",
            ),
        ] {
            let found = read("a.csv", text, names).unwrap_err();
            assert!(found[1..].starts_with(expected), "{found}");
            assert!(!found.contains("secret"), "{found}");
        }
        let found = read("a.txt", "1 1:2\n", &["b"]).unwrap_err();
        assert!(found.contains("have no names"), "{found}");
    }
}
