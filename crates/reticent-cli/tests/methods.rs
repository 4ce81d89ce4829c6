//! Every method from the command line: its certificate holds, its size is what was asked for, and
//! options that it does not take are refused.

mod run;
mod table;

use run::reticent;
use serde_json::Value;
use table::{Folder, libsvm, libsvm_classes, libsvm_values};

const PRIVACY: &str = "--epsilon 1 --delta 1e-6 --rows linf=1";

fn answer(arguments: &str) -> Value {
    let run = reticent(arguments);
    assert_eq!(run.code, 0, "{arguments}\n{}", run.err);
    serde_json::from_str(&run.out).unwrap()
}

#[test]
fn every_method_keeps_to_its_budget_and_its_size() {
    let folder = Folder::new("methods");
    let classes = folder.write("classes", &libsvm(4_000, 1));
    let values = folder.write("values", &libsvm_values(4_000, 1));
    for method in [
        "auto",
        "ight",
        "ight --peeling",
        "select",
        "sparsifier",
        "two-stage",
        "transfer",
        "transfer --teacher dense",
    ] {
        for task in [
            format!("{classes} --task logistic"),
            format!("{values} --task linear --target-range -10,10"),
        ] {
            let model = folder.at("model.json");
            let fitted = answer(&format!(
                "fit --json {task} {PRIVACY} --method {method} --nonzero 3 --overwrite --out {model}"
            ));
            let epsilon = fitted["epsilon"].as_f64().unwrap();
            assert!(
                epsilon > 0.9 && epsilon <= 1.0,
                "{method} {task}: {epsilon}"
            );
            assert!(fitted["nonzero"].as_u64().unwrap() <= 3, "{method} {task}");
            let verified = reticent(&format!("verify {model}"));
            assert_eq!(verified.code, 0, "{method} {task}\n{}", verified.out);
        }
    }
}

#[test]
fn several_classes_are_fitted_evaluated_and_predicted() {
    let folder = Folder::new("several");
    let train = folder.write("train", &libsvm_classes(6_000, 1));
    let test = folder.write("test", &libsvm_classes(1_000, 2));
    for method in [
        "auto",
        "frank-wolfe --ball whole",
        "frank-wolfe --ball per-class",
        "sparsifier --nonzero 6",
        "select --nonzero 6",
    ] {
        let model = folder.at("model.json");
        let fitted = answer(&format!(
            "fit --json {train} --task multinomial --classes 1,2,3 --epsilon 4 --delta 1e-6 \
             --rows linf=1 --method {method} --test {test} --overwrite --out {model}"
        ));
        // Guessing is right for a third.
        let accuracy = fitted["metrics"]["accuracy"].as_f64().unwrap();
        assert!(accuracy > 0.6, "{method}: {accuracy}");
        let evaluated = answer(&format!("evaluate --json {test} --model {model}"));
        assert_eq!(
            evaluated["metrics"]["accuracy"],
            fitted["metrics"]["accuracy"]
        );
        let predicted = reticent(&format!("predict {test} --model {model} --probabilities"));
        assert_eq!(predicted.code, 0, "{}", predicted.err);
        assert_eq!(predicted.out.lines().count(), 1_001);
        assert_eq!(reticent(&format!("verify {model}")).code, 0);
    }
}

#[test]
fn what_has_no_guarantee_says_so_everywhere() {
    let folder = Folder::new("open");
    let train = folder.write("train", &libsvm(1_000, 1));
    for flags in [
        "--epsilon inf --method lasso --nonzero 2",
        "--epsilon inf --method ight --nonzero 2",
        "--epsilon inf --method frank-wolfe",
        "--epsilon inf",
        "--epsilon 1 --delta 1e-6 --method transfer --as-published --nonzero 2",
    ] {
        let model = folder.at("model.json");
        let fitted = answer(&format!(
            "fit --json {train} --task logistic --rows linf=1 {flags} --overwrite --out {model}"
        ));
        assert_eq!(fitted["private"], false, "{flags}");
        assert_eq!(fitted["epsilon"], "inf", "{flags}");
        let verified = reticent(&format!("verify {model}"));
        assert_eq!(verified.code, 1, "{flags}");
        let card = reticent(&format!("inspect {model}"));
        assert!(card.out.contains("NOT PRIVATE"), "{flags}\n{}", card.out);
        assert!(card.out.contains("no guarantee"), "{flags}\n{}", card.out);
    }
}

#[test]
fn published_noise_is_certified_at_what_is_proved() {
    let folder = Folder::new("published");
    let train = folder.write("train", &libsvm(1_000, 1));
    for method in [
        "frank-wolfe --iterations 100",
        "sparsifier",
        "ight --nonzero 2",
    ] {
        let model = folder.at("model.json");
        let fitted = answer(&format!(
            "fit --json {train} --task logistic {PRIVACY} --method {method} --as-published \
             --no-intercept --overwrite --out {model}"
        ));
        let proved = fitted["epsilon"].as_f64().unwrap();
        assert!(proved > 1.2, "{method}: {proved}");
        assert_eq!(reticent(&format!("verify {model}")).code, 0);
    }
}

#[test]
fn what_does_not_apply_to_a_method_is_refused_with_a_tip() {
    let folder = Folder::new("no-use");
    let train = folder.write("train", &libsvm(100, 1));
    let out = folder.at("model.json");
    for (flags, words) in [
        (
            "--radius 3",
            ["--radius", "frank-wolfe, sparsifier or lasso"],
        ),
        (
            "--method frank-wolfe --nonzero 3",
            ["--nonzero", "sparsifier"],
        ),
        (
            "--nonzero foo",
            ["it is foo", "a whole number from 1 on, like 30, or auto"],
        ),
        (
            "--method ight --nonzero auto",
            ["--nonzero auto", "--method auto or select"],
        ),
        ("--method select --peeling", ["--peeling", "--method ight"]),
        ("--method ight --ball whole", ["--ball", "frank-wolfe"]),
        (
            "--method select --fitting statistics",
            ["does not apply to --task logistic", "--task linear"],
        ),
        (
            "--method ight --fitting gradients",
            ["--fitting", "--method select"],
        ),
        ("--method lasso", ["no privacy", "--epsilon inf"]),
        ("--method ight --peeling", ["--peeling", "--nonzero S"]),
        (
            "--method ight --peeling --as-published --nonzero 2",
            ["--peeling and --as-published contradict", "leave one out"],
        ),
        (
            "--method transfer --as-published --teacher dense",
            ["--as-published and --teacher contradict", "leave one out"],
        ),
        ("--method ight --nonzero 999", ["--nonzero 999", "1 to 10"]),
        (
            "--method two-stage --adjacency add-remove --public-n 100",
            ["replace-one", "select"],
        ),
    ] {
        let run = reticent(&format!(
            "fit {train} --task logistic {PRIVACY} {flags} --out {out}"
        ));
        assert_eq!(run.code, 2, "{flags}\n{}", run.err);
        for word in words {
            assert!(run.err.contains(word), "{flags} lacks {word}\n{}", run.err);
        }
    }
    let public = reticent(&format!(
        "fit {train} --task logistic {PRIVACY} --method transfer --public {train} --out {out}"
    ));
    assert_eq!(public.code, 2, "{}", public.err);
    assert!(
        public.err.contains("private table itself"),
        "{}",
        public.err
    );
    assert_eq!(folder.names(), ["train"]);
}

#[test]
fn every_method_keeps_to_a_budget_in_rho_from_fit_to_verify() {
    let folder = Folder::new("rho");
    let train = folder.write("train", &libsvm(4_000, 1));
    let model = folder.at("model.json");
    let flags = format!("{train} --task logistic --rows linf=1 --rho 0.02 --delta 1e-6");
    for method in [
        "auto",
        "ight",
        "frank-wolfe",
        "select",
        "sparsifier",
        "two-stage",
        "transfer",
        "admm",
        "admm --penalty l1/2 --iterations 3",
    ] {
        let fitted = answer(&format!(
            "fit --json {flags} --method {method} --overwrite --out {model}"
        ));
        let rho = fitted["rho"].as_f64().unwrap();
        assert!(rho <= 0.02 && rho > 0.999 * 0.02, "{method}: {rho}");
        assert!(fitted["epsilon"].as_f64().unwrap() < 0.9, "{method}");
        let verified = answer(&format!("verify --json {model}"));
        assert_eq!(verified["rho"], fitted["rho"], "{method}");
        assert_eq!(verified["recomputed_rho"], fitted["rho"], "{method}");
        let card = answer(&format!("inspect --json {model}"));
        let statement = &card["certificate"]["statement"];
        assert_eq!(statement["rho"], fitted["rho"], "{method}");
    }
    for command in ["inspect", "verify"] {
        let run = reticent(&format!("{command} {model}"));
        assert!(
            run.out.contains("ρ = 0.02000 (zCDP), ε = 0."),
            "{}",
            run.out
        );
    }
    let report = reticent(&format!("fit {flags} --overwrite --out {model}")).out;
    assert!(report.contains("rho              0.02000 "), "{report}");

    // A ρ lowered by hand.
    let text = std::fs::read_to_string(&model).unwrap();
    let rho = answer(&format!("verify --json {model}"))["rho"].to_string();
    assert_eq!(text.matches(&rho).count(), 1);
    std::fs::write(&model, text.replace(&rho, "0.01")).unwrap();
    let run = reticent(&format!("verify {model}"));
    assert_eq!(run.code, 1);
    assert!(run.out.starts_with("does not hold"), "{}", run.out);
    assert!(run.out.contains("✗ rho is the sum"), "{}", run.out);
}

/// Published noise of which nothing is proved is one warning, and no promise anywhere; where less is
/// proved than claimed, that is a note.
#[test]
fn published_admm_promises_what_is_proved_and_no_more() {
    let folder = Folder::new("published-admm");
    let train = folder.write("train", &libsvm(1_000, 1));
    let flags = format!("--task logistic {PRIVACY} --method admm --as-published");
    let model = folder.at("ten.json");
    let run = reticent(&format!("fit {train} {flags} --out {model}"));
    assert_eq!(run.code, 0, "{}", run.err);
    assert_eq!(run.err.matches("warning:").count(), 1, "{}", run.err);
    assert!(run.err.contains("claims epsilon = 1"), "{}", run.err);
    assert!(!run.err.contains("inf"), "{}", run.err);
    assert!(!run.out.contains("reticent verify"), "{}", run.out);
    let card = reticent(&format!("inspect {model}")).out;
    assert!(!card.contains("What the promise does not cover"), "{card}");
    let planned = reticent(&format!("plan --n 1000 --d 10 {flags}"));
    assert_eq!(planned.code, 2);
    assert!(planned.err.contains("--iterations 1"), "{}", planned.err);
    assert!(!planned.err.contains("--epsilon 1"), "{}", planned.err);

    let model = folder.at("one.json");
    let flags = format!("{flags} --iterations 1");
    let run = reticent(&format!("fit {train} {flags} --out {model}"));
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(
        run.err.starts_with("note: the noise is as published"),
        "{}",
        run.err
    );
    let verified = reticent(&format!("verify {model}"));
    assert_eq!(verified.code, 0, "{}", verified.out);
    assert!(verified.out.contains("✓ as published"), "{}", verified.out);
    let card = reticent(&format!("inspect {model}")).out;
    assert!(card.contains("claims ε = 1 for it"), "{card}");
    let planned = reticent(&format!("plan --n 1000 --d 10 {flags}")).out;
    assert!(
        planned.contains("note: the noise is as published"),
        "{planned}"
    );
    assert!(!planned.contains("warning"), "{planned}");
}

/// What no run could do is refused in the plan, where nothing is spent.
#[test]
fn sizes_that_no_grid_holds_are_refused_before_anything_is_spent() {
    let folder = Folder::new("no-grid");
    let train = folder.write("train", &libsvm(100, 1));
    let tiny = folder.write("tiny", &format!("{}\n", "9e-101 ".repeat(10)));
    let zero = folder.write("zero", &format!("{}\n", "0 ".repeat(10)));
    let wide = folder.write("wide", "1 2 3\n");
    let out = folder.at("model.json");
    for (flags, words) in [
        (
            "--method admm --augmentation 1e300",
            ["--augmentation must be between", ""],
        ),
        (
            &format!("--method frank-wolfe --region {tiny}"),
            ["largest coordinate", "tiny"],
        ),
        (
            &format!("--method frank-wolfe --region {zero}"),
            ["every vertex", "zero"],
        ),
        (
            &format!("--method frank-wolfe --region {wide}"),
            ["has 3 numbers", "10 features"],
        ),
        (
            "--method frank-wolfe --radius 1e-101",
            ["--radius", "1e-100"],
        ),
    ] {
        let run = reticent(&format!(
            "fit {train} --task logistic {PRIVACY} {flags} --out {out}"
        ));
        assert_eq!(run.code, 2, "{flags}\n{}", run.err);
        assert!(!run.err.contains("noise was drawn"), "{flags}\n{}", run.err);
        for word in words {
            assert!(run.err.contains(word), "{flags} lacks {word}\n{}", run.err);
        }
    }
}

#[test]
fn a_file_of_vertices_that_is_wrong_is_named_once_with_its_line() {
    let folder = Folder::new("vertices");
    for (text, words) in [
        ("1,0\n1,,0\n", ["line 2, field 2", "the field is empty"]),
        (
            "age,bmi\n1,0\n",
            ["line 1, field 1", "put a # before a header"],
        ),
        ("1;0\n", ["line 1, field 1", "commas or blanks"]),
        ("1 0\n1\n", ["line 2", "this one has 1"]),
        ("", ["no vertices", "one per line"]),
    ] {
        let file = folder.write("vertices", text);
        let run = reticent(&format!(
            "plan --n 1000 --d 2 --task logistic {PRIVACY} --method frank-wolfe --region {file}"
        ));
        assert_eq!(run.code, 2, "{text}\n{}", run.err);
        assert_eq!(run.err.matches(&file).count(), 1, "{}", run.err);
        for word in words {
            assert!(run.err.contains(word), "{text} lacks {word}\n{}", run.err);
        }
    }
}

#[test]
fn the_scale_of_a_linear_fit_and_its_threshold_are_stated() {
    let folder = Folder::new("scale");
    let values = folder.write("values", &libsvm_values(1_000, 1));
    let out = folder.at("model.json");
    for (method, entry) in [
        ("frank-wolfe --region simplex", "the simplex of sum 1"),
        ("frank-wolfe --radius 3", "radius"),
        ("ight", "huber-threshold  0.25"),
    ] {
        let run = reticent(&format!(
            "fit {values} --task linear --target-range -10,10 {PRIVACY} --method {method} \
             --overwrite --out {out}"
        ));
        assert_eq!(run.code, 0, "{}", run.err);
        for shown in [run.out, reticent(&format!("inspect {out}")).out] {
            assert!(shown.contains(entry), "{shown}");
            assert!(shown.contains("huber-threshold"), "{shown}");
            assert!(shown.contains("the target scaled to"), "{shown}");
        }
    }
}
