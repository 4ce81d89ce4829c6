//! Round numbers for the edges of a histogram.

/// 1, 2, 2.5 or 5 times a power of ten.
pub(super) struct NiceStep {
    digits: f64,
    exponent: i32,
}

impl NiceStep {
    /// The next one from a width above 0 on.
    pub fn at_least(width: f64) -> Self {
        let width = width.max(f64::MIN_POSITIVE);
        let mut exponent = width.log10().floor() as i32;
        let enough = |digits: &f64, exponent| {
            let step = Self {
                digits: *digits,
                exponent,
            };
            step.times(1.0) >= width * (1.0 - 1e-9)
        };
        let mut digits = [1.0, 2.0, 2.5, 5.0].into_iter();
        let digits = match digits.find(|digits| enough(digits, exponent)) {
            Some(digits) => digits,
            None => {
                exponent += 1;
                1.0
            }
        };
        Self { digits, exponent }
    }

    /// A multiple of it, rounded once: 3 steps of 0.1 are 0.3.
    pub fn times(&self, count: f64) -> f64 {
        let power = 10f64.powi(self.exponent.abs());
        match self.exponent < 0 {
            true => count * self.digits / power,
            false => count * self.digits * power,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_round_and_their_multiples_are_too() {
        for (width, step) in [
            (0.09, 0.1),
            (11.0, 20.0),
            (24.0, 25.0),
            (25.1, 50.0),
            (51.0, 100.0),
        ] {
            assert_eq!(NiceStep::at_least(width).times(1.0), step, "{width}");
        }
        assert_eq!(NiceStep::at_least(0.1).times(3.0), 0.3);
        assert_eq!(NiceStep::at_least(0.0025).times(-3.0), -0.0075);
    }
}
