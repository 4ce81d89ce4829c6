//! Small libraries, given as text.

use super::*;

/// A list of four modules, with the key.
const DOCUMENT: &str = "\
# Arrows

```arrows
matrix: -
solve: matrix
population: solve, mechanism::ReleaseKey
mechanism: population
```
";

const LIB: &str = "pub mod matrix; mod solve; pub mod population; pub mod mechanism;";

/// The faults of a library: files by their path, those that are not given being empty.
fn faults_of(document: &str, files: &[(&str, &str)]) -> Vec<String> {
    let read = |path: &str| {
        let given = files.iter().find(|(file, _)| *file == path);
        match given {
            Some((_, text)) => Some((*text).to_owned()),
            None if path == "lib.rs" => Some(LIB.to_owned()),
            None => path.ends_with("/mod.rs").then(String::new),
        }
    };
    let (_, _, faults) = survey(document, &read);
    faults.iter().map(ToString::to_string).collect()
}

fn faults(files: &[(&str, &str)]) -> Vec<String> {
    faults_of(DOCUMENT, files)
}

/// The paths that a source names in the module `solve::lasso`.
fn named(text: &str) -> Vec<String> {
    let home = ["solve".to_owned(), "lasso".to_owned()];
    let source = imports::read(text, &home);
    source.named.iter().map(|n| n.path.join("::")).collect()
}

#[test]
fn a_library_that_keeps_to_the_list_has_no_fault() {
    let files = [
        (
            "solve/mod.rs",
            "use crate::matrix::Matrix; use crate::solve::x;",
        ),
        ("population/mod.rs", "use crate::mechanism::ReleaseKey;"),
        (
            "mechanism/mod.rs",
            "use crate::population::{Query, query::LIMIT};",
        ),
    ];
    assert_eq!(faults(&files), [""; 0]);
}

#[test]
fn a_forbidden_import_is_found_with_its_line() {
    let text = "//! Solvers.\n\nmod lasso;\nuse crate::population::Records;\n";
    let found = faults(&[("solve/mod.rs", text)]);
    assert_eq!(found.len(), 1);
    assert!(
        found[0].starts_with(
            "crates/reticent/src/solve/mod.rs:4: solve → population is not allowed \
             (crate::population::Records)\n  ARCHITECTURE.md lets solve import from matrix only.\n"
        ),
        "{}",
        found[0]
    );
}

#[test]
fn files_are_followed_however_deep() {
    let files = [
        ("solve/mod.rs", "mod lasso;"),
        ("solve/lasso.rs", "mod inline { mod descent; }"),
        (
            "solve/lasso/inline/descent.rs",
            "\n\nuse super::super::super::super::population;",
        ),
    ];
    let found = faults(&files);
    assert_eq!(found.len(), 1);
    let place = "crates/reticent/src/solve/lasso/inline/descent.rs:3: solve → population";
    assert!(found[0].starts_with(place), "{}", found[0]);
}

#[test]
fn a_file_that_can_not_be_read_is_a_fault() {
    let found = faults(&[("solve/mod.rs", "mod lasso;"), ("solve/lasso/mod.rs", "")]);
    assert_eq!(found, [""; 0]);
    let nothing = |path: &str| (path == "lib.rs").then(|| LIB.to_owned());
    assert_eq!(survey(DOCUMENT, &nothing).2.len(), 4);
}

#[test]
fn of_the_module_with_the_key_only_the_key_may_be_imported() {
    for text in [
        "use crate::mechanism::gaussian;",
        "use crate::mechanism::{ReleaseKey, gaussian};",
        "use crate::mechanism;",
        "use crate::mechanism::{self, ReleaseKey};",
        "use crate::mechanism::*;",
        "use super::mechanism::gaussian as ReleaseKey;",
    ] {
        let found = faults(&[("population/mod.rs", text)]);
        assert_eq!(found.len(), 1, "{text}");
        assert!(found[0].contains("population → mechanism"), "{}", found[0]);
    }
}

#[test]
fn nothing_is_imported_but_from_a_module() {
    for text in [
        "use crate::*;",
        "use crate as library;",
        "use crate::{self as library};",
        "use super::*;",
        "use crate::Records;",
    ] {
        let found = faults(&[("solve/mod.rs", text)]);
        assert_eq!(found.len(), 1, "{text}");
        assert!(found[0].contains("in no module"), "{}", found[0]);
    }
}

#[test]
fn imports_are_read_with_nested_braces() {
    let text = "use crate::{a::X, b::{self, Y as Z, c::{W, *}}, super_::V};";
    let paths = ["a::X", "b", "b::Y", "b::c::W", "b::c::*", "super_::V"];
    assert_eq!(named(text), paths);
    assert_eq!(named("use {crate::a::X, std::fmt};"), ["a::X"]);
}

#[test]
fn paths_in_expressions_are_read() {
    let text = "fn f(x: crate::a::T) -> u8 { crate::b::g::<crate::c::U>(self.x) * self::d::K }";
    assert_eq!(named(text), ["a::T", "b::g", "c::U", "solve::lasso::d::K"]);
    assert_eq!(
        named("macro_rules! m { () => { $crate::a::f() } }"),
        ["a::f"]
    );
}

#[test]
fn chains_of_super_are_climbed() {
    assert_eq!(named("use super::X;"), ["solve::X"]);
    assert_eq!(named("use super::super::fit::Task;"), ["fit::Task"]);
    assert_eq!(
        named("use self::super::{super::fit::Task, Y};"),
        ["fit::Task", "solve::Y"]
    );
    let inline = "mod a { use super::super::super::fit::Task; } use super::super::fit::Task;";
    assert_eq!(named(inline), ["fit::Task", "fit::Task"]);
}

#[test]
fn visibility_is_no_import() {
    let text = "pub(in crate::fit) fn f() {} pub(in super::super) fn g() {} pub(crate) struct A;";
    assert_eq!(named(text), [""; 0]);
    assert_eq!(named("struct A(pub (crate::a::X));"), ["a::X"]);
}

#[test]
fn what_is_compiled_for_tests_alone_is_skipped() {
    for text in [
        "#[cfg(test)] mod tests { use crate::a::X; mod deeper { use crate::a::X; } }",
        "#[cfg(test)] use crate::{a::X, b::Y};",
        "#[cfg(test)]\n#[allow(unused)]\npub(crate) fn f<A, B>() { crate::a::f() }",
        "#[cfg(all(test, unix))] impl crate::a::T for X { fn f() {} }",
        "#[test] fn promise() { crate::a::f(); }",
        "#[cfg(test)] const X: crate::a::T = crate::a::T { x: 1 };",
        "#![cfg(test)] use crate::a::X;",
        "struct S { #[cfg(test)] x: crate::a::X, }",
    ] {
        let after = format!("{text} ");
        assert_eq!(named(&after), [""; 0], "{text}");
    }
    let modules = imports::read(
        "#[cfg(test)] mod attack; mod fit; #[cfg(test)] mod tests;",
        &[],
    );
    assert_eq!(modules.modules, [["fit".to_owned()]]);
}

#[test]
fn what_follows_a_test_is_not_skipped() {
    for test in [
        "#[cfg(test)] mod tests { fn f() {} }",
        "#[cfg(test)] mod tests;",
        "#[cfg(test)] const fn f() {}",
        "#[cfg(test)] const X: [u8; 2] = [1, 2];",
        "#[cfg(test)] use std::{fmt, io};",
        "#[cfg(not(test))]",
        "#[cfg(any(test, unix))]",
        "#[cfg(feature = \"parquet\")]",
    ] {
        let text = format!("{test} use crate::a::X;");
        assert_eq!(named(&text), ["a::X"], "{test}");
    }
    let fields = "struct S { #[cfg(test)] x: u8, y: crate::a::X }";
    assert_eq!(named(fields), ["a::X"]);
}

#[test]
fn comments_and_literals_are_skipped() {
    let text = r####"
        //! [`X`](crate::a::X)
        /// use crate::a::X;
        // use crate::a::X; "
        /* use crate::a::X; /* nested */ use crate::a::X; */
        const A: &str = "use crate::a::X; \" use crate::a::X;";
        const B: &str = r##"use crate::a::X; "# use crate::a::X;"##;
        const C: [char; 3] = ['"', '\'', '\\'];
        fn f<'a>(r#type: &'a u8) {}
        use crate::b::Y;
    "####;
    assert_eq!(named(text), ["b::Y"]);
    assert_eq!(imports::read(text, &[]).named[0].line, 10);
}

#[test]
fn a_cycle_is_a_fault_of_the_list() {
    let cyclic = DOCUMENT.replace("matrix: -", "matrix: solve");
    let found = faults_of(&cyclic, &[]);
    assert_eq!(found.len(), 1);
    assert!(
        found[0].starts_with(
            "ARCHITECTURE.md:4: matrix → solve: a module may import only from modules"
        ),
        "{}",
        found[0]
    );
    let other_key = DOCUMENT.replace("matrix: -", "matrix: solve::ReleaseKey");
    assert_eq!(faults_of(&other_key, &[]).len(), 1);
    let whole_module = DOCUMENT.replace("mechanism::ReleaseKey", "mechanism");
    assert_eq!(faults_of(&whole_module, &[]).len(), 1);
    let itself = DOCUMENT.replace("solve: matrix", "solve: matrix, solve");
    assert_eq!(faults_of(&itself, &[]).len(), 1);
}

#[test]
fn the_list_has_each_module_once_and_no_other() {
    let missing = DOCUMENT.replace("matrix: -\nsolve: matrix", "solve: -");
    assert!(faults_of(&missing, &[])[0].contains("the module matrix is not listed"));
    let odd = DOCUMENT.replace("matrix: -", "matrix: -\nattic: -");
    assert!(faults_of(&odd, &[])[0].starts_with("ARCHITECTURE.md:5: there is no module attic"));
    let twice = DOCUMENT.replace("matrix: -", "matrix: -\nmatrix: -");
    assert!(faults_of(&twice, &[])[0].contains("listed twice"));
    let unreadable = DOCUMENT.replace("matrix: -", "matrix: -\nsolve may import matrix");
    assert!(faults_of(&unreadable, &[])[0].contains("is not an arrow"));
    assert!(faults_of("# Nothing", &[])[0].contains("there is no block"));
}

#[test]
fn a_file_that_a_table_names_must_exist() {
    let files = [
        "crates/reticent/src/privacy/event.rs",
        "crates/reticent/src/population/gradient/mod.rs",
        "crates/reticent/src/population/gradient/rows.rs",
        "crates/reticent/src/fit/ight/plan.rs",
        "crates/reticent-cli/src/flags.rs",
        "crates/reticent-cli/src/help.rs",
    ];
    let files = files.map(str::to_owned);
    let table = |rows: &str| {
        let document = format!("| module | what | start |\n|---|---|---|\n{rows}\n");
        let faults = paths::missing(&document, &files);
        faults.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    for sound in [
        "| `privacy` | `Event`, `l2 = 1` | `event.rs` |",
        "| `population` | | |\n| — `gradient/` | | `mod.rs` |\n| — — `rows.rs` | | |",
        "| `fit` | `fit/*/plan.rs`; `plan.rs` of each method | |",
        "| `fit` | `reticent-cli/src/flags.rs`, `help.rs` | |",
    ] {
        assert_eq!(table(sound), [""; 0], "{sound}");
    }
    for (wrong, name) in [
        ("| `secrecy` | | |", "secrecy"),
        ("| `privacy` | | `ledger.rs` |", "ledger.rs"),
        (
            "| `population` | | |\n| — `gradient/` | | |\n| — — `one.rs` | | |",
            "one.rs",
        ),
        ("| `fit` | `fit/*/run.rs` | |", "fit/*/run.rs"),
        ("| `fit` | `fit/admm/` | |", "fit/admm/"),
    ] {
        let faults = table(wrong);
        assert_eq!(faults.len(), 1, "{faults:?}");
        assert!(
            faults[0].contains(&format!("there is no {name} ")),
            "{faults:?}"
        );
    }
    // A list is no table, and neither is a block of code.
    assert_eq!(
        paths::missing("`nowhere.rs` and\n- `no/where`\n", &files),
        []
    );
}
