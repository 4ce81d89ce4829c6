//! The graph of a model: rows, or what its map of features makes of them, are clipped to the bound
//! of training, then the predictor scores them.
//!
//! It does what [`Model::predict`] does, in doubles: a row beyond the bound is clipped to it, and
//! entries are truncated to whole steps of the grid, without which predictions would differ by
//! about 1e-6 of the weights. A row with an entry that is not finite, which no [`Matrix`] has,
//! counts as zeros, as in training. Only columns with a weight are multiplied.
//!
//! [`Matrix`]: crate::matrix::Matrix

use std::collections::HashSet;

use super::builder::{Graph, RECORDS, ROWS};
use super::proto::{self, Axis, Message, Type};
use crate::model::{Model, Outcome};
use crate::table::{Layout, RecordBound};

/// Operators of the default domain as of ONNX 1.13, the last version with IR version 8.
pub(super) const OPSET: i64 = 18;

/// The graph of a model.
pub(super) fn graph(model: &Model) -> Message {
    let map = model.features();
    let taken = match &model.layout {
        Layout::Numbered { .. } if map.is_none() => HashSet::new(),
        Layout::Numbered { .. } => HashSet::from([ROWS]),
        Layout::Named(schema) => {
            let columns = schema.columns().iter();
            columns.map(|column| column.name.as_str()).collect()
        }
    };
    let mut graph = Graph::new(taken);
    graph.shared(model);
    // Either the features, or what they are made of.
    let rows = map.map_or("features", |_| "raw_rows");
    match &model.layout {
        Layout::Numbered { width, .. } => graph.rows(*width, rows),
        Layout::Named(schema) => graph.columns(schema, rows),
    }
    if let Some(map) = map {
        graph.map(model.map.get(map).prepared(), rows, "features");
    }
    graph.finite("features", "finite");
    graph.floats("no_float", &[], &[0.0]);
    match model.clip.bound {
        RecordBound::Linf(_) => graph.clamp(model),
        RecordBound::L2(bound) => graph.shorten(model, bound),
    }
    model.predictor.graph(&mut graph);
    let outputs = graph.outputs(model);
    graph.message(&format!("reticent {}", model.task().name()), &outputs)
}

impl Graph<'_> {
    /// What every graph needs.
    fn shared(&mut self, model: &Model) {
        let columns = model.predictor.columns();
        let columns: Vec<i64> = columns.into_iter().map(i64::from).collect();
        self.integers("weighed_columns", &columns);
        self.doubles("step", &[], &[model.clip.grid.step()]);
    }

    /// Whether all entries of a row are finite. Infinity and NaN are not at most the largest float.
    pub(super) fn finite(&mut self, rows: &str, output: &str) {
        let part = |name: &str| format!("{output}_{name}");
        let (most, sizes) = (part("most"), part("sizes"));
        let (entries, flags, flag) = (part("entries"), part("flags"), part("flag"));
        self.floats(&most, &[], &[f32::MAX]);
        self.node("Abs", &[rows], &sizes);
        self.node("LessOrEqual", &[&sizes, &most], &entries);
        self.cast(&entries, &flags, Type::Float);
        self.reduce("ReduceMin", &flags, &flag);
        self.cast(&flag, output, Type::Bool);
    }

    /// The entries of finite rows, in doubles; zero for the others.
    fn clean(&mut self, entries: &str) {
        self.node("Where", &["finite", entries, "no_float"], "clean_floats");
        self.cast("clean_floats", "clean", Type::Double);
    }

    /// The whole part of each number, towards zero.
    fn truncate(&mut self, input: &str, output: &str) {
        let part = |name: &str| format!("{output}_{name}");
        let (sign, size, floor) = (part("sign"), part("size"), part("floor"));
        self.node("Sign", &[input], &sign);
        self.node("Abs", &[input], &size);
        self.node("Floor", &[&size], &floor);
        self.node("Mul", &[&sign, &floor], output);
    }

    /// `held`: the columns with a weight, each entry clipped to ±b steps. For other columns it
    /// matters only whether they are finite.
    fn clamp(&mut self, model: &Model) {
        let most = model.clip.steps as f64;
        self.doubles("most", &[], &[most]);
        self.doubles("least", &[], &[-most]);
        let axis = [("axis", 1)];
        self.node_with("Gather", &["features", "weighed_columns"], "weighed", &axis);
        self.clean("weighed");
        self.node("Div", &["clean", "step"], "steps");
        self.node("Clip", &["steps", "least", "most"], "clamped");
        self.truncate("clamped", "held");
    }

    /// `held`: the columns with a weight of the whole row, shortened to b steps.
    fn shorten(&mut self, model: &Model, bound: f64) {
        let most = model.clip.steps as f64;
        self.doubles("bound", &[], &[bound]);
        // The same bits in steps, a power of two, and never 1: onnxruntime turns (1/norm)·x into
        // one division, which rounds differently.
        let step = model.clip.grid.step();
        self.doubles("bound_steps", &[], &[bound / step]);
        // At most 2⁴⁰: sums of so many square steps are exact, in any order.
        self.doubles("most_squared", &[], &[most * most]);
        // No float but zero is smaller: a row of zeros is divided by it and stays zero, and its
        // norm of 0 becomes 1; those of other rows are at least 1, and stay as they are.
        self.doubles("smallest", &[], &[f64::from(f32::from_bits(1))]);
        self.doubles("one", &[], &[1.0]);
        self.clean("features");
        self.node("Abs", &["clean"], "clean_sizes");
        self.reduce("ReduceMax", "clean_sizes", "largest_size");
        self.node("Max", &["largest_size", "smallest"], "largest");
        self.node("Div", &["clean", "largest"], "scaled");
        self.node("Mul", &["scaled", "scaled"], "squares");
        self.last_sum("squares", model.weighed().width(), "square_norm");
        self.node("Sqrt", &["square_norm"], "scaled_norm");
        self.node("Max", &["scaled_norm", "one"], "norm");
        self.node("Div", &["bound", "largest"], "scaled_bound");
        self.node("Greater", &["norm", "scaled_bound"], "long");
        self.node("Div", &["bound_steps", "norm"], "factor");
        self.node("Mul", &["scaled", "factor"], "shortened");
        self.node("Div", &["clean", "step"], "unshortened");
        self.node("Where", &["long", "shortened", "unshortened"], "steps");
        self.truncate("steps", "cut");
        self.step_back();
    }

    /// The sum of each row from its first entry to its last, as `predict` adds them up. Runtimes
    /// sum in their own order, and the last bit decides about a whole step of every entry where the
    /// entries of a shortened row would be whole numbers: word counts have such rows.
    fn last_sum(&mut self, input: &str, width: usize, output: &str) {
        self.integers("last_column", &[width as i64 - 1]);
        // The axis of this operator is a number, not a list of one.
        self.integer("along", 1);
        self.node("CumSum", &[input, "along"], "sums");
        let axis = [("axis", 1)];
        self.node_with("Gather", &["sums", "last_column"], output, &axis);
    }

    /// Moves a row that is still too long, by less than a step, one step towards zero. Each entry
    /// of n > 0 steps reduces the square of the norm by 2n − 1, which reduces the norm by at least
    /// a step: once is enough.
    fn step_back(&mut self) {
        self.node("Mul", &["cut", "cut"], "square_steps");
        self.reduce("ReduceSum", "square_steps", "norm_squared");
        self.node("Greater", &["norm_squared", "most_squared"], "too_long");
        self.node("Sign", &["cut"], "back");
        self.node("Sub", &["cut", "back"], "nearer");
        self.node("Where", &["too_long", "nearer", "cut"], "held_row");
        let axis = [("axis", 1)];
        self.node_with("Gather", &["held_row", "weighed_columns"], "held", &axis);
    }

    /// What comes out: values, or labels and probabilities.
    fn outputs(&mut self, model: &Model) -> Vec<Message> {
        let Outcome::Classes(classes) = &model.outcome else {
            self.node("Squeeze", &["scores", "columns_axis"], "values");
            let values = self.own("values");
            return vec![proto::value(&values, Type::Double, &[RECORDS])];
        };
        let names = classes.iter().map(|class| class.name.as_str());
        self.texts("classes", names);
        match model.predictor.scores() {
            1 => self.of_two(),
            _ => self.of_several(),
        }
        self.node("Gather", &["classes", "class"], "label");
        vec![
            proto::value(&self.own("label"), Type::Text, &[RECORDS]),
            proto::value(
                &self.own("probabilities"),
                Type::Double,
                &[RECORDS, Axis::Size(classes.len())],
            ),
        ]
    }

    /// The second class above log-odds of 0.
    fn of_two(&mut self) {
        self.doubles("even", &[], &[0.0]);
        self.node("Greater", &["scores", "even"], "second");
        self.cast("second", "class_column", Type::Int64);
        self.node("Squeeze", &["class_column", "columns_axis"], "class");
        self.node("Neg", &["scores"], "scores_of_first");
        let axis = [("axis", 1)];
        self.node_with("Concat", &["scores_of_first", "scores"], "both", &axis);
        self.node("Sigmoid", &["both"], "probabilities");
    }

    /// The class with the largest score, the first of several.
    fn of_several(&mut self) {
        let axis = [("axis", 1)];
        let flat = [("axis", 1), ("keepdims", 0)];
        self.node_with("ArgMax", &["scores"], "class", &flat);
        self.node_with("Softmax", &["scores"], "probabilities", &axis);
    }
}
