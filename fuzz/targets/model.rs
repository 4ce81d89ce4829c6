//! JSON of any kind is a model or an error; a model reads back as it is written, and whatever
//! its certificate says can be checked.
#![no_main]

use libfuzzer_sys::fuzz_target;
use reticent::model::Model;

/// The accountants take their time with many different releases.
const MOST_CHARGES: usize = 3;

fuzz_target!(|text: &[u8]| {
    let Ok(model) = Model::from_json(text) else {
        return;
    };
    let written = model.to_json();
    let again = Model::from_json(written.as_bytes()).expect("what is written is read back");
    assert_eq!(again, model);
    assert_eq!(again.to_json(), written);
    let certificate = model.certificate();
    if certificate.statement.charges.len() <= MOST_CHARGES {
        assert!(!certificate.verify().checks.is_empty());
    }
});
