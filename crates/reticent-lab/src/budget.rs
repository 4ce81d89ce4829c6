//! What may be spent, from plain numbers.

use reticent::privacy::{Budget, Delta, Epsilon};

/// A budget.
pub fn budget(epsilon: f64, delta: f64) -> Budget {
    Budget::new(
        Epsilon::new(epsilon).expect("a positive budget"),
        Delta::new(delta).expect("between 0 and 1"),
    )
}
