//! A graph under construction: its inputs, nodes and constants, each with a name of its own.

use std::collections::HashSet;
use std::mem;

use super::proto::{self, Axis, Message, Type};

/// A graph under construction: every name is that of the node that computes it.
pub(in crate::model) struct Graph<'a> {
    /// What is given to it from outside.
    inputs: Vec<Message>,
    /// The names of columns, which no node may have.
    taken: HashSet<&'a str>,
    nodes: Vec<Message>,
    constants: Vec<Message>,
}

/// As many records as are given.
pub(super) const RECORDS: Axis = Axis::Any("records");

/// What the input of a model without a schema is called.
pub(super) const ROWS: &str = "features";

impl<'a> Graph<'a> {
    /// Without nodes, whose names will not be among those that are taken.
    pub(super) fn new(taken: HashSet<&'a str>) -> Self {
        let mut graph = Self {
            inputs: Vec::new(),
            taken,
            nodes: Vec::new(),
            constants: Vec::new(),
        };
        graph.integers("columns_axis", &[1]);
        graph
    }

    /// What it has become.
    pub(super) fn message(self, name: &str, outputs: &[Message]) -> Message {
        proto::graph(name, &self.nodes, &self.constants, &self.inputs, outputs)
    }

    /// The name of a node or a constant: another one where a column is called so.
    pub(super) fn own(&self, name: &str) -> String {
        let mut name = name.to_owned();
        while self.taken.contains(name.as_str()) {
            name.push('_');
        }
        name
    }

    /// Declares a column as an input of one value per record, and gives it a name of the graph.
    pub(super) fn input(&mut self, column: &str, kind: Type, about: &str, name: &str) {
        let shape = [RECORDS, Axis::Size(1)];
        let input = proto::value(column, kind, &shape).text(proto::ABOUT_VALUE, about);
        self.inputs.push(input);
        let name = self.own(name);
        self.nodes
            .push(proto::node("Identity", &[column], &name, &[]));
    }

    /// Declares the input `features` of so many numbers per record, and gives it a name of the
    /// graph.
    pub(super) fn rows(&mut self, width: usize, name: &str) {
        let shape = [RECORDS, Axis::Size(width)];
        self.inputs.push(proto::value(ROWS, Type::Float, &shape));
        let name = self.own(name);
        if name != ROWS {
            self.nodes
                .push(proto::node("Identity", &[ROWS], &name, &[]));
        }
    }

    /// The nodes that `body` adds are applied to each row of `input` by itself: they compute `to`
    /// from `from`, both of which are one row of this many numbers. Constants are shared.
    pub(super) fn each_row(
        &mut self,
        input: &str,
        [from, to]: [(&str, usize); 2],
        output: &str,
        body: impl FnOnce(&mut Self),
    ) {
        let outside = mem::take(&mut self.nodes);
        body(self);
        let nodes = mem::replace(&mut self.nodes, outside);
        let row = |(name, width): (&str, usize)| {
            proto::value(&self.own(name), Type::Float, &[Axis::Size(width)])
        };
        let body = proto::graph("row", &nodes, &[], &[row(from)], &[row(to)]);
        let node = proto::scan(&self.own(input), &body, &self.own(output));
        self.nodes.push(node);
    }

    pub(in crate::model) fn node(&mut self, operator: &str, inputs: &[&str], output: &str) {
        self.node_with(operator, inputs, output, &[]);
    }

    /// A node that finds the place of each text among lists of keys, or `other`.
    pub(super) fn look_up(
        &mut self,
        input: &str,
        keys: &[(String, i64)],
        other: i64,
        output: &str,
    ) {
        let (input, output) = (self.own(input), self.own(output));
        self.nodes
            .push(proto::look_up(&input, keys, other, &output));
    }

    pub(super) fn node_with(
        &mut self,
        operator: &str,
        inputs: &[&str],
        output: &str,
        attributes: &[(&str, i64)],
    ) {
        let inputs: Vec<String> = inputs.iter().map(|name| self.own(name)).collect();
        let inputs: Vec<&str> = inputs.iter().map(String::as_str).collect();
        let node = proto::node(operator, &inputs, &self.own(output), attributes);
        self.nodes.push(node);
    }

    /// Reduces each row to one number.
    pub(super) fn reduce(&mut self, operator: &str, input: &str, output: &str) {
        self.node_with(
            operator,
            &[input, "columns_axis"],
            output,
            &[("keepdims", 1)],
        );
    }

    pub(super) fn cast(&mut self, input: &str, output: &str, to: Type) {
        self.node_with("Cast", &[input], output, &[("to", to as i64)]);
    }

    /// Exchanges axes: the first of the output is the first of `order`, and so on.
    pub(super) fn transpose(&mut self, input: &str, order: &[i64], output: &str) {
        let (input, output) = (self.own(input), self.own(output));
        self.nodes.push(proto::transpose(&input, order, &output));
    }

    /// A constant of doubles; a single number has no axis.
    pub(in crate::model) fn doubles(&mut self, name: &str, shape: &[usize], values: &[f64]) {
        let raw: Vec<u8> = values.iter().flat_map(|x| x.to_le_bytes()).collect();
        self.constant(name, Type::Double, shape, &raw);
    }

    /// A constant of floats; a single number has no axis.
    pub(super) fn floats(&mut self, name: &str, shape: &[usize], values: &[f32]) {
        let raw: Vec<u8> = values.iter().flat_map(|x| x.to_le_bytes()).collect();
        self.constant(name, Type::Float, shape, &raw);
    }

    pub(super) fn integers(&mut self, name: &str, values: &[i64]) {
        let raw: Vec<u8> = values.iter().flat_map(|x| x.to_le_bytes()).collect();
        self.constant(name, Type::Int64, &[values.len()], &raw);
    }

    /// A single integer, which has no axis.
    pub(super) fn integer(&mut self, name: &str, value: i64) {
        self.constant(name, Type::Int64, &[], &value.to_le_bytes());
    }

    pub(super) fn texts<'t>(
        &mut self,
        name: &str,
        values: impl ExactSizeIterator<Item = &'t str> + Clone,
    ) {
        let constant = proto::texts(&self.own(name), values);
        self.constants.push(constant);
    }

    fn constant(&mut self, name: &str, kind: Type, shape: &[usize], raw: &[u8]) {
        let constant = proto::numbers(&self.own(name), kind, shape, raw);
        self.constants.push(constant);
    }
}
