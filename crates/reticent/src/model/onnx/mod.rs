//! Models as ONNX files, for onnxruntime and others.
//!
//! The file is protobuf of one graph. The input of a model without a schema is `features`, floats, one
//! row per record and one column per feature. That of a model with a schema is the raw table, one input
//! per column, which `columns.rs` encodes. A map of features follows (`maps/`). The outputs are `label` and `probabilities`, or `values`.
//! Constants follow the weights and the schema, not the width.

mod builder;
mod columns;
mod graph;
mod maps;
mod proto;

use super::{Layout, Model, OnnxError, Outcome};

pub(super) use builder::Graph;

/// Operators of classical learning as of ONNX 1.13.
const LOOK_UP_OPSET: i64 = 3;

/// The largest size of a protobuf message in bytes.
const MOST_BYTES: u64 = (1 << 31) - 1;

impl Model {
    /// The model as an ONNX file that predicts what [`predict`](Self::predict) does, including the
    /// clipping of rows to the bound of training, and the map of features if there is one (which differs
    /// by the rounding of floats); with the same bytes each time.
    ///
    /// With a schema each of its columns that is neither ignored nor the target is an input of its own,
    /// of shape (records, 1) and of the column's name: doubles for numbers, for dates (days since
    /// 1970-01-01) and for categories whose levels are all numbers, NaN where a value is missing; texts
    /// without blanks around them for other categories. What `predict` refuses (infinity, a missing
    /// number where the schema says so) a graph cannot refuse: it counts as the end or the middle of its
    /// bounds.
    ///
    /// Its metadata say whether it is private, ε, δ, the adjacency, the accountant and the method,
    /// and have the whole certificate as JSON (`certificate`), the names of classes
    /// (`class_names`), in the order of `probabilities`, and of the features (`feature_names`, if
    /// they have any; with a map, of what it takes).
    pub fn to_onnx(&self) -> Result<Vec<u8>, OnnxError> {
        check_size(self.predictor.graph_bytes())?;
        let domains = [("", graph::OPSET), (proto::LOOK_UP_DOMAIN, LOOK_UP_OPSET)];
        let domains = match self.layout {
            Layout::Numbered { .. } => &domains[..1],
            Layout::Named(_) => &domains[..],
        };
        let file = proto::model(
            &graph::graph(self),
            domains,
            &self.sentence(),
            &self.facts(),
        );
        let file = file.done();
        check_size(file.len() as u64)?;
        Ok(file)
    }

    /// What it is and what it promises, in a sentence.
    fn sentence(&self) -> String {
        let task = self.task().name();
        let certificate = &self.certificate;
        let statement = &certificate.statement;
        let reasons = certificate.reasons_not_private.join("; ");
        match (certificate.private, statement.has_guarantee()) {
            (true, _) => format!(
                "A sparse {task} model under differential privacy: epsilon = {:?}, delta = {:?}, \
                 {} adjacency.",
                statement.epsilon,
                statement.delta.get(),
                statement.adjacency
            ),
            (false, true) => format!("A sparse {task} model that is NOT PRIVATE: {reasons}."),
            (false, false) => {
                format!(
                    "A sparse {task} model that is NOT PRIVATE, without any guarantee: {reasons}."
                )
            }
        }
    }

    /// The metadata of the file.
    fn facts(&self) -> Vec<(&'static str, String)> {
        let certificate = &self.certificate;
        let statement = &certificate.statement;
        let mut facts = vec![
            ("privacy", self.sentence()),
            ("private", certificate.private.to_string()),
            // Digits that read back as the same float; infinity is `inf`, as in model files.
            ("epsilon", format!("{:?}", statement.epsilon)),
            ("delta", format!("{:?}", statement.delta.get())),
            ("adjacency", statement.adjacency.name().to_owned()),
            ("accountant", statement.accountant.name().to_owned()),
            ("method", certificate.method.name.clone()),
            ("certificate", json(certificate)),
        ];
        if let Some(rho) = statement.rho {
            facts.push(("rho", format!("{rho:?}")));
        }
        if let Outcome::Classes(classes) = &self.outcome {
            let names: Vec<&str> = classes.iter().map(|class| class.name.as_str()).collect();
            facts.push(("class_names", json(&names)));
        }
        if let Layout::Named(schema) = &self.layout {
            facts.push(("feature_names", json(&schema.features())));
        }
        facts
    }
}

/// A file of a map alone, from `features` to `mapped`.
#[cfg(test)]
pub(super) fn map_alone(map: &crate::features::PreparedMap, width: usize) -> Vec<u8> {
    let mut graph = Graph::new(std::collections::HashSet::new());
    graph.rows(width, "features");
    graph.map(map, "features", "mapped");
    let shape = [builder::RECORDS, proto::Axis::Size(map.outputs())];
    let output = proto::value("mapped", proto::Type::Float, &shape);
    let graph = graph.message("map", &[output]);
    proto::model(&graph, &[("", graph::OPSET)], "a map", &[]).done()
}

fn json(value: &impl serde::Serialize) -> String {
    // Serialisation fails only for maps with unusual keys or for writers: there are none.
    serde_json::to_string(value).unwrap_or_default()
}

fn check_size(bytes: u64) -> Result<(), OnnxError> {
    match bytes > MOST_BYTES {
        true => Err(OnnxError {
            bytes,
            most: MOST_BYTES,
        }),
        false => Ok(()),
    }
}
