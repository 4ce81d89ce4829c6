//! The predictor's part of an ONNX graph.

use super::Predictor;
use crate::fit::{CalibrationMap, ColumnRange, LinearFunction};
use crate::model::onnx::Graph;

impl Predictor {
    /// The columns that it uses, in increasing order; the first if there are none: runtimes
    /// disagree about an empty product.
    pub(in crate::model) fn columns(&self) -> Vec<u32> {
        let functions = self.functions().iter();
        let weights = functions.flat_map(|function| &function.weights);
        let mut columns: Vec<u32> = weights.map(|&(column, _)| column).collect();
        columns.sort_unstable();
        columns.dedup();
        if columns.is_empty() {
            columns.push(0);
        }
        columns
    }

    /// How many bytes its constants take, at least.
    pub(in crate::model) fn graph_bytes(&self) -> u64 {
        // For several functions, the columns that any of them weighs.
        (self.columns().len() as u64 * 8).saturating_mul(self.scores() as u64)
    }

    /// Adds the nodes that compute `scores`, one column each, from `held`: its columns of the rows
    /// in whole steps of `step`.
    pub(in crate::model) fn graph(&self, graph: &mut Graph<'_>) {
        let columns = self.columns();
        match self.ranges() {
            [] => graph.node("Mul", &["held", "step"], "row"),
            ranges => within(ranges, &columns, graph),
        }
        match self.map() {
            None => weighed(self.functions(), &columns, graph, "scores"),
            Some(map) => {
                weighed(self.functions(), &columns, graph, "margins");
                mapped(map, graph);
            }
        }
    }
}

/// `scores`: log-odds of `margins`. A margin t becomes t + (y₁ − x₁) + Σ (s − 1)·(t − x clipped to between
/// 0 and the width), over the segments, which begin at x and have the slope s: below the first point and above
/// the last, it has the slope 1.
fn mapped(map: &CalibrationMap, graph: &mut Graph<'_>) {
    let points = map.points();
    let segments = || points.windows(2);
    let count = points.len() - 1;
    let starts: Vec<f64> = segments().map(|ends| ends[0].0).collect();
    let widths: Vec<f64> = segments().map(|ends| ends[1].0 - ends[0].0).collect();
    let slope = |ends: &[(f64, f64)]| (ends[1].1 - ends[0].1) / (ends[1].0 - ends[0].0);
    let bends: Vec<f64> = segments().map(|ends| slope(ends) - 1.0).collect();
    graph.doubles("segment_starts", &[1, count], &starts);
    graph.doubles("segment_widths", &[1, count], &widths);
    graph.doubles("segment_bends", &[count, 1], &bends);
    graph.doubles("first_shift", &[], &[points[0].1 - points[0].0]);
    graph.doubles("nothing", &[], &[0.0]);
    graph.node("Sub", &["margins", "segment_starts"], "from_starts");
    graph.node("Max", &["from_starts", "nothing"], "beyond_starts");
    graph.node("Min", &["beyond_starts", "segment_widths"], "in_segments");
    graph.node("MatMul", &["in_segments", "segment_bends"], "bent");
    graph.node("Add", &["margins", "first_shift"], "shifted_margins");
    graph.node("Add", &["shifted_margins", "bent"], "scores");
}

/// `row`: `held` in real numbers, each column that has a range clipped to it.
fn within(ranges: &[ColumnRange], columns: &[u32], graph: &mut Graph<'_>) {
    let mut ends = vec![(f64::MIN, f64::MAX); columns.len()];
    for range in ranges {
        let place = columns.partition_point(|&other| other < range.column);
        ends[place] = (range.low, range.high);
    }
    let (lows, highs): (Vec<f64>, Vec<f64>) = ends.into_iter().unzip();
    graph.doubles("range_lows", &[1, columns.len()], &lows);
    graph.doubles("range_highs", &[1, columns.len()], &highs);
    graph.node("Mul", &["held", "step"], "unclipped_row");
    graph.node("Max", &["unclipped_row", "range_lows"], "above_lows");
    graph.node("Min", &["above_lows", "range_highs"], "row");
}

/// x·w + b of each function, by this name.
fn weighed(outputs: &[LinearFunction], columns: &[u32], graph: &mut Graph<'_>, name: &str) {
    let mut weights = vec![0.0; columns.len() * outputs.len()];
    for (function, output) in outputs.iter().enumerate() {
        for &(column, weight) in &output.weights {
            let row = columns.partition_point(|&other| other < column);
            weights[row * outputs.len() + function] = weight;
        }
    }
    let intercepts: Vec<f64> = outputs.iter().map(|output| output.intercept).collect();
    graph.doubles("weights", &[columns.len(), outputs.len()], &weights);
    graph.doubles("intercepts", &[outputs.len()], &intercepts);
    graph.node("MatMul", &["row", "weights"], "products");
    graph.node("Add", &["products", "intercepts"], name);
}
