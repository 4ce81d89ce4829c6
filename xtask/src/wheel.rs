//! `cargo xtask wheel`: the Python package as it is given away, tried where there is no Rust.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::background::say;
use crate::step::{Failure, Outcome, run};
use crate::{python, root, target};

const AGAIN: &str = "cargo xtask wheel";

/// The oldest glibc that the wheel for Linux runs with.
const COMPATIBILITY: &str = "manylinux_2_17";

/// Builds the wheel, has its claim audited, and tries it in a fresh environment.
pub fn build_and_try() -> Result<Outcome, Failure> {
    let tools = python::environment("wheel-tools", "wheel-requirements.txt")?
        .map_err(|absent| absent.fatal(AGAIN))?;
    let folder = target().join("wheels");
    // What was built before would be taken for the new one.
    if folder.exists() {
        std::fs::remove_dir_all(&folder)
            .map_err(|error| failure(format!("{}: {error}", folder.display())))?;
    }
    let mut maturin = Command::new(&tools);
    maturin
        .env("PATH", python::path_from(tools.parent()))
        .args(["-m", "maturin", "build", "--release", "--locked", "--out"])
        .arg(&folder)
        .current_dir(root());
    if cfg!(target_os = "linux") {
        let target = format!("{}-unknown-linux-gnu", std::env::consts::ARCH);
        maturin.args([
            "--zig",
            "--target",
            &target,
            "--compatibility",
            COMPATIBILITY,
        ]);
    }
    run(&mut maturin)?;
    let wheel = only_wheel(&folder)?;
    if cfg!(target_os = "linux") {
        run(Command::new(&tools)
            .args(["-m", "auditwheel", "show"])
            .arg(&wheel))?;
    }
    try_out(&wheel)?;
    say(&format!("\n{}", wheel.display()));
    Ok(Outcome::Passed)
}

/// Installs the wheel into a fresh environment, and fits there, with no toolchain to be found.
fn try_out(wheel: &Path) -> Result<Outcome, Failure> {
    let python = python::empty_environment("wheel-trial")?;
    let path = without_toolchain(&python)?;
    // No sources: what has no wheel would need a compiler.
    run(python::pip(&python)
        .args(["--only-binary", ":all:"])
        .arg(wheel)
        .env("PATH", &path))?;
    run(Command::new(&python)
        .arg(root().join("xtask/python/try_wheel.py"))
        .env("PATH", &path)
        // Not beside the sources of the package.
        .current_dir(target()))
}

/// The environment's programs and the system's, but for folders with a Rust toolchain.
fn without_toolchain(python: &Path) -> Result<OsString, Failure> {
    let path = python::path_from(python.parent());
    let rust = ["cargo", "rustc"].map(|name| format!("{name}{}", std::env::consts::EXE_SUFFIX));
    let clean = |folder: &PathBuf| !rust.iter().any(|name| folder.join(name).exists());
    std::env::join_paths(std::env::split_paths(&path).filter(clean))
        .map_err(|error| failure(format!("the path of programs: {error}")))
}

/// The wheel in the folder.
fn only_wheel(folder: &Path) -> Result<PathBuf, Failure> {
    let unread = |error| failure(format!("{}: {error}", folder.display()));
    let entries = std::fs::read_dir(folder).map_err(unread)?;
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let mut wheels = paths.filter(|path| path.extension().is_some_and(|it| it == "whl"));
    match (wheels.next(), wheels.next()) {
        (Some(wheel), None) => Ok(wheel),
        _ => Err(failure(format!("{}: not one wheel", folder.display()))),
    }
}

fn failure(reason: String) -> Failure {
    Failure {
        reason,
        again: AGAIN.to_owned(),
    }
}
