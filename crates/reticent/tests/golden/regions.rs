//! Frank–Wolfe in regions other than the ℓ₁ ball.

use std::num::NonZeroU64;

use reticent::fit::{Facts, FitInput, FrankWolfe, Planned, Task, TaskName};
use reticent::noise::Generator;
use reticent::privacy::Adjacency;
use reticent::solve::{Region, Vertices};
use reticent::table::RecordBound;

use crate::cases::{SMALL, epsilon};
use crate::{SEED, of_charges, of_released};

/// The corners of a cross-polytope that is longer along some columns.
fn corners(width: usize) -> Vec<Vec<f64>> {
    let corner = |(j, sign): (usize, f64)| {
        let mut point = vec![0.1; width];
        point[j] = sign * (1.0 + j as f64 / 4.0);
        point
    };
    let signs = (0..width).flat_map(|j| [(j, 1.0), (j, -1.0)]);
    signs.map(corner).collect()
}

fn region(name: &str) -> Region {
    let radius = 2.0;
    match name {
        "simplex" => Region::Simplex { radius },
        "l2 ball" => Region::L2 { radius },
        _ => Region::Polytope(Vertices {
            points: corners(SMALL.width),
        }),
    }
}

/// The digests of these fits by their names.
pub fn fits() -> Vec<(String, String)> {
    let mut fits = Vec::new();
    for name in ["simplex", "l2 ball", "polytope"] {
        for adjacency in [Adjacency::ReplaceOne, Adjacency::AddRemove] {
            for (bound, rows) in [
                ("l2", RecordBound::L2(1.5)),
                ("linf", RecordBound::Linf(1.0)),
            ] {
                let facts = Facts {
                    records: SMALL.rows as u64,
                    columns: SMALL.width,
                    rows,
                };
                let parameters = FrankWolfe {
                    adjacency,
                    region: Some(region(name)),
                    iterations: NonZeroU64::new(12),
                    ..FrankWolfe::new(Task::Logistic, epsilon(2.0).unwrap())
                };
                let plan = parameters.plan(facts).unwrap();
                let table = SMALL.table(TaskName::Logistic, true);
                let records = table.enforce(rows, None, true, adjacency).unwrap();
                let mut randomness = Generator::not_private(SEED);
                let fitted = plan.run(FitInput::Sealed(&records), &mut randomness, &mut ());
                let fitted = fitted.unwrap();
                let charges = of_charges(&fitted.statement);
                fits.push((
                    format!("frank-wolfe in a {name} | {adjacency} | {bound}"),
                    format!("{} {charges}", of_released(&fitted.released)),
                ));
            }
        }
    }
    fits
}
