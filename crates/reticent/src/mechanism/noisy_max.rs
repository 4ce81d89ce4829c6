//! Report-noisy-max with Laplace noise: for comparison with papers that use it.

use super::RELEASE_KEY;
use super::error::{ReleaseError, same_neighbours};
#[cfg(test)]
use super::tape::Release;
use crate::noise::{Aim, DiscreteLaplace, Randomness, SelectionError};
use crate::population::Scores;
use crate::privacy::{Charge, Epsilon, Event, Ledger};

/// Releases the index of the candidate whose score is best after each has received discrete Laplace
/// noise of its own; the first of equals.
///
/// Prefer [`exponential`](super::exponential()): at the same ε it is four times cheaper in ρ.
///
/// # Privacy
///
/// *Adjacency*: the scores', which must be the ledger's. *Sensitivity*: the scores' range
/// sup (max(u−u′) − min(u−u′)); P(Z = k) ∝ exp(−rate·|k|) with rate = ε/range rounded down.
/// *Proof*: let high be good. Fix the noise of all candidates but i. Then i wins if and only
/// if Zᵢ ≥ k for the integer k = max(maxⱼ₍ⱼ﹤ᵢ₎(uⱼ+Zⱼ)+1, maxⱼ₍ⱼ﹥ᵢ₎(uⱼ+Zⱼ)) − uᵢ, which
/// between neighbours grows by at most the range. And P(Z ≥ k + range) ≥ e^(−ε)·P(Z ≥ k) for
/// every k, because shifting an outcome by range steps costs at most a factor exp(rate·range).
/// So P(i wins) shrinks by at most e^ε: ε-DP (Dwork–Roth 2014, claim 3.9, with the range in place
/// of 2Δ). It does *not* have bounded range ε, so η²/8 is not its ρ.
pub fn noisy_max<R: Randomness>(
    scores: &Scores,
    aim: Aim,
    epsilon: Epsilon,
    ledger: &mut Ledger,
    randomness: &mut R,
) -> Result<usize, ReleaseError> {
    same_neighbours(scores.adjacency(), ledger)?;
    randomness.refresh()?;
    let open = scores.open(&RELEASE_KEY);
    // The integer may be rounded as a float; one step up covers that.
    let range = (open.range as f64).next_up();
    let sampler = DiscreteLaplace::new((epsilon.get() / range).next_down())?;
    let candidates = open.candidates;
    if candidates.len() == 0 {
        return Err(SelectionError::NoCandidates.into());
    }
    ledger.charge(Charge::once(Event::Pure { epsilon }), randomness.secure())?;
    Ok(drawn!(
        Release::scores("noisy max", scores, epsilon.get()),
        {
            let mut best = (0, i128::MIN);
            for index in 0..candidates.len() {
                let score = i128::from(candidates.score(index));
                let good = match aim {
                    Aim::Highest => score,
                    Aim::Lowest => -score,
                };
                let noisy = good.saturating_add(unbounded(|| sampler.sample(randomness)));
                if noisy > best.1 {
                    best = (index, noisy);
                }
            }
            best.0
        }
    ))
}

/// A draw of discrete Laplace noise beyond the sampler's limits.
///
/// The sampler returns ±m, m = 2⁶³ − 1, for every |Z| ≥ m. Which candidate of two such draws
/// wins would then depend on the scores alone. But the law has no memory: given Z ≥ m, what Z
/// has beyond m is distributed as Z given Z ≥ 0. So it is drawn and added.
fn unbounded(mut draw: impl FnMut() -> i64) -> i128 {
    let first = draw();
    let mut size = i128::from(first.unsigned_abs());
    let mut last = first.unsigned_abs();
    while last == i64::MAX.unsigned_abs() {
        let more = loop {
            let more = draw();
            if more >= 0 {
                break more;
            }
        };
        size = size.saturating_add(i128::from(more));
        last = more.unsigned_abs();
    }
    if first < 0 { -size } else { size }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noise::{Grid, SeededGenerator};
    use crate::population::BoundedSum;
    use crate::privacy::{Adjacency, Budget, Delta};
    use crate::table::RecordBound;
    use crate::testing::pairs;

    const MOST: i64 = i64::MAX;

    fn generous() -> Ledger {
        let budget = Budget::new(Epsilon::new(1e9).unwrap(), Delta::new(1e-6).unwrap());
        Ledger::filter(budget, Adjacency::ReplaceOne)
    }

    /// P(i wins) by enumeration, for scores in steps and noise P(k) ∝ exp(−rate·|k|).
    fn winning(scores: &[i64], rate: f64) -> Vec<f64> {
        let far = 60 + (60.0 / rate) as i64;
        let unit = (rate / 2.0).tanh();
        let at = |k: i64| unit * (-rate * k.abs() as f64).exp();
        // P(Z ≤ k), in closed form.
        let up_to = |k: i64| {
            let tail = (-rate * (k.abs() as f64 + f64::from(u8::from(k >= 0)))).exp();
            let tail = tail / (1.0 + (-rate).exp());
            if k >= 0 { 1.0 - tail } else { tail }
        };
        let of = |i: usize| -> f64 {
            let beats = |k: i64| -> f64 {
                let noisy = scores[i] + k;
                let others = scores.iter().enumerate().filter(|(j, _)| *j != i);
                // Later ones may be equal, earlier ones must be below.
                others
                    .map(|(j, u)| up_to(noisy - u - i64::from(j < i)))
                    .product()
            };
            (-far..=far).map(|k| at(k) * beats(k)).sum()
        };
        (0..scores.len()).map(of).collect()
    }

    #[test]
    fn enumeration_sums_to_one() {
        for rate in [0.2, 1.0] {
            let total: f64 = winning(&[0, 3, 3, -2], rate).iter().sum();
            assert!((total - 1.0).abs() < 1e-12, "{total}");
        }
    }

    /// Neighbouring scores with every pattern of moves within the range: no odds differ by more
    /// than e^ε, and some come near it, so that the bound is tight.
    #[test]
    fn neighbours_differ_by_at_most_epsilon() {
        let (range, epsilon) = (4i64, 0.8);
        let rate = epsilon / range as f64;
        let base = [0, 1, -3, 2];
        let before = winning(&base, rate);
        let mut worst = 0.0f64;
        for pattern in 0..81 {
            let mut rest = pattern;
            let moved = base.map(|score| {
                let step = rest % 3 - 1;
                rest /= 3;
                score + step * range / 2
            });
            let after = winning(&moved, rate);
            for (a, b) in pairs(&before, &after) {
                worst = worst.max((a / b).ln().abs());
            }
        }
        assert!(worst <= epsilon + 1e-9, "{worst}");
        assert!(worst > 0.6 * epsilon, "{worst}");
    }

    /// 20 000 selections; each frequency within five standard deviations: false alarm 6e-7
    /// each, three of them for each aim.
    #[test]
    fn winners_have_the_enumerated_probabilities() {
        let trials = 20_000;
        let grid = Grid::new(-2).unwrap();
        // Steps 4, 2, −4: a bound of 1 spans 4 steps, so that Δ∞ is 8 and the range 16.
        let mut sum = BoundedSum::new(3, RecordBound::Linf(1.0), grid).unwrap();
        sum.add(&[1.0, 0.5, -1.0]).unwrap();
        let scores = sum.into_query(Adjacency::ReplaceOne).unwrap().scores();
        let epsilon = Epsilon::new(3.2).unwrap();
        let mut rng = SeededGenerator::not_private(9);
        let mut ledger = generous();
        for (aim, steps) in [(Aim::Highest, [4, 2, -4]), (Aim::Lowest, [-4, -2, 4])] {
            let mut hits = [0.0f64; 3];
            for _ in 0..trials {
                let winner = noisy_max(&scores, aim, epsilon, &mut ledger, &mut rng).unwrap();
                hits[winner] += 1.0;
            }
            for (hits, p) in pairs(&hits, winning(&steps, 3.2 / 16.0)) {
                let expected = p * f64::from(trials);
                let spread = (expected * (1.0 - p)).sqrt();
                assert!((hits - expected).abs() < 5.0 * spread, "{hits} {expected}");
            }
        }
        let charged = ledger.statement().charges;
        assert_eq!(charged.len(), 1);
        assert_eq!(charged[0].event, Event::Pure { epsilon });
        assert_eq!(charged[0].count.get(), 2 * u64::from(trials as u32));
    }

    #[test]
    fn noise_goes_on_where_the_sampler_stops() {
        let draws = |list: &'static [i64]| {
            let mut list = list.iter();
            unbounded(move || *list.next().unwrap())
        };
        assert_eq!(draws(&[-7]), -7);
        assert_eq!(draws(&[MOST, -3, 5]), i128::from(MOST) + 5);
        assert_eq!(draws(&[-MOST, MOST, 0]), -2 * i128::from(MOST));
    }
}
