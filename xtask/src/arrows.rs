//! `cargo xtask arrows`: which module of the library imports from which, against the list in
//! ARCHITECTURE.md.
//!
//! A *module* here is a top-level one, of `crates/reticent/src/lib.rs`. From there the files are
//! followed as the compiler follows them (`mod name;`), so that what is compiled for tests alone is
//! left out by its `#[cfg(test)]`, whatever it is called. In each file every path counts that
//! starts with `crate`, `self` or `super`, in an import or in the middle of an expression.
//!
//! *What it does not see* is a method that another module adds to one of a module's own types, and a path in
//! a string.

mod allowed;
mod imports;
mod lex;
mod paths;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use crate::root;
use crate::step::{Failure, Outcome};
use allowed::{AllowedImports, Arrow};

/// What `cargo xtask arrows --help` says.
pub const HELP: &str = "\
Compares which module of the library imports from which with the list in ARCHITECTURE.md.

Usage: cargo xtask arrows

A module here is a top-level one, of crates/reticent/src/lib.rs. The list is the block under
Arrows in ARCHITECTURE.md, one line per module, from the bottom up:

  solve: matrix, loss                 solve may import from matrix and loss
  population: mechanism::ReleaseKey   of mechanism, this item and nothing else
  noise: -                            noise may import from no other module

It fails, with file and line, on an import that the list does not allow; on something that is
named by the crate's root and not by its module; on a module that is not listed, or a listed one
that is not there; on an arrow to a module that is listed later, as arrows might then form a
cycle; and on a file or folder that a table of ARCHITECTURE.md names and that does not exist.
(population -> mechanism::ReleaseKey, the key to a query, is the one that may.) What is compiled for
tests alone may import from anywhere.
";

const DOCUMENT: &str = "ARCHITECTURE.md";
const SOURCES: &str = "crates/reticent/src";

/// Something that must not be: where, what, and what to do about it.
#[derive(Debug, PartialEq, Eq)]
struct Fault {
    /// From the root of the repository.
    file: String,
    line: usize,
    message: String,
}

impl Fault {
    fn in_document(line: usize, message: String) -> Self {
        let file = DOCUMENT.to_owned();
        Self {
            file,
            line,
            message,
        }
    }

    fn in_source(file: &str, line: usize, message: String) -> Self {
        let file = format!("{SOURCES}/{file}");
        Self {
            file,
            line,
            message,
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.file, self.line, self.message)
    }
}

/// How often each arrow is used, by the module's name and what it may import.
type Counts = BTreeMap<(String, String), usize>;

/// Compares the imports with the list, and prints how often each arrow is used.
pub fn check() -> Result<Outcome, Failure> {
    let failure = |reason| Failure {
        reason,
        again: "cargo xtask arrows".to_owned(),
    };
    let read = |path: &Path| std::fs::read_to_string(path).ok();
    let document = read(&root().join(DOCUMENT))
        .ok_or_else(|| failure(format!("{DOCUMENT} cannot be read")))?;
    let sources = root().join(SOURCES);
    let (modules, counts, mut faults) = survey(&document, &|file| read(&sources.join(file)));
    faults.extend(paths::missing(&document, &files(&root())));
    for fault in &faults {
        eprintln!("{fault}");
    }
    match faults.len() {
        0 => {
            print!("{}", shown(&modules, &counts));
            Ok(Outcome::Passed)
        }
        1 => Err(failure(
            "1 fault in ARCHITECTURE.md or the arrows between modules".to_owned(),
        )),
        many => Err(failure(format!(
            "{many} faults in ARCHITECTURE.md or the arrows between modules"
        ))),
    }
}

/// All files of the repository, from its root, without what was built.
fn files(root: &Path) -> Vec<String> {
    let mut files = Vec::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        // A folder that cannot be read has no files that a table could name.
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let (path, name) = (entry.path(), entry.file_name());
            let built = name == "target" || name.to_string_lossy().starts_with('.');
            match path.is_dir() {
                _ if built => {}
                true => folders.push(path),
                false => files.extend(
                    (path.strip_prefix(root).ok())
                        .map(|it| it.to_string_lossy().replace('\\', "/")),
                ),
            }
        }
    }
    files
}

/// What is allowed, what is there, and what is wrong, given the document and a way to read the
/// source files by their path below the folder of sources.
fn survey(
    document: &str,
    read: &dyn Fn(&str) -> Option<String>,
) -> (Vec<AllowedImports>, Counts, Vec<Fault>) {
    let (modules, mut faults) = allowed::read(document);
    let mut counts = Counts::new();
    let Some(text) = read("lib.rs") else {
        faults.push(Fault::in_source("lib.rs", 1, "cannot be read".to_owned()));
        return (modules, counts, faults);
    };
    let there = imports::read(&text, &[]).modules;
    for module in &there {
        if !modules.iter().any(|listed| listed.name == module[0]) {
            let name = &module[0];
            let message = format!(
                "the module {name} is not listed; add a line '{name}: …' under Arrows in {DOCUMENT}"
            );
            faults.push(Fault::in_source("lib.rs", 1, message));
        }
    }
    for listed in &modules {
        if there.iter().all(|module| module[0] != listed.name) {
            let name = &listed.name;
            let message =
                format!("there is no module {name} in {SOURCES}/lib.rs; take its line out");
            faults.push(Fault::in_document(listed.line, message));
            continue;
        }
        let names: Vec<&String> = there.iter().map(|module| &module[0]).collect();
        let mut walk = Walk {
            from: listed,
            names: &names,
            read,
            counts: &mut counts,
            faults: &mut faults,
        };
        walk.module(std::slice::from_ref(&listed.name));
    }
    (modules, counts, faults)
}

/// A walk through the files of a module.
struct Walk<'a> {
    from: &'a AllowedImports,
    /// All modules.
    names: &'a [&'a String],
    read: &'a dyn Fn(&str) -> Option<String>,
    counts: &'a mut Counts,
    faults: &'a mut Vec<Fault>,
}

impl Walk<'_> {
    /// Looks at a module in a file of its own, and at those that it declares.
    fn module(&mut self, module: &[String]) {
        let path = module.join("/");
        let files = [format!("{path}.rs"), format!("{path}/mod.rs")];
        let found = files
            .iter()
            .find_map(|file| (self.read)(file).map(|text| (file, text)));
        let Some((file, text)) = found else {
            let message = format!("neither this file nor {} can be read", files[1]);
            self.faults.push(Fault::in_source(&files[0], 1, message));
            return;
        };
        let source = imports::read(&text, module);
        for named in source.named {
            if let Err(message) = self.arrow(&named.path) {
                self.faults
                    .push(Fault::in_source(file, named.line, message));
            }
        }
        for inner in source.modules {
            self.module(&inner);
        }
    }

    /// Counts the arrow to what a path names, or says why it must not be.
    fn arrow(&mut self, path: &[String]) -> Result<(), String> {
        let AllowedImports { name, arrows, .. } = self.from;
        let Some(to) = path.first().filter(|first| self.names.contains(first)) else {
            let path = shown_path(path);
            return Err(format!(
                "{name} names {path}, which is in no module; name things by the module that they are in"
            ));
        };
        if to == name {
            return Ok(());
        }
        if let Some(arrow) = arrows.iter().find(|arrow| arrow.allows(path)) {
            let key = (name.clone(), arrow.to_string());
            *self.counts.entry(key).or_default() += 1;
            return Ok(());
        }
        Err(format!(
            "{name} → {to} is not allowed ({})\n  {DOCUMENT} lets {name} import from {}.\n  Move \
             what both modules need to one that both may import from, or pass it as an argument.\n  If \
             the design is to change, allow the arrow under Arrows in {DOCUMENT}.",
            shown_path(path),
            listed(arrows),
        ))
    }
}

fn shown_path(path: &[String]) -> String {
    let parts: Vec<&str> = ["crate"]
        .into_iter()
        .chain(path.iter().map(String::as_str))
        .collect();
    parts.join("::")
}

fn listed(arrows: &[Arrow]) -> String {
    match arrows {
        [] => "no module".to_owned(),
        arrows => {
            let names: Vec<String> = arrows.iter().map(ToString::to_string).collect();
            format!("{} only", names.join(", "))
        }
    }
}

/// One line per module, with how often it imports from each of the others.
fn shown(modules: &[AllowedImports], counts: &Counts) -> String {
    let mut text = String::new();
    for AllowedImports { name, arrows, .. } in modules {
        let count = |arrow: &Arrow| {
            let key = (name.clone(), arrow.to_string());
            format!("{arrow} {}", counts.get(&key).unwrap_or(&0))
        };
        let arrows: Vec<String> = arrows.iter().map(count).collect();
        let arrows = match &arrows[..] {
            [] => "-".to_owned(),
            arrows => arrows.join(", "),
        };
        text += &format!("   {name:<10}  {arrows}\n");
    }
    text
}
