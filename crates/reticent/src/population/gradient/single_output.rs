//! Renewing the slopes of one function that have moved by more than a step.

use super::follow::BLOCK;
use super::margins::Line;
use super::pass::Block;
use super::rows::RowNumbers;
use crate::loss::Loss;

/// What the slope of a record depends on besides the record.
pub(super) struct Renewal<'a> {
    /// One.
    pub lines: &'a [Line],
    pub rows: &'a RowNumbers,
    pub loss: Loss,
    /// What is added to each margin.
    pub offset: f64,
    /// R.
    pub bound: f64,
    /// K.
    pub most: i32,
    /// Slope steps in 1.
    pub per_step: f64,
}

/// The work on one block, as what `pulp` compiles for several kinds of registers: a closure would not
/// be inlined there.
struct Wide<'a, 'b, 'c> {
    renewal: &'a Renewal<'a>,
    block: &'b mut Block<'c>,
    moves: &'b mut [i32],
}

impl pulp::NullaryFnOnce for Wide<'_, '_, '_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        self.renewal.renew(self.block, self.moves);
    }
}

impl Renewal<'_> {
    /// Renews the slopes kept by a block of records, and sets by how much each has moved: in the
    /// widest registers that there are.
    pub fn of_block(&self, block: &mut Block<'_>, moves: &mut [i32]) {
        pulp::Arch::new().dispatch(Wide {
            renewal: self,
            block,
            moves,
        });
    }

    #[inline(always)]
    fn renew(&self, block: &mut Block<'_>, moves: &mut [i32]) {
        let Block {
            first,
            kept,
            scaled,
            targets,
        } = block;
        let (first, count) = (*first, kept.len());
        let mut buffer = [0.0; BLOCK];
        let exact = &mut buffer[..count];
        self.lines[0].at(scaled[0], exact);
        let scales = self.rows.scales.get(first..).unwrap_or(&[]);
        if let Some(shortening) = self.rows.shortening {
            multiply(exact, scales.iter().map(|scale| scale * shortening));
        }
        exact.iter_mut().for_each(|margin| *margin += self.offset);
        self.loss.slopes(exact, targets);
        let clip = |slope: &mut f64| *slope = slope.clamp(-self.bound, self.bound);
        exact.iter_mut().for_each(clip);
        match scales {
            [] => exact.iter_mut().for_each(|slope| *slope *= self.per_step),
            scales => multiply(exact, scales.iter().copied()),
        }
        if let Some(shares) = self.rows.shares.get(first..) {
            multiply(exact, shares.iter().copied());
        }
        let everywhere = [self.most; BLOCK];
        let caps = match &self.rows.caps[..] {
            [] => &everywhere[..count],
            caps => &caps[first..][..count],
        };
        // No branch, so that several records are processed at a time.
        for (((kept, exact), most), by) in kept.iter_mut().zip(exact).zip(caps).zip(&mut *moves) {
            let is_far = (*exact - f64::from(*kept)).abs() > 1.0;
            // The sensitivity rests on the cap, which is at most 2²².
            let renewed = nearest(*exact).min(*most).max(-most);
            let renewed = if is_far { renewed } else { *kept };
            *by = renewed - *kept;
            *kept = renewed;
        }
    }
}

/// The nearest whole number, halves away from zero, and 2³⁰ for a size beyond that (for NaN, some
/// number): what a cast of the float plus ½ of its sign would be, without its branches.
#[inline(always)]
fn nearest(x: f64) -> i32 {
    const MOST: f64 = (1 << 30) as f64;
    // The sum with it has no bits after the point, and its last bits are a whole number.
    const SHIFT: f64 = 6_755_399_441_055_744.0; // 1.5·2⁵²
    let size = x.abs();
    let size = if size < MOST { size } else { MOST } + 0.5;
    let near = (size + SHIFT) - SHIFT;
    // The sum was rounded to the nearest: towards zero, if that was upwards.
    let whole = if near > size { near - 1.0 } else { near };
    (whole.copysign(x) + SHIFT).to_bits() as i32
}

#[inline(always)]
fn multiply(values: &mut [f64], factors: impl Iterator<Item = f64>) {
    for (value, factor) in values.iter_mut().zip(factors) {
        *value *= factor;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_is_what_the_cast_would_be() {
        let cast = |x: f64| (x + 0.5f64.copysign(x)) as i32;
        let wholes = (0..4000).map(|i| f64::from(i * 1049));
        for x in wholes.flat_map(|x| [-0.5, -0.25, 0.0, 0.25, 0.5, 0.75].map(|part| x + part)) {
            for x in [x, x.next_up(), x.next_down()] {
                assert_eq!(nearest(x), cast(x), "{x:e}");
                assert_eq!(nearest(-x), cast(-x), "-{x:e}");
            }
        }
        for far in [2e9, 1e300, f64::INFINITY] {
            assert_eq!((nearest(far), nearest(-far)), (1 << 30, -(1 << 30)));
        }
    }
}
