//! `reticent export`: what it writes and what it refuses. That onnxruntime predicts the same is
//! checked by `cargo xtask test`.

mod run;
mod table;

use run::{Run, fits_80_columns, reticent};
use table::{Folder, SCHEMA, csv, libsvm, libsvm_values};

/// Fits a table of 400 records; the path of the model.
fn fitted(folder: &Folder, name: &str, content: &str, arguments: &str) -> String {
    let (data, out) = (folder.write(name, content), folder.at("model.json"));
    let fit = reticent(&format!("fit {data} --delta 1e-6 --out {out} {arguments}"));
    assert_eq!(fit.code, 0, "{}", fit.err);
    out
}

fn exported(model: &str, onnx: &str) -> String {
    let Run { code, out, err } = reticent(&format!("export {model} --overwrite --onnx {onnx}"));
    assert_eq!((code, err.as_str()), (0, ""));
    out
}

/// Whether a file has these bytes somewhere.
fn has(file: &[u8], text: &str) -> bool {
    file.windows(text.len())
        .any(|window| window == text.as_bytes())
}

#[test]
fn a_model_is_exported_with_its_promise() {
    let folder = Folder::new("export");
    let arguments = "--task logistic --epsilon 1 --rows linf=1";
    let model = fitted(&folder, "data.svm", &libsvm(400, 1), arguments);
    let onnx = folder.at("model.onnx");
    let said = exported(&model, &onnx);
    let file = std::fs::read(&onnx).unwrap();
    let first = format!("{} bytes of ONNX written to {onnx}", file.len());
    assert!(said.starts_with(&first), "{said}");
    for words in ["[records, 10]", "[records, 2]", "A private model   ε = "] {
        assert!(said.contains(words), "{said}");
    }
    fits_80_columns(said.split_once('\n').unwrap().1);
    assert!(has(&file, "features") && has(&file, "under differential privacy"));
    // A second export replaces the first, with the same bytes, and leaves nothing else behind.
    exported(&model, &onnx);
    assert_eq!(std::fs::read(&onnx).unwrap(), file);
    assert_eq!(folder.names(), ["data.svm", "model.json", "model.onnx"]);
}

#[test]
fn a_model_that_is_not_private_says_so_and_numbers_are_values() {
    let folder = Folder::new("export-numbers");
    let arguments = "--task linear --target-range=-10,10 --epsilon inf --rows l2=1";
    let model = fitted(&folder, "data.svm", &libsvm_values(400, 1), arguments);
    let onnx = folder.at("model.onnx");
    let said = exported(&model, &onnx);
    assert!(
        said.contains("NOT PRIVATE") && said.contains("values"),
        "{said}"
    );
    let file = std::fs::read(&onnx).unwrap();
    assert!(has(&file, "NOT PRIVATE, without any guarantee"));
}

#[test]
fn with_a_schema_the_inputs_are_its_columns() {
    let folder = Folder::new("export-schema");
    let schema = folder.write("schema.toml", SCHEMA);
    let arguments = format!("--task logistic --epsilon 5 --schema {schema}");
    let model = fitted(&folder, "table.csv", &csv(400, 1), &arguments);
    let onnx = folder.at("model.onnx");
    let said = exported(&model, &onnx);
    for words in ["each column    raw      [records, 1]", "feature_names"] {
        assert!(said.contains(words), "{said}");
    }
    fits_80_columns(said.split_once('\n').unwrap().1);
    let file = std::fs::read(&onnx).unwrap();
    assert!(has(&file, r#"["age","#) && has(&file, r#"["no","yes"]"#));
}

#[test]
fn what_cannot_be_exported_is_refused_and_nothing_is_written() {
    let folder = Folder::new("export-refused");
    let model = folder.write("model.json", "{}");
    let refused = |arguments: &str, code: i32, words: &[&str]| {
        let run = reticent(&format!("export {arguments}"));
        assert_eq!((run.code, run.out.as_str()), (code, ""), "{}", run.err);
        for word in words {
            assert!(run.err.contains(word), "lacks {word}\n{}", run.err);
        }
    };
    refused(&model, 2, &["--onnx FILE", "onnxruntime"]);
    refused(
        &format!("{model} --onnx {model}"),
        1,
        &["would be replaced; choose another --onnx"],
    );
    let onnx = folder.at("model.onnx");
    refused(&format!("{model} --onnx {onnx}"), 1, &["it is not a model"]);
    let absent = folder.at("absent.json");
    refused(&format!("{absent} --onnx {onnx}"), 1, &["absent.json"]);
    assert_eq!(folder.names(), ["model.json"]);
    assert_eq!(std::fs::read(&model).unwrap(), b"{}");
}

#[test]
fn the_help_teaches_and_fits_the_screen() {
    for form in ["-h", "--help"] {
        let help = reticent(&format!("export {form}")).out;
        assert!(help.contains("onnxruntime.InferenceSession"), "{help}");
        fits_80_columns(&help);
    }
}
