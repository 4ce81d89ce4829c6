//! The arguments of `reticent account`, and its help.

use clap::{Args, ValueEnum};
use reticent::privacy::{Accountant, Adjacency, Delta, Epsilon};

use crate::event_spec::EventSpec;
use crate::parse_number;

pub const ABOUT: &str = "\
What a list of private releases costs in all, as (ε, δ)-differential privacy: whatever \
one record says, it changes the probability of any outcome by a factor of at most e^ε, \
except with probability δ. The ε is proved by the tightest accountant that is valid for \
all the events, and rounded up.";

pub const EXAMPLES: &str = "\
Examples (--help has more, and what each event means):
  reticent account --event gaussian:noise=20,count=30 --delta 1e-6
  reticent account --event gaussian:count=30 --delta 1e-6 \\
    --epsilon 1 --solve noise";

pub const TEACHING: &str = "\
Events are written kind:key=value,... and each also takes count=N, how often it happens \
(once if left out):

  gaussian:noise=Z
      Gaussian noise of standard deviation Z × the ℓ₂ sensitivity.
  exponential:range=H
      A selection by the exponential mechanism, or by exact Gumbel noise. H is
      how far one record can move the log-odds between two candidates: with
      weights exp(score/b), its largest change of a score minus its smallest
      (signed), over b. Noisy max with Laplace noise is not this: charge pure.
  pure:epsilon=E
      Anything E-differentially private: Laplace, geometric, vector mechanism.
  zcdp:rho=R
      Anything R-zCDP; the discrete Gaussian of noise Z has R = 1/(2Z²).
  subsampled-gaussian:noise=Z,rate=Q,sampling=poisson
      Gaussian noise on a batch drawn afresh each time, every record being in
      it with probability Q. Accounted for under add-remove.
  subsampled-gaussian:noise=Z,rate=Q,sampling=without-replacement
      The same on a batch of fixed size, Q = batch/records. Accounted for under
      replace-one. Shuffling the records and cutting batches is neither.

noise is σ/Δ: the noise's standard deviation over the sensitivity under the adjacency in \
use. For a sum of vectors of norm at most C, Δ is 2C under replace-one and C under \
add-remove: the same σ is half the multiplier under replace-one. `noise_multiplier` of \
Opacus and TensorFlow Privacy is σ/C: use it unchanged under add-remove, halve it under \
replace-one.

Numbers are written like 0.5, 1e-6 or 256/60000; counts like 30 or 1e9.

share, in the answer, is a share of the sum that the accountant adds up (ε, ρ, 1/noise² or Rényi \
divergence), not of ε itself.

ε around 1 is a strong promise, and beyond 10 a weak one. δ: choose it far below 1/n for \
n records. At δ = 1/n, publishing one whole record is allowed; 1/n² is a good choice.

Examples:
  What do 30 noisy gradients and 100 private selections cost?
    reticent account --event gaussian:noise=20,count=30 \\
      --event exponential:range=0.1,count=100 --delta 1e-6

  What do 10 000 steps of private stochastic gradient descent cost?
    reticent account --delta 1e-6 --event \\
      subsampled-gaussian:noise=1.1,rate=0.01,count=1e4,sampling=poisson

  Which noise makes 30 releases fit ε = 1? (leave out noise= where it is unknown)
    reticent account --event gaussian:count=30 --delta 1e-6 \\
      --epsilon 1 --solve noise

Exit code: 0 answered; 2 the question makes no sense or has no answer; 1 the answer, or \
this help, could not be written.";

/// The arguments of `reticent account`.
#[derive(Debug, Args)]
pub struct AccountArgs {
    /// A release and how often it happens: kind:key=value,... (repeatable)
    ///
    /// Kinds and keys: gaussian:noise  exponential:range  pure:epsilon  zcdp:rho
    /// subsampled-gaussian:noise,rate,sampling; each also count.
    #[arg(long = "event", value_name = "EVENT", required = true, value_parser = EventSpec::parse)]
    pub events: Vec<EventSpec>,

    /// The δ at which ε is stated, above 0 and below 1; far below 1/n for n records
    #[arg(long, value_name = "DELTA", allow_hyphen_values = true, value_parser = delta)]
    pub delta: Delta,

    /// Which tables count as neighbours [default: replace-one, or add-remove with
    /// Poisson sampling]
    #[arg(long, value_name = "NAME")]
    pub adjacency: Option<AdjacencyName>,

    /// The budget to fit, with --solve
    #[arg(long, value_name = "EPSILON", allow_hyphen_values = true, value_parser = epsilon)]
    pub epsilon: Option<Epsilon>,

    /// Find the least noise for --epsilon, one multiplier for all events that leave noise=
    /// out
    #[arg(long, value_name = "WHAT", requires = "epsilon")]
    pub solve: Option<Unknown>,

    /// Use this accountant instead of the tightest (not with --solve)
    #[arg(long, value_name = "NAME", conflicts_with = "solve")]
    pub accountant: Option<AccountantName>,

    /// Print one JSON object, with exact numbers
    #[arg(long)]
    pub json: bool,
}

/// What `--solve` can find.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum Unknown {
    /// The noise multiplier σ/Δ
    Noise,
}

/// The adjacencies by their names.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum AdjacencyName {
    /// The tables differ in one record; the number of records is public
    ReplaceOne,
    /// One table has one more record; the number of records is private
    AddRemove,
}

impl From<AdjacencyName> for Adjacency {
    fn from(name: AdjacencyName) -> Self {
        match name {
            AdjacencyName::ReplaceOne => Self::ReplaceOne,
            AdjacencyName::AddRemove => Self::AddRemove,
        }
    }
}

/// The accountants by their names.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum AccountantName {
    /// Sums of pure ε
    Basic,
    /// Sums of ρ, optimally converted
    Zcdp,
    /// The exact δ(ε) of composed Gaussians
    Gaussian,
    /// Rényi divergences, optimally converted
    Rdp,
    /// The privacy loss distribution
    Pld,
}

impl From<AccountantName> for Accountant {
    fn from(name: AccountantName) -> Self {
        match name {
            AccountantName::Basic => Self::Basic,
            AccountantName::Zcdp => Self::Zcdp,
            AccountantName::Gaussian => Self::Gaussian,
            AccountantName::Rdp => Self::Rdp,
            AccountantName::Pld => Self::Pld,
        }
    }
}

fn delta(text: &str) -> Result<Delta, String> {
    parse_number::quantity(text, Delta::new)
}

fn epsilon(text: &str) -> Result<Epsilon, String> {
    parse_number::quantity(text, Epsilon::new)
}
