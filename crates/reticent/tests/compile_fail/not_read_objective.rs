//! Neither an objective nor a minimiser can be read.
use reticent::population::{Minimiser, Objective, Records};

fn peek(minimiser: Minimiser) -> Vec<f64> {
    minimiser.point
}

fn look<'a>(objective: Objective<'a>) -> &'a Records<'a> {
    objective.records
}

fn main() {}
