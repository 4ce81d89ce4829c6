//! The same bits on any number of threads, and however rows are stored.

use super::*;

/// Enough records for several threads; rows with zeros, by rows and by columns.
#[test]
fn the_bits_do_not_depend_on_threads_or_storage() {
    let records = 16_000usize;
    let mut state = 7u64;
    let mut next = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        state >> 33
    };
    let all: Vec<Record> = (0..records)
        .map(|_| Record {
            row: (0..5).map(|_| (next() % 5) as f32 / 4.0 - 0.5).collect(),
            class: (next() % u64::from(CLASSES)) as u32,
        })
        .collect();
    let classes: Vec<u32> = all.iter().map(|r| r.class).collect();
    let look = |features: Matrix<'static>, threads: usize| {
        let bound = RecordBound::Linf(1.0);
        let records = enforced(features, &classes, CLASSES, bound, Adjacency::ReplaceOne);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        pool.unwrap().install(|| {
            let mut gradient =
                Gradient::ask(&records, Slopes::Classes, grid(), &cap(0.8, 1.2, 1.0)).unwrap();
            let mut seen = vec![gradient.all().raw_values().to_vec()];
            for t in 0..4usize {
                let column = t;
                let vertex = |k: usize| Vertex::Axis {
                    column,
                    value: [4.0, -3.0][k % 2],
                };
                let each: Vec<_> = (0..CLASSES as usize).map(|k| (k, vertex(k))).collect();
                gradient.step(&each, 1.0 / (t as f64 + 1.0));
                gradient.set_intercepts(&[0.1 * t as f64, 0.0, -0.2, 0.3]);
                seen.push(gradient.all().raw_values().to_vec());
            }
            seen
        })
    };
    let alone = look(dense(&all), 1);
    for threads in [2, 7] {
        assert_eq!(look(dense(&all), threads), alone);
    }
    for threads in [1, 7] {
        assert_eq!(look(sparse(&all), threads), alone);
    }
}
