//! The predictor's part of an ONNX graph.

use super::Predictor;
use crate::fit::LinearFunction;
use crate::model::onnx::Graph;

impl Predictor {
    /// The columns that it uses, in increasing order; the first if there are none: runtimes
    /// disagree about an empty product.
    pub(in crate::model) fn columns(&self) -> Vec<u32> {
        let weights = match self {
            Self::Linear(outputs) => outputs.iter().flat_map(|output| &output.weights),
        };
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
        match self {
            // For several functions, the columns that any of them weighs.
            Self::Linear(outputs) => {
                (self.columns().len() as u64 * 8).saturating_mul(outputs.len() as u64)
            }
        }
    }

    /// Adds the nodes that compute `scores`, one column each, from `held`: its columns of the rows
    /// in whole steps of `step`.
    pub(in crate::model) fn graph(&self, graph: &mut Graph<'_>) {
        match self {
            Self::Linear(outputs) => weighed(outputs, &self.columns(), graph),
        }
    }
}

/// x·w + b of each function.
fn weighed(outputs: &[LinearFunction], columns: &[u32], graph: &mut Graph<'_>) {
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
    graph.node("Mul", &["held", "step"], "row");
    graph.node("MatMul", &["row", "weights"], "products");
    graph.node("Add", &["products", "intercepts"], "scores");
}
