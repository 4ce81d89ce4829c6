use proptest::prelude::*;

use super::*;
use crate::testing::pairs;

fn grid() -> Grid {
    Grid::new(-20).unwrap()
}

/// The sum's integers, which only a test inside the module can see.
fn sums(records: &[Vec<f64>], bound: RecordBound) -> BoundedSum {
    let mut sum = BoundedSum::new(records[0].len(), bound, grid()).unwrap();
    for record in records {
        sum.add(record).unwrap();
    }
    sum
}

fn sensitivity(sum: BoundedSum, adjacency: Adjacency) -> (u64, f64) {
    let sensitivity = sum.into_query(adjacency).unwrap().raw_sensitivity();
    (sensitivity.linf, sensitivity.l2)
}

fn distance(a: &BoundedSum, b: &BoundedSum) -> (u128, u128) {
    let steps = || pairs(&a.sums, &b.sums).map(|(a, b)| a.abs_diff(*b));
    (steps().max().unwrap(), steps().map(|d| d * d).sum())
}

/// Any float at all, with the nasty ones well represented.
fn entry() -> impl Strategy<Value = f64> {
    prop_oneof![
        8 => -3.0..3.0f64,
        2 => any::<f64>(),
        1 => prop::sample::select(vec![0.0, -0.0, 1.0, 5e-324, f64::MAX, f64::INFINITY, f64::NAN]),
    ]
}

fn table() -> impl Strategy<Value = Vec<Vec<f64>>> {
    (1..6usize).prop_flat_map(|d| prop::collection::vec(prop::collection::vec(entry(), d), 2..8))
}

proptest! {
    #[test]
    fn one_record_moves_a_sum_by_no_more_than_its_sensitivity(
        table in table(),
        bound in prop_oneof![
            (1e-3..10.0).prop_map(RecordBound::L2),
            (1e-3..10.0).prop_map(RecordBound::Linf),
        ],
    ) {
        let whole = sums(&table, bound);
        let removed = sums(&table[1..], bound);
        let mut replaced = table.clone();
        replaced[0] = replaced.pop().unwrap();
        let shorter = sums(&table[..table.len() - 1], bound);
        let replaced = sums(&replaced, bound);

        let steps = u128::from(whole.clip.steps);
        let dimension = table[0].len() as u128;
        for (a, b, differing) in [(&whole, &removed, 1), (&replaced, &shorter, 2)] {
            let (linf, l2_squared) = distance(a, b);
            prop_assert!(linf <= differing * steps);
            let widest = match bound { RecordBound::L2(_) => 1, RecordBound::Linf(_) => dimension };
            prop_assert!(l2_squared <= widest * differing * differing * steps * steps);
        }
    }

    #[test]
    fn a_sum_is_the_same_in_any_order(mut table in table()) {
        let forward = sums(&table, RecordBound::L2(1.0));
        table.reverse();
        prop_assert_eq!(&forward.sums, &sums(&table, RecordBound::L2(1.0)).sums);
    }

    #[test]
    fn a_record_within_its_bound_loses_less_than_a_step(record in prop::collection::vec(-0.5..0.5f64, 1..4)) {
        let sum = sums(std::slice::from_ref(&record), RecordBound::L2(1.0));
        for (x, k) in pairs(&record, &sum.sums) {
            let exact = x / grid().step();
            prop_assert!((exact - *k as f64).abs() < 1.0 && (*k as f64).abs() <= exact.abs());
        }
    }
}

#[test]
fn the_longest_record_reaches_its_bound_and_both_adjacencies_are_told_apart() {
    let far = sums(&[vec![1e300, 0.0]], RecordBound::L2(2.0));
    assert_eq!(far.sums, [2 << 20, 0]);
    assert_eq!(
        distance(&far, &sums(&[vec![-1e300, 0.0]], RecordBound::L2(2.0))).0,
        4 << 20
    );

    let (linf, l2) = sensitivity(far, Adjacency::ReplaceOne);
    assert_eq!((linf, l2), (4 << 20, (4 << 20) as f64));
    let wide = sums(&[vec![0.0; 9]], RecordBound::Linf(2.0));
    let (linf, l2) = sensitivity(wide, Adjacency::AddRemove);
    assert_eq!(linf, 2 << 20);
    assert!(l2 >= (6 << 20) as f64 && l2 < (6 << 20) as f64 * (1.0 + 1e-14));
}

#[test]
fn an_invalid_record_counts_as_zero_and_is_not_dropped_with_an_error() {
    let mut sum = BoundedSum::new(2, RecordBound::Linf(1.0), grid()).unwrap();
    for record in [
        [f64::NAN, 1.0],
        [1.0, f64::INFINITY],
        [f64::NEG_INFINITY, f64::NAN],
    ] {
        sum.add(&record).unwrap();
    }
    assert_eq!(sum.sums, [0, 0]);
}

#[test]
fn what_cannot_be_summed_is_refused_when_the_sum_is_opened() {
    let open = |d, bound| BoundedSum::new(d, bound, grid()).map(|_| ());
    for value in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(
            open(1, RecordBound::L2(value)),
            Err(SumError::Bound(_))
        ));
    }
    assert_eq!(open(0, RecordBound::L2(1.0)), Err(SumError::NoCoordinates));
    assert!(matches!(
        open(1, RecordBound::L2(1e-9)),
        Err(SumError::Grid { .. })
    ));
    assert!(matches!(
        open(1, RecordBound::Linf(1e9)),
        Err(SumError::Grid { .. })
    ));
}

#[test]
fn a_record_of_another_length_spoils_the_whole_sum_and_is_not_quoted() {
    let mut sum = BoundedSum::new(2, RecordBound::L2(1.0), grid()).unwrap();
    let refused = SumError::Length { expected: 2 };
    assert_eq!(sum.add(&[1.0]), Err(refused.clone()));
    assert_eq!(sum.add(&[1.0, 0.0]), Ok(()));
    assert_eq!(
        sum.into_query(Adjacency::ReplaceOne).map(drop),
        Err(refused)
    );
}

/// Threads take records as they come, so that the shares and their order differ each time.
#[test]
fn a_sum_has_the_same_bits_on_any_number_of_threads() {
    let table: Vec<[f64; 3]> = (0..5_000)
        .map(|i| [0.1, 1.7, -0.3].map(|x| (x * f64::from(i)).sin()))
        .collect();
    let bound = RecordBound::L2(0.9);
    let open = || BoundedSum::new(3, bound, grid()).unwrap();
    let next = std::sync::atomic::AtomicUsize::new(0);
    let share = || {
        let mut sum = open();
        while let Some(record) = table.get(next.fetch_add(1, std::sync::atomic::Ordering::Relaxed))
        {
            sum.add(record).unwrap();
        }
        sum
    };
    let alone = share();
    for threads in [2, 7] {
        next.store(0, std::sync::atomic::Ordering::Relaxed);
        let mut whole = open();
        std::thread::scope(|scope| {
            let shares: Vec<_> = (0..threads).map(|_| scope.spawn(share)).collect();
            for share in shares {
                whole.merge(&share.join().unwrap()).unwrap();
            }
        });
        assert_eq!(whole.sums, alone.sums, "{threads} threads");
    }
}

#[test]
fn sums_of_different_kinds_do_not_merge_and_a_spoilt_one_spoils() {
    let open = |d, bound| BoundedSum::new(d, bound, grid()).unwrap();
    let mut sum = open(1, RecordBound::L2(1.0));
    assert_eq!(
        sum.merge(&open(2, RecordBound::L2(1.0))),
        Err(SumError::Merge)
    );
    assert_eq!(
        sum.merge(&open(1, RecordBound::Linf(1.0))),
        Err(SumError::Merge)
    );
    assert_eq!(
        sum.merge(&open(1, RecordBound::L2(2.0))),
        Err(SumError::Merge)
    );
    let mut spoilt = open(1, RecordBound::L2(1.0));
    spoilt.add(&[]).unwrap_err();
    sum.merge(&spoilt).unwrap();
    let refused = sum.into_query(Adjacency::ReplaceOne).map(drop);
    assert_eq!(refused, Err(SumError::Length { expected: 1 }));
}
