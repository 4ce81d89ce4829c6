//! The few messages of `onnx.proto` that a linear model needs, as protobuf.
//!
//! A message is a sequence of fields; a field is its number and kind as a varint, then a varint, or
//! a length and as many bytes. Numbers of fields and types are those of `onnx.proto` (IR version
//! 8).

/// A message under construction.
#[derive(Default)]
pub(super) struct Message(Vec<u8>);

/// What the entries of a tensor are: `TensorProto.DataType`.
#[derive(Clone, Copy)]
pub(super) enum Type {
    Float = 1,
    Int64 = 7,
    Text = 8,
    Bool = 9,
    Double = 11,
}

/// An axis of a tensor: of a stated size, or of any, by a name.
#[derive(Clone, Copy)]
pub(super) enum Axis {
    Size(usize),
    Any(&'static str),
}

impl Message {
    /// With a field of kind 0, a varint. Negative numbers are their two's complement.
    pub fn int(mut self, field: u8, value: i64) -> Self {
        self.varint(u64::from(field) << 3);
        self.varint(value as u64);
        self
    }

    /// With a field of kind 2: a length, and as many bytes.
    pub fn bytes(mut self, field: u8, value: &[u8]) -> Self {
        self.varint(u64::from(field) << 3 | 2);
        self.varint(value.len() as u64);
        self.0.extend_from_slice(value);
        self
    }

    /// With a text.
    pub fn text(self, field: u8, value: &str) -> Self {
        self.bytes(field, value.as_bytes())
    }

    /// With a message.
    pub fn message(self, field: u8, value: &Self) -> Self {
        self.bytes(field, &value.0)
    }

    /// With a message for each of these.
    pub fn messages(self, field: u8, values: &[Self]) -> Self {
        (values.iter()).fold(self, |message, value| message.message(field, value))
    }

    /// What was written.
    pub fn done(self) -> Vec<u8> {
        self.0
    }

    /// Seven bits per byte, the lowest first; the eighth says that more follow.
    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }
}

/// `ModelProto`: ir_version 1, producer_name 2, producer_version 3, doc_string 6, graph 7,
/// opset_import 8 (`OperatorSetIdProto`: domain 1, version 2), metadata_props 14
/// (`StringStringEntryProto`: key 1, value 2).
pub(super) fn model(
    graph: &Message,
    operators_of: &[(&str, i64)],
    about: &str,
    facts: &[(&str, String)],
) -> Message {
    let operators = |&(domain, version): &(&str, i64)| {
        let operators = Message::default().text(1, domain);
        operators.int(2, version)
    };
    let operators: Vec<Message> = operators_of.iter().map(operators).collect();
    let fact = |(key, value): &(&str, String)| Message::default().text(1, key).text(2, value);
    let facts: Vec<Message> = facts.iter().map(fact).collect();
    Message::default()
        .int(1, 8)
        .text(2, "reticent")
        .text(3, env!("CARGO_PKG_VERSION"))
        .text(6, about)
        .message(7, graph)
        .messages(8, &operators)
        .messages(14, &facts)
}

/// `GraphProto`: node 1, name 2, initializer 5, input 11, output 12.
pub(super) fn graph(
    name: &str,
    nodes: &[Message],
    constants: &[Message],
    inputs: &[Message],
    outputs: &[Message],
) -> Message {
    Message::default()
        .messages(1, nodes)
        .text(2, name)
        .messages(5, constants)
        .messages(11, inputs)
        .messages(12, outputs)
}

/// `NodeProto`: input 1, output 2, name 3, op_type 4, attribute 5 (`AttributeProto`: name 1, i 3,
/// type 20, where 2 is an integer). It is named after its output.
pub(super) fn node(
    operator: &str,
    inputs: &[&str],
    output: &str,
    attributes: &[(&str, i64)],
) -> Message {
    let node = (inputs.iter()).fold(Message::default(), |node, input| node.text(1, input));
    let attribute =
        |&(name, value): &(&str, i64)| Message::default().text(1, name).int(3, value).int(20, 2);
    let attributes: Vec<Message> = attributes.iter().map(attribute).collect();
    node.text(2, output)
        .text(3, output)
        .text(4, operator)
        .messages(5, &attributes)
}

/// The operators of classical learning, of which [`look_up`] is one.
pub(super) const LOOK_UP_DOMAIN: &str = "ai.onnx.ml";

/// `LabelEncoder`: the number of each text, or `other`. The domain of a node is its field 7; a list of
/// texts is field 9 and type 8 of an attribute, one of integers 8 and 7.
pub(super) fn look_up(input: &str, keys: &[(String, i64)], other: i64, output: &str) -> Message {
    let attribute = |name, kind| Message::default().text(1, name).int(20, kind);
    let texts = (keys.iter()).fold(attribute("keys_strings", 8), |list, (key, _)| {
        list.text(9, key)
    });
    let places = (keys.iter()).fold(attribute("values_int64s", 7), |list, &(_, place)| {
        list.int(8, place)
    });
    let other = attribute("default_int64", 2).int(3, other);
    node("LabelEncoder", &[input], output, &[])
        .messages(5, &[texts, places, other])
        .text(7, LOOK_UP_DOMAIN)
}

/// `Transpose`: its attribute is a list of integers, field 8 and type 7.
pub(super) fn transpose(input: &str, order: &[i64], output: &str) -> Message {
    let axes = Message::default().text(1, "perm").int(20, 7);
    let axes = (order.iter()).fold(axes, |axes, &axis| axes.int(8, axis));
    node("Transpose", &[input], output, &[]).message(5, &axes)
}

/// `Scan` over the rows of one tensor: its attribute `body` is a graph, field 6 and type 5.
pub(super) fn scan(input: &str, body: &Message, output: &str) -> Message {
    let body = Message::default()
        .text(1, "body")
        .message(6, body)
        .int(20, 5);
    node("Scan", &[input], output, &[("num_scan_inputs", 1)]).message(5, &body)
}

/// The field of `ValueInfoProto` that says what the value is.
pub(super) const ABOUT_VALUE: u8 = 3;

/// `TensorProto` of numbers: dims 1, data_type 2, name 8, raw_data 9, which is little-endian.
pub(super) fn numbers(name: &str, kind: Type, shape: &[usize], raw: &[u8]) -> Message {
    tensor(name, kind, shape).bytes(9, raw)
}

/// `TensorProto` of a row of texts: string_data 6.
pub(super) fn texts<'a>(
    name: &str,
    values: impl ExactSizeIterator<Item = &'a str> + Clone,
) -> Message {
    let tensor = tensor(name, Type::Text, &[values.len()]);
    values.fold(tensor, |tensor, value| tensor.text(6, value))
}

fn tensor(name: &str, kind: Type, shape: &[usize]) -> Message {
    (shape.iter())
        .fold(Message::default(), |tensor, &size| {
            tensor.int(1, size as i64)
        })
        .int(2, kind as i64)
        .text(8, name)
}

/// `ValueInfoProto`: name 1, type 2 (`TypeProto`: tensor_type 1, of which elem_type 1 and shape 2;
/// `TensorShapeProto`: dim 1, of which dim_value 1 or dim_param 2).
pub(super) fn value(name: &str, kind: Type, shape: &[Axis]) -> Message {
    let axis = |&axis: &Axis| match axis {
        Axis::Size(size) => Message::default().int(1, size as i64),
        Axis::Any(name) => Message::default().text(2, name),
    };
    let axes: Vec<Message> = shape.iter().map(axis).collect();
    let shape = Message::default().messages(1, &axes);
    let tensor = Message::default().int(1, kind as i64).message(2, &shape);
    Message::default()
        .text(1, name)
        .message(2, &Message::default().message(1, &tensor))
}
