//! Where a command writes: whether that is possible, and allowed, is checked before anything is read
//! or spent.

use std::path::Path;

use clap::Args;
use reticent::model::check_writable;

use crate::failure::{Failure, unwritten};

/// The flag of all commands that write a file.
#[derive(Debug, Clone, Copy, Args)]
pub struct Overwrite {
    /// Replace a file that exists; otherwise it is kept
    #[arg(long)]
    pub overwrite: bool,
}

/// Checks that a file can be made at `out`, which `flag` names, and that it would replace none of
/// `inputs`, nor any other file without `--overwrite`.
pub fn check(
    flag: &str,
    out: &Path,
    inputs: &[&Path],
    overwrite: Overwrite,
) -> Result<(), Failure> {
    let shown = out.display();
    if inputs.iter().any(|input| same(out, input)) {
        return Err(Failure::Failed(format!(
            "{shown}: a file that is read would be replaced; choose another {flag}"
        )));
    }
    refuse_existing(out, overwrite)?;
    // In the same way as it will be written.
    check_writable(out).map_err(|error| {
        Failure::Failed(format!(
            "{shown}: it could not be written there: {}; nothing was read or spent",
            unwritten(&error)
        ))
    })
}

/// Refuses to replace a file without `--overwrite`. A model that is replaced takes with it the record
/// of what was spent on it.
pub fn refuse_existing(out: &Path, overwrite: Overwrite) -> Result<(), Failure> {
    if overwrite.overwrite || out.is_dir() || out.symlink_metadata().is_err() {
        return Ok(());
    }
    Err(Failure::Failed(format!(
        "{}: the file exists already, and is not replaced; nothing was read or spent\n\n  \
         tip: give another name, or add --overwrite",
        out.display()
    )))
}

/// Whether two paths lead to one file.
pub fn same(one: &Path, other: &Path) -> bool {
    match (one.canonicalize(), other.canonicalize()) {
        (Ok(one), Ok(other)) => one == other,
        _ => one == other,
    }
}
