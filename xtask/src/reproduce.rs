//! `cargo xtask reproduce`: the figures of docs/results, recomputed.

use std::path::Path;
use std::process::ExitCode;

use crate::step::run;
use crate::{cargo, misused, root, shared, target, told};

/// Runs what was asked for.
pub fn reproduce(arguments: &[String]) -> ExitCode {
    match arguments {
        [name] if name == "frank-wolfe" => study(name, None),
        [name] if name == "sparse" || name == "fits" => {
            study(name, Some(&target().join("reproduce")))
        }
        _ => misused("reproduce takes the name of a study: frank-wolfe, sparse, fits"),
    }
}

/// Runs a study of the laboratory, which may remember what an interrupted run found.
fn study(name: &str, memory: Option<&Path>) -> ExitCode {
    told(shared("a9a.xz").and_then(|table| {
        run(cargo()
            .args(["run", "--release", "--locked", "-p", "reticent-lab", "--"])
            .arg(name)
            .args(table.parent())
            .arg(root().join("docs/results"))
            .args(memory))
    }))
}
