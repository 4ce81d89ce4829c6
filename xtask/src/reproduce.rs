//! `cargo xtask reproduce`: the figures of docs/results, recomputed.

use std::process::ExitCode;

use crate::step::run;
use crate::{cargo, misused, root, shared, told};

/// Runs what was asked for.
pub fn reproduce(arguments: &[String]) -> ExitCode {
    match arguments {
        [name] if name == "frank-wolfe" => told(shared("a9a.xz").and_then(|table| {
            run(cargo()
                .args([
                    "run",
                    "--release",
                    "--locked",
                    "-p",
                    "reticent-lab",
                    "--",
                    name,
                ])
                .args(table.parent())
                .arg(root().join("docs/results")))
        })),
        _ => misused("reproduce takes the name of a study: frank-wolfe"),
    }
}
