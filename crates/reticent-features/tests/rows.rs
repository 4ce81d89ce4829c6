//! What every map promises of the features of any row: the norm, and the same bits.

mod support;

use proptest::prelude::*;
use reticent_features::FeatureMap;
use support::{features, maps};

fn norm(features: &[f32]) -> f64 {
    let squares = features.iter().map(|&x| f64::from(x) * f64::from(x));
    squares.sum::<f64>().sqrt()
}

#[test]
fn hostile_rows_stay_within_the_norm() {
    for map in maps() {
        let prepared = map.prepare().unwrap();
        let n = map.inputs();
        let alternating = |size: f32| {
            (0..n)
                .map(|i| if i % 2 == 0 { size } else { -size })
                .collect()
        };
        let one = |size: f32| {
            (0..n)
                .map(|i| if i == n / 2 { size } else { 0.0 })
                .collect()
        };
        let rows: [Vec<f32>; 8] = [
            vec![0.0; n],
            vec![f32::MAX; n],
            vec![1e-45; n],
            alternating(1e38),
            alternating(f32::MAX),
            alternating(f32::MIN_POSITIVE),
            one(f32::MAX),
            one(-1.0),
        ];
        for row in rows {
            let norm = norm(&features(&prepared, &row));
            assert!(norm <= 1.0 + 1e-6, "{map:?}: {norm}");
        }
    }
}

#[test]
fn rows_that_are_not_finite_become_zeros() {
    for map in maps() {
        let prepared = map.prepare().unwrap();
        for value in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            let mut row = vec![0.5; map.inputs()];
            row[map.inputs() - 1] = value;
            let features = features(&prepared, &row);
            assert!(features.iter().all(|&x| x == 0.0), "{map:?} of {value}");
        }
    }
}

#[test]
fn a_used_scratch_and_another_thread_change_no_bit() {
    for map in maps() {
        let prepared = map.prepare().unwrap();
        let row: Vec<f32> = (0..map.inputs()).map(|i| (i % 13) as f32).collect();
        let fresh = features(&prepared, &row);
        let mut scratch = prepared.scratch();
        let mut again = vec![0.0; fresh.len()];
        prepared.apply(&vec![-3.5; map.inputs()], &mut scratch, &mut again);
        prepared.apply(&row, &mut scratch, &mut again);
        assert_eq!(again, fresh);
        let threaded =
            std::thread::scope(|scope| scope.spawn(|| features(&prepared, &row)).join().unwrap());
        assert_eq!(threaded, fresh);
    }
}

/// Model files hold a description and weights for its features: the bits may never change, on any
/// platform. The hash is FNV-1a of the bits of all features.
#[test]
fn descriptions_give_the_same_bits_for_ever() {
    let mut hashes = Vec::new();
    for map in maps() {
        let row: Vec<f32> = (0..map.inputs())
            .map(|i| (i * i % 31) as f32 / 8.0)
            .collect();
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        for byte in features(&map.prepare().unwrap(), &row)
            .iter()
            .flat_map(|x| x.to_le_bytes())
        {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        }
        hashes.push(hash);
    }
    assert_eq!(hashes, HASHES, "{hashes:#x?}");
}

const HASHES: [u64; 7] = [
    0xf75d_45c8_6814_c85f,
    0xb559_7158_0aac_c084,
    0xc474_9849_57c2_4501,
    0x7f6d_1b13_c553_ad7f,
    0x5ebd_ddc7_bacc_0934,
    0x9759_70c2_843e_e9a9,
    0x7475_e07b_28a5_b9d5,
];

#[test]
fn images_mean_the_same_in_any_unit() {
    for map in maps() {
        if let FeatureMap::Fourier(_) = map {
            continue;
        }
        let prepared = map.prepare().unwrap();
        let bytes: Vec<f32> = (0..map.inputs()).map(|i| (i * 37 % 256) as f32).collect();
        let shares: Vec<f32> = bytes.iter().map(|byte| byte / 255.0).collect();
        let (bytes, shares) = (features(&prepared, &bytes), features(&prepared, &shares));
        for (a, b) in bytes.iter().zip(&shares) {
            assert!((a - b).abs() < 1e-5, "{map:?}: {a} and {b}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Any bits at all, most of them finite numbers of wildly different sizes.
    #[test]
    fn any_row_stays_within_the_norm(bits in prop::collection::vec(any::<u32>(), 288)) {
        let row: Vec<f32> = bits.iter().map(|&bits| f32::from_bits(bits)).collect();
        let finite: Vec<f32> = (row.iter()).map(|x| if x.is_finite() { *x } else { 0.0 }).collect();
        for map in maps() {
            let prepared = map.prepare().unwrap();
            for row in [&row, &finite] {
                let norm = norm(&features(&prepared, &row[..map.inputs()]));
                prop_assert!(norm <= 1.0 + 1e-6, "{:?}: {}", map, norm);
            }
        }
    }
}
