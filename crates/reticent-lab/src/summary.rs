//! Means with their spread.

/// The mean of some figures, and how far they scatter around it.
#[derive(Debug, Clone, Copy)]
pub struct Summary {
    pub mean: f64,
    /// The sample standard deviation; 0 for a single figure.
    pub deviation: f64,
    /// How many figures.
    pub count: f64,
}

impl Summary {
    /// Of at least one figure.
    pub fn of(figures: &[f64]) -> Self {
        let count = figures.len() as f64;
        let mean = figures.iter().sum::<f64>() / count;
        let squares: f64 = figures.iter().map(|figure| (figure - mean).powi(2)).sum();
        let deviation = if count > 1.0 {
            (squares / (count - 1.0)).sqrt()
        } else {
            0.0
        };
        Self {
            mean,
            deviation,
            count,
        }
    }

    /// Whether the mean is below another's by more than two standard errors of the difference.
    pub fn clearly_below(&self, other: &Self) -> bool {
        let error = |summary: &Self| summary.deviation.powi(2) / summary.count;
        self.mean + 2.0 * (error(self) + error(other)).sqrt() < other.mean
    }
}

impl std::fmt::Display for Summary {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:.4}", self.mean)?;
        // A single figure has no standard error.
        if self.deviation > 0.0 {
            write!(f, " ± {:.4}", self.deviation)?;
        }
        Ok(())
    }
}

/// The slope of the least-squares line through points.
pub fn slope(points: &[(f64, f64)]) -> f64 {
    let count = points.len() as f64;
    let x = points.iter().map(|point| point.0).sum::<f64>() / count;
    let y = points.iter().map(|point| point.1).sum::<f64>() / count;
    let rise: f64 = points
        .iter()
        .map(|point| (point.0 - x) * (point.1 - y))
        .sum();
    let run: f64 = points.iter().map(|point| (point.0 - x).powi(2)).sum();
    rise / run
}
