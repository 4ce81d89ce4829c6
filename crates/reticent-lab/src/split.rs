//! Parts of a table: random records to learn from and the rest to measure on; some of its columns.

use reticent::matrix::{Csr, Dense, Matrix};
use reticent::table::{Table, Target};

use crate::synthetic::{Source, dense};

/// So many records and the rest, drawn by a seed; each part in the table's order.
pub fn parts(table: &Table, first: usize, seed: u64) -> (Table<'static>, Table<'static>) {
    let rows = table.features.rows();
    let mut order: Vec<usize> = (0..rows).collect();
    let mut source = Source::new(seed);
    for i in (1..rows).rev() {
        let other = (source.uniform() * (i + 1) as f64) as usize;
        order.swap(i, other);
    }
    let (first, second) = order.split_at_mut(first);
    first.sort_unstable();
    second.sort_unstable();
    (part(table, first), part(table, second))
}

/// The records of one table, then those of another with the same columns and classes.
pub fn joined(one: &Table, two: &Table) -> Table<'static> {
    let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
    for table in [one, two] {
        for i in 0..table.features.rows() {
            table.features.for_row(i, |column, value| {
                columns.push(column as u32);
                values.push(value);
            });
            starts.push(columns.len());
        }
    }
    let features = Csr::new(starts, columns, values, one.features.width()).expect("whole rows");
    let target = match (&one.target, &two.target) {
        (Target::Classes { class, names }, Target::Classes { class: more, .. }) => {
            Target::Classes {
                class: [&class[..], more].concat(),
                names: names.clone(),
            }
        }
        _ => unreachable!("tables of classes are joined"),
    };
    Table {
        features: Matrix::Sparse(features),
        target,
        layout: one.layout.clone(),
        assumed: Vec::new(),
        units: None,
    }
}

/// The table of these rows.
pub fn part(table: &Table, rows: &[usize]) -> Table<'static> {
    let target = match &table.target {
        Target::Classes { class, names } => Target::Classes {
            class: rows.iter().map(|&i| class[i]).collect(),
            names: names.clone(),
        },
        Target::Values(values) => Target::Values(rows.iter().map(|&i| values[i]).collect()),
        Target::Absent => Target::Absent,
    };
    Table {
        features: gathered(&table.features, rows),
        target,
        layout: table.layout.clone(),
        assumed: Vec::new(),
        units: None,
    }
}

/// The table of these columns, as dense rows.
pub fn on_columns(table: &Table, columns: &[usize]) -> Table<'static> {
    let rows = table.features.rows();
    let mut row = vec![0.0; table.features.width()];
    let mut values = Vec::with_capacity(rows * columns.len());
    for i in 0..rows {
        row.fill(0.0);
        table.features.for_row(i, |column, x| row[column] = x);
        values.extend(columns.iter().map(|&column| row[column]));
    }
    dense(values, rows, columns.len(), table.target.clone())
}

fn gathered(features: &Matrix, rows: &[usize]) -> Matrix<'static> {
    let width = features.width();
    match features {
        Matrix::Dense(dense) => {
            let values = rows.iter().flat_map(|&i| dense.row(i)).copied().collect();
            Matrix::Dense(Dense::new(values, rows.len(), width).expect("whole rows"))
        }
        Matrix::Sparse(_) => {
            let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
            for &i in rows {
                features.for_row(i, |column, value| {
                    columns.push(column as u32);
                    values.push(value);
                });
                starts.push(columns.len());
            }
            Matrix::Sparse(Csr::new(starts, columns, values, width).expect("whole rows"))
        }
    }
}

#[cfg(test)]
mod tests {
    use reticent::table::Layout;

    use super::*;

    /// Row i holds i + 1, and its target is i.
    fn table(features: Matrix<'static>) -> Table<'static> {
        Table {
            target: Target::Values((0..features.rows()).map(|i| i as f64).collect()),
            layout: Layout::Numbered {
                first: 1,
                width: features.width(),
            },
            features,
            assumed: Vec::new(),
            units: None,
        }
    }

    fn dense(rows: usize) -> Table<'static> {
        let values = (1..=rows).map(|i| i as f32).collect();
        table(Matrix::Dense(Dense::new(values, rows, 1).unwrap()))
    }

    fn sparse(rows: usize) -> Table<'static> {
        let values = (1..=rows).map(|i| i as f32).collect();
        let csr = Csr::new((0..=rows).collect(), vec![0; rows], values, 1).unwrap();
        table(Matrix::Sparse(csr))
    }

    fn targets(table: &Table) -> Vec<f64> {
        match &table.target {
            Target::Values(values) => values.clone(),
            _ => unreachable!("numbers were made"),
        }
    }

    #[test]
    fn every_record_is_in_one_part_with_its_own_target() {
        for whole in [dense(52), sparse(52)] {
            let (train, test) = parts(&whole, 41, 3);
            assert_eq!((train.features.rows(), test.features.rows()), (41, 11));
            let mut all = [targets(&train), targets(&test)].concat();
            for part in [&train, &test] {
                for (i, target) in targets(part).into_iter().enumerate() {
                    part.features
                        .for_row(i, |_, x| assert_eq!(f64::from(x), target + 1.0));
                }
            }
            all.sort_unstable_by(f64::total_cmp);
            assert_eq!(all, targets(&whole));
        }
    }

    #[test]
    fn columns_are_kept_in_the_order_asked_for() {
        let csr = Csr::new(vec![0, 2, 3], vec![0, 2, 1], vec![1.0, 3.0, 2.0], 3).unwrap();
        let some = on_columns(&table(Matrix::Sparse(csr)), &[2, 0]);
        let Matrix::Dense(features) = &some.features else {
            panic!("rows are dense");
        };
        assert_eq!(
            (features.row(0), features.row(1)),
            (&[3.0, 1.0][..], &[0.0; 2][..])
        );
        assert_eq!(targets(&some), [0.0, 1.0]);
    }

    #[test]
    fn a_seed_draws_the_same_parts_each_time_and_another_seed_others() {
        let drawn = |seed| targets(&parts(&dense(100), 80, seed).1);
        assert_eq!(drawn(1), drawn(1));
        assert_ne!(drawn(1), drawn(2));
    }
}
