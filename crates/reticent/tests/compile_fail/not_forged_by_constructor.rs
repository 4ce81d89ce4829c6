//! Nor can it be constructed.
use reticent::data::Query;
use reticent::noise::Grid;
use reticent::privacy::Adjacency;

fn forge(values: Vec<i128>, grid: Grid, adjacency: Adjacency) -> Query {
    Query::new(values, grid, adjacency, panic!())
}

fn main() {}
