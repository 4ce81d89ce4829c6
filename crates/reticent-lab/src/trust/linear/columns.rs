//! Columns that lie in a small part of their declared bounds.

use rayon::prelude::*;

use super::cases::{Case, DIABETES, LINEAR, SMALL, placed};
use super::{SEEDS, Trial};
use crate::page::note;
use crate::summary::Summary;

/// ε.
const BUDGETS: [f64; 4] = [3.0, 1.0, 0.3, 0.1];
const HEADER: &str = "| table | columns | ε = 3 | ε = 1 | ε = 0.3 | ε = 0.1 |";

/// Where columns lie: by how much too wide each is declared, and around which location.
struct Places {
    title: &'static str,
    of: fn(usize) -> (f64, f64),
}

const PLACES: [Places; 5] = [
    Places {
        title: "fill their bounds",
        of: |_| (1.0, 0.0),
    },
    Places {
        title: "declared 10 times too wide",
        of: |_| (10.0, 0.0),
    },
    Places {
        title: "200 times",
        of: |_| (200.0, 0.0),
    },
    Places {
        title: "500 ± 50 in 0 to 100 000",
        of: |_| (1000.0, -0.99),
    },
    Places {
        title: "these four in turn, and 30 times around 0.7",
        of: |column| {
            let places = [
                (1.0, 0.0),
                (10.0, 0.0),
                (200.0, 0.0),
                (1000.0, -0.99),
                (30.0, 0.7),
            ];
            places[column % places.len()]
        },
    },
];

pub fn study(page: &mut String) {
    note(page, TEXT);
    note(page, &format!("\n{HEADER}\n|---|---|---|---|---|---|"));
    // n = 1000, d = 30; n = 3000, d = 5.
    for case in [&LINEAR, &SMALL[2], &SMALL[3], &DIABETES] {
        for places in &PLACES {
            line(page, case, places);
        }
    }
}

/// Mean R² by budget, the range of the targets being the tightest.
fn line(page: &mut String, case: &Case, places: &Places) {
    let of_budget = |epsilon: &f64| {
        let figures: Vec<f64> = (0..SEEDS)
            .into_par_iter()
            .map(|seed| {
                let mut trial = Trial::new(case, case.ranges[0], *epsilon, seed);
                trial.sample = placed(&trial.sample, places.of);
                trial.r2(&trial.private())
            })
            .collect();
        let Summary {
            mean, deviation, ..
        } = Summary::of(&figures);
        format!("{mean:.3} ± {deviation:.3}")
    };
    let cells: Vec<String> = BUDGETS.iter().map(of_budget).collect();
    let (title, columns) = (case.title, places.title);
    note(
        page,
        &format!("| {title} | {columns} | {} |", cells.join(" | ")),
    );
}

const TEXT: &str = "
### Columns that lie in a small part of their bounds

R² as above, in the tightest range of the targets, the mean over 10 seeds and its deviation: columns
fill the bounds that are declared for them, or lie in a small part of them. Where the plan does not
search for the columns (too few records for so many, or too small a budget), `plan` says so.";
