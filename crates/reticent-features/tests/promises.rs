//! What every map promises: the norm, hostile rows and descriptions, files, names, the same bits.

use proptest::prelude::*;
use reticent_features::{
    FeatureMap, FeatureMapError, ImageShape, PreparedMap, RandomConvolutions, RandomFourier,
    Scattering,
};

/// Small maps of each kind, on grey and coloured images of odd sizes.
fn maps() -> Vec<FeatureMap> {
    let grey = "9x11".parse().unwrap();
    let coloured = "3x8x10".parse().unwrap();
    let mut three_scales = Scattering::new("18x16".parse().unwrap());
    (
        three_scales.scales,
        three_scales.angles,
        three_scales.groups,
    ) = (3, 4, 61);
    vec![
        FeatureMap::Scattering(Scattering::new(grey)),
        FeatureMap::Scattering(Scattering::new(coloured)),
        FeatureMap::Scattering(three_scales),
        FeatureMap::RandomConvolutions(RandomConvolutions::new(grey, 5)),
        FeatureMap::RandomConvolutions(RandomConvolutions {
            filters: 21,
            patch: 3,
            cells: 2,
            groups: 6,
            ..RandomConvolutions::new(coloured, 6)
        }),
        FeatureMap::Fourier(RandomFourier::new(7, 50, 8)),
    ]
}

fn features(map: &PreparedMap, row: &[f32]) -> Vec<f32> {
    let mut features = vec![f32::NAN; map.outputs()];
    map.apply(row, &mut map.scratch(), &mut features);
    features
}

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

const HASHES: [u64; 6] = [
    0x3e88_edec_fec7_a2d4,
    0xf160_a4a4_6958_4b90,
    0x808d_3782_fd2e_f2e6,
    0x3ce8_894d_2538_74f7,
    0xa3d2_24b6_7f97_a5c5,
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

#[test]
fn descriptions_are_read_back_as_they_were_written() {
    for map in maps() {
        let text = serde_json::to_string(&map).unwrap();
        assert!(
            text.contains(&format!("\"kind\":\"{}\"", map.name())),
            "{text}"
        );
        assert_eq!(serde_json::from_str::<FeatureMap>(&text).unwrap(), map);
    }
}

#[test]
fn a_file_says_what_the_documentation_says() {
    let map = FeatureMap::Scattering(Scattering::new("28x28".parse().unwrap()));
    let text = r#"{"kind":"scattering","image":"1x28x28","scales":2,"angles":8,"groups":27}"#;
    assert_eq!(serde_json::to_string(&map).unwrap(), text);
    for wrong in [
        text.replace("scattering", "learned"),
        text.replace("\"scales\":2,", ""),
        text.replace("\"scales\"", "\"more\":1,\"scales\""),
        text.replace("1x28x28", "1x28"),
        text.replace("1x28x28", "1x28x0").replace('2', "-2"),
    ] {
        if let Ok(map) = serde_json::from_str::<FeatureMap>(&wrong) {
            // Two numbers are a shape, of a grey image.
            assert!(map.check().is_err(), "{wrong}");
        }
    }
}

#[test]
fn hostile_descriptions_are_refused() {
    let grey: ImageShape = "28x28".parse().unwrap();
    let scattering = Scattering::new(grey);
    let convolutions = RandomConvolutions::new(grey, 0);
    let fourier = RandomFourier::new(10, 10, 0);
    let image = |channels, height, width| ImageShape {
        channels,
        height,
        width,
    };
    let most = u32::MAX;
    let mut hostile = Vec::new();
    for image in [
        image(0, 9, 9),
        image(1, 0, 9),
        image(most, most, most),
        image(64, 1024, 1024),
    ] {
        hostile.push(FeatureMap::Scattering(Scattering {
            image,
            ..scattering.clone()
        }));
        hostile.push(FeatureMap::RandomConvolutions(RandomConvolutions {
            image,
            ..convolutions.clone()
        }));
    }
    for (scales, angles, groups) in [
        (0, 8, 1),
        (2, 0, 1),
        (2, 8, 0),
        (2, 8, 28),
        (2, 8, most),
        (5, 8, 1),
        (most, 8, 1),
        (2, most, 1),
        (most, most, most),
    ] {
        hostile.push(FeatureMap::Scattering(Scattering {
            scales,
            angles,
            groups,
            image: grey,
        }));
    }
    for (filters, patch, cells, groups, threshold) in [
        (0, 7, 4, 1, 0.5),
        (most, 7, 4, 1, 0.5),
        (1 << 19, 7, 4, 1, 0.5),
        (128, 0, 4, 1, 0.5),
        (128, 1, 4, 1, 0.5),
        (128, 29, 1, 1, 0.5),
        (128, most, 1, 1, 0.5),
        (128, 7, 0, 1, 0.5),
        (128, 7, 23, 1, 0.5),
        (128, 7, most, 1, 0.5),
        (128, 7, 4, 0, 0.5),
        (128, 7, 4, 7, 0.5),
        (128, 7, 4, most, 0.5),
        (128, 7, 4, 1, -0.5),
        (128, 7, 4, 1, f64::NAN),
        (128, 7, 4, 1, f64::INFINITY),
    ] {
        hostile.push(FeatureMap::RandomConvolutions(RandomConvolutions {
            filters,
            patch,
            cells,
            groups,
            threshold,
            ..convolutions.clone()
        }));
    }
    for (inputs, outputs, scale) in [
        (0, 10, 1.0),
        (10, 0, 1.0),
        (most, most, 1.0),
        (1 << 20, 1 << 20, 1.0),
        (10, 10, 0.0),
        (10, 10, -1.0),
        (10, 10, f64::NAN),
        (10, 10, 1e300),
    ] {
        hostile.push(FeatureMap::Fourier(RandomFourier {
            inputs,
            outputs,
            scale,
            ..fourier.clone()
        }));
    }
    for map in hostile {
        assert!(map.check().is_err(), "{map:?}");
        assert_eq!(map.prepare().err().is_some(), map.check().is_err());
        // No overflow on the way to the refusal.
        let _ = (map.inputs(), map.outputs());
    }
}

#[test]
fn a_refusal_says_what_would_be_accepted() {
    let mut map = Scattering::new("28x28".parse().unwrap());
    map.groups = 28;
    let refused = |map: Scattering| FeatureMap::Scattering(map).check().unwrap_err().to_string();
    assert_eq!(
        refused(map.clone()),
        "81 channels can not be split into 28 equal groups; use a divisor of 81"
    );
    (map.groups, map.scales) = (1, 5);
    assert_eq!(
        refused(map),
        "the feature map has smaller image side 28; it must be from 33 to 1024"
    );
}

#[test]
fn shapes_are_read_as_they_are_written() {
    let shape: ImageShape = "3x32x32".parse().unwrap();
    assert_eq!((shape.channels, shape.pixels()), (3, 3072));
    assert_eq!(shape.to_string(), "3x32x32");
    assert_eq!(
        "28x28".parse::<ImageShape>().unwrap().to_string(),
        "1x28x28"
    );
    for wrong in [
        "", "28", "28x", "x28", "28X28", "1x2x3x4", "28 x 28", "-1x28", "28.0x28",
    ] {
        assert_eq!(
            wrong.parse::<ImageShape>(),
            Err(FeatureMapError::Shape(wrong.into()))
        );
    }
    for wrong in ["0x28", "1x28x4000", "99999999999x1"] {
        assert!(wrong.parse::<ImageShape>().is_err());
    }
}

#[test]
fn each_feature_has_a_name_of_its_own() {
    for map in maps() {
        let mut names: Vec<String> = (0..map.outputs()).map(|j| map.output_name(j)).collect();
        assert!(names.iter().all(|name| name.len() < 24), "{names:?}");
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), map.outputs());
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
