//! Histograms are plain counts, also in parts, and move by no more than their sensitivity.

use super::*;
use crate::matrix::{Csr, Dense, Matrix};
use crate::population::Parts;
use crate::table::{Layout, RecordBound, Table, Target, TargetRange};
use crate::testing::pairs;
use proptest::prelude::*;

const EDGES: [f64; 4] = [-0.5, -0.25, 0.0, 0.75];
/// A value, and three features that stand for levels.
const WIDTH: usize = 4;

/// A record: its target, a value, and which levels are set.
type Person = (f64, f64, [bool; 3]);

fn person() -> impl Strategy<Value = Person> {
    (-1.2..1.2f64, -1.2..1.2f64, any::<[bool; 3]>())
}

fn row((_, value, levels): &Person) -> [f32; WIDTH] {
    let level = |at: usize| f32::from(u8::from(levels[at]));
    // Multiples of 1/64, which the grid keeps as they are.
    let value = ((value * 64.0).round() / 64.0) as f32;
    [value, level(0), level(1), level(2)]
}

fn records(people: &[Person], sparse: bool, adjacency: Adjacency) -> Records<'static> {
    let rows: Vec<[f32; WIDTH]> = people.iter().map(row).collect();
    let features = if sparse {
        let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
        for row in &rows {
            for (j, x) in (0u32..).zip(row).filter(|(_, x)| **x != 0.0) {
                columns.push(j);
                values.push(*x);
            }
            starts.push(columns.len());
        }
        Matrix::Sparse(Csr::new(starts, columns, values, WIDTH).unwrap())
    } else {
        Matrix::Dense(Dense::new(rows.concat(), rows.len(), WIDTH).unwrap())
    };
    let table = Table {
        features,
        target: Target::Values(people.iter().map(|(target, ..)| *target).collect()),
        layout: Layout::Numbered {
            first: 1,
            width: WIDTH,
        },
        assumed: Vec::new(),
        units: None,
    };
    let (low, high) = (-1.0, 1.0);
    let bound = RecordBound::Linf(1.0);
    let range = Some(TargetRange { low, high });
    table.enforce(bound, range, true, adjacency).unwrap()
}

const ALL: [Counted<'static>; 3] = [
    Counted::Target(&EDGES),
    Counted::Feature {
        column: 0,
        edges: &EDGES,
    },
    Counted::Levels { first: 1, count: 3 },
];

/// The counts in whole records.
fn counts(population: &dyn Population) -> Vec<i64> {
    let query = Histograms { of: &ALL }.ask(population);
    let one = (1.0 / query.raw_grid().step()) as i64;
    query.raw_values().iter().map(|v| v / one).collect()
}

fn plain(people: &[Person]) -> Vec<i64> {
    let mut counts = vec![0i64; 5 + 5 + 3];
    for person in people {
        let bin = |value: f64| EDGES.iter().filter(|edge| **edge <= value).count();
        counts[bin(person.0.clamp(-1.0, 1.0))] += 1;
        counts[5 + bin(f64::from(row(person)[0]).clamp(-1.0, 1.0))] += 1;
        let level = person.2.iter().position(|set| *set).unwrap_or(2);
        counts[10 + level] += 1;
    }
    counts
}

proptest! {
    #[test]
    fn they_are_plain_counts_also_in_parts(
        people in prop::collection::vec(person(), 2..40),
        cut in 1..20usize,
        sparse in any::<bool>(),
    ) {
        let plain = plain(&people);
        let whole = records(&people, sparse, Adjacency::ReplaceOne);
        prop_assert_eq!(counts(&whole), plain.clone());
        let (left, right) = people.split_at(cut.min(people.len() - 1));
        let part = |people, sparse| -> Box<dyn Population> {
            Box::new(records(people, sparse, Adjacency::ReplaceOne))
        };
        let parts = Parts::new(vec![part(left, sparse), part(right, !sparse)]).unwrap();
        prop_assert_eq!(counts(&parts), plain);
    }

    #[test]
    fn one_record_moves_them_by_no_more_than_their_sensitivity(
        people in prop::collection::vec(person(), 2..9),
        other in person(),
        histograms in 1..4usize,
    ) {
        let of = &ALL[..histograms];
        let moved = |a: &[Person], b: &[Person], adjacency| {
            let (a, b) = (records(a, false, adjacency), records(b, true, adjacency));
            let ask = |records| Histograms { of }.ask(records);
            let (a, b) = (ask(&a), ask(&b));
            let moves = pairs(a.raw_values(), b.raw_values()).map(|(a, b)| (a - b) as f64);
            let said = Histograms::moved(histograms, adjacency) / a.raw_grid().step();
            let most = a.raw_sensitivity().l2;
            (moves.map(|x| x * x).sum::<f64>().sqrt(), most, said)
        };
        let mut replaced = people.clone();
        replaced[0] = other;
        let neighbours = [
            moved(&people, &replaced, Adjacency::ReplaceOne),
            moved(&people, &people[1..], Adjacency::AddRemove),
        ];
        for (by, most, said) in neighbours {
            prop_assert!(by <= most);
            prop_assert!((most - said).abs() < 1.0, "{} was said, {} is charged", said, most);
        }
    }
}

#[test]
fn blocks_of_threads_add_up() {
    let person = |i: usize| {
        let value = (i % 129) as f64 / 64.0 - 1.0;
        (
            -value,
            value,
            [
                i.is_multiple_of(5),
                i.is_multiple_of(3),
                i.is_multiple_of(2),
            ],
        )
    };
    let people: Vec<Person> = (0..2 * BLOCK + 7).map(person).collect();
    let sealed = records(&people, true, Adjacency::AddRemove);
    assert_eq!(counts(&sealed), plain(&people));
}
