//! The part of a graph that applies a map of features, as `PreparedMap::apply` does.
//!
//! Its numbers are floats as there, but sums are in the order of the runtime: features differ by
//! rounding. A row with an entry that is not finite becomes zeros. Rows of images are mapped one by
//! one, as scattering takes a few megabytes for each: so any number of rows takes little memory.

mod convolutions;
mod fourier;
mod scattering;

use crate::features::{EPSILON, PreparedMap};

use super::builder::Graph;
use super::proto::Type;

impl Graph<'_> {
    /// `output`: the features of `rows`, which are floats, one row per record.
    pub(super) fn map(&mut self, map: &PreparedMap, rows: &str, output: &str) {
        let outputs = map.outputs();
        let (from, to) = ("map_unit", "map_channels");
        match map {
            PreparedMap::Scattering(map) => {
                let (image, groups) = (map.description().image, map.description().groups);
                let sizes = [image.pixels(), groups as usize, outputs];
                self.each_image(rows, sizes, output, |graph| graph.scattering(map, from, to));
            }
            PreparedMap::RandomConvolutions(map) => {
                let (image, groups) = (map.description().image, map.description().groups);
                let sizes = [image.pixels(), groups as usize, outputs];
                self.each_image(rows, sizes, output, |graph| {
                    graph.convolutions(map, from, to)
                });
            }
            PreparedMap::Fourier(map) => self.fourier(map, rows, output),
        }
    }

    /// Features of each image by itself, where `channels` makes `map_channels` of `map_unit`.
    fn each_image(
        &mut self,
        rows: &str,
        [pixels, groups, outputs]: [usize; 3],
        output: &str,
        channels: impl FnOnce(&mut Self),
    ) {
        let ends = [("map_pixels", pixels), ("map_features", outputs)];
        self.each_row(rows, ends, output, |graph| {
            graph.unit_range("map_pixels", pixels);
            channels(graph);
            graph.normalise(groups, outputs / groups);
        });
    }

    /// `map_unit`: a row divided by its largest magnitude; zeros where that is 0 or not finite.
    fn unit_range(&mut self, row: &str, width: usize) {
        self.blocks(row, &[width], "map_row");
        self.floats("map_zero", &[], &[0.0]);
        self.floats("map_one", &[], &[1.0]);
        self.finite("map_row", "map_finite");
        self.node("Where", &["map_finite", "map_row", "map_zero"], "map_clean");
        self.node("Abs", &["map_clean"], "map_magnitudes");
        self.reduce("ReduceMax", "map_magnitudes", "map_largest");
        self.node("Greater", &["map_largest", "map_zero"], "map_any");
        let divisor = ["map_any", "map_largest", "map_one"];
        self.node("Where", &divisor, "map_divisor");
        self.node("Div", &["map_clean", "map_divisor"], "map_unit");
    }

    /// `map_features`: `map_channels`, whose numbers are the features in their order, normalised in
    /// groups of `length`; in doubles, as the map does.
    fn normalise(&mut self, groups: usize, length: usize) {
        let root = ((groups * length) as f64).sqrt();
        self.blocks("map_channels", &[groups, length], "map_groups");
        self.integers("map_group_axis", &[2]);
        self.doubles("map_epsilon", &[], &[EPSILON]);
        self.doubles("map_root", &[], &[root]);
        self.cast("map_groups", "map_values", Type::Double);
        self.node("ReduceMean", &["map_values", "map_group_axis"], "map_means");
        self.node("Sub", &["map_values", "map_means"], "map_centred");
        self.node("Mul", &["map_centred", "map_centred"], "map_squares");
        let squares = ["map_squares", "map_group_axis"];
        self.node("ReduceMean", &squares, "map_variances");
        let variances = ["map_variances", "map_epsilon"];
        self.node("Add", &variances, "map_positive_variances");
        self.node("Sqrt", &["map_positive_variances"], "map_deviations");
        self.node("Mul", &["map_deviations", "map_root"], "map_lengths");
        self.node("Div", &["map_centred", "map_lengths"], "map_normalised");
        self.cast("map_normalised", "map_normalised_floats", Type::Float);
        self.blocks("map_normalised_floats", &[], "map_features");
    }

    /// The same numbers as blocks of this shape, however many there are.
    fn blocks(&mut self, input: &str, shape: &[usize], output: &str) {
        let name = format!("{output}_shape");
        // Sizes of features are below 2³².
        let sizes = shape.iter().map(|&size| size as i64);
        let sizes: Vec<i64> = std::iter::once(-1).chain(sizes).collect();
        self.integers(&name, &sizes);
        self.node("Reshape", &[input, &name], output);
    }
}
