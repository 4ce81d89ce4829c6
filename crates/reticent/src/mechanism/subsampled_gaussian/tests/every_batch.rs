//! Every batch of hostile tables, and those that the amplification theorems compare it with: none is
//! farther away than the sensitivity, and some are as far.

use std::collections::BTreeMap;

use super::*;
use crate::attack::question::Asking;
use crate::attack::table::{Pair, Storage};
use crate::mechanism::tape::Difference;
use crate::population::query::mutant;

/// The most units of a table, all of whose batches are looked at.
const MOST_UNITS: usize = 6;

/// Which sums are compared: recursive momentum's or gradients, for how many classes.
type Kind = (bool, u32);

/// How many pairs of batches were compared, and the largest distance over the sensitivity.
type Worst = BTreeMap<Kind, (u64, f64)>;

/// The sums over all batches of a table, by the bits of their units.
fn sums(query: &BatchQuery<'_>) -> Vec<Release> {
    let units = query.units(&RELEASE_KEY);
    let sum = |batch: u32| {
        let units = (0..units).filter(|unit| batch >> unit & 1 == 1).collect();
        let sums = query.over(&Batch::of(units, &RELEASE_KEY), &RELEASE_KEY);
        Release::vector("batch", &sums, 1.0)
    };
    (0..1 << units).map(sum).collect()
}

/// Replace-one: of one size, one of the two batches having unit u, and the other it or another unit.
/// Whichever tables they are of: the theorem compares all three.
fn of_a_fixed_size(
    first: &[Release],
    second: &[Release],
    mut compare: impl FnMut(&Release, &Release),
) {
    let differs = |unit: &usize| first[*unit].distance(&second[*unit]) != Some(0.0);
    let each = (0..).map(|unit| 1 << unit);
    let u = each
        .take_while(|unit| *unit < first.len())
        .find(differs)
        .unwrap_or(1);
    for batch in 0..first.len() {
        if batch & u == 0 {
            assert_eq!(first[batch].distance(&second[batch]), Some(0.0));
            continue;
        }
        compare(&first[batch], &second[batch]);
        let units = (0..).map(|unit| 1 << unit);
        for other in units.take_while(|other| *other < first.len()) {
            if batch & other == 0 {
                let without = batch - u + other;
                compare(&first[batch], &first[without]);
                compare(&second[batch], &first[without]);
            }
        }
    }
}

/// Add-remove: with the unit that the larger table has more, and without.
fn of_any_size(
    larger: &[Release],
    smaller: &[Release],
    place: u32,
    mut compare: impl FnMut(&Release, &Release),
) {
    let u = 1 << place;
    for (batch, of_smaller) in smaller.iter().enumerate() {
        let (below, above) = (batch & (u - 1), batch & !(u - 1));
        let same = below | above << 1;
        assert_eq!(larger[same].distance(of_smaller), Some(0.0));
        compare(&larger[same | u], of_smaller);
    }
}

/// Compares the batches of hostile tables, summed on grids with room for this noise.
fn worst(adjacency: Adjacency, tries: u64, noise: NoiseMultiplier) -> Worst {
    let mut worst = Worst::new();
    for number in 0..tries {
        let mut chance = Chance::new(1 << 40 | number);
        let classes = chance.pick(&[0, 2, 2, 4]);
        let pair = Pair::new(&mut chance, classes, adjacency);
        let parts = chance.pick(&[1, 1, 2, 3]);
        let storages = [parts, parts].map(|parts| Storage::new(&mut chance, parts));
        let seed = chance.bits();
        if pair.protected() > MOST_UNITS {
            continue;
        }
        let mut asking = Asking::new(&pair, 1, seed);
        let sealed = [
            storages[0].sealed(&pair.first, &pair, true),
            storages[1].sealed(&pair.second, &pair, true),
        ];
        let weighted = [&sealed[0], &sealed[1]].map(|sealed| asking.weighted(&**sealed));
        let [first, second] = [0, 1].map(|at| weighted[at].as_ref().unwrap_or(&sealed[at]));
        let Ok(question) = asking.batch_question(first.shape(), noise) else {
            continue;
        };
        let of = |population: &dyn Population| sums(&question.ask(population));
        let (first, second) = (of(&**first), of(&**second));
        let entry = worst.entry((question.is_recursive(), classes));
        let (count, largest) = entry.or_default();
        let compare = |a: &Release, b: &Release| {
            *count += 1;
            *largest = largest.max(a.distance(b).expect("sizes and sensitivities are alike"));
        };
        match pair.difference {
            Difference::Replaced => of_a_fixed_size(&first, &second, compare),
            Difference::Removed(place) => of_any_size(&first, &second, place, compare),
            Difference::Added(place) => of_any_size(&second, &first, place, compare),
        }
    }
    worst
}

const TRIES: u64 = 16_000;

/// The largest distances are 0.9999 of the sensitivity and more: a record is truncated to its cap and to
/// the grid, and no farther.
#[test]
fn no_batch_is_farther_from_its_neighbour_than_the_sensitivity_and_some_are_as_far() {
    for adjacency in [Adjacency::ReplaceOne, Adjacency::AddRemove] {
        let worst = worst(adjacency, TRIES, noise(1.0));
        assert_eq!(worst.len(), 6, "both estimates of three kinds of targets");
        for ((recursive, classes), (count, largest)) in worst {
            let kind = format!("{adjacency}, recursive {recursive}, {classes} classes");
            println!("{kind}: {count} pairs, at most {largest:.9} of the sensitivity");
            assert!(largest <= 1.0, "{kind}: {largest}");
            assert!(largest > 0.999, "{kind}: {largest}");
        }
    }
}

/// A coarse grid truncates more; on the coarsest, a long row adds nothing.
#[test]
fn on_grids_that_noise_makes_coarse_no_batch_is_farther_than_the_sensitivity() {
    for adjacency in [Adjacency::ReplaceOne, Adjacency::AddRemove] {
        for (multiplier, least) in [(1e8, 0.9), (1e12, -1.0)] {
            for ((recursive, classes), (_, largest)) in worst(adjacency, 1_500, noise(multiplier)) {
                let kind = format!("{adjacency}, recursive {recursive}, {classes} classes");
                println!("{kind}, {multiplier:e}: at most {largest:.9} of the sensitivity");
                assert!(largest <= 1.0, "{kind}: {largest}");
                assert!(largest > least, "{kind}: {largest}");
            }
        }
    }
}

#[test]
fn a_sensitivity_that_is_a_per_cent_too_small_is_exceeded_by_some_batch() {
    for adjacency in [Adjacency::ReplaceOne, Adjacency::AddRemove] {
        mutant::set(Some("batch gradient"));
        let worst = worst(adjacency, TRIES, noise(1.0));
        mutant::set(None);
        for (kind, (_, largest)) in worst {
            assert!(largest > 1.0, "{adjacency}, {kind:?}: {largest}");
        }
    }
}
