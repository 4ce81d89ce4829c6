//! `reticent fit`, end to end on small files.

mod run;
mod table;

use run::reticent;
use serde_json::Value;
use table::{Folder, SCHEMA, csv, libsvm, libsvm_values};

const PRIVACY: &str = "--epsilon 1 --delta 1e-6";

/// The JSON answer of a fit that must work; warnings may be on standard error.
fn fitted(arguments: &str) -> Value {
    let run = reticent(&format!("fit --json {arguments}"));
    assert_eq!(run.code, 0, "{arguments}\n{}", run.err);
    assert_eq!(run.out.lines().count(), 1, "{}", run.out);
    serde_json::from_str(&run.out).unwrap()
}

#[test]
fn a_libsvm_file_becomes_a_model_that_verifies() {
    let folder = Folder::new("libsvm");
    let (train, test) = (
        folder.write("train", &libsvm(20_000, 1)),
        folder.write("test", &libsvm(2_000, 2)),
    );
    let model = folder.at("model.json");
    let answer = fitted(&format!(
        "{train} --task logistic {PRIVACY} --rows linf=1 --test {test} --out {model}"
    ));
    assert_eq!(answer["n"], 20_000);
    assert_eq!(answer["d"], 10);
    let nnz = answer["nnz"].as_u64().unwrap();
    assert!((199_000..=200_000).contains(&nnz), "{nnz}");
    assert_eq!(answer["method"], "ight");
    assert!(answer["why"].is_string(), "auto says why: {answer}");
    assert_eq!(answer["task"], "logistic");
    assert_eq!(answer["adjacency"], "replace-one");
    assert_eq!(answer["private"], true);
    assert_eq!(answer["delta"], 1e-6);
    let epsilon = answer["epsilon"].as_f64().unwrap();
    assert!(epsilon > 0.9 && epsilon <= 1.0, "{epsilon}");
    assert!(answer["nonzero"].as_u64().unwrap() >= 1);
    assert!(answer["parameters"]["iterations"].as_u64().unwrap() >= 1);
    assert!(answer["parameters"]["gradient noise"].as_f64().unwrap() > 0.0);
    assert!(answer["accountant"].is_string());
    assert_eq!(answer["out"], model.as_str());
    assert!(answer["seconds"]["read"].as_f64().unwrap() >= 0.0);
    assert!(answer["seconds"]["fit"].as_f64().unwrap() >= 0.0);
    #[cfg(target_os = "linux")]
    assert!(answer["peak_memory_bytes"].as_u64().unwrap() > 1_000_000);
    // One feature decides, at n = 20 000 and ε = 1: far from 0.9 for any noise but a wrong one.
    assert!(answer["metrics"]["auc"].as_f64().unwrap() > 0.9, "{answer}");
    let note = answer["metrics_note"].as_str().unwrap();
    assert!(note.contains("not covered by the certificate"));
    let assumed = answer["assumed_public"].as_array().unwrap();
    assert_eq!(assumed.len(), 2, "columns and classes: {assumed:?}");
    assert_eq!(answer["warnings"].as_array().unwrap().len(), 0);

    let verified = reticent(&format!("verify {model}"));
    assert_eq!(verified.code, 0, "{}{}", verified.out, verified.err);
    assert_eq!(folder.names(), ["model.json", "test", "train"]);
}

#[test]
fn declared_columns_and_classes_are_not_assumed() {
    let folder = Folder::new("declared");
    let train = folder.write("train", &libsvm(500, 1));
    let answer = fitted(&format!(
        "{train} --task logistic {PRIVACY} --rows l2=1 --columns 12 --classes=-1,1 --out {}",
        folder.at("model.json")
    ));
    assert_eq!(answer["d"], 12);
    assert_eq!(answer["rows"], "l2=1");
    assert_eq!(answer["assumed_public"].as_array().unwrap().len(), 0);
    assert!(answer.get("metrics").is_none());
}

#[test]
fn a_number_of_weights_that_only_noise_could_find_is_not_claimed_to_be_found() {
    let folder = Folder::new("auto-without-noise");
    let train = folder.write("train", &libsvm(500, 1));
    let answer = fitted(&format!(
        "{train} --task logistic --epsilon inf --rows linf=1 --nonzero auto --out {}",
        folder.at("model.json")
    ));
    let why = answer["why"].as_str().unwrap();
    assert!(
        why.contains("auto compares weights with their noise"),
        "{why}"
    );
}

#[test]
fn a_table_with_names_is_read_through_its_schema() {
    let folder = Folder::new("csv");
    let train = folder.write("train.csv", &csv(20_000, 1));
    let test = folder.write("test.csv", &csv(2_000, 2));
    let schema = folder.write("schema.toml", SCHEMA);
    let model = folder.at("model.json");
    let run = reticent(&format!(
        "fit {train} --schema {schema} --task logistic {PRIVACY} --test {test} --out {model}"
    ));
    assert_eq!(run.code, 0, "{}", run.err);
    for word in [
        "logistic regression",
        "epsilon",
        "linf=1",
        "the schema maps features to [−1, 1]",
        "age",
        "favours class yes",
        "is not an odds ratio",
        "not covered by the certificate",
        "AUC",
        "reticent verify",
        "20000",
    ] {
        assert!(run.out.contains(word), "lacks {word}:\n{}", run.out);
    }
    assert_eq!(run.err, "");
    let own: Vec<&str> = run
        .out
        .lines()
        .filter(|line| !line.contains("fit-csv"))
        .collect();
    run::fits_80_columns(&own.join("\n"));
    let verified = reticent(&format!("verify {model}"));
    assert_eq!(verified.code, 0, "{}{}", verified.out, verified.err);
}

#[test]
fn a_number_is_fitted_within_its_range() {
    let folder = Folder::new("linear");
    let train = folder.write("train", &libsvm_values(20_000, 1));
    let test = folder.write("test", &libsvm_values(2_000, 2));
    let answer = fitted(&format!(
        "{train} --task linear {PRIVACY} --rows linf=1 --target-range -10,10 --test {test} \
         --out {}",
        folder.at("model.json")
    ));
    assert_eq!(answer["task"], "linear");
    let r2 = answer["metrics"]["r2"].as_f64().unwrap();
    assert!(r2 > 0.5, "{answer}");
}

#[test]
fn a_seed_repeats_the_model_and_is_called_not_private() {
    let folder = Folder::new("seed");
    let train = folder.write("train", &libsvm(1_000, 1));
    let fit = |name: &str, seed: &str| {
        let arguments = format!(
            "{train} --task logistic {PRIVACY} --rows linf=1 --method frank-wolfe --iterations 20 {seed} --out {}",
            folder.at(name)
        );
        let answer = fitted(&arguments);
        (answer, std::fs::read(folder.path(name)).unwrap())
    };
    let (answer, first) = fit("a.json", "--seed 7");
    assert_eq!(answer["private"], false);
    assert!(
        answer["warnings"][0]
            .as_str()
            .unwrap()
            .contains("NOT PRIVATE")
    );
    assert_eq!(fit("b.json", "--seed 7").1, first);
    assert_ne!(fit("c.json", "--seed 8").1, first);
    let (answer, secret) = fit("d.json", "");
    assert_eq!(answer["private"], true);
    assert_ne!(secret, first);

    let run = reticent(&format!(
        "fit {train} --task logistic {PRIVACY} --rows linf=1 --seed 7 --out {}",
        folder.at("e.json")
    ));
    assert!(run.err.contains("NOT PRIVATE"), "{}", run.err);
    assert!(run.out.contains("NOT PRIVATE"), "{}", run.out);
    let model = String::from_utf8(first).unwrap();
    assert!(model.contains("\"private\": false"), "{model}");
}

#[test]
fn under_add_remove_nothing_tells_the_number_of_records() {
    let folder = Folder::new("add-remove");
    let train = folder.write("train", &libsvm(1_234, 1));
    let arguments = format!(
        "{train} --task logistic {PRIVACY} --rows linf=1 --adjacency add-remove \
         --public-n 1000 --method frank-wolfe --iterations 20"
    );
    let answer = fitted(&format!("{arguments} --out {}", folder.at("a.json")));
    assert_eq!(answer["n"], 1000);
    assert_eq!(answer["adjacency"], "add-remove");
    for hidden in [
        &answer["nnz"],
        &answer["seconds"]["read"],
        &answer["seconds"]["fit"],
        &answer["peak_memory_bytes"],
    ] {
        assert!(hidden.is_null(), "{answer}");
    }
    let run = reticent(&format!("fit {arguments} --out {}", folder.at("b.json")));
    assert_eq!(run.code, 0, "{}", run.err);
    let model = std::fs::read_to_string(folder.path("b.json")).unwrap();
    for text in [&run.out, &run.err, &answer.to_string(), &model] {
        let mut numbers = text.split(|c: char| !c.is_ascii_digit() && c != '.');
        assert!(
            !numbers.any(|number| ["1234", "12340"].contains(&number)),
            "{text}"
        );
    }
    assert!(run.out.contains("stands for the number of records"));
}

#[test]
fn a_delta_that_allows_publishing_a_record_is_warned_of() {
    let folder = Folder::new("delta");
    let train = folder.write("train", &libsvm(500, 1));
    let fit = |delta: &str| {
        reticent(&format!(
            "fit {train} --task logistic --epsilon 1 --delta {delta} --rows linf=1 \
             --method frank-wolfe --iterations 10 --out {}",
            folder.at(delta)
        ))
    };
    let run = fit("0.002");
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(
        run.err.contains("delta = 0.002 is 1/n or more"),
        "{}",
        run.err
    );
    assert!(run.err.contains("4e-6"), "{}", run.err);
    assert_eq!(fit("0.00199").err, "");
}

#[test]
fn a_model_is_replaced_only_if_that_is_asked_for_and_with_a_warning() {
    let folder = Folder::new("replaced");
    let train = folder.write("train", &libsvm(500, 1));
    let fit = format!(
        "fit {train} --task logistic {PRIVACY} --rows linf=1 --method frank-wolfe --iterations 10 --out {}",
        folder.at("model.json")
    );
    assert_eq!(reticent(&fit).err, "");
    let model = std::fs::read(folder.path("model.json")).unwrap();
    let run = reticent(&fit);
    assert_eq!((run.code, run.out.as_str()), (1, ""));
    assert!(run.err.contains("nothing was read or spent"), "{}", run.err);
    assert!(run.err.contains("add --overwrite"), "{}", run.err);
    assert_eq!(std::fs::read(folder.path("model.json")).unwrap(), model);
    let run = reticent(&format!("{fit} --overwrite"));
    assert_eq!(run.code, 0);
    assert!(run.err.contains("stays spent"), "{}", run.err);
}

#[test]
fn no_progress_is_shown_in_a_pipe() {
    let folder = Folder::new("quiet");
    let train = folder.write("train", &libsvm(30_000, 1));
    let run = reticent(&format!(
        "fit {train} --task logistic {PRIVACY} --rows linf=1 --method frank-wolfe --iterations 1000 --out {}",
        folder.at("model.json")
    ));
    assert_eq!(run.code, 0, "{}", run.err);
    assert_eq!(run.err, "");
    assert!(!run.out.contains("Fitting") && !run.out.contains('\r'));
}
