//! Choosing among candidates with probability exponential in their scores.

use super::bernoulli::{below_exp, uniform_below, uniform_below_wide};
use super::candidates::Candidates;
use super::generator::Randomness;
use super::interval::{DOWN, Interval, UP, exp_neg};
use super::lazy::{Lazy, WORD, bits};
use super::parameter::{Dyadic, ParameterError, dyadic_span};

/// Which scores are good.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aim {
    /// Candidate i has weight exp(rate·score).
    Highest,
    /// Candidate i has weight exp(−rate·score).
    Lowest,
}

/// Nothing can be chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SelectionError {
    /// There are no candidates.
    #[error("there is no candidate to choose from")]
    NoCandidates,
    /// More winners were asked for than there are candidates.
    #[error("more winners were asked for than there are candidates")]
    TooFewCandidates,
}

/// The exponential mechanism (McSherry–Talwar 2007): candidate i wins with probability
/// wᵢ/Σw, wᵢ = exp(±rate·scoreᵢ).
///
/// Scores are integers on a public grid; [`Grid::place`](super::Grid::place) makes them from
/// floats and refuses NaN, infinities and what is out of range. `rate` is then a rate *per
/// grid step*. All of `i64` is allowed: gaps between scores are taken without overflow.
///
/// Exact, by rejection. Scale the weights so that the best is 1.
///
/// *First, simply.* A candidate is proposed uniformly and kept with probability wᵢ, decided
/// without error; so if one is kept, it is i with probability wᵢ/Σw. Only some proposals are
/// tried. That none of them is kept says nothing about the draw that follows, which uses new
/// bits and has the same law: so the winner has that law either way.
///
/// *Then, surely.* Candidate i is put in a bucket jᵢ with 2^−jᵢ ≥ wᵢ; it is proposed with
/// probability proportional to 2^−jᵢ (a bucket by integer weights, then a member of it), and
/// kept with probability wᵢ·2^jᵢ ≤ 1. So it is kept with probability proportional to wᵢ.
/// Buckets are as deep as the weights are small (but for rounding down), hence about half the
/// proposals or more are kept.
#[derive(Clone, Copy, Debug)]
pub struct ExponentialSelector {
    rate: Dyadic,
    /// A lower bound of rate/ln 2: four roundings and a margin that outweighs them.
    depth_per_step: f64,
    /// 0 or −1. XOR with −1 reverses the order of integers and keeps their gaps.
    flip: i64,
}

impl ExponentialSelector {
    /// The selector for a `rate` between 2⁻¹²⁸ and 2¹²⁸, the float taken as an exact number.
    pub fn new(rate: f64, aim: Aim) -> Result<Self, ParameterError> {
        let rate = Dyadic::within("rate", rate, -128, 128)?;
        let depth_per_step = rate.real * std::f64::consts::LOG2_E * DOWN;
        Ok(Self {
            rate,
            depth_per_step,
            flip: if aim == Aim::Highest { 0 } else { -1 },
        })
    }

    /// The index of one winner.
    ///
    /// Cost: one pass over the scores. Where the best of them dominates so much that uniform
    /// proposals fail: another pass, and per proposal one over a byte per candidate.
    pub fn choose<R: Randomness>(
        &self,
        scores: &[i64],
        rng: &mut R,
    ) -> Result<usize, SelectionError> {
        self.choose_among::<WORD, R>(Candidates::Plain(scores), TRIES, rng)
    }

    /// [`Self::choose`] among candidates in any layout.
    pub(crate) fn choose_one<R: Randomness>(
        &self,
        candidates: Candidates<'_>,
        rng: &mut R,
    ) -> Result<usize, SelectionError> {
        self.choose_among::<WORD, R>(candidates, TRIES, rng)
    }

    /// [`Self::choose_one`] with at most `tries` uniform proposals.
    pub(super) fn choose_among<const STEP: u32, R: Randomness>(
        &self,
        candidates: Candidates<'_>,
        tries: usize,
        rng: &mut R,
    ) -> Result<usize, SelectionError> {
        if candidates.len() == 0 {
            return Err(SelectionError::NoCandidates);
        }
        let best = candidates.best(self.flip);
        for _ in 0..tries {
            let i = uniform_below(candidates.len() as u64, rng) as usize;
            let gap = best.wrapping_sub(candidates.score(i) ^ self.flip) as u64;
            if self.keep::<STEP, R>(gap, 0, rng) {
                return Ok(i);
            }
        }
        Ok(Buckets::new(self, candidates, best).draw::<STEP, R>(self, candidates, rng))
    }

    /// The indices of `k` winners in the order of their election: one after the other, each
    /// by [`Self::choose`] among those left. None for `k` = 0.
    ///
    /// That is the law of the one-shot top-k with Gumbel noise (Durfee–Rogers 2019), and costs
    /// k exponential mechanisms.
    pub fn choose_top<R: Randomness>(
        &self,
        scores: &[i64],
        k: usize,
        rng: &mut R,
    ) -> Result<Vec<usize>, SelectionError> {
        self.choose_top_at::<WORD, R>(Candidates::Plain(scores), k, rng)
    }

    /// [`Self::choose_top`] among candidates in any layout.
    pub(crate) fn choose_several<R: Randomness>(
        &self,
        candidates: Candidates<'_>,
        k: usize,
        rng: &mut R,
    ) -> Result<Vec<usize>, SelectionError> {
        self.choose_top_at::<WORD, R>(candidates, k, rng)
    }

    /// [`Self::choose_top`] looking at `STEP` bits at a time.
    pub(super) fn choose_top_at<const STEP: u32, R: Randomness>(
        &self,
        candidates: Candidates<'_>,
        k: usize,
        rng: &mut R,
    ) -> Result<Vec<usize>, SelectionError> {
        if k > candidates.len() {
            return Err(SelectionError::TooFewCandidates);
        }
        if k == 0 {
            return Ok(Vec::new());
        }
        let mut winners = Vec::with_capacity(k);
        let mut left: Vec<usize> = (0..candidates.len()).collect();
        let mut left_scores = candidates.scores();
        let mut buckets = Buckets::new(self, candidates, candidates.best(self.flip));
        for _ in 0..k {
            if buckets.are_deep() {
                // Start again from those left: three passes over them.
                let kept = |&i: &usize| buckets.ids[i] != REMOVED;
                let places: Vec<usize> = (0..left.len()).filter(kept).collect();
                left = places.iter().map(|&i| left[i]).collect();
                left_scores = places.iter().map(|&i| left_scores[i]).collect();
                let candidates = Candidates::Plain(&left_scores);
                buckets = Buckets::new(self, candidates, candidates.best(self.flip));
            }
            let i = buckets.draw::<STEP, R>(self, Candidates::Plain(&left_scores), rng);
            buckets.remove(i);
            winners.push(left[i]);
        }
        Ok(winners)
    }

    /// Whether to keep a candidate: with probability exp(−rate·`gap`)·2^`bucket`.
    ///
    /// That is, whether U·2^−`bucket` < exp(−rate·`gap`).
    pub(super) fn keep<const STEP: u32, R: Randomness>(
        &self,
        gap: u64,
        bucket: u8,
        rng: &mut R,
    ) -> bool {
        let mut u = Lazy::new(u128::from(bits::<STEP, R>(rng)), STEP + u32::from(bucket));
        let x = gap as f64 * self.rate.real; // two roundings
        let enclosure = exp_neg::<STEP>(Interval {
            low: x * DOWN,
            high: x * UP,
        });
        below_exp::<STEP, R>(rng, &mut u, 1, enclosure, |_, p| {
            let x = u128::from(gap) * u128::from(self.rate.mantissa);
            dyadic_span(&x.into(), self.rate.exponent, p)
        })
    }
}

/// How many uniform proposals are tried: about as long as it takes to sort 1000 candidates.
const TRIES: usize = 256;
/// The last bucket: every candidate with 2⁻⁶⁴ ≥ w.
const LAST: u8 = 64;
/// The id of a candidate that has won already.
const REMOVED: u8 = 255;

/// Candidates sorted by the binary order of their weight.
struct Buckets {
    /// The best score, flipped if low is good.
    best: i64,
    /// The bucket of each candidate.
    ids: Vec<u8>,
    /// How many candidates are in each.
    counts: [u64; LAST as usize + 1],
}

impl Buckets {
    /// One pass over the scores, of which the `best` is known.
    fn new(selector: &ExponentialSelector, candidates: Candidates<'_>, best: i64) -> Self {
        let flip = selector.flip;
        let depth = selector.depth_per_step;
        let id = |s: i64| bucket(best.wrapping_sub(s ^ flip) as u64, depth);
        let mut ids: Vec<u8> = Vec::with_capacity(candidates.len());
        match candidates {
            Candidates::Plain(values) => ids.extend(values.iter().map(|&s| id(s))),
            Candidates::Signed(values) => {
                ids.extend(values.iter().map(|&s| id(s)));
                ids.extend(values.iter().map(|&s| id(-s)));
            }
        }
        Self {
            best,
            counts: histogram(&ids),
            ids,
        }
    }

    /// Whether so much has been removed that proposals would be wasted.
    ///
    /// With n < 2ᵇ candidates those in the last bucket, rarely kept, have proposals of weight
    /// n·2⁻⁶⁴ < 2^(b−64) in all. As long as the best bucket j is at most 61 − b that is below
    /// 2^−(j+3), while one member of the best bucket is kept with weight about 2^−(j+1).
    fn are_deep(&self) -> bool {
        let best = self.counts.iter().take_while(|&&count| count == 0).count();
        best + (usize::BITS - self.ids.len().leading_zeros()) as usize > 61
    }

    /// Draws a candidate with probability proportional to its weight.
    fn draw<const STEP: u32, R: Randomness>(
        &self,
        selector: &ExponentialSelector,
        candidates: Candidates<'_>,
        rng: &mut R,
    ) -> usize {
        loop {
            let (bucket, rank) = self.propose(rng);
            let i = position(&self.ids, bucket, rank);
            let gap = self.best.wrapping_sub(candidates.score(i) ^ selector.flip) as u64;
            if selector.keep::<STEP, R>(gap, bucket, rng) {
                return i;
            }
        }
    }

    /// A bucket j with probability ∝ nⱼ·2⁻ʲ and a uniform rank below nⱼ.
    ///
    /// A uniform integer below Σ nⱼ·2^(64−j) falls into the share of a bucket, and its place
    /// there divided by 2^(64−j) is the rank. The sum is below 2¹²⁸, as Σnⱼ is below 2⁶⁴ − 1.
    fn propose<R: Randomness>(&self, rng: &mut R) -> (u8, u64) {
        let share = |j: usize| u128::from(self.counts[j]) << (64 - j);
        let total = (0..=LAST as usize).map(share).sum();
        let mut ticket = uniform_below_wide(total, rng);
        let mut j = 0;
        while ticket >= share(j) {
            ticket -= share(j);
            j += 1;
        }
        (j as u8, (ticket >> (64 - j)) as u64)
    }

    fn remove(&mut self, i: usize) {
        self.counts[usize::from(self.ids[i])] -= 1;
        self.ids[i] = REMOVED;
    }
}

/// A j with j·ln 2 ≤ rate·`gap`, the greatest up to rounding, and at most [`LAST`].
///
/// `depth_per_step` and the product below hold five roundings against a margin of eight.
#[inline]
fn bucket(gap: u64, depth_per_step: f64) -> u8 {
    (gap as f64 * depth_per_step).min(f64::from(LAST)) as u8
}

/// Counts ids. Four tables, as a run of equal ids would wait for one counter each time.
fn histogram(ids: &[u8]) -> [u64; LAST as usize + 1] {
    let mut tables = [[0u64; 256]; 4];
    let mut chunks = ids.chunks_exact(4);
    for chunk in &mut chunks {
        for lane in 0..4 {
            tables[lane][usize::from(chunk[lane])] += 1;
        }
    }
    for &id in chunks.remainder() {
        tables[0][usize::from(id)] += 1;
    }
    std::array::from_fn(|j| tables.iter().map(|table| table[j]).sum())
}

/// The place of the `rank`-th id (from 0) that equals `id`: one pass, 128 at a time.
fn position(ids: &[u8], id: u8, rank: u64) -> usize {
    let mut rank = rank;
    for (block, chunk) in ids.chunks(128).enumerate() {
        let count: u8 = chunk.iter().map(|&other| u8::from(other == id)).sum();
        if rank < u64::from(count) {
            for (i, _) in chunk.iter().enumerate().filter(|&(_, &other)| other == id) {
                if rank == 0 {
                    return block * 128 + i;
                }
                rank -= 1;
            }
        }
        rank -= u64::from(count);
    }
    // [`Buckets::propose`] draws the rank below the count, and the counts are kept exact.
    unreachable!("the rank is below the number of members of the bucket")
}
