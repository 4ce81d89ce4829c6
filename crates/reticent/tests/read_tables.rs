//! The published data sets, through the schemas of the guide, have their published figures.

mod real;

use std::path::Path;

use real::real;
use reticent::matrix::Matrix;
use reticent::table::{Reading, Schema, Table, Target, WantedTarget, read};

fn schema(name: &str) -> Schema {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../docs/schemas")
        .join(name);
    Schema::open(&path).unwrap_or_else(|error| panic!("{error}"))
}

fn table(path: &Path, schema: &Schema) -> Table<'static> {
    let reading = Reading {
        wanted: WantedTarget::Classes(None),
        columns: None,
        zero_based: false,
        schema: Some(schema),
        progress: &|_, _| {},
    };
    read(path, &reading).unwrap_or_else(|error| panic!("{error}"))
}

/// Rows, and how many of them are of the second class.
fn counts(table: &Table) -> (usize, usize) {
    let Target::Classes { class, .. } = &table.target else {
        panic!("two classes");
    };
    assert_eq!(class.len(), table.features.rows());
    let positive = class.iter().filter(|&&class| class == 1).count();
    (class.len(), positive)
}

/// Every record has one level of each categorical column, and features within [−1, 1].
fn encoded_well(table: &Table, schema: &Schema) {
    let groups: Vec<Option<&str>> = (schema.features().iter())
        .map(|name| name.split_once('=').map(|(column, _)| column))
        .collect();
    let columns: std::collections::BTreeSet<&str> = groups.iter().flatten().copied().collect();
    for i in 0..table.features.rows() {
        let mut levels = 0.0;
        table.features.for_row(i, |j, value| {
            assert!(value.abs() <= 1.0, "row {i}, feature {j}");
            if groups[j].is_some() {
                levels += value;
            }
        });
        assert_eq!(levels, columns.len() as f32, "row {i}");
    }
}

#[test]
fn the_schemas_of_the_guide_are_public_only() {
    for name in ["adult.toml", "kddcup99.toml", "covtype.toml"] {
        let schema = schema(name);
        assert!(schema.not_private().is_empty());
        assert_eq!(Schema::from_toml(&schema.to_toml()).unwrap(), schema);
    }
}

#[test]
fn adult_has_its_published_figures() {
    let schema = schema("adult.toml");
    for (name, figures) in [
        ("adult.data.csv.xz", (32561, 7841)),
        ("adult.test.csv.xz", (16281, 3846)),
    ] {
        let Some(path) = real(name) else { return };
        let table = table(&path, &schema);
        assert_eq!(counts(&table), figures, "{name}");
        assert!(table.assumed.is_empty());
        encoded_well(&table, &schema);
    }
}

#[test]
fn kddcup99_has_its_published_figures() {
    let schema = schema("kddcup99.toml");
    let Some(path) = real("kddcup99-10pct.csv.xz") else {
        return;
    };
    let table = table(&path, &schema);
    assert_eq!(counts(&table), (494_021, 494_021 - 97_278));
    let Target::Classes { names, .. } = &table.target else {
        panic!("two classes");
    };
    assert_eq!(names, &["normal", "attack"]);
    assert!(matches!(table.features, Matrix::Sparse(_)));
}

#[test]
fn covertype_has_its_published_figures() {
    let schema = schema("covtype.toml");
    let Some(path) = real("covtype-20k.csv.xz") else {
        return;
    };
    let table = table(&path, &schema);
    assert_eq!(counts(&table), (20_000, 2942 + 6022));
    assert_eq!(table.features.width(), 54);
    assert!(matches!(table.features, Matrix::Dense(_)));
    encoded_well(&table, &schema);
}
