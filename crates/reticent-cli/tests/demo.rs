//! `reticent demo`: it teaches, and leaves nothing behind unless asked.

mod run;
mod table;

use run::reticent;
use table::Folder;

#[test]
fn the_demonstration_finds_the_truth_explains_and_leaves_what_is_asked_for() {
    let folder = Folder::new("demo");
    let run = reticent(&format!("demo --keep {}", folder.at("kept")));
    assert_eq!(run.code, 0, "{}", run.err);
    assert_eq!(run.err, "");
    for word in [
        "ε = 1",
        "δ = 1e-6",
        "age",
        "blood_pressure",
        "which auto chose from public facts",
        "without privacy",
        "AUC",
        "bars start at 0.5",
        "certificate",
        "reticent fit",
        "and it holds",
    ] {
        assert!(run.out.contains(word), "lacks {word}\n{}", run.out);
    }
    // The last lines name the folder, however long its name is.
    run::fits_80_columns(run.out.split("6. Your own file").next().unwrap());
    assert_eq!(folder.names(), ["kept"]);
    let kept = |name: &str| folder.at(&format!("kept/{name}"));
    let verified = reticent(&format!("verify {}", kept("model.json")));
    assert_eq!(verified.code, 0, "{}{}", verified.out, verified.err);
    let again = reticent(&format!("demo --keep {}", folder.at("kept")));
    assert_eq!((again.code, again.out.as_str()), (1, ""));
    assert!(again.err.contains("add --overwrite"), "{}", again.err);
    // The files that it kept give the same kind of model on the command line.
    let fit = reticent(&format!(
        "fit {} --schema {} --task logistic --epsilon 1 --delta 1e-6 --test {} --out {} --json",
        kept("patients.csv"),
        kept("schema.toml"),
        kept("held-out.csv"),
        kept("again.json"),
    ));
    assert_eq!(fit.code, 0, "{}", fit.err);
    let answer: serde_json::Value = serde_json::from_str(&fit.out).unwrap();
    assert_eq!(answer["n"], 20_000);
    // Without privacy it is above 0.8; the noise of ε = 1 costs far less than 0.1.
    assert!(answer["metrics"]["auc"].as_f64().unwrap() > 0.7, "{answer}");
}
