//! Whether steps are too long for the loss: then gradients swing.

/// The cosine between a gradient and the one before below which steps are too long. Along a direction of
/// large curvature a step that is twice too long ends where the slope is as large and points back, and
/// the next one ends further out; noise, and the directions in which steps are short enough, bring the
/// cosine nearer to 0.
const POINTS_BACK: f64 = -0.5;
/// With fewer coordinates, noise alone has such cosines now and then: 4 deviations of 1/√d.
const LEAST_COORDINATES: usize = 64;

/// Gradients that are seen one after another.
#[derive(Debug, Clone, Default)]
pub struct Swings {
    before: Vec<f64>,
}

impl Swings {
    /// Whether this gradient points back along the one before.
    pub fn seen(&mut self, gradient: &[f64]) -> bool {
        let product =
            |one: &[f64], other: &[f64]| -> f64 { one.iter().zip(other).map(|(x, y)| x * y).sum() };
        let back = gradient.len() >= LEAST_COORDINATES && self.before.len() == gradient.len() && {
            let lengths = product(gradient, gradient) * product(&self.before, &self.before);
            product(gradient, &self.before) < POINTS_BACK * lengths.sqrt()
        };
        self.before.clear();
        self.before.extend_from_slice(gradient);
        back
    }
}
