//! The same fits on a table in parts: methods made of sums give the same bits, the others are refused.

use reticent::fit::{FitError, FitInput, Released};
use reticent::noise::Generator;
use reticent::population::{Parts, Population};

use crate::cases::{Case, cases};
use crate::{SEED, digest, of_charges, of_released, recorded_digests};

/// Where a table is cut: anywhere, also twice in one place, so that a part may be empty.
fn cuts(rows: usize, parts: usize, case: usize) -> Vec<usize> {
    let place = |k: usize| (case * 7_919 + k * 104_729 + k * k * 31) % (rows + 1);
    let mut cuts: Vec<usize> = (1..parts).map(place).collect();
    if parts > 4 {
        cuts[1] = cuts[0];
    }
    cuts.extend([0, rows]);
    cuts.sort_unstable();
    cuts
}

/// The digest of a fit on the table in parts; `None` if it is refused for being in parts.
fn run(case: &Case, number: usize, parts: usize) -> Option<String> {
    let (request, facts) = (&case.request, case.facts);
    let (plan, _) = request.plan(facts).unwrap();
    let cuts = cuts(case.shape.rows, parts, number);
    let part = |rows: &[usize]| -> Box<dyn Population> {
        let table = case.shape.part(rows[0]..rows[1], request.task, case.sparse);
        let held = table
            .clip(facts.rows, case.range(), request.intercept)
            .unwrap();
        Box::new(held.seal(request.adjacency))
    };
    let parts = Parts::new(cuts.windows(2).map(part).collect()).unwrap();
    let mut randomness = Generator::not_private(SEED);
    let fitted = match plan.run(FitInput::Sealed(&parts), &mut randomness, &mut ()) {
        Err(FitError::NotCentral(_)) => return None,
        fitted => fitted.unwrap(),
    };
    let result = match &fitted.released {
        Released::Columns(columns) => digest(columns.iter().flat_map(|c| c.to_le_bytes())),
        released => of_released(released),
    };
    Some(format!("{result} {}", of_charges(&fitted.statement)))
}

#[test]
fn a_table_in_parts_gives_the_bits_of_the_whole() {
    let recorded = recorded_digests();
    let (mut same, mut refused) = (0, 0);
    for (number, case) in cases().iter().enumerate() {
        let whole = &recorded[&case.name];
        let sealed = |plan: Box<dyn reticent::fit::Planned>| plan.spending().is_some();
        if whole == "refused"
            || !case
                .request
                .plan(case.facts)
                .is_ok_and(|(plan, _)| sealed(plan))
        {
            continue;
        }
        for parts in [1, 2, 7] {
            match run(case, number, parts) {
                Some(digest) => {
                    assert_eq!(&digest, whole, "{} in {parts} parts", case.name);
                    same += 1;
                }
                None => {
                    // What is not a sum: a LASSO's count, votes of blocks, a teacher, an objective.
                    let whole = ["sparsifier", "two-stage", "transfer", "admm"];
                    assert!(parts > 1 && whole.contains(&case.request.method.name()));
                    refused += 1;
                }
            }
        }
    }
    assert!(same >= 3 * 60, "{same}");
    println!("{same} fits in parts have the bits of the whole; {refused} are refused in parts");
}
