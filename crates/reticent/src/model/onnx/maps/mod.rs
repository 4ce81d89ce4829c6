//! The part of a graph that applies a map of features, as `PreparedMap::apply` does.
//!
//! Its numbers are floats as there, but sums are in the order of the runtime: features differ by
//! rounding. A row with an entry that is not finite becomes zeros.

mod convolutions;
mod fourier;
mod scattering;

use reticent_features::{EPSILON, PreparedMap};

use super::builder::Graph;
use super::proto::Type;

impl Graph<'_> {
    /// `output`: the features of `rows`, which are floats, one row per record.
    #[cfg_attr(not(test), expect(dead_code, reason = "no model has a map yet"))]
    pub(super) fn map(&mut self, map: &PreparedMap, rows: &str, output: &str) {
        let outputs = map.outputs();
        match map {
            PreparedMap::Scattering(map) => {
                self.unit_range(rows);
                self.scattering(map, "map_unit_rows", "map_channels");
                let groups = map.description().groups;
                self.normalise("map_channels", groups as usize, outputs, output);
            }
            PreparedMap::RandomConvolutions(map) => {
                self.unit_range(rows);
                self.convolutions(map, "map_unit_rows", "map_channels");
                let groups = map.description().groups;
                self.normalise("map_channels", groups as usize, outputs, output);
            }
            PreparedMap::Fourier(map) => self.fourier(map, rows, output),
        }
    }

    /// `map_unit_rows`: rows divided by their largest magnitude; zeros where that is 0 or not
    /// finite.
    fn unit_range(&mut self, rows: &str) {
        self.floats("map_zero", &[], &[0.0]);
        self.floats("map_one", &[], &[1.0]);
        self.finite(rows, "map_finite");
        self.node("Where", &["map_finite", rows, "map_zero"], "map_rows");
        self.node("Abs", &["map_rows"], "map_magnitudes");
        self.reduce("ReduceMax", "map_magnitudes", "map_largest");
        self.node("Greater", &["map_largest", "map_zero"], "map_any");
        let divisor = ["map_any", "map_largest", "map_one"];
        self.node("Where", &divisor, "map_divisor");
        self.node("Div", &["map_rows", "map_divisor"], "map_unit_rows");
    }

    /// Group normalisation of each record, in doubles: `input` is any tensor whose numbers are
    /// those of all features in their order, `output` has one row per record.
    fn normalise(&mut self, input: &str, groups: usize, outputs: usize, output: &str) {
        self.blocks(input, &[groups, outputs / groups], "map_groups");
        self.integers("map_group_axis", &[2]);
        self.doubles("map_epsilon", &[], &[EPSILON]);
        self.doubles("map_root", &[], &[(outputs as f64).sqrt()]);
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
        self.blocks("map_normalised_floats", &[outputs], output);
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
