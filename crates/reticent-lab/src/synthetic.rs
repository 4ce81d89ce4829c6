//! Tables made up from a seed: the papers' synthetic data.

use reticent::matrix::{Dense, Matrix};
use reticent::noise::{Generator, Randomness};
use reticent::table::{Layout, Table, Target};

/// Where made-up data come from.
pub struct Source(Generator);

impl Source {
    /// The same seed gives the same data.
    pub fn new(seed: u64) -> Self {
        Self(Generator::not_private(seed))
    }

    /// Uniform between 0 and 1, neither included.
    pub fn uniform(&mut self) -> f64 {
        ((self.0.next_u64() >> 11) as f64 + 0.5) / (1u64 << 53) as f64
    }

    /// Standard normal (Box–Muller).
    pub fn normal(&mut self) -> f64 {
        let radius = (-2.0 * self.uniform().ln()).sqrt();
        radius * (std::f64::consts::TAU * self.uniform()).cos()
    }

    /// +1 or −1.
    fn sign(&mut self) -> f32 {
        if self.0.next_u64() >> 63 == 0 {
            1.0
        } else {
            -1.0
        }
    }
}

/// A table of dense rows with numbered columns.
pub fn dense(values: Vec<f32>, rows: usize, width: usize, target: Target) -> Table<'static> {
    let features = Dense::new(values, rows, width).expect("rows × width finite values were made");
    Table {
        features: Matrix::Dense(features),
        target,
        layout: Layout::Numbered { first: 1, width },
        assumed: Vec::new(),
        units: None,
    }
}

/// The weights of the synthetic set of *Sparse Private LASSO Logistic Regression*, § 4.2; the
/// other 92 are zero.
pub const PAPER_WEIGHTS: [f64; 8] = [10.0, 9.0, 8.0, 7.0, 6.0, 5.0, 4.0, 0.5];

/// The synthetic set of that paper: 100 normal features of unit variance with correlations
/// 0.5^|i−j|, and the second class where w*·x > 0.
pub fn paper_logistic(rows: usize, source: &mut Source) -> Table<'static> {
    const WIDTH: usize = 100;
    let mut values = Vec::with_capacity(rows * WIDTH);
    let mut class = Vec::with_capacity(rows);
    for _ in 0..rows {
        // An autoregression has exactly these correlations.
        let mut x = source.normal();
        let mut margin = 0.0;
        for j in 0..WIDTH {
            if j > 0 {
                x = 0.5 * x + 0.75f64.sqrt() * source.normal();
            }
            margin += PAPER_WEIGHTS.get(j).map_or(0.0, |weight| weight * x);
            values.push(x as f32);
        }
        class.push(u32::from(margin > 0.0));
    }
    let names = vec!["0".to_owned(), "1".to_owned()];
    dense(values, rows, WIDTH, Target::Classes { class, names })
}

/// The true weights of [`signs_linear`]: five, inside the unit ℓ₁ ball.
pub const FIVE_WEIGHTS: [f64; 5] = [0.25, -0.2, 0.15, -0.1, 0.05];

/// Linear data for the theorem on excess risk: features ±1, five true weights with ‖w‖₁ = 0.75,
/// and uniform noise that keeps the target within [−1, 1].
pub fn signs_linear(rows: usize, width: usize, source: &mut Source) -> Table<'static> {
    let mut values = Vec::with_capacity(rows * width);
    let mut targets = Vec::with_capacity(rows);
    for _ in 0..rows {
        let start = values.len();
        values.extend(std::iter::repeat_with(|| source.sign()).take(width));
        let row = &values[start..];
        let signal: f64 = FIVE_WEIGHTS
            .iter()
            .zip(row)
            .map(|(w, &x)| w * f64::from(x))
            .sum();
        targets.push(signal + 0.5 * (source.uniform() - 0.5));
    }
    dense(values, rows, width, Target::Values(targets))
}

/// Uniform features in [−1, 1] and a class for each record, drawn from the softmax of these linear
/// functions of them.
pub fn softmax(rows: usize, weights: &[Vec<f64>], source: &mut Source) -> Table<'static> {
    let width = weights[0].len();
    let mut values = Vec::with_capacity(rows * width);
    let mut class = Vec::with_capacity(rows);
    for _ in 0..rows {
        let start = values.len();
        values.extend((0..width).map(|_| (2.0 * source.uniform() - 1.0) as f32));
        let row = &values[start..];
        let margin = |w: &Vec<f64>| {
            w.iter()
                .zip(row)
                .map(|(w, x)| w * f64::from(*x))
                .sum::<f64>()
        };
        let odds: Vec<f64> = weights.iter().map(|w| margin(w).exp()).collect();
        let mut left = source.uniform() * odds.iter().sum::<f64>();
        let drawn = odds.iter().position(|odd| {
            left -= odd;
            left < 0.0
        });
        // Rounding may leave a remainder for the last.
        class.push(drawn.unwrap_or(odds.len() - 1) as u32);
    }
    let names = (0..weights.len()).map(|k| k.to_string()).collect();
    dense(values, rows, width, Target::Classes { class, names })
}
