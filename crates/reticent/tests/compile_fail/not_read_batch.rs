//! How many units there are to draw from cannot be asked, nor a sum over a batch without a mechanism.
use reticent::population::BatchQuery;

fn peek(query: &BatchQuery<'_>) {
    let _ = BatchQuery::units;
    let _ = BatchQuery::over;
    let _ = query.population.tables();
    let _ = query.sum.dimension();
}

fn main() {}
