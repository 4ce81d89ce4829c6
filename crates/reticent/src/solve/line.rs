//! Minimising a convex function of one variable on an interval.

/// Where `derivative`, which does not decrease, crosses 0 between `low` and `high`; an end if
/// it does not cross. About ten evaluations for a smooth function, and exactly where the
/// derivative is linear.
///
/// The Illinois rule: a secant between a point on each side of the crossing, the value of an
/// end that stays twice in a row halved; bisection where the bracket shrinks too slowly.
pub(super) fn minimiser(derivative: impl Fn(f64) -> f64, low: f64, high: f64) -> f64 {
    let (mut low, mut high) = ((low, derivative(low)), (high, derivative(high)));
    if low.1 >= 0.0 {
        return low.0;
    }
    if high.1 <= 0.0 {
        return high.0;
    }
    let tolerance = (high.0 - low.0) * 1e-15;
    let mut last_moved_low = None;
    for round in 0..MOST_ROUNDS {
        let width = high.0 - low.0;
        let secant = low.0 - low.1 * width / (high.1 - low.1);
        let middle = low.0 + 0.5 * width;
        let bisect = round % 8 == 7 || !(low.0..=high.0).contains(&secant);
        let next = if bisect { middle } else { secant };
        let value = derivative(next);
        if value == 0.0 || width <= tolerance {
            return next;
        }
        let moved_low = value < 0.0;
        let again = last_moved_low == Some(moved_low);
        if moved_low {
            low = (next, value);
            if again {
                high.1 *= 0.5;
            }
        } else {
            high = (next, value);
            if again {
                low.1 *= 0.5;
            }
        }
        last_moved_low = Some(moved_low);
    }
    low.0 + 0.5 * (high.0 - low.0)
}

/// With a bisection every eighth round this shrinks any bracket by 2⁻⁵⁰; for a smooth function it
/// ends long before.
const MOST_ROUNDS: usize = 400;

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    #[test]
    fn it_finds_the_crossing_or_the_end() {
        assert_eq!(minimiser(|x| x - 0.25, 0.0, 1.0), 0.25);
        assert_eq!(minimiser(|x| x + 1.0, 0.0, 1.0), 0.0);
        assert_eq!(minimiser(|x| x - 2.0, 0.0, 1.0), 1.0);
        let cubic = minimiser(|x| x * x * x - 0.001, -1.0, 7.0);
        assert!((cubic - 0.1).abs() < 1e-13, "{cubic}");
        let steep = minimiser(|x: f64| (50.0 * (x - 0.3)).tanh(), -10.0, 10.0);
        assert!((steep - 0.3).abs() < 1e-13, "{steep}");
        let jump = minimiser(|x| if x < 0.7 { -1e-9 } else { 1.0 }, 0.0, 1.0);
        assert!((jump - 0.7).abs() < 1e-13, "{jump}");
    }

    #[test]
    fn a_smooth_crossing_takes_few_evaluations() {
        let count = Cell::new(0);
        let found = minimiser(
            |x: f64| {
                count.set(count.get() + 1);
                1.0 / (1.0 + (-x).exp()) - 0.9
            },
            -20.0,
            20.0,
        );
        assert!((found - 9.0f64.ln()).abs() < 1e-12);
        assert!(count.get() <= 25, "{}", count.get());
    }
}
