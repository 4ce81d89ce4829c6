//! Real data sets, from the folder `shared/data` beside the repository.

use std::path::{Path, PathBuf};

/// A data set; `None`, and a line that says so, where it is absent. Under CI it may not be.
pub fn real(name: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../shared/data")
        .join(name);
    if path.exists() {
        return Some(path);
    }
    let ci = std::env::var_os("CI").is_some_and(|value| !value.is_empty());
    assert!(!ci, "{} is absent, and CI is set", path.display());
    eprintln!("not tested: {} is absent", path.display());
    None
}
