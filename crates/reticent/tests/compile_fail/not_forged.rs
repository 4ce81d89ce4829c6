//! A query with a sensitivity of the caller's choice can not be made.
use reticent::mechanism::Query;
use reticent::noise::Grid;
use reticent::privacy::Adjacency;

fn forge(values: Vec<i64>, grid: Grid, adjacency: Adjacency) -> Query {
    Query { values, grid, adjacency, sensitivity: todo!() }
}

fn forge_by_constructor(values: Vec<i128>, grid: Grid, adjacency: Adjacency) -> Query {
    Query::new(values, grid, adjacency, todo!())
}

fn main() {}
