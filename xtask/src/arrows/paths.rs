//! The files and folders that the tables of ARCHITECTURE.md name: all of them must exist.
//!
//! A name in backticks counts if it ends in `.rs` or `/`, or has a `/` inside. It may be relative to
//! the root, to `crates`, to the sources of the library, to the folder of its row and of the rows
//! above (which are indented by —), or to the folder of the name before it in its cell. In a table of
//! modules or folders, the names in the first column count too.

use super::{Fault, SOURCES};

/// What a name may be relative to, wherever it is.
const ROOTS: [&str; 3] = ["", "crates/", "crates/reticent/src/"];

/// The folders of the methods: a row may speak of a file that each of them has.
const METHODS: &str = "crates/reticent/src/fit/*/";

/// The names in the tables of a document that are none of `files`, which are paths from the root.
pub fn missing(document: &str, files: &[String]) -> Vec<Fault> {
    let mut faults = Vec::new();
    // The folders of each row above, by how far it is indented.
    let mut above: Vec<Vec<String>> = Vec::new();
    let mut title = "";
    for (line, text) in (1..).zip(document.lines()) {
        let cells: Vec<&str> = text.trim().trim_matches('|').split('|').collect();
        if !text.starts_with('|') || text.starts_with("|---") {
            (title, above) = match text.starts_with("|---") {
                true => (title, above),
                false => ("", Vec::new()),
            };
            continue;
        }
        if title.is_empty() {
            title = cells[0].trim();
            continue;
        }
        above.truncate(cells[0].matches('—').count());
        let mut row = Vec::new();
        for (place, cell) in cells.iter().enumerate() {
            let mut last = Vec::new();
            for name in cell.split('`').skip(1).step_by(2) {
                let first = place == 0 && ["module", "folder"].contains(&title);
                if !first && !is_path(name) {
                    continue;
                }
                let found = [&row, &last]
                    .into_iter()
                    .chain(above.iter().rev())
                    .flatten()
                    .map(String::as_str)
                    .chain(ROOTS)
                    .chain([METHODS])
                    .find_map(|folder| find(folder, name, files));
                match found {
                    Some(found) => {
                        last = vec![parent(&found)];
                        if first && !name.ends_with(".rs") {
                            row.push(found);
                        }
                    }
                    None => {
                        let message = format!(
                            "there is no {name} here, nor below {SOURCES}; correct the table"
                        );
                        faults.push(Fault::in_document(line, message));
                    }
                }
            }
            if place == 0 {
                let sources = row.iter().map(|folder| format!("{folder}src/"));
                row = row.iter().cloned().chain(sources).collect();
            }
        }
        above.push(row);
    }
    faults
}

fn is_path(name: &str) -> bool {
    !name.contains(' ') && (name.ends_with(".rs") || name.contains('/'))
}

/// The path of a file or folder below `folder`; that of a folder ends in a slash.
fn find(folder: &str, name: &str, files: &[String]) -> Option<String> {
    let wanted = format!("{folder}{}", name.trim_end_matches('/'));
    let wanted: Vec<&str> = wanted.split('/').collect();
    files.iter().find_map(|file| {
        let parts: Vec<&str> = file.split('/').collect();
        let begins = parts.len() >= wanted.len()
            && wanted.iter().zip(&parts).all(|(a, b)| *a == "*" || a == b);
        let path = parts.get(..wanted.len())?.join("/");
        match parts.len() == wanted.len() {
            _ if !begins => None,
            true => (!name.ends_with('/')).then_some(path),
            false => Some(format!("{path}/")),
        }
    })
}

/// The folder of a path.
fn parent(path: &str) -> String {
    let path = path.trim_end_matches('/');
    let folder = path.rsplit_once('/').map(|(folder, _)| folder);
    folder.map_or(String::new(), |folder| format!("{folder}/"))
}
