//! A query with a sensitivity of the caller's choice cannot be written down.
use reticent::population::Query;
use reticent::noise::Grid;
use reticent::privacy::Adjacency;

fn forge(values: Vec<i64>, grid: Grid, adjacency: Adjacency) -> Query<'static> {
    Query { question: "forged", values: values.into(), grid, adjacency, sensitivity: panic!() }
}

fn main() {}
