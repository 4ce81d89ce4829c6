//! A ledger can not be cloned: each copy would grant the same budget.
use reticent::privacy::Ledger;

fn copy(ledger: &Ledger) -> Ledger {
    ledger.clone()
}

fn main() {}
