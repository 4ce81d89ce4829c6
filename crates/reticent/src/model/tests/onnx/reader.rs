//! A reader of protobuf. Written from its specification and that of ONNX, not from the code under
//! test.

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
