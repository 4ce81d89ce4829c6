//! What `reticent fit` and `plan` refuse, and what they say then.

mod run;
mod table;

use run::{refused, reticent};
use table::{Folder, SCHEMA, csv, libsvm};

/// A fit that would work, except for what is left out or added.
const WHOLE: [(&str, &str); 5] = [
    ("task", "--task logistic"),
    ("epsilon", "--epsilon 1"),
    ("delta", "--delta 1e-6"),
    ("rows", "--rows linf=1"),
    ("out", "--out never-written.json"),
];

fn without(left_out: &str) -> String {
    let kept: Vec<&str> = WHOLE
        .iter()
        .filter(|(flag, _)| *flag != left_out)
        .map(|(_, text)| *text)
        .collect();
    kept.join(" ")
}

#[test]
fn each_missing_flag_is_named_and_explained_before_anything_is_read() {
    for (flag, word) in [
        ("task", "two classes"),
        ("epsilon", "Around 1 is strong"),
        ("delta", "far below 1/n"),
        ("rows", "for text"),
        ("out", "where the model"),
    ] {
        let words = [
            &format!("--{flag} was not given") as &str,
            word,
            "no default",
        ];
        refused(&format!("fit no-such-file {}", without(flag)), &words);
    }
    for (flag, word) in [("n", "number of records"), ("d", "number of features")] {
        let size = ["--n 1000", "--d 10"]
            .into_iter()
            .find(|size| !size.contains(&format!("--{flag} ")))
            .unwrap();
        refused(
            &format!("plan --task logistic --epsilon 1 --delta 1e-6 --rows l2=1 {size}"),
            &[&format!("--{flag} was not given"), word],
        );
    }
}

/// A sign that the command takes for a flag would be answered with advice about `--`.
#[test]
fn a_negative_number_is_refused_by_the_flag_that_it_was_given_to() {
    let plan = "plan --n 1000 --d 10 --task logistic --epsilon 1 --delta 1e-6";
    for flags in [
        "--rows l2=1 --method sgd --batch -3",
        "--rows l2=1 --method agd --iterations -3",
        "--rows l2=1 --nonzero -3",
        "--rows l2=1 --public-n -3",
        "--features fourier --feature-count -3",
        "--features fourier --feature-count 9 --feature-scale -3",
        "--features fourier --feature-count 9 --feature-seed -3",
        "--rows l2=1 --class-weight -3,1",
    ] {
        refused(&format!("{plan} {flags}"), &["-3", "must be"]);
    }
    for flag in ["--n", "--d", "--k"] {
        refused(&format!("plan {flag} -3"), &["it is -3; it must be"]);
    }
    for flag in ["--seed", "--columns"] {
        refused(
            &format!("fit no-such-file {flag} -3"),
            &["it is -3; it must be"],
        );
    }
    refused("summary no-such-file --bins -3", &["it is -3; it must be"]);
    refused(
        "fit no-such-file --unit a --unit-rows -3",
        &["-3 is not in"],
    );
}

/// Batches of some of the records have no cost in ρ. Under add-remove the number of records is
/// declared, so that this is known before the table is read.
#[test]
fn batches_for_a_budget_in_rho_are_refused_with_what_to_do_instead() {
    let words = ["--rho", "--epsilon", "--batch", "--method ight"];
    let sgd = "--task logistic --rho 0.02 --delta 1e-12 --rows linf=1 --method sgd";
    refused(&format!("plan --n 1000000 --d 100 {sgd}"), &words);
    let declared = "--adjacency add-remove --public-n 1000000 --columns 100 --out model.json";
    refused(&format!("fit no-such-file {sgd} {declared}"), &words);
    let all = reticent(&format!("plan --n 1000000 --d 100 {sgd} --batch 1e12"));
    assert_eq!(all.code, 0, "{}", all.err);
    // The method that is chosen has a cost in rho.
    let auto = format!("plan --n 1000000 --d 100 {sgd}").replace("--method sgd", "");
    let auto = reticent(&auto);
    assert_eq!(auto.code, 0, "{}", auto.err);
    assert!(auto.out.contains("by ight"), "{}", auto.out);
}

#[test]
fn all_missing_flags_are_explained_at_once() {
    refused(
        "fit no-such-file",
        &[
            "--task, --epsilon, --delta, --rows and --out were not given",
            "e^E",
            "1/n²",
            "l2=1",
        ],
    );
}

#[test]
fn a_budget_in_rho_takes_the_place_of_epsilon_alone() {
    refused(
        &format!("fit no-such-file {}", without("epsilon")),
        &["--epsilon was not given", "Or give --rho R"],
    );
    let rest = without("epsilon");
    for (flags, words) in [
        (
            "--rho 0.02 --epsilon 1",
            &["--rho", "cannot be used with", "--epsilon"] as &[&str],
        ),
        ("--rho 0.02 --epsilon inf", &["cannot be used with"]),
        (
            "--rho 0.02 --as-published --method frank-wolfe",
            &["--as-published", "--rho", "for epsilon and delta"],
        ),
        (
            "--rho 0.02 --as-published --method transfer",
            &["--as-published", "--rho", "for epsilon and delta"],
        ),
        ("--rho 0", &["rho is 0", "above 0"]),
        ("--rho -0.02", &["rho is -0.02", "above 0"]),
        ("--rho inf", &["--rho", "finite"]),
        ("--rho much", &["--rho", "not a number"]),
        ("--rho 1.7976931348623157e308", &["--rho", "not a budget"]),
    ] {
        refused(&format!("fit no-such-file {rest} {flags}"), words);
    }
    let without_delta = without("epsilon").replace("--delta 1e-6", "--rho 0.02");
    refused(
        &format!("fit no-such-file {without_delta}"),
        &["--delta was not given"],
    );
}

#[test]
fn a_range_and_a_public_number_are_asked_for_where_they_are_needed() {
    let whole = without("");
    refused(
        &format!("fit x {}", whole.replace("logistic", "linear")),
        &["--target-range was not given", "facts about individuals"],
    );
    refused(
        &format!("fit x {whole} --adjacency add-remove"),
        &["--public-n was not given", "newspaper"],
    );
    refused(
        &format!("fit x {whole} --public-n 100"),
        &["under replace-one", "--adjacency add-remove"],
    );
    // Before the table is opened, let alone counted.
    refused(
        &format!("fit x {whole} --adjacency add-remove --public-n 0"),
        &["--public-n", "it must be at least 1"],
    );
    refused(
        &format!("fit x {whole} --adjacency add-remove --public-n 100 --test x"),
        &["--test is the table that is fitted", "other records"],
    );
    refused(
        &format!("fit x {whole} --target-range 0,1"),
        &["--task logistic has classes", "tip"],
    );
    refused(
        &format!(
            "fit x {} --target-range 0,1 --classes a,b",
            whole.replace("logistic", "linear")
        ),
        &["--classes was given", "numbers"],
    );
}

#[test]
fn values_that_mean_nothing_are_refused_with_what_is_allowed() {
    let whole = without("rows");
    for (flag, words) in [
        ("--rows 1", ["l2=1 or linf=1", "1"]),
        ("--rows l1=1", ["not a norm", "linf=1"]),
        ("--rows l2=0", ["above 0", "l2=0"]),
        ("--rows linf=1 --radius -3", ["radius", "above 0"]),
        ("--rows linf=1 --iterations 0", ["at least 1", "0"]),
        ("--rows linf=1 --columns 5e9", ["4294967295", "5e9"]),
        ("--rows linf=1 --classes a", ["two classes", "a"]),
        (
            "--rows linf=1 --target-range 5,5",
            ["the lower one first", "5,5"],
        ),
        (
            "--rows linf=1 --epsilo 2",
            ["unexpected argument", "--epsilon"],
        ),
        (
            "--rows linf=1 --schema s --columns 5",
            ["--schema", "--columns"],
        ),
    ] {
        refused(&format!("fit x {whole} {flag}"), &words);
    }
}

/// Fails with exit code 1, says each of the words, prints nothing and leaves no new file.
fn fails(folder: &Folder, arguments: &str, words: &[&str]) {
    let before = folder.names();
    let run = reticent(arguments);
    assert_eq!(run.code, 1, "{arguments}\n{}{}", run.out, run.err);
    assert_eq!(run.out, "");
    for word in words {
        assert!(
            run.err.contains(word),
            "{arguments}\nlacks: {word}\n{}",
            run.err
        );
    }
    assert_eq!(folder.names(), before);
}

#[test]
fn a_place_that_cannot_be_written_is_found_out_before_anything_is_read() {
    let folder = Folder::new("unwritable");
    let train = folder.write("train", "not a table");
    let fit = |out: &str| format!("fit {train} {} --out {out}", without("out"));
    fails(
        &folder,
        &fit(&folder.at("no/such/folder.json")),
        &[
            "nothing was read or spent",
            "there is no such folder; create it",
        ],
    );
    fails(&folder, &fit(&folder.at("")), &["folder"]);
    fails(&folder, &fit(&train), &["choose another --out"]);
}

#[test]
fn a_file_that_fails_is_named_with_its_line() {
    let folder = Folder::new("bad");
    let out = folder.at("model.json");
    let fit = |data: &str| format!("fit {data} {} --out {out}", without("out"));
    fails(&folder, &fit(&folder.at("none")), &["none", "no such file"]);
    let bad = folder.write("bad", "+1 1:1\n-1 1:0.5 2:secret\n");
    fails(&folder, &fit(&bad), &["bad:2:12"]);
    let good = folder.write("good", &libsvm(100, 1));
    let wrong_test = format!("{} --test {bad}", fit(&good));
    fails(&folder, &wrong_test, &["bad:2:12"]);
    let run = reticent(&fit(&bad));
    assert!(!run.err.contains("secret"), "{}", run.err);
}

#[test]
fn a_table_with_names_needs_a_schema_that_fits_the_task() {
    let folder = Folder::new("schemas");
    let train = folder.write("train.csv", &csv(100, 1));
    let out = folder.at("model.json");
    fails(
        &folder,
        &format!("fit {train} {} --out {out}", without("out")),
        &["schema"],
    );
    let schema = folder.write("schema.toml", SCHEMA);
    fails(
        &folder,
        &format!(
            "fit {train} --task linear --epsilon 1 --delta 1e-6 --schema {schema} --out {out}"
        ),
        &["with a range, for example range = [0, 120]", "schema.toml"],
    );
    let broken = folder.write("broken.toml", "version = 1\n[[column]]\nnam = 1\n");
    fails(
        &folder,
        &format!(
            "fit {train} {} --schema {broken} --out {out}",
            without("out")
        ),
        &["broken.toml:3"],
    );
}

#[test]
fn the_help_teaches_and_fits_the_screen() {
    for (arguments, words) in [
        (
            "fit -h",
            &["--epsilon", "--rows", "Examples", "no silent defaults"] as &[&str],
        ),
        (
            "fit --help",
            &["How to choose", "Exit code", "reticent plan", "add up"],
        ),
        ("plan --help", &["--n", "--d", "reads no private data"]),
        ("demo --help", &["--keep", "--epsilon"]),
        ("--help", &["fit", "plan", "demo", "account", "verify"]),
    ] {
        let run = reticent(arguments);
        assert_eq!(run.code, 0);
        for word in words {
            assert!(
                run.out.contains(word),
                "{arguments} lacks {word}\n{}",
                run.out
            );
        }
    }
}
