//! Random batches: which of the numbers 0 to n − 1 are in.

use super::bernoulli::uniform_below;
use super::generator::Randomness;
use super::laplace::Geometric;
use super::lazy::WORD;
use super::parameter::ParameterError;

/// A batch in which each number is with the same probability, independently of the others.
///
/// # The probability
///
/// is q′ = 1 − exp(−r) for a float r, exactly, and never above the rate q that was asked for: r is a
/// partial sum of −ln(1 − q) = q + q²/2 + q³/3 + …, all of whose terms are positive, rounded down. (A
/// term is made by at most 2·[`TERMS`] roundings of 2⁻⁵³ each, and so many are added: [`BELOW`]
/// outweighs them.) q′ is short of q by less than 2⁻⁴⁰·q for q ≤ ½; nearer to 1 by more, which costs
/// records and no privacy.
///
/// *Exact*: the numbers that are in are those at which a sequence of independent coins of probability
/// q′ succeeds, and the gaps between successes are independent and geometric. A gap beyond the end of
/// the numbers ends the batch, whatever its size.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PoissonBatches {
    /// Of how many are left out before the next; `None` if all are in.
    gap: Option<Geometric>,
}

/// How many terms of the logarithm are added.
const TERMS: u32 = 200;
/// Below 1 by more than the roundings of so many terms and their sum.
const BELOW: f64 = 1.0 - (1.0 / (1u64 << 42) as f64);

impl PoissonBatches {
    /// Of a rate above 0; from 1 on all numbers are in.
    pub fn new(rate: f64) -> Result<Self, ParameterError> {
        if rate >= 1.0 {
            return Ok(Self { gap: None });
        }
        let mut power = 1.0;
        let mut sum = 0.0;
        for k in 1..=TERMS {
            power *= rate;
            sum += power / f64::from(k);
        }
        let gap = Some(Geometric::new(BELOW * sum)?);
        Ok(Self { gap })
    }

    /// A batch of the numbers below `count`, in increasing order.
    pub fn sample<R: Randomness>(&self, count: u32, rng: &mut R) -> Vec<u32> {
        self.sample_at::<WORD, R>(count, rng)
    }

    /// [`Self::sample`] looking at `STEP` bits at a time.
    fn sample_at<const STEP: u32, R: Randomness>(&self, count: u32, rng: &mut R) -> Vec<u32> {
        let Some(gap) = self.gap else {
            return (0..count).collect();
        };
        let mut batch = Vec::new();
        let mut next = 0i64;
        loop {
            next = next.saturating_add(gap.sample_at::<STEP, R>(rng));
            match u32::try_from(next) {
                Ok(number) if number < count => batch.push(number),
                _ => return batch,
            }
            next += 1;
        }
    }
}

/// A uniformly random set of `size` of the numbers below `count`, in increasing order; all of them if
/// there are no more.
///
/// By Floyd's algorithm (Bentley and Floyd 1987): for j from count − size on, a uniform number t ≤ j is
/// taken, or j itself if t is in already. By induction every set of the numbers up to j is as likely as
/// any other of its size: one without j comes from that set less t for each of its members t, one with j
/// from the set less j whatever t was among its other members or j.
///
/// *Time*: the set is kept as a sorted list as long as its insertions cost less than a look at one bit for
/// each of the numbers, size² ≤ count: a batch of one record takes the same time whatever the count.
/// How it is kept decides nothing about who is in: the same draws give the same set.
pub(crate) fn fixed_size_batch<R: Randomness>(size: u32, count: u32, rng: &mut R) -> Vec<u32> {
    if size >= count {
        return (0..count).collect();
    }
    match u64::from(size) * u64::from(size) <= u64::from(count) {
        true => by_floyd(size, count, SortedList(Vec::new()), rng).0,
        false => by_floyd(size, count, Bits::new(count), rng).members(),
    }
}

/// Floyd's algorithm on an empty set.
fn by_floyd<S: NumberSet, R: Randomness>(size: u32, count: u32, mut set: S, rng: &mut R) -> S {
    for j in count - size..count {
        // Below 2³².
        let t = uniform_below(u64::from(j) + 1, rng) as u32;
        if !set.insert(t) {
            // No earlier number is as large.
            set.insert(j);
        }
    }
    set
}

/// A set of numbers.
trait NumberSet {
    /// Adds a number; false if it is in already.
    fn insert(&mut self, number: u32) -> bool;
}

/// For few numbers.
struct SortedList(Vec<u32>);

impl NumberSet for SortedList {
    fn insert(&mut self, number: u32) -> bool {
        match self.0.binary_search(&number) {
            Ok(_) => false,
            Err(place) => {
                self.0.insert(place, number);
                true
            }
        }
    }
}

/// For many: a bit for each number there is.
struct Bits(Vec<u64>);

impl Bits {
    fn new(count: u32) -> Self {
        Self(vec![0; count.div_ceil(u64::BITS) as usize])
    }

    /// In increasing order.
    fn members(self) -> Vec<u32> {
        let mut members = Vec::new();
        for (first, mut word) in (0..).step_by(u64::BITS as usize).zip(self.0) {
            while word != 0 {
                members.push(first + word.trailing_zeros());
                word &= word - 1;
            }
        }
        members
    }
}

impl NumberSet for Bits {
    fn insert(&mut self, number: u32) -> bool {
        let word = &mut self.0[(number / u64::BITS) as usize];
        let bit = 1 << (number % u64::BITS);
        let is_new = *word & bit == 0;
        *word |= bit;
        is_new
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noise::SeededGenerator;
    use std::collections::HashMap;

    /// Pearson's statistic is above this once in 10⁶ runs of a correct sampler: the quantile of χ² with
    /// so many degrees of freedom (Wilson–Hilferty, z = 4.75, which is above the quantile for few).
    fn most(degrees: usize) -> f64 {
        let k = degrees as f64;
        k * (1.0 - 2.0 / (9.0 * k) + 4.75 * (2.0 / (9.0 * k)).sqrt()).powi(3)
    }

    fn statistic(counts: &HashMap<Vec<u32>, f64>, law: &[(Vec<u32>, f64)], trials: f64) -> f64 {
        let of = |(set, probability): &(Vec<u32>, f64)| {
            let expected = probability * trials;
            (counts.get(set).unwrap_or(&0.0) - expected).powi(2) / expected
        };
        law.iter().map(of).sum()
    }

    fn sets(count: u32) -> impl Iterator<Item = Vec<u32>> {
        (0..1u32 << count).map(move |set| (0..count).filter(|i| set >> i & 1 == 1).collect())
    }

    /// 200 000 trials each; a false alarm in 10⁶ for each of the six.
    #[test]
    fn every_batch_has_the_probability_that_independent_coins_give_it() {
        let mut rng = SeededGenerator::not_private(16);
        for rate in [0.05f64, 0.3, 0.9] {
            let law: Vec<_> = sets(4)
                .map(|set| {
                    let (k, n) = (set.len() as i32, 4);
                    (set, rate.powi(k) * (1.0 - rate).powi(n - k))
                })
                .filter(|(_, p)| *p * 2e5 > 5.0)
                .collect();
            let poisson = PoissonBatches::new(rate).unwrap();
            for slow in [false, true] {
                let mut counts = HashMap::new();
                for _ in 0..200_000 {
                    let batch = match slow {
                        true => poisson.sample_at::<2, _>(4, &mut rng),
                        false => poisson.sample(4, &mut rng),
                    };
                    *counts.entry(batch).or_insert(0.0) += 1.0;
                }
                let found = statistic(&counts, &law, 2e5);
                assert!(found < most(law.len()), "{found} at {rate}");
            }
        }
        let all = PoissonBatches::new(1.0).unwrap().sample(5, &mut rng);
        assert_eq!(all, [0, 1, 2, 3, 4]);
    }

    /// The probability is 1 − exp(−r), and r is below −ln(1 − q) by the theorem; here in floats.
    #[test]
    fn no_rate_is_exceeded_and_hardly_any_of_it_is_lost() {
        for rate in [1e-12f64, 1e-6, 0.01, 0.3, 0.5, 0.9, 0.999] {
            let gap = PoissonBatches::new(rate).unwrap().gap.unwrap();
            // P(k ≥ 1) is the probability of being left out: ⌊E/r⌋ ≥ 1.
            let r = gap.rate();
            assert!(r <= -(-rate).ln_1p(), "{rate}");
            assert!(
                rate > 0.5 || -(-r).exp_m1() > rate * (1.0 - 1e-11),
                "{rate}"
            );
        }
    }

    /// 60 000 trials each; a false alarm in 10⁶ for each of the five.
    #[test]
    fn every_set_of_a_size_is_as_likely_as_any_other() {
        let mut rng = SeededGenerator::not_private(17);
        for size in 1..=5 {
            let law: Vec<_> = sets(6).filter(|set| set.len() == size).collect();
            let share = 1.0 / law.len() as f64;
            let law: Vec<_> = law.into_iter().map(|set| (set, share)).collect();
            let mut counts = HashMap::new();
            for _ in 0..60_000 {
                let batch = fixed_size_batch(size as u32, 6, &mut rng);
                *counts.entry(batch).or_insert(0.0) += 1.0;
            }
            assert_eq!(counts.values().sum::<f64>(), 6e4);
            let found = statistic(&counts, &law, 6e4);
            assert!(found < most(law.len()), "{found} of size {size}");
        }
        for size in [6, 7] {
            assert_eq!(fixed_size_batch(size, 6, &mut rng), [0, 1, 2, 3, 4, 5]);
        }
        assert!(fixed_size_batch(0, 6, &mut rng).is_empty());
        let wide = fixed_size_batch(700, 1000, &mut rng);
        assert!(wide.len() == 700 && wide.is_sorted_by(|a, b| a < b));
    }

    #[test]
    fn how_a_set_is_kept_does_not_change_who_is_in() {
        for (size, count) in [(1, 50_000), (5, 6), (30, 1000), (900, 1000)] {
            for seed in 0..20 {
                let rng = || SeededGenerator::not_private(seed);
                let list = by_floyd(size, count, SortedList(Vec::new()), &mut rng());
                let bits = by_floyd(size, count, Bits::new(count), &mut rng());
                assert_eq!(list.0, bits.members(), "{size} of {count}");
                assert_eq!(list.0, fixed_size_batch(size, count, &mut rng()));
            }
        }
    }
}
