//! The numerical tools of the accountants: the normal tail without cancellation, and two
//! searches in one variable.
//!
//! Nothing here is about privacy. Error bounds are stated in units of `f64::EPSILON` and
//! are deliberately generous; the accountants' guards rest on them.

/// ln √(2π).
pub(crate) const LN_SQRT_TAU: f64 = 0.918_938_533_204_672_8;

/// From here on the continued fraction of the Mills ratio is used.
const FAR: f64 = 3.0;

/// Q(t) = P(N(0,1) > t), to a relative (4 + t²) ε: `erfc` is good to one unit in the last
/// place and the rounding of t/√2 is amplified by t².
pub(crate) fn normal_upper_tail(t: f64) -> f64 {
    0.5 * libm::erfc(t * std::f64::consts::FRAC_1_SQRT_2)
}

/// The Mills ratio Q(t)/φ(t) for t > -5, to a relative 50 ε.
pub(crate) fn mills(t: f64) -> f64 {
    if t >= FAR {
        1.0 / (t + mills_remainder(t))
    } else {
        normal_upper_tail(t) * (0.5 * t * t + LN_SQRT_TAU).exp()
    }
}

/// 1 − t·m(t), which is −m′(t) for the Mills ratio m, for t > -5, to a relative 500 ε
/// (near t = 3 the difference costs a factor of ten; beyond it there is no difference).
pub(crate) fn mills_slope(t: f64) -> f64 {
    if t >= FAR {
        let rest = mills_remainder(t);
        rest / (t + rest)
    } else {
        1.0 - t * mills(t)
    }
}

/// r(t) in m(t) = 1/(t + r(t)): Laplace's continued fraction 1/(t + 2/(t + 3/(t + …))).
///
/// All terms are positive, so rounding does not accumulate. Cut after k terms it is off by
/// about e^{−2t√(2k)} relatively, below 1e-26 for t ≥ 3 and k = 50.
fn mills_remainder(t: f64) -> f64 {
    let mut tail = t;
    for k in (2..=50).rev() {
        tail = t + f64::from(k) / tail;
    }
    1.0 / tail
}

/// ln(1 + q(e^x − 1)) for 0 < q ≤ 1 and x ≥ 0, without overflow.
pub(crate) fn ln_mix_exp(q: f64, x: f64) -> f64 {
    if x < 700.0 {
        (q * x.exp_m1()).ln_1p()
    } else {
        let top = x + q.ln();
        // ln(e^top + (1 − q)), either of which may dominate.
        let rest = (-q).ln_1p();
        top.max(rest) + (-(top - rest).abs()).exp().ln_1p()
    }
}

/// A point that (nearly) minimises a unimodal `f`, and its value.
///
/// Starts at `start`, doubles its step downhill until the minimum is enclosed or `limits`
/// are met, then refines by Brent's method (golden sections and parabolas) to `tolerance`.
/// `f` may be infinite: a region where it is does not attract the search. Whatever `f`, the
/// value returned is one that `f` takes at the point returned.
pub(crate) fn minimise(
    f: impl Fn(f64) -> f64,
    start: f64,
    limits: (f64, f64),
    tolerance: f64,
) -> (f64, f64) {
    let (least, most) = limits;
    let mut middle = start.clamp(least, most);
    let mut value = f(middle);
    let mut step = 1.0;
    // Out of an infinite region: in our use it is always above the finite one.
    while value == f64::INFINITY && middle > least {
        middle = (middle - step).max(least);
        step *= 2.0;
        value = f(middle);
    }
    let (low, (middle, value), high) = enclose(&f, (middle, value), limits);
    brent(f, low, (middle, value), high, tolerance)
}

/// Walks downhill from a point in doubling steps: a point of least value met so far, with
/// a point on either side of it that is no better (or a limit).
fn enclose(
    f: impl Fn(f64) -> f64,
    start: (f64, f64),
    (least, most): (f64, f64),
) -> (f64, (f64, f64), f64) {
    let (mut middle, mut value) = start;
    let mut behind = middle;
    for direction in [1.0, -1.0] {
        let (mut ahead, mut step) = (middle, 0.5);
        loop {
            ahead = (ahead + direction * step).clamp(least, most);
            let there = f(ahead);
            if there >= value || ahead == middle {
                break;
            }
            behind = middle;
            (middle, value) = (ahead, there);
            step *= 2.0;
        }
        if behind != middle {
            return (behind.min(ahead), (middle, value), behind.max(ahead));
        }
        behind = ahead;
    }
    (middle, (middle, value), behind)
}

/// Brent's minimiser (Algorithms for Minimization Without Derivatives, 1973, ch. 5) from
/// an enclosed point.
fn brent(
    f: impl Fn(f64) -> f64,
    mut low: f64,
    start: (f64, f64),
    mut high: f64,
    tolerance: f64,
) -> (f64, f64) {
    const GOLDEN: f64 = 0.381_966_011_250_105_1;
    const MOST_STEPS: usize = 60;
    let (mut best, mut second, mut third) = (start, start, start);
    let (mut step, mut before_last) = (0.0_f64, high - low);
    for _ in 0..MOST_STEPS {
        let centre = 0.5 * (low + high);
        if (best.0 - centre).abs() + 0.5 * (high - low) <= 2.0 * tolerance {
            break;
        }
        let mut golden = true;
        if before_last.abs() > tolerance {
            let r = (best.0 - second.0) * (best.1 - third.1);
            let q = (best.0 - third.0) * (best.1 - second.1);
            let p = (best.0 - third.0) * q - (best.0 - second.0) * r;
            let q = 2.0 * (q - r);
            let move_by = -p / q;
            let target = best.0 + move_by;
            // The comparisons are false for the NaN of a flat or infinite parabola.
            if move_by.abs() < 0.5 * before_last.abs() && target > low && target < high {
                golden = false;
                before_last = step;
                step = move_by;
                if target - low < 2.0 * tolerance || high - target < 2.0 * tolerance {
                    step = tolerance.copysign(centre - best.0);
                }
            }
        }
        if golden {
            before_last = if best.0 < centre { high } else { low } - best.0;
            step = GOLDEN * before_last;
        }
        let at = best.0
            + if step.abs() >= tolerance {
                step
            } else {
                tolerance.copysign(step)
            };
        let tried = (at, f(at));
        if tried.1 <= best.1 {
            if at < best.0 {
                high = best.0;
            } else {
                low = best.0;
            }
            (third, second, best) = (second, best, tried);
        } else {
            if at < best.0 {
                low = at;
            } else {
                high = at;
            }
            if tried.1 <= second.1 || second.0 == best.0 {
                (third, second) = (second, tried);
            } else if tried.1 <= third.1 || third.0 == best.0 || third.0 == second.0 {
                third = tried;
            }
        }
    }
    best
}

/// The least argument, to `tolerance`, at which a falling `f` is at most 0.
///
/// `f(low) > 0 ≥ f(high)` must hold. The argument returned is one at which `f` was
/// evaluated and found to be at most 0 (or `high`), never an extrapolation. Regula falsi
/// in its Illinois form, with a bisection whenever it fails to halve the bracket in three
/// steps; an infinite value counts as a large one.
pub(crate) fn last_positive(
    mut f: impl FnMut(f64) -> f64,
    (mut low, mut f_low): (f64, f64),
    (mut high, mut f_high): (f64, f64),
    tolerance: f64,
) -> f64 {
    let (mut width, mut steps) = (high - low, 0);
    let mut last_side = 0;
    while high - low > tolerance {
        let secant = high - f_high * (high - low) / (f_high - f_low);
        // A step of a quarter of the tolerance beyond the secant lands on the far side of
        // the root sooner, so that the bracket closes from both ends.
        let nudge = 0.25 * tolerance;
        let mut at = if f_low.is_finite() && secant > low && secant < high {
            (secant + nudge).clamp(low + nudge, high - nudge)
        } else {
            0.5 * (low + high)
        };
        steps += 1;
        if steps == 3 {
            if high - low > 0.5 * width {
                at = 0.5 * (low + high);
            }
            (width, steps) = (high - low, 0);
        }
        if at <= low || at >= high {
            break;
        }
        let value = f(at);
        // In this order, so that a NaN is taken for a positive value.
        if value <= 0.0 {
            (high, f_high) = (at, value);
            if last_side == -1 {
                f_low *= 0.5;
            }
            last_side = -1;
        } else {
            (low, f_low) = (at, value);
            if last_side == 1 {
                f_high *= 0.5;
            }
            last_side = 1;
        }
    }
    high
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_two_forms_of_the_mills_ratio_meet() {
        for t in [3.0_f64, 3.5, 4.0, 5.0] {
            let direct = normal_upper_tail(t) * (0.5 * t * t + LN_SQRT_TAU).exp();
            assert!((mills(t) / direct - 1.0).abs() < 1e-13, "{t}");
            assert!(
                (mills_slope(t) / (1.0 - t * direct) - 1.0).abs() < 1e-11,
                "{t}"
            );
        }
    }

    #[test]
    fn a_minimum_is_found_from_afar_and_next_to_an_infinite_region() {
        let f = |x: f64| {
            if x > 5.0 {
                f64::INFINITY
            } else {
                (x - 4.9).powi(2)
            }
        };
        for start in [-40.0, 4.0, 30.0] {
            let (at, value) = minimise(f, start, (-50.0, 50.0), 1e-7);
            assert!((at - 4.9).abs() < 1e-6 && value < 1e-12, "{start}: {at}");
        }
    }

    #[test]
    fn a_minimum_at_a_limit_is_found() {
        let (at, _) = minimise(|x| x, 3.0, (-1.0, 10.0), 1e-7);
        assert!((at + 1.0).abs() < 1e-6);
    }

    #[test]
    fn the_root_returned_is_on_the_safe_side() {
        let f = |x: f64| if x < 0.1 { f64::INFINITY } else { 2.0 - x * x };
        let root = last_positive(f, (0.0, f64::INFINITY), (9.0, -79.0), 1e-12);
        assert!(f(root) <= 0.0 && root - 2.0_f64.sqrt() < 2e-12);
    }
}
