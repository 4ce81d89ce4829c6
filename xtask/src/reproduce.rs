//! `cargo xtask reproduce`: the figures of docs/results, recomputed.

use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

use crate::bench::command;
use crate::image_sets::{cifar10, fashion_mnist};
use crate::python::{Engine, environment, package as installed};
use crate::step::{Failure, Outcome, run, shown};
use crate::{cargo, exit_code, misused, root, shared, target};

/// Runs what was asked for.
pub fn reproduce(arguments: &[String]) -> ExitCode {
    match arguments {
        [name] if name == "frank-wolfe" => study(name, None, None),
        [name] if name == "sparse" || name == "fits" => {
            study(name, Some(&target().join("reproduce")), None)
        }
        [name, part] if name == "sparse" => {
            study(name, Some(&target().join("reproduce")), Some(part))
        }
        [name] if name == "trust" => exit_code(trust(None)),
        [name, part] if name == "trust" => exit_code(trust(Some(part))),
        [name, rest @ ..] if name == "batches" => match rest {
            [] => exit_code(batches(false, None)),
            [flag] if flag == "--quick" => exit_code(batches(true, None)),
            [part] if BATCHES.contains(&part.as_str()) => exit_code(batches(false, Some(part))),
            [flag, part] if flag == "--quick" && BATCHES.contains(&part.as_str()) => {
                exit_code(batches(true, Some(part)))
            }
            _ => misused(&format!(
                "reproduce batches takes --quick and the name of a part: {}",
                BATCHES.join(", ")
            )),
        },
        [name] if name == "python" => exit_code(package(None)),
        [name, part] if name == "python" && PARTS.iter().any(|known| known.0 == part) => {
            exit_code(package(Some(part)))
        }
        _ => misused(
            "reproduce takes the name of a study: frank-wolfe, sparse, fits, trust, batches, python",
        ),
    }
}

/// Runs a study of the laboratory, or a part of it, which may remember what an interrupted run found.
fn study(name: &str, memory: Option<&Path>, part: Option<&String>) -> ExitCode {
    exit_code(laboratory(name, memory, part).and_then(|mut command| run(&mut command)))
}

/// What can be trusted. One of its tables comes with scikit-learn: tables of people stay outside of
/// this repository.
fn trust(part: Option<&String>) -> Result<Outcome, Failure> {
    let memory = target().join("reproduce");
    let table = memory.join("diabetes.csv");
    std::fs::create_dir_all(&memory).map_err(|error| Failure {
        reason: format!("{} could not be made: {error}", memory.display()),
        again: "cargo xtask reproduce trust".to_owned(),
    })?;
    let python = environment("bench-yardstick", "bench-requirements.txt")?;
    let python = python.map_err(|absent| absent.fatal("cargo xtask reproduce trust"))?;
    run(Command::new(python)
        .arg(root().join("xtask/python/diabetes.py"))
        .arg(&table))?;
    run(laboratory("trust", Some(&memory), part)?.env("RETICENT_DIABETES", table))
}

/// The parts of the study of batches.
const BATCHES: [&str; 4] = ["nonconvex", "smoothing", "features", "many-records"];

/// Batches and public features. A quick run leaves the results of a full one as they are.
fn batches(quick: bool, part: Option<&String>) -> Result<Outcome, Failure> {
    let memory = target().join("reproduce");
    let (fashion, cifar10) = (fashion_mnist()?, cifar10()?);
    let results = match quick {
        true => memory.join("quick"),
        false => root().join("docs/results"),
    };
    run(laboratory_into("batches", &results, Some(&memory), None)?
        .args([fashion, cifar10])
        .args(quick.then_some("--quick"))
        .args(part))
}

/// The command that runs a study.
fn laboratory(
    name: &str,
    memory: Option<&Path>,
    part: Option<&String>,
) -> Result<Command, Failure> {
    laboratory_into(name, &root().join("docs/results"), memory, part)
}

/// The same, with its results elsewhere.
fn laboratory_into(
    name: &str,
    results: &Path,
    memory: Option<&Path>,
    part: Option<&String>,
) -> Result<Command, Failure> {
    let table = shared("a9a.xz")?;
    let mut command = cargo();
    command
        .args(["run", "--release", "--locked", "-p", "reticent-lab", "--"])
        .arg(name)
        .args(table.parent())
        .arg(results)
        .args(memory)
        .args(part);
    Ok(command)
}

/// The parts of the page of the Python package, in their order: a name to ask for each by, the script
/// that prints it, and its heading.
const PARTS: [(&str, &str, &str); 3] = [
    (
        "rivals",
        "comparison.py",
        "## Beside diffprivlib and DP-SGD",
    ),
    ("rare-classes", "rare_classes.py", "## Rare classes"),
    ("calls", "overhead.py", "## The cost of a call"),
];

/// The Python package beside other packages, and beside the engine called without Python: each by a
/// script that prints its part of the page, which is written at once.
fn package(only: Option<&str>) -> Result<Outcome, Failure> {
    let again = "cargo xtask reproduce python";
    let script = |name: &str| root().join("xtask/python").join(name);
    let tables = shared("news20.xz")?.with_file_name("");
    let ours = installed(Engine::Fast)?.map_err(|absent| absent.fatal(again))?;
    let page = root().join("docs/results/python.md");
    for (name, file, heading) in PARTS {
        if only.is_some_and(|only| only != name) {
            continue;
        }
        let text = match name {
            "calls" => printed(Command::new(&ours).arg(script(file)).args([
                &tables,
                &command()?,
                &target().join("reproduce"),
            ]))?,
            _ => {
                let theirs = environment("python-rivals", "comparison-requirements.txt")?;
                let theirs = theirs.map_err(|absent| absent.fatal(again))?;
                printed(Command::new(theirs).arg(script(file)).args([
                    &tables,
                    &ours,
                    &script("reticent_column.py"),
                ]))?
            }
        };
        let old = std::fs::read_to_string(&page).unwrap_or_default();
        let renewed = renewed(&old, heading, &text);
        std::fs::write(&page, renewed).map_err(|error| Failure {
            reason: format!("{} could not be written: {error}", page.display()),
            again: again.to_owned(),
        })?;
    }
    Ok(Outcome::Passed)
}

/// The page with another text of one part; the others are as they were.
fn renewed(page: &str, heading: &str, text: &str) -> String {
    let mut all = HEAD.to_owned();
    for (_, _, other) in PARTS {
        let part = match other == heading {
            true => text,
            false => part_of(page, other),
        };
        if !part.is_empty() {
            all += &format!("\n{}\n", part.trim_end());
        }
    }
    all
}

/// The part of a page that begins with a heading; empty if there is none.
fn part_of<'a>(page: &'a str, heading: &str) -> &'a str {
    let Some(start) = page.find(&format!("\n{heading}\n")) else {
        return "";
    };
    let part = &page[start + 1..];
    let end = part.find("\n## ").unwrap_or(part.len());
    &part[..end]
}

/// How the page of the Python package opens.
const HEAD: &str = "\
# The Python package: results

Written by `cargo xtask reproduce python`, every figure of it. Time depends on the machine; which is
faster, less so: all that is compared ran on the same machine in the same run, in turns.
";

/// What a command prints; what it tells of its progress is shown.
fn printed(command: &mut Command) -> Result<String, Failure> {
    let failed = |reason: String, command: &Command| Failure {
        reason,
        again: shown(command),
    };
    let output = command
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| {
            failed(
                format!("the command could not be started: {error}"),
                command,
            )
        })?;
    if !output.status.success() {
        let reason = format!("the command ended with {}", output.status);
        return Err(failed(reason, command));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
