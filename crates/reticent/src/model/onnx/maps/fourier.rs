//! Random Fourier features: a product with the weights, and cosines.

use crate::features::PreparedFourier;

use crate::model::onnx::Graph;

impl Graph<'_> {
    /// An angle that is not finite gives 0: all those of a row that is not finite, and one that
    /// overflows.
    pub(super) fn fourier(&mut self, map: &PreparedFourier, rows: &str, output: &str) {
        let outputs = map.phases().len();
        let inputs = map.weights().len() / outputs;
        self.floats("map_weights", &[inputs, outputs], map.weights());
        self.floats("map_phases", &[outputs], map.phases());
        self.floats("map_factor", &[], &[map.factor()]);
        self.floats("map_zero", &[], &[0.0]);
        self.floats("map_largest_angle", &[], &[f32::MAX]);
        self.node("MatMul", &[rows, "map_weights"], "map_products");
        self.node("Add", &["map_products", "map_phases"], "map_angles");
        self.node("Abs", &["map_angles"], "map_sizes");
        let finite = ["map_sizes", "map_largest_angle"];
        self.node("LessOrEqual", &finite, "map_finite_angles");
        self.node("Cos", &["map_angles"], "map_cosines");
        self.node("Mul", &["map_cosines", "map_factor"], "map_features");
        let kept = ["map_finite_angles", "map_features", "map_zero"];
        self.node("Where", &kept, output);
    }
}
