//! Where a model is written: whether that is possible is checked before anything is spent.

use std::path::Path;

use reticent::model::check_writable;

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
    // In the same way as the model will be written.
    check_writable(out).map_err(|reason| {
        Failure::Failed(format!(
            "{}: the model could not be written there: {reason}; nothing was read or spent",
            out.display()
        ))
    })
}

/// Whether two paths lead to one file.
pub fn same(one: &Path, other: &Path) -> bool {
    match (one.canonicalize(), other.canonicalize()) {
        (Ok(one), Ok(other)) => one == other,
        _ => one == other,
    }
}
