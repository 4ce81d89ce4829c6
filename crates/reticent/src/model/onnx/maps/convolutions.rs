//! Random convolutions: a convolution, a threshold for both signs, averages over a grid of cells.

use crate::features::PreparedConvolutions;

use crate::model::onnx::Graph;

impl Graph<'_> {
    /// Averages of each filter, sign and cell, in this order, of rows in [−1, 1].
    pub(super) fn convolutions(&mut self, map: &PreparedConvolutions, rows: &str, output: &str) {
        let described = map.description();
        let [filters, patch, cells] =
            [described.filters, described.patch, described.cells].map(|size| size as usize);
        let image = described.image;
        let [colours, height, width] =
            [image.channels, image.height, image.width].map(|size| size as usize);
        let (down, across) = (height + 1 - patch, width + 1 - patch);
        let kernel = [filters, colours, patch, patch];
        self.floats("map_filters", &kernel, map.filters());
        self.floats("map_signs", &[2, 1, 1], &[1.0, -1.0]);
        self.floats("map_threshold", &[], &[described.threshold as f32]);
        self.floats("map_pool_rows", &[cells, down], &map.pooling_rows());
        self.floats("map_pool_columns", &[cells, across], &map.pooling_columns());

        self.blocks(rows, &[colours, height, width], "map_images");
        self.node("Conv", &["map_images", "map_filters"], "map_responses");
        let each = [filters, 1, down, across];
        self.blocks("map_responses", &each, "map_each_response");
        let signed = ["map_each_response", "map_signs"];
        self.node("Mul", &signed, "map_signed");
        self.node("Sub", &["map_signed", "map_threshold"], "map_beyond");
        self.node("Relu", &["map_beyond"], "map_kept");
        self.transpose("map_pool_columns", &[1, 0], "map_pool_across");
        self.node("MatMul", &["map_kept", "map_pool_across"], "map_half");
        self.node("MatMul", &["map_pool_rows", "map_half"], output);
    }
}
