//! The types keep their word: none of the files in `compile_fail` may compile but the one that goes
//! the one way there is.

// PlanAndReason with the tests: as a case that must pass it would make trybuild build every dependency once
// more, where cases that must fail are only checked.
#[path = "compile_fail/allowed.rs"]
mod allowed;

#[test]
fn the_one_way_compiles_and_runs() {
    allowed::main().unwrap();
}

#[test]
fn queries_stay_sealed_and_mechanisms_need_a_ledger() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/compile_fail/not_*.rs");
}
