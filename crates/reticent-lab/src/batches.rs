//! Private stochastic optimisation and public features: the thesis' tables, and what a linear model on
//! scattering reaches.
//!
//! A part is a file with a `study`, and a line in `PARTS`.

mod features;
mod many_records;
mod nonconvex;
mod setting;
mod smoothing;

use std::path::Path;

use crate::memo::Memo;
use crate::page::{part_of, save};

/// What a part is made from.
struct Lab<'a> {
    data: &'a Path,
    /// Folders of the images that are not among the data sets.
    fashion: &'a Path,
    cifar10: &'a Path,
    memo: Memo,
    /// One seed, and of the settings to choose from the first few.
    quick: bool,
}

impl Lab<'_> {
    /// How many seeds a fit has, of those that it has in a full run.
    fn seeds(&self, full: u64) -> u64 {
        if self.quick { 1 } else { full }
    }

    /// The settings to choose from: a quick run looks at so many.
    fn candidates(&self, all: Vec<String>) -> Vec<String> {
        const QUICK: usize = 2;
        let most = if self.quick { QUICK } else { all.len() };
        all.into_iter().take(most).collect()
    }
}

/// The parts of the page, in their order: a name to ask for each by, its heading and its study.
type Part = (&'static str, &'static str, fn(&Lab<'_>, &mut String));

const PARTS: [Part; 4] = [
    ("nonconvex", nonconvex::HEADING, nonconvex::study),
    ("smoothing", smoothing::HEADING, smoothing::study),
    ("features", features::HEADING, features::study),
    ("many-records", many_records::HEADING, many_records::study),
];

/// Where data are, and where figures go.
pub struct Folders<'a> {
    pub data: &'a Path,
    pub results: &'a Path,
    /// Figures that are already known.
    pub memory: &'a Path,
    pub fashion: &'a Path,
    pub cifar10: &'a Path,
}

/// Runs the study, or the part of it that is named, and writes a page.
pub fn study(folders: &Folders<'_>, quick: bool, only: Option<&str>) {
    let lab = Lab {
        data: folders.data,
        fashion: folders.fashion,
        cifar10: folders.cifar10,
        memo: Memo::of_this_program("batches", folders.memory).one_by_one(),
        quick,
    };
    let mut page = String::from(INTRODUCTION);
    if quick {
        page += QUICK;
    }
    let old = std::fs::read_to_string(folders.results.join("batches.md")).unwrap_or_default();
    for (name, heading, study) in PARTS {
        match only {
            Some(only) if only != name => page += part_of(&old, heading),
            _ => study(&lab, &mut page),
        }
    }
    save(folders.results, "batches.md", &page);
}

const INTRODUCTION: &str = "\
# Batches and public features: results

Written by `cargo xtask reproduce batches`, every figure of it but what papers print, which was typed
by hand. A figure is a mean ± standard deviation over seeds, on the test records, at the ε that the
certificate proves; δ = 1e-5 unless it says otherwise. Settings are written as for the command.

**Settings that were chosen are not covered by any certificate.** Where a table says *chosen*, every
setting of a list was fitted to a part of the training records, with the same budget, and measured on the
rest of them; the best was then fitted to all training records. Test records had no part in that. A
person who chooses so on a private table spends more than the certificate says. Rows of `auto`, and what is
called *default*, follow from public facts.

Fits run one after another; time, where it is shown, is that of the fit on two threads, from sealed records to
the model.
";

const QUICK: &str = "
**A quick run**: one seed, and the first two settings of each list.
";
