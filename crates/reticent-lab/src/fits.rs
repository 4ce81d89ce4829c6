//! The private fits on a public support: which is best with the whole budget.

mod case;
mod figure;
mod newton;
mod perturbed;
mod rivals;
mod table;

use std::path::Path;

use reticent::fit::{Baseline, BaselineMethod, FitInput, LinearFunction, Planned, Task};
use reticent::noise::Generator;
use reticent::privacy::Adjacency;

use crate::budget::budget;
use crate::memo::Memo;
use crate::page::{note, save};
use case::{Case, cases};
use figure::{Figure, Judge};
use newton::likeliest;
use rivals::{Problem, Rival, rivals};
use table::{Found, Verdict};

/// How many seeds a mean is over.
const SEEDS: u64 = 10;
/// ε.
const BUDGETS: [f64; 5] = [0.5, 1.0, 2.0, 4.0, 8.0];
/// Noise comes from other seeds than the tables.
const NOISE: u64 = 1 << 32;

/// Runs the study, and writes a page and its charts; `memory` is the folder of figures that are
/// already known.
pub fn study(data: &Path, results: &Path, memory: &Path) {
    let memo = Memo::of_this_program("fits", memory);
    let mut page = String::from(INTRODUCTION);
    let mut verdict = Verdict::default();
    for case in cases(data) {
        let rivals = rivals(case.task);
        let found = found(&case, &rivals, &memo);
        note(&mut page, &format!("\n## {}", case.title));
        for (at, figure) in case.figures.iter().enumerate() {
            let table = found.table(at, *figure, &rivals);
            table.write(&mut page);
            verdict.add(&case, &table);
            if case.charted && at == 0 {
                let file = format!("fits-{}.svg", case.task.name());
                note(&mut page, &format!("\n![{}]({file})", case.title));
                save(results, &file, &table.chart(&case.title).svg());
            }
        }
    }
    verdict.write(&mut page);
    save(results, "fits.md", &page);
}

/// Every figure of a case.
fn found(case: &Case, rivals: &[Rival], memo: &Memo) -> Found {
    let names: Vec<String> = (0..SEEDS)
        .map(|seed| format!("{}, seed {seed}", case.name))
        .collect();
    let by_seed = memo.all("fits", &names, |seed| one(case, rivals, seed as u64));
    Found {
        by_seed,
        figures: case.figures.len(),
    }
}

/// The figures of a seed: of each rival, budget and setting; then without privacy, and of the
/// truth, which is NaN where it is not known.
fn one(case: &Case, rivals: &[Rival], seed: u64) -> Vec<f64> {
    let sample = case.sample(seed);
    let facts = case.facts(&sample.train);
    let hold = |table: &reticent::table::Table<'static>| {
        let held = table.clone().clip(case.rows, sample.range, false);
        held.expect("the bounds can be enforced")
    };
    let judge = Judge {
        task: case.task,
        test: hold(&sample.test),
        scale: sample.range.map_or(1.0, |range| range.high),
        truth: sample.truth.clone(),
    };
    let problem = Problem {
        task: case.task,
        facts,
        intercept: case.intercept,
        held: hold(&sample.train),
        records: hold(&sample.train).seal(Adjacency::ReplaceOne),
        table: sample.train,
    };
    let judged = |outputs: &[LinearFunction]| -> Vec<f64> {
        let of = |figure: &Figure| figure.of(outputs, &judge);
        case.figures.iter().map(of).collect()
    };
    let mut figures = Vec::new();
    for rival in rivals {
        for epsilon in BUDGETS {
            let budget = budget(epsilon, (facts.records as f64).powi(-2));
            for &setting in rival.settings {
                let fit = (rival.fit)(&problem, budget, NOISE + seed, setting);
                let proved = fit.epsilon;
                assert!(
                    (0.99 * epsilon..=epsilon).contains(&proved),
                    "{}: {proved} is not {epsilon}",
                    rival.name
                );
                figures.extend(judged(&fit.outputs));
            }
        }
    }
    figures.extend(judged(&baseline(&problem)));
    match &sample.truth {
        Some(truth) => {
            let truth: Vec<LinearFunction> =
                truth.iter().map(|w| LinearFunction::of(w, 0.0)).collect();
            figures.extend(judged(&truth));
        }
        None => figures.extend(case.figures.iter().map(|_| f64::NAN)),
    }
    figures
}

/// The fit without privacy: maximum likelihood, or least squares.
fn baseline(problem: &Problem) -> Vec<LinearFunction> {
    if problem.task != Task::Linear {
        return likeliest(problem);
    }
    let baseline = Baseline {
        method: BaselineMethod::Ight,
        nonzero: Some(problem.facts.columns),
        intercept: problem.intercept,
        ..Baseline::new(problem.task)
    };
    let plan = baseline
        .plan(problem.facts)
        .expect("the defaults make a plan");
    // Nothing is drawn.
    let mut randomness = Generator::not_private(0);
    let fitted = plan.run(FitInput::Open(&problem.held), &mut randomness, &mut ());
    fitted.expect("a baseline can be fitted").outputs().to_vec()
}

const INTRODUCTION: &str = "\
# Private fits on a support: results

Written by `cargo xtask reproduce fits`, every figure of it. `select` chooses columns and then fits
a model on them: here the second half is measured alone. The columns are public and the same
for all (the true support of a design, the LASSO's of `a9a`), the table has no others, and the
whole budget goes into the fit, at δ = 1/n², replace-one. A figure is the mean ± standard deviation over
10 seeds, each of which draws other records (of `a9a`: other noise only), the same for all fits.
The best of a row is bold.

- **select**: the engine's, told to take all columns: noisy gradients, preconditioned by noisy
  second moments.
- **AdaSSP**: the engine's `select --fitting statistics`, told the same: sufficient statistics with an adaptive
  ridge, for numbers.
- **ight**: the engine's, on all columns: noisy gradients, with momentum for classes. For classes it
  makes all records of one length and does not learn how sure to be: its relative error says little. For
  numbers its few steps know one curvature for all columns, and do not come to the end where columns
  are far from 0 in the mean, as in covtype.
- **DP-Newton**: k steps, each of which releases the gradient and the curvature Σσ′(m)zzᵀ
  (several classes: all of the blocks (diag p − ppᵀ)⊗zzᵀ), records weighed to the same length and
  residuals clipped as `select` does; eigenvalues are lifted to the level of the noise. 10, 30 and 60 % of
  ρ for the curvatures are tried, and the best *by the figure shown* is taken at each ε: more than
  a user could do. In plain floats, in the laboratory only.
- **objective perturbation**: the engine's mechanism as in `two-stage`, pure ε-DP but for the
  inexactness of its minimum: its noise grows with the number of weights k, where a Gaussian's grows
  with √k but costs some 5/ε at these δ. Several classes: one against the rest, K releases that
  share the budget.

Without privacy: maximum likelihood, or least squares, on the same columns. Errors above 3 count as 3.
";
