//! What can be trusted without tuning: models from honest, wide declarations and small budgets.
//!
//! A part is a file with a `study`, and a line in `PARTS`.

mod classes;
mod linear;
mod sparsity;

use std::path::Path;

use crate::memo::Memo;
use crate::page::{part_of, save};

/// What a part is made from.
struct Lab<'a> {
    data: &'a Path,
    memo: Memo,
}

/// The parts of the page, in their order: a name to ask for each by, its heading and its study.
type Part = (&'static str, &'static str, fn(&Lab<'_>, &mut String));

const PARTS: [Part; 3] = [
    ("linear", linear::HEADING, |_, page| linear::study(page)),
    ("classes", classes::HEADING, |lab, page| {
        classes::study(lab.data, &lab.memo, page);
    }),
    ("sparsity", sparsity::HEADING, sparsity::study),
];

/// Runs the study, or the part of it that is named, and writes a page; `memory` is the folder of
/// figures that are already known.
pub fn study(data: &Path, results: &Path, memory: &Path, only: Option<&str>) {
    let lab = Lab {
        data,
        memo: Memo::of_this_program("trust", memory),
    };
    let mut page = String::from(INTRODUCTION);
    let old = std::fs::read_to_string(results.join("trust.md")).unwrap_or_default();
    for (name, heading, study) in PARTS {
        match only {
            Some(only) if only != name => page += part_of(&old, heading),
            _ => study(&lab, &mut page),
        }
    }
    save(results, "trust.md", &page);
}

const INTRODUCTION: &str = "\
# What can be trusted: results

Written by `cargo xtask reproduce trust`, every figure of it. Nothing is set for a table: the method
is `auto`, δ = 1/n², replace-one. The same seeds give the same figures.
";
