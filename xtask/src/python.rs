//! Python environments of the project's own, for yardsticks that are written in Python.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::step::{Failure, shown};
use crate::{root, target};

/// What this machine lacks for an environment.
pub struct Absent(pub String);

/// The Python of the environment `name` under the target folder, with the packages pinned in the
/// file `pins`; made once, and again when the pins change.
pub fn environment(name: &str, pins: &str) -> Result<Result<PathBuf, Absent>, Failure> {
    let requirements = root().join("xtask/python").join(pins);
    let pins = read(&requirements)?;
    let folder = target().join(name);
    let python = if cfg!(windows) {
        folder.join("Scripts/python.exe")
    } else {
        folder.join("bin/python")
    };
    // The stamp is the list that was installed, written last.
    let stamp = folder.join("installed.txt");
    if python.exists() && std::fs::read_to_string(&stamp).is_ok_and(|done| done == pins) {
        return Ok(Ok(python));
    }
    println!("   making {}", folder.display());
    let made = Command::new(if cfg!(windows) { "python" } else { "python3" })
        .args(["-m", "venv", "--clear"])
        .arg(&folder)
        .stdin(Stdio::null())
        .output();
    match made {
        Ok(output) if output.status.success() => {}
        Ok(output) => {
            print!("{}", String::from_utf8_lossy(&output.stdout));
            eprint!("{}", String::from_utf8_lossy(&output.stderr));
            return Ok(Err(Absent("python3 -m venv does not work here".to_owned())));
        }
        Err(error) => return Ok(Err(Absent(format!("python3 could not be run: {error}")))),
    }
    if let Err(absent) = install(&python, &requirements)? {
        return Ok(Err(absent));
    }
    std::fs::write(&stamp, pins).map_err(|error| Failure {
        reason: format!("{} could not be written: {error}", stamp.display()),
        again: "cargo xtask test".to_owned(),
    })?;
    Ok(Ok(python))
}

/// Installs the pins. That they are out of reach is an absence; anything else is a failure.
fn install(python: &Path, requirements: &Path) -> Result<Result<(), Absent>, Failure> {
    let mut pip = Command::new(python);
    pip.args(["-m", "pip", "install", "--disable-pip-version-check"])
        .args(["--quiet", "--only-binary", ":all:", "--requirement"])
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
    eprint!("{complaint}");
    // What pip says when the network is out of reach, and when it knows no such wheel.
    const UNREACHABLE: &str = "pip could not reach a package index";
    let signs = [
        ("after connection broken by", UNREACHABLE),
        ("Could not fetch URL", UNREACHABLE),
        ("(from versions: none)", UNREACHABLE),
        (
            "No matching distribution found",
            "the pins have no wheels for this Python",
        ),
    ];
    if let Some((_, what)) = signs.iter().find(|(sign, _)| complaint.contains(sign)) {
        return Ok(Err(Absent((*what).to_owned())));
    }
    Err(failed("pip could not install the pins".to_owned(), &pip))
}

fn read(path: &Path) -> Result<String, Failure> {
    std::fs::read_to_string(path).map_err(|error| Failure {
        reason: format!("{} could not be read: {error}", path.display()),
        again: "cargo xtask test".to_owned(),
    })
}
