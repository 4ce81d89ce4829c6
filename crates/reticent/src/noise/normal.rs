//! A standard normal real, drawn lazily by rejection from a table of cells.

use std::sync::LazyLock;

use super::bernoulli::below_exp;
use super::big::Span;
use super::generator::Randomness;
use super::interval::{DOWN, Interval, UP, exp_neg};
use super::lazy::{Lazy, bits};

/// Z ~ N(0, 1): a sign, and a magnitude whose undrawn bits are fair.
#[derive(Clone, Debug)]
pub(super) struct LazyNormal {
    pub negative: bool,
    pub magnitude: Lazy,
}

/// Draws Z exactly.
///
/// Let f(x) = exp(−x²/2). A point uniform under f on \[0, ∞) has a half-normal x. The part
/// with x < 4¼ is covered by cells of size 1/16 × 1/`ROWS`; twelve bits pick a cell or nothing,
/// so a point uniform in the cell falls with density D = 16·`ROWS`/4096 everywhere on the
/// cells, and is kept if it is under f: at once if the cell is, else by comparing. One more
/// slot, of probability 1/4096, stands for the tail: x = 4¼ + m + u with m of probability
/// 2^−(m+1) and u uniform is proposed with density 2^−(m+1)/4096 and kept with probability
/// 16·`ROWS`·2^(m+1)·f(x). So every x is kept with density D·f(x): the half-normal law.
///
/// That probability is at most 1: f decreases, so for a given m it is greatest at u = 0;
/// there it is 32·197·exp(−9.03) < 0.76 for m = 0 and changes by 2·exp(−(4¾ + m)) < 1 from m
/// to m + 1.
///
/// All of it depends only on drawn bits: a cell is kept at once for every point in it, and
/// [`below_exp`] answers for whatever follows. So the undrawn bits of x stay fair. Karney 2016
/// draws normals exactly by series of coins; the table spends one word on nearly all draws.
pub(super) fn normal<const STEP: u32, R: Randomness>(table: &Table, rng: &mut R) -> LazyNormal {
    let word = rng.next_u64();
    normal_from::<STEP, R>(table, word, rng)
}

/// [`normal`] after its first word.
pub(super) fn normal_from<const STEP: u32, R: Randomness>(
    table: &Table,
    mut word: u64,
    rng: &mut R,
) -> LazyNormal {
    let fraction = STEP.min(FRACTION);
    loop {
        let cell = table.cells[(word % 4096) as usize];
        let negative = word & 4096 != 0;
        let column = u64::from(cell >> 8 & 127);
        let x = || {
            Lazy::new(
                u128::from((column << fraction) | (word >> (64 - fraction))),
                4 + fraction,
            )
        };
        let magnitude = if cell & INSIDE != 0 {
            Some(x())
        } else if cell == NOTHING {
            None
        } else if cell == TAIL {
            tail::<STEP, R>(rng)
        } else {
            straddling::<STEP, R>(table, x(), cell, rng)
        };
        if let Some(magnitude) = magnitude {
            return LazyNormal {
                negative,
                magnitude,
            };
        }
        word = rng.next_u64();
    }
}

/// A word is 12 bits of cell, one of sign, 51 of fraction.
const FRACTION: u32 = 51;

/// The bits after the point that [`at_once`] knows.
pub(super) const HEAD_BITS: u32 = 4 + FRACTION;

/// What [`normal`] makes of a word for nine in ten of them, in plain integers: whether it does,
/// whether Z is negative, and the v with which |Z| is known to lie in \[v, v+1)·2⁻ᵇ, b being
/// [`HEAD_BITS`]. If it does not, more has to be drawn.
#[inline(always)]
pub(super) fn at_once(table: &Table, word: u64) -> (bool, bool, u64) {
    let cell = table.cells[(word % 4096) as usize];
    let column = u64::from(cell >> 8 & 127);
    let v = column << FRACTION | word >> (64 - FRACTION);
    (cell & INSIDE != 0, word & 4096 != 0, v)
}

/// The table, built on first use.
pub(super) fn table() -> &'static Table {
    &TABLE
}

/// The cells, and what decides most of those that lie across f.
#[derive(Debug)]
pub(super) struct Table {
    /// One cell per slot: bit 15 says that it is wholly under f, bits 8 to 14 hold the column and
    /// bits 0 to 7 the row. Of 32 bits, because processors gather no shorter ones.
    cells: [u32; 4096],
    /// One per column.
    chords: [Chord; COLUMNS as usize],
}

/// The chord of g(t) = `ROWS`·f((column + t)/16) from t = 0 to 1, and how far g may be from it.
///
/// A twice differentiable g is within max|g″|/8 of its chord; above it where g is concave and below
/// it where g is convex. g″ = `ROWS`·(x² − 1)·f(x)/256: concave for x ≤ 1, the columns below 16, and
/// convex in the others; and |x² − 1|·f(x) is at most the largest |x² − 1| of the column times the
/// largest f.
#[derive(Clone, Copy, Debug, Default)]
struct Chord {
    /// g(0).
    start: f64,
    /// g(0) − g(1).
    fall: f64,
    /// How far g may be above the chord, and below.
    above: f64,
    below: f64,
}

impl Chord {
    /// Added to `above` and `below` for all roundings. f is enclosed to a relative 2⁻⁴³ (and `start`
    /// and `fall`, below 197, to 2⁻³⁴); what is computed from them is below 256 and rounded less
    /// than ten times by a relative 2⁻⁵³, hence off by less than 2⁻⁴¹.
    const SLACK: f64 = 1.0 / (1 << 30) as f64;

    fn new(column: u16) -> Self {
        let rows = f64::from(ROWS);
        let [left, right] = [column, column + 1].map(|end| f64::from(end) / 16.0);
        let bend = (left * left - 1.0).abs().max((right * right - 1.0).abs());
        let away = bend * rows * density(column).high / 2048.0;
        let is_concave = column < 16;
        let start = rows * density(column).low;
        Self {
            start,
            fall: start - rows * density(column + 1).low,
            above: Self::SLACK + if is_concave { away } else { 0.0 },
            below: Self::SLACK + if is_concave { 0.0 } else { away },
        }
    }

    /// Whether `height` < g(t), for all numbers in these two intervals; `None` if it is not the same
    /// for all, or the chord can not tell. The chord falls, as g does.
    #[inline]
    fn decides(&self, t: Interval, height: Interval) -> Option<bool> {
        if height.high < self.start - self.fall * t.high - self.below {
            Some(true)
        } else if height.low > self.start - self.fall * t.low + self.above {
            Some(false)
        } else {
            None
        }
    }
}

const INSIDE: u32 = 1 << 15;
const TAIL: u32 = 126 << 8;
const NOTHING: u32 = 127 << 8;

/// 4¼ · 16.
const COLUMNS: u16 = 68;
/// The greatest number for which the cells and the tail fit into 4096 slots.
const ROWS: u16 = 197;

static TABLE: LazyLock<Box<Table>> = LazyLock::new(build);

/// Lists the cells. f decreases, so a cell touches the region if its lower left corner does,
/// and is inside if its upper right corner is. Where the enclosure is in doubt a cell counts
/// as touching and as not inside, which costs time but changes no probability.
fn build() -> Box<Table> {
    let f = density;
    let rows = f64::from(ROWS);
    let mut table = [NOTHING; 4096];
    table[0] = TAIL;
    let mut slot = 1;
    for column in 0..COLUMNS {
        let touching = rows * f(column).high * UP;
        let inside = rows * f(column + 1).low * DOWN;
        for row in (0..ROWS).take_while(|&row| f64::from(row) <= touching) {
            let flag = if f64::from(row + 1) <= inside {
                INSIDE
            } else {
                0
            };
            table[slot] = flag | u32::from(column << 8 | row);
            slot += 1;
        }
    }
    Box::new(Table {
        cells: table,
        chords: std::array::from_fn(|column| Chord::new(column as u16)),
    })
}

/// Encloses f at the left end of a column.
fn density(column: u16) -> Interval {
    let x = f64::from(column) / 16.0;
    // Exact: column² has 13 bits.
    exp_neg::<64>(Interval {
        low: x * x / 2.0,
        high: x * x / 2.0,
    })
}

/// Keeps `x` if a uniform height in its cell is under f: (row + U)/`ROWS` < f(x). The chord decides
/// all but one in thirty.
#[inline(never)]
fn straddling<const STEP: u32, R: Randomness>(
    table: &Table,
    mut x: Lazy,
    cell: u32,
    rng: &mut R,
) -> Option<Lazy> {
    let (column, row) = (cell >> 8 & 127, cell & 255);
    let mut height = Lazy::uniform::<STEP, R>(rng).plus(u64::from(row));
    let within = |Interval { low, high }: Interval| Interval {
        low: 16.0 * low - f64::from(column),
        high: 16.0 * high - f64::from(column),
    };
    let chord = &table.chords[column as usize];
    let is_under = match chord.decides(within(x.interval()), height.interval()) {
        Some(is_under) => is_under,
        None => under_density::<STEP, R>(&mut x, &mut height, rng),
    };
    is_under.then_some(x)
}

/// Proposes x in the tail: kept if U < 16·`ROWS`·2^(m+1)·f(x), or U·2^−(m+5) < `ROWS`·f(x).
#[cold]
fn tail<const STEP: u32, R: Randomness>(rng: &mut R) -> Option<Lazy> {
    let m = tails_before_heads(rng);
    let u = u128::from(bits::<STEP, R>(rng));
    // Seventeen quarters are a whole number of units as STEP is at least 2.
    let mut x = Lazy::new(u + (17 << STEP >> 2) + (u128::from(m) << STEP), STEP);
    let mut height = Lazy::new(u128::from(bits::<STEP, R>(rng)), STEP + m + 5);
    under_density::<STEP, R>(&mut x, &mut height, rng).then_some(x)
}

/// m with probability 2^−(m+1).
fn tails_before_heads<R: Randomness>(rng: &mut R) -> u32 {
    let mut m = 0;
    loop {
        let zeros = rng.next_u64().trailing_zeros();
        m += zeros;
        if zeros < 64 {
            return m;
        }
    }
}

/// Whether `height` < `ROWS`·f(`x`).
fn under_density<const STEP: u32, R: Randomness>(
    x: &mut Lazy,
    height: &mut Lazy,
    rng: &mut R,
) -> bool {
    // Square and margin round twice, which the margin outweighs; halving is exact.
    let Interval { low, high } = x.interval();
    let exponent = Interval {
        low: low * low * 0.5 * DOWN,
        high: high * high * 0.5 * UP,
    };
    let enclosure = exp_neg::<STEP>(exponent);
    below_exp::<STEP, R>(rng, height, u64::from(ROWS), enclosure, |rng, p| {
        // Eight more bits for x, as x²/2 moves x times as fast as x.
        let x = x.at::<STEP, R>(rng, p + 8);
        let shift = 2 * (p + 8) + 1 - p;
        Span {
            low: x.low.sqr() >> shift,
            high: (x.high.sqr() >> shift) + 1u8,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noise::SeededGenerator;
    use crate::noise::tests::support::{kolmogorov_smirnov, proportion, upper_normal};

    #[test]
    fn the_table_is_full_and_its_inner_cells_are_the_region_but_for_its_edge() {
        let used = table()
            .cells
            .iter()
            .filter(|&&cell| cell != NOTHING)
            .count();
        let inside = table()
            .cells
            .iter()
            .filter(|&&cell| cell & INSIDE != 0)
            .count();
        assert!(4070 < used && used <= 4096, "{used}");
        assert!(3700 < inside && inside < used, "{inside}");
        assert!(*table().cells.last().unwrap() == NOTHING || used == 4096);
    }

    /// At many points of each column: the chord's bounds hold f's enclosure, and leave little open.
    #[test]
    fn a_chord_decides_as_the_density_does() {
        let mut open = 0.0;
        for column in 0..COLUMNS {
            let chord = &table().chords[usize::from(column)];
            for place in 0..=64 {
                let t = f64::from(place) / 64.0;
                let x = (f64::from(column) + t) / 16.0;
                let half = x * x / 2.0;
                let f = exp_neg::<64>(Interval {
                    low: half * DOWN,
                    high: half * UP,
                });
                let g = [f.low, f.high].map(|f| f64::from(ROWS) * f);
                let decided = |height| {
                    let exactly = |x| Interval { low: x, high: x };
                    chord.decides(exactly(t), exactly(height))
                };
                assert_ne!(decided(g[0] - 1e-12), Some(false), "{column} {t}");
                assert_ne!(decided(g[1] + 1e-12), Some(true), "{column} {t}");
                assert_eq!(decided(g[0] - 0.1), Some(true), "{column} {t}");
                assert_eq!(decided(g[1] + 0.1), Some(false), "{column} {t}");
            }
            open += chord.above + chord.below;
        }
        assert!(open / f64::from(COLUMNS) < 1.0 / 30.0, "{open}");
    }

    /// 20 000 draws at each width; false alarm 4e-6. The share of proposals kept counts too:
    /// 16·ROWS·∫f over the tail.
    #[test]
    fn the_tail_has_the_law_of_the_tail() {
        fn check<const STEP: u32>(seed: u64) {
            let mut rng = SeededGenerator::not_private(seed);
            let whole = upper_normal(4.25);
            let mut places = Vec::new();
            let mut proposals = 0;
            while places.len() < 20_000 {
                proposals += 1;
                if let Some(mut x) = tail::<STEP, _>(&mut rng) {
                    let v = x.at::<STEP, _>(&mut rng, 60).low;
                    let x = u128::try_from(v).unwrap() as f64 / (1u64 << 60) as f64;
                    assert!(x >= 4.25);
                    places.push(1.0 - upper_normal(x) / whole);
                }
            }
            let p = kolmogorov_smirnov(places);
            assert!(p > 1e-6, "STEP {STEP}: p = {p:e}");
            let share = 16.0 * f64::from(ROWS) * std::f64::consts::TAU.sqrt() * whole;
            let p = proportion(20_000, proposals, share);
            assert!(p > 1e-6, "STEP {STEP}, share: p = {p:e}");
        }
        check::<64>(41);
        check::<2>(42);
    }
}
