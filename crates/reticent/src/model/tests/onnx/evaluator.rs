//! The operators that our graphs use, on tensors of doubles. Written from the specification of
//! ONNX, not from the code under test.

use std::collections::HashMap;

use super::reader::{all, ints, one, text};
use super::tensor::{Tensor, joint};

/// The constants of a graph: numbers, and texts.
fn constants(graph: &[u8]) -> (HashMap<String, Tensor>, HashMap<String, Vec<String>>) {
    let (mut numbers, mut texts) = (HashMap::new(), HashMap::new());
    for tensor in all(graph, 5) {
        let name = text(one(tensor, 8));
        let shape: Vec<usize> = ints(tensor, 1).iter().map(|&size| size as usize).collect();
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
        let tensor = Tensor::new(&shape, read);
        assert!(numbers.insert(name, tensor).is_none());
    }
    (numbers, texts)
}

/// What a graph makes of features: all numbers in it by name, and the labels if there are any.
pub fn evaluated(file: &[u8], features: Tensor) -> (HashMap<String, Tensor>, Vec<String>) {
    let graph = one(file, 7);
    let (mut known, texts) = constants(graph);
    assert!(known.insert("features".to_owned(), features).is_none());
    let labels = run(graph, &mut known, &texts);
    (known, labels)
}

/// Adds what the nodes of a graph compute; the labels, if there are any.
fn run(
    graph: &[u8],
    known: &mut HashMap<String, Tensor>,
    texts: &HashMap<String, Vec<String>>,
) -> Vec<String> {
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
        let attributes: HashMap<String, Attribute> =
            all(node, 5).into_iter().map(attribute).collect();
        let result = match attributes.get("body") {
            Some(body) => scanned(&body.graph, &known[&names[0]], known),
            None => {
                let inputs: Vec<&Tensor> = names.iter().map(|name| &known[name]).collect();
                applied(&operator, &inputs, &attributes)
            }
        };
        assert!(known.insert(output, result).is_none());
    }
    labels
}

/// One integer or several, or a graph.
struct Attribute {
    integers: Vec<i64>,
    graph: Vec<u8>,
}

fn attribute(message: &[u8]) -> (String, Attribute) {
    let value = Attribute {
        integers: [ints(message, 3), ints(message, 8)].concat(),
        graph: all(message, 6).concat(),
    };
    (text(one(message, 1)), value)
}

/// `Scan`: what a graph makes of each row, beside all that is known outside.
fn scanned(body: &[u8], rows: &Tensor, known: &HashMap<String, Tensor>) -> Tensor {
    let end = |field| text(one(one(body, field), 1));
    let (row, result) = (end(11), end(12));
    let [count, width] = rows.shape[..] else {
        panic!("{:?}", rows.shape);
    };
    let mut numbers = Vec::new();
    for i in 0..count {
        let mut inside = known.clone();
        inside.insert(row.clone(), Tensor::new(&[width], rows.row(i).to_vec()));
        run(body, &mut inside, &HashMap::new());
        numbers.extend_from_slice(&inside[&result].numbers);
    }
    Tensor::new(&[count, numbers.len() / count], numbers)
}

/// An operator, of those types that our graphs give it: all are within f64, and flags are 0 or 1.
fn applied(operator: &str, inputs: &[&Tensor], attributes: &HashMap<String, Attribute>) -> Tensor {
    let first = inputs[0];
    let flag = |holds: bool| f64::from(u8::from(holds));
    let sigmoid = |x: f64| 1.0 / (1.0 + (-x).exp());
    let axis = || attributes["axis"].integers[0] as usize;
    match operator {
        "Cast" | "Identity" => first.clone(),
        "Abs" => first.map(f64::abs),
        "Sign" => first.map(|x| if x == 0.0 { 0.0 } else { x.signum() }),
        "Floor" => first.map(f64::floor),
        "Sqrt" => first.map(f64::sqrt),
        "Cos" => first.map(f64::cos),
        "Relu" => first.map(|x| x.max(0.0)),
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
        "Clip" => first.with(inputs[1], f64::max).with(inputs[2], f64::min),
        "Where" => {
            let shape = joint(&inputs[1].shape, &inputs[2].shape);
            let shape = joint(&first.shape, &shape);
            let [choices, yes, no] = [0, 1, 2].map(|k: usize| inputs[k].stretched(&shape).numbers);
            let pick = |at: usize| if choices[at] != 0.0 { yes[at] } else { no[at] };
            Tensor::new(&shape, (0..choices.len()).map(pick).collect())
        }
        "CumSum" => first.along(inputs[1].numbers[0] as usize, |row| {
            let add = |sum: &mut f64, x: &f64| {
                *sum += x;
                Some(*sum)
            };
            row.iter().scan(0.0, add).collect()
        }),
        "Softmax" => first.along(axis(), |row| {
            let top = largest(row);
            let total: f64 = row.iter().map(|x| (x - top).exp()).sum();
            row.iter().map(|x| (x - top).exp() / total).collect()
        }),
        "Gather" => first.along(axis(), |line| {
            let chosen = &inputs[1].numbers;
            chosen.iter().map(|&j| line[j as usize]).collect()
        }),
        "ArgMax" => {
            let place = |row: &[f64]| row.iter().position(|&x| x == largest(row)).unwrap();
            let places = first.along(axis(), |row| vec![place(row) as f64]);
            places.without_axis(axis())
        }
        "Squeeze" => first.clone().without_axis(inputs[1].numbers[0] as usize),
        "Reshape" => first.reshaped(&inputs[1].numbers),
        "Transpose" => first.transposed(&attributes["perm"].integers),
        "Concat" => Tensor::joined(inputs, axis()),
        "MatMul" => first.product(inputs[1]),
        "Conv" => first.convolved(inputs[1]),
        reduce => {
            let axis = inputs[1].numbers[0] as usize;
            let reduced = first.along(axis, |line| vec![reduced(reduce, line)]);
            match attributes
                .get("keepdims")
                .map(|attribute| attribute.integers[0])
            {
                Some(0) => reduced.without_axis(axis),
                _ => reduced,
            }
        }
    }
}

fn largest(row: &[f64]) -> f64 {
    row.iter().copied().fold(f64::NEG_INFINITY, f64::max)
}

/// One number of several.
fn reduced(operator: &str, line: &[f64]) -> f64 {
    match operator {
        "ReduceMax" => largest(line),
        "ReduceMin" => line.iter().copied().fold(f64::INFINITY, f64::min),
        "ReduceSum" => line.iter().rev().sum(),
        "ReduceMean" => line.iter().sum::<f64>() / line.len() as f64,
        "ReduceL2" => line.iter().map(|x| x * x).sum::<f64>().sqrt(),
        other => panic!("the operator {other}"),
    }
}
