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

/// The part of a page that begins with a heading.
pub fn part_of<'a>(page: &'a str, heading: &str) -> &'a str {
    let Some(start) = page.find(&format!("\n{heading}\n")) else {
        return "";
    };
    let body = start + heading.len() + 2;
    let end = page[body..]
        .find("\n## ")
        .map_or(page.len(), |at| body + at);
    &page[start..end]
}
