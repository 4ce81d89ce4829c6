//! Python environments of the project's own, for yardsticks that are written in Python and for the
//! Python package itself.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::background::say;
use crate::step::{Failure, run, shown};
use crate::{root, target};

/// What this machine lacks for an environment.
pub struct Absent(pub String);

impl Absent {
    /// For a command that is nothing without its environment.
    pub fn fatal(self, again: &str) -> Failure {
        Failure {
            reason: self.0,
            again: again.to_owned(),
        }
    }
}

/// The interpreter that environments are made with.
const PYTHON: &str = if cfg!(windows) { "python" } else { "python3" };

/// The Python of the environment `name` under the target folder, with the packages pinned in the
/// file `pins`; made once, and again when the pins change.
pub fn environment(name: &str, pins: &str) -> Result<Result<PathBuf, Absent>, Failure> {
    let pins = root().join("xtask/python").join(pins);
    let pins = std::fs::read_to_string(&pins).map_err(|error| Failure {
        reason: format!("{} could not be read: {error}", pins.display()),
        again: "cargo xtask test".to_owned(),
    })?;
    made(name, &pins)
}

/// How the engine in the package is compiled.
#[derive(Clone, Copy)]
pub enum Engine {
    /// As the tests are: most of it is built already, and arithmetic is checked for overflow.
    Tested,
    /// As it is released.
    Fast,
}

/// The Python of an environment with the package `reticent`, built anew from the sources, and with
/// all that its tests need.
pub fn package(engine: Engine) -> Result<Result<PathBuf, Absent>, Failure> {
    let python = match package_environment()? {
        Ok(python) => python,
        Err(absent) => return Ok(Err(absent)),
    };
    let mut pip = pip(&python);
    // maturin is among the packages: without isolation it is not fetched again for each build, but
    // is looked for where programs are.
    pip.env("PATH", path_from(python.parent()))
        .args(["--no-build-isolation", "--no-deps"])
        .arg(root());
    match engine {
        Engine::Tested => pip.env("MATURIN_PEP517_ARGS", "--profile dev"),
        Engine::Fast => &mut pip,
    };
    run(&mut pip)?;
    Ok(Ok(python))
}

/// The Python of an environment with all that the package and its tests need, which is installed
/// once, and again when pyproject.toml asks for other packages.
pub fn package_environment() -> Result<Result<PathBuf, Absent>, Failure> {
    match wanted()? {
        Ok(wanted) => made("python-package", &wanted),
        Err(absent) => Ok(Err(absent)),
    }
}

/// Where programs are looked for, with a folder before the others.
pub fn path_from(first: Option<&Path>) -> OsString {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = first.map(PathBuf::from).into_iter();
    // Only a folder with a separator in its name cannot be joined.
    std::env::join_paths(folders.chain(std::env::split_paths(&path))).unwrap_or(path)
}

/// What pyproject.toml asks for, to build the package and to test it: one requirement a line.
fn wanted() -> Result<Result<String, Absent>, Failure> {
    let mut command = Command::new(PYTHON);
    command
        .arg(root().join("xtask/python/print_requirements.py"))
        .arg(root().join("pyproject.toml"));
    match command.stdin(Stdio::null()).output() {
        Ok(output) if output.status.success() => {
            Ok(Ok(String::from_utf8_lossy(&output.stdout).into_owned()))
        }
        Ok(output) => Err(Failure {
            reason: String::from_utf8_lossy(&output.stderr).into_owned(),
            again: shown(&command),
        }),
        Err(error) => Ok(Err(unstarted(&error))),
    }
}

/// The environment with these requirements, made unless it is there.
fn made(name: &str, requirements: &str) -> Result<Result<PathBuf, Absent>, Failure> {
    let folder = target().join(name);
    let python = interpreter(&folder);
    // The stamp is the list that was installed, written last.
    let stamp = folder.join("installed.txt");
    if python.exists() && std::fs::read_to_string(&stamp).is_ok_and(|done| done == requirements) {
        return Ok(Ok(python));
    }
    say(&format!("   making {}", folder.display()));
    let venv = Command::new(PYTHON)
        .args(["-m", "venv", "--clear"])
        .arg(&folder)
        .stdin(Stdio::null())
        .output();
    match venv {
        Ok(output) if output.status.success() => {}
        Ok(output) => {
            say(&String::from_utf8_lossy(&output.stdout));
            say(&String::from_utf8_lossy(&output.stderr));
            return Ok(Err(Absent("python3 -m venv does not work here".to_owned())));
        }
        Err(error) => return Ok(Err(unstarted(&error))),
    }
    let list = folder.join("requirements.txt");
    write(&list, requirements)?;
    if let Err(absent) = install(&python, &list)? {
        return Ok(Err(absent));
    }
    write(&stamp, requirements)?;
    Ok(Ok(python))
}

fn unstarted(error: &std::io::Error) -> Absent {
    Absent(format!("{PYTHON} could not be run: {error}"))
}

/// An environment with nothing in it but pip, made anew.
pub fn empty_environment(name: &str) -> Result<PathBuf, Failure> {
    let folder = target().join(name);
    let mut venv = Command::new(PYTHON);
    venv.args(["-m", "venv", "--clear"]).arg(&folder);
    run(&mut venv)?;
    Ok(interpreter(&folder))
}

/// The Python of the environment in a folder.
fn interpreter(folder: &Path) -> PathBuf {
    folder.join(match cfg!(windows) {
        true => "Scripts/python.exe",
        false => "bin/python",
    })
}

/// `pip install`, to be told what.
pub fn pip(python: &Path) -> Command {
    let mut pip = Command::new(python);
    pip.args(["-m", "pip", "install", "--disable-pip-version-check"])
        .arg("--quiet");
    pip
}

/// Installs the requirements. That they are out of reach is an absence; anything else is a failure.
fn install(python: &Path, requirements: &Path) -> Result<Result<(), Absent>, Failure> {
    let mut pip = pip(python);
    pip.args(["--only-binary", ":all:", "--requirement"])
        .arg(requirements);
    let failed = |reason: String, pip: &Command| Failure {
        reason,
        again: shown(pip),
    };
    let output = pip
        .stdin(Stdio::null())
        .output()
        .map_err(|error| failed(format!("pip could not be run: {error}"), &pip))?;
    if output.status.success() {
        return Ok(Ok(()));
    }
    let complaint = String::from_utf8_lossy(&output.stderr);
    say(&complaint);
    // What pip says when the network is out of reach, and when it knows no such wheel.
    const UNREACHABLE: &str = "pip could not reach a package index";
    let signs = [
        ("after connection broken by", UNREACHABLE),
        ("Could not fetch URL", UNREACHABLE),
        ("(from versions: none)", UNREACHABLE),
        (
            "No matching distribution found",
            "the requirements have no wheels for this Python",
        ),
    ];
    if let Some((_, what)) = signs.iter().find(|(sign, _)| complaint.contains(sign)) {
        return Ok(Err(Absent((*what).to_owned())));
    }
    Err(failed(
        "pip could not install the requirements".to_owned(),
        &pip,
    ))
}

fn write(path: &Path, text: &str) -> Result<(), Failure> {
    std::fs::write(path, text).map_err(|error| Failure {
        reason: format!("{} could not be written: {error}", path.display()),
        again: "cargo xtask test".to_owned(),
    })
}
