//! An audit of the promise for a person: how well can a fit's weights tell which of two people was
//! in a table of visits?
//!
//! 5 000 people have 1 to 40 visits each, those of one person alike; one of them has 40, and in the
//! neighbouring table all 40 are of the other class. Each of the two tables is fitted many times, and
//! from how often a weight is above 0 on either side follows a lower bound of ε (Clopper and Pearson
//! 1934), at 99 %. Where people are protected it has to stay below the certified ε. Where rows are,
//! which is what the same certificate would then say, it has to exceed it: so the audit can see what
//! it looks for. Seeds are fixed; with others the first would fail at most once in a hundred times if
//! the certificate were exact, and here it is far from that.

use std::num::NonZeroU32;

use rayon::prelude::*;
use reticent::fit::{Facts, FitInput, Ight, Planned, Task};
use reticent::matrix::{Dense, Matrix};
use reticent::noise::{Generator, Randomness};
use reticent::population::Records;
use reticent::privacy::{Adjacency, Budget, Delta, Epsilon};
use reticent::table::{Layout, ProtectedUnit, RecordBound, Table, Target, Units};

const PEOPLE: u64 = 5_000;
const MOST_VISITS: u64 = 40;
const WIDTH: usize = 5;
const BOUND: RecordBound = RecordBound::Linf(1.0);
const EPSILON: f64 = 1.0;
const DELTA: f64 = 1e-8;
/// Fits of each table.
const FITS: u64 = 100;

/// Who is protected.
#[derive(Clone, Copy, PartialEq)]
enum Protected {
    People,
    Rows,
}

/// The visits of all people; those of the last one have this class.
fn visits(protected: Protected, class_of_last: u32) -> Records<'static> {
    let mut rng = Generator::not_private(1);
    let (mut values, mut class, mut person) = (Vec::new(), Vec::new(), Vec::new());
    for who in 0..PEOPLE - 1 {
        let bits = rng.next_u64();
        let own = bits >> 8 & 1;
        for _ in 0..1 + rng.next_u64() % MOST_VISITS {
            // Alike: one visit in eight differs in a column.
            let changed = rng.next_u64();
            let flip = |j: u64| u64::from(changed % 8 == j);
            let sign = |j: u64| {
                if (bits >> j & 1) ^ flip(j) == 0 {
                    -0.5
                } else {
                    0.5
                }
            };
            values.extend((0..WIDTH as u64 - 1).map(sign));
            values.push(0.0);
            class.push(own as u32);
            person.push(who);
        }
    }
    for _ in 0..MOST_VISITS {
        values.extend([0.0f32; WIDTH - 1]);
        values.push(1.0);
        class.push(class_of_last);
        person.push(PEOPLE - 1);
    }
    let rows = class.len();
    let declared = ProtectedUnit {
        column: Some("person".to_owned()),
        rows: NonZeroU32::new(MOST_VISITS as u32).unwrap(),
    };
    let table = Table {
        features: Matrix::Dense(Dense::new(values, rows, WIDTH).unwrap()),
        target: Target::Classes {
            class,
            names: vec!["well".to_owned(), "ill".to_owned()],
        },
        layout: Layout::Numbered {
            first: 1,
            width: WIDTH,
        },
        assumed: Vec::new(),
        units: (protected == Protected::People).then(|| Units::new(person, declared)),
    };
    table
        .enforce(BOUND, None, false, Adjacency::ReplaceOne)
        .unwrap()
}

/// In how many of the fits the weight of the last column is above 0.
fn above(records: &Records<'_>, protected: Protected, first_seed: u64) -> u64 {
    let facts = Facts {
        records: match protected {
            Protected::People => PEOPLE,
            Protected::Rows => reticent::population::Population::shape(records)
                .count()
                .unwrap() as u64,
        },
        columns: WIDTH,
        rows: BOUND,
    };
    let budget = Budget::new(Epsilon::new(EPSILON).unwrap(), Delta::new(DELTA).unwrap());
    let ight = Ight {
        nonzero: Some(WIDTH),
        iterations: 8.try_into().ok(),
        ..Ight::new(Task::Logistic, budget)
    };
    let plan = ight.plan(facts).unwrap();
    let is_above = |seed| {
        let mut noise = Generator::not_private(seed);
        let fitted = plan
            .run(FitInput::Sealed(records), &mut noise, &mut ())
            .unwrap();
        let weights = &fitted.outputs()[0].weights;
        let last = weights
            .iter()
            .find(|(column, _)| *column as usize == WIDTH - 1);
        u64::from(last.is_some_and(|(_, weight)| *weight > 0.0))
    };
    (first_seed..first_seed + FITS)
        .into_par_iter()
        .map(is_above)
        .sum()
}

/// The chance of at most `seen` of the fits, each with chance p.
fn at_most(seen: u64, p: f64) -> f64 {
    let mut term = (1.0 - p).powi(FITS as i32);
    let mut sum = term;
    for k in 1..=seen {
        term *= (FITS - k + 1) as f64 / k as f64 * p / (1.0 - p);
        sum += term;
    }
    sum.min(1.0)
}

/// The largest chance under which as few as `seen` are no rarer than one in two hundred.
fn largest_chance(seen: u64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0 - 1e-9);
    for _ in 0..60 {
        let middle = (low + high) / 2.0;
        match at_most(seen, middle) > 0.005 {
            true => low = middle,
            false => high = middle,
        }
    }
    high
}

/// What ε is at least, at 99 %, if so many of the fits of either table are above.
fn audited(ill: u64, well: u64) -> f64 {
    let bound = |often: u64, seldom: u64| {
        let (least, most) = (1.0 - largest_chance(FITS - often), largest_chance(seldom));
        ((least - DELTA) / most).max(1e-300).ln()
    };
    bound(ill, well)
        .max(bound(FITS - well, FITS - ill))
        .max(0.0)
}

fn audit(protected: Protected) -> f64 {
    let (ill, well) = (visits(protected, 1), visits(protected, 0));
    audited(above(&ill, protected, 1), above(&well, protected, 1 + FITS))
}

#[test]
fn what_a_fit_tells_of_a_person_stays_below_what_is_certified_for_people() {
    let found = audit(Protected::People);
    assert!(found <= EPSILON, "audited {found}");
}

#[test]
fn the_same_fit_without_units_is_caught() {
    let found = audit(Protected::Rows);
    assert!(found > 2.0 * EPSILON, "audited {found}");
}

#[test]
fn the_audit_knows_a_mechanism_that_tells_all() {
    // All of them against none: (1 − p)/p with p = 1 − 0.005^(1/100).
    let p = 1.0 - 0.005f64.powf(1.0 / FITS as f64);
    assert!((audited(FITS, 0) - ((1.0 - p) / p).ln()).abs() < 1e-6);
    assert_eq!(audited(FITS / 2, FITS / 2), 0.0);
}
