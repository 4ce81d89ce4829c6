//! A stream that says it is compressed, and may be damaged, is a table or an error.
#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;
use reticent::table::{Reading, WantedTarget, read_libsvm};

fuzz_target!(|input: &[u8]| {
    let reading = Reading {
        wanted: WantedTarget::Nothing,
        columns: None,
        zero_based: false,
        schema: None,
        progress: &|_, _| {},
    };
    // Either answer is right; that there is one is the promise.
    let _ = read_libsvm(input, Path::new("input"), &reading);
});
