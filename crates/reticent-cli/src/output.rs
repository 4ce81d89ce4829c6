//! Where a model goes: whether it can be written is known before anything is spent.

use std::fs::OpenOptions;
use std::path::Path;

use crate::failure::Failure;

/// Checks that a file can be made at `out`, and that it would not replace one of `inputs`.
pub fn check(out: &Path, inputs: &[&Path]) -> Result<(), Failure> {
    for input in inputs {
        if same(out, input) {
            return Err(Failure::Failed(format!(
                "{}: the model would replace a file that is read; choose another --out",
                out.display()
            )));
        }
    }
    let refuse = |reason: &str| {
        Err(Failure::Failed(format!(
            "{}: the model could not be written there: {reason}; nothing was read or spent",
            out.display()
        )))
    };
    let Some(name) = out.file_name() else {
        return refuse("it names no file");
    };
    if out.is_dir() {
        return refuse("it is a folder; name a file in it");
    }
    // A file beside it, as the model will be until it is whole.
    let mut beside = std::ffi::OsString::from(".");
    beside.push(name);
    beside.push(format!(".{}.check", std::process::id()));
    let beside = out.with_file_name(beside);
    match OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(&beside)
    {
        Ok(file) => {
            drop(file);
            // If it can not be removed, the person will see it: its name says what it was.
            let _ = std::fs::remove_file(&beside);
            Ok(())
        }
        Err(error) => refuse(&error.to_string()),
    }
}

/// Whether two paths lead to one file.
pub fn same(one: &Path, other: &Path) -> bool {
    match (one.canonicalize(), other.canonicalize()) {
        (Ok(one), Ok(other)) => one == other,
        _ => one == other,
    }
}
