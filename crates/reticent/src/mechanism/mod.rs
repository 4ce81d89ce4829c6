//! Mechanisms: the only way for a number to be released from the data.
//!
//! | mechanism | releases | event | theorem |
//! |---|---|---|---|
//! | [`gaussian`] | a vector | `gaussian` | Balle–Wang 2018; rounding is post-processing |
//! | [`subsampled_gaussian`] | a vector, over a secret batch | `subsampled-gaussian` | Mironov et al. 2019; Balle–Barthe–Gaboardi 2018 |
//! | [`vector`] | a vector, pure ε | `pure` | Chaudhuri et al. 2011, ℓ₂ vector mechanism |
//! | [`exponential`] | one candidate | `exponential` | McSherry–Talwar 2007; Cesar–Rogers 2021 |
//! | [`top_k`] | k candidates, in order | k × `exponential` | Durfee–Rogers 2019 |
//! | [`exponential_each`] | one candidate of each group | `zcdp` | Cesar–Rogers 2021 |
//! | [`noisy_max`] | one candidate, for comparison | `pure` | Dwork–Roth 2014 |
//! | [`objective`] | a minimiser | `pure` + `gaussian` | Kifer–Smith–Thakurta 2012; Iyengar et al. 2019 |
//! | [`geometric`] | an integer | `pure` | Ghosh–Roughgarden–Sundararajan 2009 |
//!
//! Each takes a query, a privacy parameter, a ledger and a source of random bits, and takes the
//! same steps: check that query and ledger are for the same neighbours; ensure fresh randomness;
//! derive the noise from the query's own sensitivity, rounding towards more noise; **charge the
//! ledger; only then draw**. A refusal draws nothing.

/// Draws: `drawn!(what is about to be drawn, the draw)`. Tests can replace the noise by a tape
/// (`tape.rs`); in every other build it is the draw and nothing else.
macro_rules! drawn {
    ($release:expr, $draw:expr) => {{
        #[cfg(test)]
        let drawn = match $crate::mechanism::tape::replayed(|| $release) {
            Some(released) => released,
            None => {
                let released = $draw;
                $crate::mechanism::tape::recorded(|| $release, &released);
                released
            }
        };
        #[cfg(not(test))]
        let drawn = $draw;
        drawn
    }};
}

mod error;
mod exponential;
mod exponential_each;
mod gaussian;
mod geometric;
mod noisy_max;
mod objective;
mod release;
mod subsampled_gaussian;
#[cfg(test)]
pub(crate) mod tape;
mod vector;

pub use error::ReleaseError;
pub use exponential::{exponential, top_k};
pub use exponential_each::exponential_each;
pub use gaussian::gaussian;
pub use geometric::geometric;
pub use noisy_max::noisy_max;
pub use objective::objective;
pub use release::Released;
pub use subsampled_gaussian::{Batches, subsampled_gaussian};
pub use vector::vector;

/// The key to a query. Its field is private to this module, so that no other code can make one.
pub(crate) struct ReleaseKey(());

/// The one key, for the mechanisms.
const RELEASE_KEY: ReleaseKey = ReleaseKey(());

#[cfg(test)]
mod tests;
