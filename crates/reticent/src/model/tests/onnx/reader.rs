//! A reader of protobuf, and the operators that our graphs use: on numbers in rows and columns,
//! which broadcast. Written from the specification of ONNX, not from the code under test.

use std::collections::HashMap;

/// A field of a message: its number, and what is in it.
pub enum Field<'a> {
    Int(u64),
    Bytes(&'a [u8]),
}

fn varint(bytes: &mut &[u8]) -> u64 {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = bytes.split_first().unwrap();
        *bytes = rest;
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return value;
        }
    }
    panic!("a varint of more than ten bytes");
}

/// The fields of a message, in order.
pub fn fields(mut bytes: &[u8]) -> Vec<(u64, Field<'_>)> {
    let mut fields = Vec::new();
    while !bytes.is_empty() {
        let key = varint(&mut bytes);
        let field = match key & 7 {
            0 => Field::Int(varint(&mut bytes)),
            2 => {
                let length = varint(&mut bytes) as usize;
                let (content, rest) = bytes.split_at(length);
                bytes = rest;
                Field::Bytes(content)
            }
            kind => panic!("a field of kind {kind}"),
        };
        fields.push((key >> 3, field));
    }
    fields
}

/// The contents of all fields of this number.
pub fn all(message: &[u8], number: u64) -> Vec<&[u8]> {
    let content = |(field, content)| match content {
        Field::Bytes(bytes) if field == number => Some(bytes),
        _ => None,
    };
    fields(message).into_iter().filter_map(content).collect()
}

/// The content of the only field of this number.
pub fn one(message: &[u8], number: u64) -> &[u8] {
    let all = all(message, number);
    assert_eq!(all.len(), 1, "field {number}");
    all[0]
}

/// The integers of this number.
pub fn ints(message: &[u8], number: u64) -> Vec<i64> {
    let content = |(field, content)| match content {
        Field::Int(value) if field == number => Some(value as i64),
        _ => None,
    };
    fields(message).into_iter().filter_map(content).collect()
}

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// The metadata of a file.
pub fn metadata(file: &[u8]) -> HashMap<String, String> {
    let entry = |entry: &[u8]| (text(one(entry, 1)), text(one(entry, 2)));
    all(file, 14).into_iter().map(entry).collect()
}

/// Numbers in rows and columns; a vector is one row.
#[derive(Debug, Clone, PartialEq)]
pub struct Grid {
    pub rows: usize,
    pub columns: usize,
    pub numbers: Vec<f64>,
}

impl Grid {
    fn at(&self, i: usize, j: usize) -> f64 {
        let place = |size: usize, k: usize| if size == 1 { 0 } else { k };
        self.numbers[place(self.rows, i) * self.columns + place(self.columns, j)]
    }

    fn of(rows: usize, columns: usize, number: impl Fn(usize, usize) -> f64) -> Self {
        let number = &number;
        let row = |i| (0..columns).map(move |j| number(i, j));
        Self {
            rows,
            columns,
            numbers: (0..rows).flat_map(row).collect(),
        }
    }

    fn map(&self, function: impl Fn(f64) -> f64) -> Self {
        Self::of(self.rows, self.columns, |i, j| function(self.at(i, j)))
    }

    fn with(&self, other: &Self, function: impl Fn(f64, f64) -> f64) -> Self {
        let (rows, columns) = self.joint(other);
        Self::of(rows, columns, |i, j| {
            function(self.at(i, j), other.at(i, j))
        })
    }

    fn joint(&self, other: &Self) -> (usize, usize) {
        let size = |one: usize, other: usize| {
            assert!(one == other || one == 1 || other == 1);
            one.max(other)
        };
        (
            size(self.rows, other.rows),
            size(self.columns, other.columns),
        )
    }

    pub fn row(&self, i: usize) -> &[f64] {
        &self.numbers[i * self.columns..(i + 1) * self.columns]
    }

    /// Each row as one row of others.
    fn by_row(&self, function: impl Fn(&[f64]) -> Vec<f64>) -> Self {
        let rows: Vec<Vec<f64>> = (0..self.rows).map(|i| function(self.row(i))).collect();
        Self {
            rows: self.rows,
            columns: rows[0].len(),
            numbers: rows.concat(),
        }
    }
}

/// The constants of a graph: numbers, and texts.
fn constants(graph: &[u8]) -> (HashMap<String, Grid>, HashMap<String, Vec<String>>) {
    let (mut numbers, mut texts) = (HashMap::new(), HashMap::new());
    for tensor in all(graph, 5) {
        let name = text(one(tensor, 8));
        let shape: Vec<usize> = ints(tensor, 1).iter().map(|&size| size as usize).collect();
        let (rows, columns) = match shape[..] {
            [] => (1, 1),
            [columns] => (1, columns),
            [rows, columns] => (rows, columns),
            _ => panic!("{shape:?}"),
        };
        let kind = ints(tensor, 2)[0];
        if kind == 8 {
            texts.insert(name, all(tensor, 6).into_iter().map(text).collect());
            continue;
        }
        let raw = one(tensor, 9);
        let read: Vec<f64> = match kind {
            1 => (raw.chunks_exact(4))
                .map(|x| f64::from(f32::from_le_bytes(x.try_into().unwrap())))
                .collect(),
            7 => (raw.chunks_exact(8))
                .map(|x| i64::from_le_bytes(x.try_into().unwrap()) as f64)
                .collect(),
            11 => (raw.chunks_exact(8))
                .map(|x| f64::from_le_bytes(x.try_into().unwrap()))
                .collect(),
            _ => panic!("a tensor of type {kind}"),
        };
        assert_eq!(read.len(), rows * columns, "{name}");
        let grid = Grid {
            rows,
            columns,
            numbers: read,
        };
        assert!(numbers.insert(name, grid).is_none());
    }
    (numbers, texts)
}

/// What a graph makes of features: all numbers in it by name, and the labels if there are any.
pub fn evaluated(file: &[u8], features: Grid) -> (HashMap<String, Grid>, Vec<String>) {
    let graph = one(file, 7);
    let (mut known, texts) = constants(graph);
    assert!(known.insert("features".to_owned(), features).is_none());
    let mut labels = Vec::new();
    for node in all(graph, 1) {
        let (operator, output) = (text(one(node, 4)), text(one(node, 2)));
        let names: Vec<String> = all(node, 1).into_iter().map(text).collect();
        if output == "label" {
            assert_eq!(operator, "Gather");
            let classes = known[&names[1]].numbers.iter();
            labels = classes
                .map(|&k| texts[&names[0]][k as usize].clone())
                .collect();
            continue;
        }
        let inputs: Vec<&Grid> = names.iter().map(|name| &known[name]).collect();
        let result = applied(&operator, &inputs);
        assert!(known.insert(output, result).is_none());
    }
    (known, labels)
}

/// An operator, with the axes and types that our graphs give it.
fn applied(operator: &str, inputs: &[&Grid]) -> Grid {
    let first = inputs[0];
    let flag = |holds: bool| f64::from(u8::from(holds));
    let sigmoid = |x: f64| 1.0 / (1.0 + (-x).exp());
    let largest = |row: &[f64]| row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    match operator {
        // All our types are within f64, and the flags that are cast are 0 or 1.
        "Cast" | "Squeeze" => first.clone(),
        "Abs" => first.map(f64::abs),
        "Sign" => first.map(|x| if x == 0.0 { 0.0 } else { x.signum() }),
        "Floor" => first.map(f64::floor),
        "Sqrt" => first.map(f64::sqrt),
        "Neg" => first.map(|x| -x),
        "Sigmoid" => first.map(sigmoid),
        "Add" => first.with(inputs[1], |x, y| x + y),
        "Sub" => first.with(inputs[1], |x, y| x - y),
        "Mul" => first.with(inputs[1], |x, y| x * y),
        "Div" => first.with(inputs[1], |x, y| x / y),
        "Max" => first.with(inputs[1], f64::max),
        "Min" => first.with(inputs[1], f64::min),
        "Greater" => first.with(inputs[1], |x, y| flag(x > y)),
        "LessOrEqual" => first.with(inputs[1], |x, y| flag(x <= y)),
        "Clip" => first.map(|x| x.clamp(inputs[1].at(0, 0), inputs[2].at(0, 0))),
        "Where" => {
            let (rows, columns) = inputs[1].joint(inputs[2]);
            Grid::of(rows, columns, |i, j| match first.at(i, j) != 0.0 {
                true => inputs[1].at(i, j),
                false => inputs[2].at(i, j),
            })
        }
        "ReduceMax" => first.by_row(|row| vec![largest(row)]),
        "ReduceMin" => {
            first.by_row(|row| vec![-largest(&row.iter().map(|x| -x).collect::<Vec<_>>())])
        }
        "CumSum" => first.by_row(|row| {
            let add = |sum: &mut f64, x: &f64| {
                *sum += x;
                Some(*sum)
            };
            row.iter().scan(0.0, add).collect()
        }),
        "ReduceSum" => first.by_row(|row| vec![row.iter().rev().sum()]),
        "ArgMax" => first.by_row(|row| {
            let top = largest(row);
            vec![row.iter().position(|&x| x == top).unwrap() as f64]
        }),
        "Softmax" => first.by_row(|row| {
            let top = largest(row);
            let total: f64 = row.iter().map(|x| (x - top).exp()).sum();
            row.iter().map(|x| (x - top).exp() / total).collect()
        }),
        "Gather" => {
            let chosen = &inputs[1].numbers;
            first.by_row(|row| chosen.iter().map(|&j| row[j as usize]).collect())
        }
        "Concat" => Grid::of(first.rows, 2, |i, j| inputs[j].at(i, 0)),
        "MatMul" => {
            assert_eq!(first.columns, inputs[1].rows);
            Grid::of(first.rows, inputs[1].columns, |i, j| {
                (0..first.columns)
                    .map(|k| first.at(i, k) * inputs[1].at(k, j))
                    .sum()
            })
        }
        other => panic!("the operator {other}"),
    }
}
