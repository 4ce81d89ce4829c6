//! Every example runs to its end.

#[path = "../examples/fit_file.rs"]
mod fit_file;
#[path = "../examples/plan.rs"]
mod plan;
#[path = "../examples/sum_with_mechanism.rs"]
mod sum_with_mechanism;

#[test]
fn a_file_is_fitted() {
    fit_file::main().unwrap();
}

#[test]
fn a_plan_is_printed() {
    plan::main().unwrap();
}

#[test]
fn a_sum_is_released() {
    sum_with_mechanism::main().unwrap();
}

#[test]
fn no_example_is_left_out() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(names, ["fit_file.rs", "plan.rs", "sum_with_mechanism.rs"]);
}
