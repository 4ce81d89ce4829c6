//! Descriptions of maps: as they are in files, refused, and named.

mod support;

use reticent_features::{
    DeclaredMap, FeatureMap, FeatureMapError, ImageShape, RandomConvolutions, RandomFourier,
    Scattering,
};
use support::maps;

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
    let text = r#"{"kind":"scattering","image":"1x28x28","scales":2,"angles":8,"groups":27,"colours":"as-given"}"#;
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
            ..Scattering::new(grey)
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
        "feature map: 81 channels can not be split into 28 equal groups; use a divisor of 81"
    );
    (map.groups, map.scales) = (1, 5);
    assert_eq!(
        refused(map),
        "feature map: scales = 5; it must be from 1 to 4"
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

/// A last side of one to four below two longer ones is that of colours.
#[test]
fn channels_in_the_last_place_are_refused_with_the_shape_to_write() {
    for (last, first) in [
        ("32x32x3", "3x32x32"),
        ("28x28x1", "1x28x28"),
        ("224x160x3", "3x224x160"),
        ("5x6x4", "4x5x6"),
    ] {
        let message = last.parse::<ImageShape>().unwrap_err().to_string();
        assert!(message.contains("channels come first"), "{message}");
        assert!(message.contains(&format!("write {first},")), "{message}");
        let right: ImageShape = first.parse().unwrap();
        // The same sizes in a struct, which nobody parsed.
        let wrong = ImageShape {
            channels: right.height,
            height: right.width,
            width: right.channels,
        };
        let map = FeatureMap::Scattering(Scattering::new(wrong));
        assert_eq!(map.check().unwrap_err().to_string(), message);
    }
    for shape in ["3x32x4", "4x4x4", "8x4x4", "64x9x9", "1x9x1", "28x28"] {
        assert!(shape.parse::<ImageShape>().is_ok(), "{shape}");
    }
}

#[test]
fn two_declarations_of_one_map_are_equal_in_full() {
    let read = |text: &str| serde_json::from_str::<DeclaredMap>(text).unwrap();
    for (brief, full) in [
        (
            r#"{"kind":"scattering","image":"28x28"}"#,
            r#"{"kind":"scattering","image":"1x28x28","scales":2,"angles":8,"groups":27,
                "colours":"as-given"}"#,
        ),
        (
            r#"{"kind":"random-convolutions","image":"8x8"}"#,
            r#"{"kind":"random-convolutions","image":"1x8x8","filters":128,"patch":7,"cells":2,
                "threshold":0.6,"groups":32,"seed":0}"#,
        ),
        (
            r#"{"kind":"fourier","outputs":5}"#,
            r#"{"kind":"fourier","outputs":5,"seed":0}"#,
        ),
    ] {
        let (brief, full) = (read(brief), read(full));
        assert_eq!(brief.in_full(), full.in_full());
        assert_eq!(full.in_full(), full);
        assert_eq!(brief.in_full().of(64).ok(), brief.of(64).ok());
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

#[test]
fn what_is_not_declared_has_its_default() {
    let grey: ImageShape = "28x28".parse().unwrap();
    let read = |text: &str| serde_json::from_str::<DeclaredMap>(text).unwrap();
    let scattering = read(r#"{"kind":"scattering","image":"28x28"}"#);
    assert_eq!(
        scattering.of(784),
        Ok(FeatureMap::Scattering(Scattering::new(grey)))
    );
    let convolutions = read(r#"{"kind":"random-convolutions","image":"28x28","seed":3}"#);
    assert_eq!(
        convolutions.of(784),
        Ok(FeatureMap::RandomConvolutions(RandomConvolutions::new(
            grey, 3
        )))
    );
    let fourier = read(r#"{"kind":"fourier","outputs":50}"#);
    assert_eq!(
        fourier.of(9),
        Ok(FeatureMap::Fourier(RandomFourier::new(9, 50, 0)))
    );
    // Groups follow from the channels.
    let other = read(r#"{"kind":"scattering","image":"28x28","scales":1,"angles":4}"#);
    let FeatureMap::Scattering(map) = other.of(784).unwrap() else {
        unreachable!()
    };
    assert_eq!((map.scales, map.angles, map.groups), (1, 4, 5));
    let DeclaredMap::RandomConvolutions(convolutions) = convolutions else {
        unreachable!()
    };
    let map = DeclaredMap::RandomConvolutions(convolutions.with_outputs(1000));
    assert_eq!(map.of(784).unwrap().outputs(), 1024);
    for wrong in [
        r#"{"kind":"fourier","outputs":50,"image":"28x28"}"#,
        r#"{"kind":"scattering"}"#,
        r#"{"outputs":50}"#,
    ] {
        assert!(serde_json::from_str::<DeclaredMap>(wrong).is_err());
    }
}

#[test]
fn rows_of_another_length_are_refused_with_both_numbers() {
    let declared: DeclaredMap =
        serde_json::from_str(r#"{"kind":"scattering","image":"28x28"}"#).unwrap();
    let message = declared.of(780).unwrap_err().to_string();
    assert!(message.contains("1x28x28 (784 columns)"), "{message}");
    assert!(message.contains("780 columns"), "{message}");
}
