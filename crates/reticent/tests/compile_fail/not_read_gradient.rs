//! Neither sums nor margins of a gradient can be read, nor can it be moved under a query.
use reticent::population::{Gradient, Query};
use reticent::solve::Vertex;

fn peek(gradient: Gradient<'_>) -> Vec<i64> {
    gradient.state.sums().columns.to_vec()
}

fn look(gradient: Gradient<'_>) {
    let _ = gradient.frame;
}

fn moved<'a>(gradient: &'a mut Gradient<'_>, vertex: Vertex) -> Query<'a> {
    let query = gradient.columns();
    gradient.step(&[(0, vertex)], 0.5);
    query
}

fn main() {}
