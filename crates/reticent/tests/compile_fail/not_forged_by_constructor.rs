//! Nor can it be constructed.
use reticent::population::Query;
use reticent::noise::Grid;
use reticent::privacy::Adjacency;

fn forge(values: Vec<i64>, grid: Grid, adjacency: Adjacency) -> Query<'static> {
    Query::new("forged", values, grid, adjacency, panic!())
}

fn main() {}
