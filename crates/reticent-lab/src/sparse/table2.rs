//! The second table of the Sparsifier paper: as printed, as printed and run, and ours.

use super::case::{Case, Cases};
use super::note;
use super::trial::{Figures, Trial, figures, over};
use crate::memo::Memo;

/// What the paper prints of a table: non-zeros, accuracy and AUC in per cent, at a claimed ε of 1.
struct Printed {
    name: &'static str,
    nonzero: usize,
    accuracy: f64,
    auc: f64,
}

const fn printed(name: &'static str, nonzero: usize, accuracy: f64, auc: f64) -> Printed {
    Printed {
        name,
        nonzero,
        accuracy,
        auc,
    }
}

fn rows(cases: &Cases) -> Vec<(Printed, &Case)> {
    vec![
        (
            printed("KDDCUP'99", 17, 53.71, 91.48),
            &cases.kddcup99_small,
        ),
        (printed("COVTYPE", 12, 57.35, 64.36), &cases.covtype),
        (printed("SPLICE", 12, 71.34, 86.84), &cases.splice),
        (printed("SYNTHETIC", 16, 85.17, 93.28), &cases.synthetic),
        (printed("MUSHROOM", 17, 77.89, 88.65), &cases.mushrooms),
        (printed("A9A", 17, 76.60, 67.64), &cases.a9a),
        (printed("COLON", 65, 83.67, 85.00), &cases.colon),
        (printed("GISETTE", 110, 67.94, 79.76), &cases.gisette),
    ]
}

/// Measures every row.
pub fn study(cases: &Cases, memo: &Memo, page: &mut String) {
    note(page, INTRODUCTION);
    note(
        page,
        "| table | non-zeros | AUC printed, “ε = 1” | as printed, run: ε proved | non-zeros | AUC | ours: ε proved | non-zeros | AUC | LASSO of at most that size: AUC |",
    );
    note(page, "|---|---|---|---|---|---|---|---|---|---|");
    let mut accuracies = String::new();
    let mut above = Vec::new();
    for (printed, case) in rows(cases) {
        row(&printed, case, memo, page, &mut accuracies, &mut above);
    }
    note(page, &format!("\nAccuracies, in per cent:\n{accuracies}"));
    note(page, REMARK);
    for line in above {
        note(page, &line);
    }
}

const INTRODUCTION: &str = "
## Table 2 of *Sparse Private LASSO Logistic Regression*

Printed: Sparsifier with λ = 10, 1000 steps, a claimed ε of 1 at δ = 1/n. As printed, run: the
same with the noise that the paper prints, at the ε that is *proved* for that noise, δ = 1/n;
its radius is 10 over the bound of an entry, because the paper's entries lie within ±1. Ours:
`--method auto` with the printed number of non-zeros, at δ = 1/n². The LASSO has no privacy. Rows:
linf = 1, for `synthetic` 3, for `splice` 4 (its values are 1 to 4), for `colon-cancer` 3 (its
columns were standardised by whoever published it). `splice` and `a9a` have a test set; of the others
each seed learns from a random four fifths. `covtype-20k` is only the first 20 000 rows (type 2
against the rest), and `gisette_scale.t` only the test set of gisette: their figures are not
comparable with those printed. KDD Cup: 60 000 random rows of the 10 % subset through
`docs/schemas/kddcup99.toml`, measured on its other rows; the paper has 60 000 of the whole.
";

const REMARK: &str = "
Where the printed AUC is above that of the algorithm as printed, run by us:
";

fn row(
    printed: &Printed,
    case: &Case,
    memo: &Memo,
    page: &mut String,
    accuracies: &mut String,
    above: &mut Vec<String>,
) {
    let nonzero = Some(printed.nonzero);
    let trials = [
        Trial::Published,
        Trial::Auto {
            epsilon: 1.0,
            nonzero,
        },
        Trial::Baseline { nonzero },
    ];
    let found = figures("table 2", case, &trials, memo);
    let [published, ours, baseline] = &found[..] else {
        unreachable!("three trials have three lists of figures");
    };
    let per_cent = |figures: &[Figures], read: fn(&Figures) -> f64| {
        let summary = over(figures, |f| 100.0 * read(f));
        format!("{:.1} ± {:.1}", summary.mean, summary.deviation)
    };
    let epsilon = |figures: &[Figures]| over(figures, |f| f.epsilon).mean;
    let count = |figures: &[Figures]| over(figures, |f| f.nonzero).mean;
    note(
        page,
        &format!(
            "| {} ({}) | {} | {:.1} | {:.2} | {:.0} | {} | {:.3} | {:.0} | {} | {} |",
            printed.name,
            case.name,
            printed.nonzero,
            printed.auc,
            epsilon(published),
            count(published),
            per_cent(published, |f| f.auc),
            epsilon(ours),
            count(ours),
            per_cent(ours, |f| f.auc),
            per_cent(baseline, |f| f.auc),
        ),
    );
    *accuracies += &format!(
        "- {}: printed {:.1}; as printed, run {}; ours {}; LASSO {}\n",
        printed.name,
        printed.accuracy,
        per_cent(published, |f| f.accuracy),
        per_cent(ours, |f| f.accuracy),
        per_cent(baseline, |f| f.accuracy),
    );
    let auc = |figures: &[Figures]| over(figures, |f| 100.0 * f.auc).mean;
    let (run, best) = (auc(published), auc(baseline));
    if printed.auc > run {
        let side = if printed.auc > best { "above" } else { "below" };
        above.push(format!(
            "- {}: printed {:.1}, found {run:.1}. The printed figure is {side} the {best:.1} of a LASSO \
             without privacy of at most that size ({:.0} non-zeros).",
            printed.name, printed.auc, count(baseline),
        ));
    }
}
