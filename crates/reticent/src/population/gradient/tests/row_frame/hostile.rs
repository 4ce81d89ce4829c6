//! The same for extreme floats: bounds, centres, constants, rows and weights over the whole range
//! of floats, infinite and NaN where possible; and tables of which one has one more record.

use super::*;
use crate::population::query::Scores;
use crate::testing::pairs;

const NUMBERS: [f64; 12] = [
    0.0,
    1.0,
    0.3,
    1e-300,
    5e-324,
    1e-7,
    0.999_999,
    17.0,
    1e300,
    f64::MAX,
    f64::INFINITY,
    f64::NAN,
];
const ENTRIES: [f32; 9] = [
    0.0,
    -0.0,
    1e-45,
    1e-7,
    0.3,
    0.999_999_9,
    1.0,
    1e30,
    f32::MAX,
];

fn number() -> impl Strategy<Value = f64> {
    let sized = (0..NUMBERS.len(), any::<bool>(), 0.5..2.0f64);
    let special = sized.prop_map(|(k, minus, x)| NUMBERS[k] * if minus { -x } else { x });
    prop_oneof![special, -3.0..3.0f64]
}

fn record() -> impl Strategy<Value = Record> {
    let entry = (0..ENTRIES.len(), any::<bool>(), -1.0..1.0f32, any::<bool>());
    let entry = entry.prop_map(|(k, minus, x, plain)| match (plain, minus) {
        (true, _) => x,
        (_, true) => -ENTRIES[k],
        _ => ENTRIES[k],
    });
    (prop::array::uniform3(entry), 0..3u32)
}

#[derive(Debug, Clone)]
struct Hostile {
    /// Shared by neighbours.
    others: Vec<Record>,
    one: Record,
    another: Record,
    bound: RecordBound,
    centre: Vec<f64>,
    /// In place of a centre.
    scales: Vec<f64>,
    constant: f64,
    slope: f64,
    exponent: i32,
    /// Function after function, each with its intercept last.
    path: Vec<[f64; 3 * (WIDTH + 1)]>,
}

fn hostile() -> impl Strategy<Value = Hostile> {
    let bounds = [1e-100, 1e-30, 0.7, 1.0, 1e30, 1e100];
    let bound = (0..bounds.len(), any::<bool>());
    let table = (prop::collection::vec(record(), 0..4), record(), record());
    // Centres and constants that matter are as large as the bound.
    let about = (prop::collection::vec(number(), WIDTH), number(), 0..3);
    let slopes = (0.01..1.0f64, -22..-6i32);
    let path = prop::collection::vec(prop::array::uniform12(number()), 1..5);
    (bound, table, about, slopes, path).prop_map(move |(bound, table, about, slopes, path)| {
        let size = bounds[bound.0];
        let (others, one, another) = table;
        let (values, constant, kind) = about;
        let (centre, scales) = match kind {
            0 => (Vec::new(), Vec::new()),
            1 => (values, Vec::new()),
            _ => (Vec::new(), values),
        };
        Hostile {
            others,
            one,
            another,
            bound: if bound.1 {
                RecordBound::L2(size)
            } else {
                RecordBound::Linf(size)
            },
            centre: centre.iter().map(|m| m * size).collect(),
            scales,
            constant: constant * size,
            slope: slopes.0,
            exponent: slopes.1,
            path,
        }
    })
}

/// All that is asked of a table along the path.
#[derive(Default, PartialEq, Debug)]
struct PlanInput {
    queries: Vec<Answer>,
    /// Values and range.
    scores: Vec<(Vec<i64>, u64)>,
    /// Values of three classes, and Σ range².
    groups: Vec<(Vec<i64>, u128)>,
}

fn ask(case: &Hostile, table: &[Record], adjacency: Adjacency, stored: Stored) -> PlanInput {
    let mut asked = PlanInput::default();
    let about = RowFrame {
        length: Length::One,
        slope: case.slope,
        centre: &case.centre,
        scales: &case.scales,
        constant: case.constant,
        offsets: &[],
    };
    // Under add-remove the largest possible number of records is assumed.
    let finest = match adjacency {
        Adjacency::ReplaceOne => -22,
        Adjacency::AddRemove => -9,
    };
    let grid = Grid::new(case.exponent.max(finest)).unwrap();
    let three = records(table, case.bound, 3, adjacency, stored);
    let two: Vec<Record> = table.iter().map(|(row, class)| (*row, class % 2)).collect();
    let two = records(&two, case.bound, 2, adjacency, stored);
    asked.queries.push(answer(
        &Directions {
            constant: case.constant,
        }
        .ask(&two)
        .unwrap(),
    ));
    let mut one = Gradient::ask(&two, Slopes::Loss(Loss::Logistic), grid, &about).unwrap();
    let mut several = Gradient::ask(&three, Slopes::Classes, grid, &about).unwrap();
    for point in &case.path {
        one.set_weights(&point[..WIDTH]);
        one.set_intercepts(&[point[WIDTH]]);
        asked.queries.push(answer(&one.all()));
        asked.queries.push(answer(&one.all().at(&[0, WIDTH])));
        asked.queries.push(answer(&one.columns()));
        asked.queries.push(answer(&one.intercepts()));
        let list = |w: &[f64]| (0..).zip(w[..WIDTH].iter().copied()).collect();
        several.set_weights(&flat(
            &point.chunks(WIDTH + 1).map(list).collect::<Vec<_>>(),
            WIDTH,
        ));
        several.set_intercepts(&[point[3], point[7], point[11]]);
        asked.queries.push(answer(&several.all()));
        asked.queries.push(answer(&several.columns()));
        asked.queries.push(answer(&several.intercepts()));
        let norms: Scores = several.column_norms(&[0, 1, 2]);
        asked
            .scores
            .push((norms.raw_values().to_vec(), norms.raw_range()));
        let groups = several.by_class();
        let values = groups.raw_values().to_vec();
        asked.groups.push((values, groups.raw_squares()));
    }
    asked
}

/// max − min of what scores moved by.
fn range(moves: impl Iterator<Item = i64> + Clone) -> u128 {
    let (most, least) = (moves.clone().max().unwrap(), moves.min().unwrap());
    u128::from(most.abs_diff(least))
}

fn differences<'a>(a: &'a [i64], b: &'a [i64]) -> impl Iterator<Item = i64> + Clone + 'a {
    pairs(a, b).map(|(a, b)| a - b)
}

/// The answers of neighbours differ by no more than both of them state.
fn compare(a: &PlanInput, b: &PlanInput) {
    for ((a, linf, l2), (b, other_linf, other_l2)) in pairs(&a.queries, &b.queries) {
        assert_eq!((linf, l2), (other_linf, other_l2));
        let most = differences(a, b).map(i64::unsigned_abs).max().unwrap();
        assert!(most <= *linf, "{most} > {linf}");
        let squares: u128 = differences(a, b)
            .map(|m| u128::from(m.unsigned_abs()).pow(2))
            .sum();
        // Whole where the norm was found in integers.
        assert!(squares <= (l2.ceil() as u128).pow(2), "{squares} {l2}");
    }
    for ((a, most), (b, other)) in pairs(&a.scores, &b.scores) {
        assert_eq!(most, other);
        assert!(range(differences(a, b)) <= u128::from(*most));
    }
    for ((a, most), (b, other)) in pairs(&a.groups, &b.groups) {
        assert_eq!(most, other);
        let of_class = pairs(a.chunks(WIDTH), b.chunks(WIDTH));
        let squares: u128 = of_class
            .map(|(a, b)| {
                range(differences(a, b).chain(differences(b, a).collect::<Vec<_>>())).pow(2)
            })
            .sum();
        assert!(squares <= *most, "{squares} > {most}");
    }
}

proptest! {
    #[test]
    fn neighbours_are_as_near_as_stated_whatever_floats_do(case in hostile()) {
        let with = |record: Option<Record>| -> Vec<Record> {
            // First, so that all others move by one place.
            record.into_iter().chain(case.others.iter().copied()).collect()
        };
        let replace = Adjacency::ReplaceOne;
        let one = ask(&case, &with(Some(case.one)), replace, Stored::Sparse);
        compare(&one, &ask(&case, &with(Some(case.another)), replace, Stored::Dense));
        prop_assert_eq!(&one, &ask(&case, &with(Some(case.one)), replace, Stored::Dense));
        let more = ask(&case, &with(Some(case.one)), Adjacency::AddRemove, Stored::Dense);
        compare(&more, &ask(&case, &with(None), Adjacency::AddRemove, Stored::Sparse));
    }
}

/// Records at their bound, one grid step away from their centre: slopes have K steps, the largest
/// number, and arithmetic that overflowed would panic.
#[test]
fn sums_of_many_records_at_their_bound_stay_within_a_query() {
    let count = 600_000;
    for adjacency in [Adjacency::ReplaceOne, Adjacency::AddRemove] {
        let table = vec![([1.0; WIDTH], 0); count];
        let records = records(&table, RecordBound::Linf(1.0), 2, adjacency, Stored::Dense);
        let about = RowFrame {
            length: Length::One,
            slope: 1.0,
            centre: &[1.0 - f64::from(1 << 20).recip(), 1.0, 1.0],
            scales: &[],
            constant: 0.0,
            offsets: &[],
        };
        let grid = Grid::new(-9).unwrap();
        let mut one = Gradient::ask(&records, Slopes::Loss(Loss::Logistic), grid, &about).unwrap();
        let mut several = Gradient::ask(&records, Slopes::Classes, grid, &about).unwrap();
        let public = if adjacency == Adjacency::ReplaceOne {
            count as u64
        } else {
            u64::from(u32::MAX)
        };
        let most = ((1u64 << 61) / (public << 20)).min(1 << 22) as i64;
        let whole = count as i64 * most;
        assert!(adjacency == Adjacency::AddRemove || whole << 20 > 1 << 60);
        // There and back.
        for margin in [f64::MAX, f64::MIN, 1e300] {
            one.set_intercepts(&[margin]);
            several.set_intercepts(&[-margin, margin]);
            let whole = if margin > 0.0 { whole } else { 0 };
            assert_eq!(answer(&one.columns()).0, [whole << 20; WIDTH]);
            assert_eq!(answer(&one.all()).0, [whole, 0, 0, 0]);
            let sums = answer(&several.columns()).0;
            assert!(sums.iter().all(|sum| sum.abs() <= whole << 20));
            assert!(sums.iter().all(|sum| sum.abs() >= whole << 19));
        }
    }
}

/// One record fewer shifts all that come after it, over the ends of blocks and to other threads.
#[test]
fn a_place_among_the_records_is_nothing() {
    let pseudo_random =
        |k: usize| ((k as f64 * 0.618_033_988_749_894_9).fract() * 2.0 - 1.0) as f32;
    let row = |i: usize| {
        [
            pseudo_random(7 * i),
            pseudo_random(i),
            pseudo_random(3 * i + 1).max(0.0),
        ]
    };
    let table: Vec<Record> = (0..33_000).map(|i| (row(i), i as u32 % 3)).collect();
    let (big, far) = (f64::MAX, f64::INFINITY);
    let case = Hostile {
        others: Vec::new(),
        one: table[0],
        another: table[0],
        bound: RecordBound::L2(1.0),
        centre: vec![0.1, -0.2, 0.3],
        scales: Vec::new(),
        constant: 0.25,
        slope: 0.5,
        exponent: -9,
        path: vec![
            [3.3, -2.0, 1.0, 0.4, 0.3, 1.0, 2.0, 0.1, 7.4, 0.3, -0.3, 0.0],
            [
                big, -2.0, -big, 0.4, far, 1.0, 2.0, 0.1, 7.4, 0.3, -0.3, 0.0,
            ],
            [
                0.1, -0.1, 1.0, 0.4, 0.3, 1.0, 2.0, 0.1, -7.4, 0.3, -0.3, 0.0,
            ],
        ],
    };
    let whole = ask(&case, &table, Adjacency::AddRemove, Stored::Dense);
    for place in [0, 1025, table.len() - 1] {
        let mut without = table.clone();
        without.remove(place);
        compare(
            &whole,
            &ask(&case, &without, Adjacency::AddRemove, Stored::Sparse),
        );
    }
}
