//! Sensitivities that are one per cent too small, for the test that the attack finds them.

use std::cell::Cell;

use super::Sensitivity;

thread_local! {
    static QUESTION: Cell<Option<&'static str>> = const { Cell::new(None) };
}

/// Makes the sensitivity of one question too small, or of none.
pub fn set(question: Option<&'static str>) {
    QUESTION.set(question);
}

fn is(question: &str) -> bool {
    QUESTION.get().is_some_and(|mutant| mutant == question)
}

/// One per cent less, and at least one step. (A single step cannot be reduced: there would be
/// nothing left to add noise for.)
pub(in crate::population) fn less(question: &str, steps: u64) -> u64 {
    match is(question) {
        true => (steps - steps.div_ceil(100)).max(1),
        false => steps,
    }
}

/// One per cent less, for a real number.
pub(in crate::population) fn part(question: &str, whole: f64) -> f64 {
    match is(question) {
        true => 0.99 * whole,
        false => whole,
    }
}

/// One per cent less in both norms.
pub(in crate::population) fn shrunk(question: &str, whole: Sensitivity) -> Sensitivity {
    Sensitivity {
        linf: less(question, whole.linf),
        l2: part(question, whole.l2),
        ..whole
    }
}
