//! The pages and files of results.

use std::fmt::Write;
use std::path::Path;

/// Writes a file of results.
pub fn save(results: &Path, name: &str, text: &str) {
    std::fs::create_dir_all(results).expect("the folder of results can be made");
    let path = results.join(name);
    std::fs::write(&path, text).expect("a result can be written");
    println!("wrote {}", path.display());
}

/// Adds a line to the page, and shows it.
pub fn note(page: &mut String, line: &str) {
    println!("{line}");
    // Writing to a string cannot fail.
    let _ = writeln!(page, "{line}");
}
