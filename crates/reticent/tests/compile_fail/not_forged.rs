//! A query with a sensitivity of the caller's choice can not be made.
use reticent::mechanism::Query;
use reticent::noise::Grid;
use reticent::privacy::Adjacency;

fn forge(grid: Grid) -> Query {
    Query { values: vec![1], grid, adjacency: Adjacency::ReplaceOne, sensitivity: 0 }
}

fn forge_by_constructor(grid: Grid) -> Query {
    Query::new(vec![1], grid, Adjacency::ReplaceOne, 0)
}

fn main() {}
