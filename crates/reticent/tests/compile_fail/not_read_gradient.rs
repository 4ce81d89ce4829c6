//! Neither sums nor margins of a gradient can be read, nor can it be moved under a query.
use reticent::population::{Gradient, Query};
use reticent::solve::Vertex;

fn peek(gradient: Gradient<'_>) -> Vec<i64> {
    gradient.sums
}

fn look(gradient: Gradient<'_>) {
    let _ = gradient.margins;
}

fn moved<'a>(gradient: &'a mut Gradient<'_>, vertex: &Vertex) -> Query<'a> {
    let query = gradient.columns();
    gradient.step(vertex, 0.5);
    query
}

fn main() {}
