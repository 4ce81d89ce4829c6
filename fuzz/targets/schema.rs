//! TOML of any kind is a schema or an error, and a schema reads back as it is written.
#![no_main]

use libfuzzer_sys::fuzz_target;
use reticent::table::Schema;

fuzz_target!(|text: &str| {
    match Schema::from_toml(text) {
        Ok(schema) => {
            let written = schema.to_toml();
            let again = Schema::from_toml(&written).expect("what is written is read back");
            assert_eq!(again, schema);
            assert_eq!(again.to_toml(), written);
        }
        // The message is made from the place of the fault in the text.
        Err(error) => assert!(!error.to_string().is_empty()),
    }
});
