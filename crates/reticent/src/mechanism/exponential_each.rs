//! Selection in several groups at once, by exponential mechanisms that share one rate.

use super::RELEASE_KEY;
use super::error::{ReleaseError, same_neighbours};
#[cfg(test)]
use super::tape::Release;
use crate::noise::{Aim, Candidates, ExponentialSelector, Randomness, SelectionError};
use crate::population::GroupScores;
use crate::privacy::{Charge, Event, Ledger, Rho};

/// Releases, for each group, the index of a candidate of large (or small) score.
///
/// # Privacy
///
/// *Adjacency*: the scores', which must be the ledger's. *Sensitivity*: the scores' bound S of
/// Σ_k range_k² over the groups k, range_k = max(u−u′) − min(u−u′) within the group; weights are
/// exp(±rate·u) with rate = √(8ρ/S) rounded down, the same in every group.
/// *Theorem*: take two neighbours. In group k the log-odds between two candidates differ by at
/// most η_k = rate·range_k, and so the Rényi divergence of order α of that selection is at most
/// α·η_k²/8 (Cesar–Rogers 2021: bounded range η is η²/8-zCDP, and the proof is about one pair of
/// distributions). Given the table the selections are independent, and the divergences of
/// independent releases add: Σ_k α·η_k²/8 ≤ α·rate²·S/8 ≤ α·ρ. That holds for every pair of
/// neighbours, though which group a record moves most differs from pair to pair: ρ-zCDP, for all
/// groups together. Charged once, as a `zcdp` event. The selections are drawn exactly; no score is
/// released.
pub fn exponential_each<R: Randomness>(
    scores: &GroupScores<'_>,
    aim: Aim,
    rho: Rho,
    ledger: &mut Ledger,
    randomness: &mut R,
) -> Result<Vec<usize>, ReleaseError> {
    same_neighbours(scores.adjacency(), ledger)?;
    randomness.refresh()?;
    let open = scores.open(&RELEASE_KEY);
    let selector = ExponentialSelector::new(rate(rho, open.squares), aim)?;
    if open.values.is_empty() {
        return Err(SelectionError::NoCandidates.into());
    }
    ledger.charge(Charge::once(Event::Zcdp { rho }), randomness.secure())?;
    Ok(drawn!(Release::groups(scores, rho.get()), {
        let groups = open.values.chunks(open.width);
        let choose = |group| selector.choose_one(Candidates::Signed(group), randomness);
        groups.map(choose).collect::<Result<Vec<_>, _>>()?
    }))
}

/// √(8ρ/S), rounded down.
fn rate(rho: Rho, squares: u128) -> f64 {
    // The integer may be rounded as a float, and so may the quotient, by half a unit in the last
    // place each: one step up and one down cover that. Times 8 is exact. The root is rounded
    // correctly, to the nearest.
    let squares = (squares as f64).next_up();
    let square = (8.0 * rho.get() / squares).next_down();
    square.max(0.0).sqrt().next_down()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_spends_no_more_than_rho_and_hardly_less() {
        for squares in [1u128, 3, (1 << 60) + 1, (1 << 84) + 12_345] {
            for rho in [1e-9, 0.02, 3.0] {
                let rate = rate(Rho::new(rho).unwrap(), squares);
                let spent = rate * rate * squares as f64 / 8.0;
                assert!(spent <= rho && spent > rho * (1.0 - 1e-14), "{spent} {rho}");
            }
        }
    }
}
