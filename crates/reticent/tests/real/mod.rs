//! Real data sets, from the folder `shared/data` beside the repository, or from the one that
//! `RETICENT_DATA` names.

use std::io::Write;
use std::path::{Path, PathBuf};

/// A data set; `None`, and a line that says what is skipped for want of what, where there are no
/// data sets. A folder of them that lacks this one is skipped likewise, but a failure under CI.
pub fn real(name: &str) -> Option<PathBuf> {
    let folder = match std::env::var_os("RETICENT_DATA") {
        Some(folder) => PathBuf::from(folder),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data"),
    };
    let ci = std::env::var_os("CI").is_some_and(|value| !value.is_empty());
    found(&folder, name, ci).unwrap_or_else(|missing| panic!("{missing}"))
}

fn found(folder: &Path, name: &str, ci: bool) -> Result<Option<PathBuf>, String> {
    let path = folder.join(name);
    if path.exists() {
        return Ok(Some(path));
    }
    if ci && folder.exists() {
        return Err(format!(
            "{} is absent, though its folder is there and CI is set",
            path.display()
        ));
    }
    // Not `eprintln!`, which the test harness would keep to itself.
    let line = format!("skipped: needs {}\n", path.display());
    std::io::stderr().write_all(line.as_bytes()).unwrap();
    Ok(None)
}

#[test]
fn only_a_data_set_that_its_folder_lacks_fails_and_only_under_ci() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    for ci in [false, true] {
        let there = found(here, "Cargo.toml", ci);
        assert_eq!(there, Ok(Some(here.join("Cargo.toml"))));
        assert_eq!(found(&here.join("no-such-folder"), "a9a.xz", ci), Ok(None));
    }
    assert_eq!(found(here, "no-such-file", false), Ok(None));
    let missing = found(here, "no-such-file", true).unwrap_err();
    assert!(missing.contains("no-such-file is absent"), "{missing}");
}
