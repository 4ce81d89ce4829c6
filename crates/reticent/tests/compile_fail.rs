//! The types keep their word: none of the files in `compile_fail` may compile.

#[test]
fn queries_stay_shut_and_mechanisms_need_a_ledger() {
    let cases = trybuild::TestCases::new();
    cases.pass("tests/compile_fail/allowed.rs");
    cases.compile_fail("tests/compile_fail/not_*.rs");
}
