//! The sum over a batch by its definition: record after record, column after column, in whole numbers.

use crate::loss::residuals;
use crate::population::gradient::batch::{RecordClip, SumAt};
use crate::population::gradient::frame::Slopes;
use crate::population::records::Records;

/// Σ k·(a∘x − m), and Σ k·b₀, over the rows of these units.
pub fn plain(records: &Records<'_>, sum: &SumAt, units: &[u32]) -> Vec<i64> {
    let frame = &*sum.question.frame;
    let (width, functions) = (frame.shape.width, frame.outputs());
    let mut sums = vec![0i128; functions * (width + 1)];
    let rows = match records.shares.rows_of(&super::Members(units)) {
        super::Rows::All => (0..records.targets.len() as u32).collect(),
        super::Rows::Some(rows) => rows,
    };
    for row in rows {
        let mut entries = vec![0.0; width];
        records
            .features
            .for_row(row as usize, |j, x| entries[j] = f64::from(x));
        let framed: Vec<i128> = (0..width)
            .map(|j| {
                let scale = frame.scales().get(j).map_or(1, |a| i128::from(*a));
                let centre = frame.centre().get(j).map_or(0, |m| i128::from(*m));
                scale * entries[j] as i128 - centre
            })
            .collect();
        let constant = i128::from(frame.constant);
        let square = framed.iter().map(|v| v * v).sum::<i128>() + constant * constant;
        let steps = steps(records, sum, row as usize, &entries, square);
        for (l, k) in steps.iter().enumerate() {
            for (j, v) in framed.iter().enumerate() {
                sums[l * width + j] += k * v;
            }
            sums[functions * width + l] += k * constant;
        }
    }
    let within = |sum: &i128| i64::try_from(*sum).expect("a sum of few records");
    sums.iter().map(within).collect()
}

/// k of a row: of the gradient, and of the difference.
fn steps(
    records: &Records<'_>,
    sum: &SumAt,
    row: usize,
    entries: &[f64],
    square: i128,
) -> Vec<i128> {
    let question = &sum.question;
    let frame = &*question.frame;
    let functions = frame.outputs();
    let length = (square as f64).sqrt();
    let (per_slope, shortening) = match frame.unit_of_length() {
        None => (1.0 / frame.slope_grid.step(), 1.0),
        Some(_) if square == 0 => return vec![0; functions],
        Some(unit) => (1.0 / (frame.grid.step() * length), unit / length),
    };
    let share = records.share(row);
    let factor = per_slope * share.factor();
    let slopes: Vec<Vec<f64>> = sum
        .points
        .iter()
        .map(|point| {
            let margin = |l: usize| {
                let mut product = 0.0;
                for (x, w) in entries.iter().zip(&point.weights[l * entries.len()..]) {
                    if *x != 0.0 {
                        product += x * w;
                    }
                }
                let margin =
                    (product * records.clip.grid.step() + point.intercepts[l]) * shortening;
                margin + frame.offsets.get(l).unwrap_or(&0.0)
            };
            let mut slopes: Vec<f64> = (0..functions).map(margin).collect();
            let target = records.targets[row];
            match frame.slopes {
                Slopes::Loss(loss) => slopes[0] = loss.slope(slopes[0], target),
                Slopes::Classes => residuals(&mut slopes, target as usize),
            }
            slopes
        })
        .collect();
    let shortened = |vector: Vec<f64>, limit: u64, most: i32| {
        let limit = (i128::from(limit) * i128::from(share.steps())) >> 24;
        let most = (i128::from(most) * i128::from(share.steps())) >> 24;
        let cap = (limit * limit / square.max(1)).isqrt().min(most);
        clipped(vector, cap)
    };
    let (limit, limit_of_difference) = question.limits;
    match (question.clip, limit_of_difference) {
        (RecordClip::Recursive { momentum, .. }, Some(of_difference)) => {
            let gradient = slopes[0].iter().map(|r| r * (momentum * factor)).collect();
            let difference = slopes[0].iter().zip(&slopes[1]);
            let difference =
                difference.map(|(now, before)| (1.0 - momentum) * (now - before) * factor);
            let first = shortened(gradient, limit, frame.most / 2);
            let second = shortened(difference.collect(), of_difference, frame.most / 2);
            first.iter().zip(second).map(|(a, b)| a + b).collect()
        }
        _ => {
            let gradient = slopes[0].iter().map(|r| r * factor).collect();
            shortened(gradient, limit, frame.most)
        }
    }
}

/// A vector, shortened to a length in whole numbers and truncated; one that is no vector of numbers is 0.
fn clipped(vector: Vec<f64>, cap: i128) -> Vec<i128> {
    if vector.iter().any(|x| !x.is_finite()) {
        return vec![0; vector.len()];
    }
    let length = vector.iter().map(|x| x * x).sum::<f64>().sqrt();
    let shortened = |x: &f64| match length > cap as f64 {
        true => x * (cap as f64 / length),
        false => *x,
    };
    let mut steps: Vec<i128> = vector
        .iter()
        .map(|x| shortened(x).trunc() as i128)
        .collect();
    while steps.iter().map(|k| k * k).sum::<i128>() > cap * cap {
        steps.iter_mut().for_each(|k| *k -= k.signum());
    }
    steps
}
