//! How fast the samplers and accountants are: against their goals, and against OpenDP
//! measured in the same run. `cargo xtask bench` runs it.
//!
//! A mechanism here is a bare sampler: OpenDP's also checks its input, which costs next to nothing
//! compared with its arithmetic. Failures panic: a benchmark has no caller to report to.

mod measure;

use std::hint::black_box;
use std::num::NonZeroU64;

use dashu::rational::RBig;
use measure::{Row, Unit, header, time};
use opendp::domains::{AtomDomain, VectorDomain};
use opendp::measurements::{make_gaussian, make_noisy_max, make_noisy_top_k};
use opendp::measures::ZeroConcentratedDivergence;
use opendp::metrics::{L2Distance, LInfDistance};
use opendp::traits::samplers::{sample_discrete_gaussian, sample_discrete_laplace};
use reticent::noise::{
    Aim, DiscreteGaussian, DiscreteLaplace, ExponentialSelector, Randomness, RoundedGaussian,
    SecureGenerator, VectorLaplace,
};
use reticent::privacy::{
    Accountant, Adjacency, Budget, Charge, Delta, Epsilon, Event, NoiseMultiplier, Range, Sampling,
    SamplingRate, account, account_by, calibrate,
};

/// The noise of a release on a fine grid.
const SCALE: f64 = (1u64 << 30) as f64;
/// The columns of a wide table.
const WIDE: usize = 100_000;
/// How many winners a support selection takes.
const WINNERS: usize = 32;

fn main() {
    println!("{}", header());
    samplers();
    selections();
    accountants();
}

fn samplers() {
    let mut rng = SecureGenerator::from_system().unwrap();
    let whole = RBig::from(1u64 << 30);

    let gaussian = RoundedGaussian::new(SCALE).unwrap();
    Row::new("rounded Gaussian, σ = 2^30", Unit::Nanoseconds)
        .goal(150.0)
        .ours(time(1000, || _ = black_box(gaussian.sample(&mut rng))))
        .opendp(time(10, || {
            _ = black_box(sample_discrete_gaussian(whole.clone()).unwrap());
        }))
        .print();

    let discrete = DiscreteGaussian::new(SCALE).unwrap();
    Row::new("discrete Gaussian, σ = 2^30", Unit::Nanoseconds)
        .ours(time(1000, || _ = black_box(discrete.sample(&mut rng))))
        .opendp(time(10, || {
            _ = black_box(sample_discrete_gaussian(whole.clone()).unwrap());
        }))
        .print();

    let laplace = DiscreteLaplace::new(1.0 / SCALE).unwrap();
    Row::new("discrete Laplace, scale 2^30", Unit::Nanoseconds)
        .ours(time(1000, || _ = black_box(laplace.sample(&mut rng))))
        .opendp(time(10, || {
            _ = black_box(sample_discrete_laplace(whole.clone()).unwrap());
        }))
        .print();

    let zeros = vec![0i64; WIDE];
    let theirs = make_gaussian::<_, _, ZeroConcentratedDivergence>(
        VectorDomain::new(AtomDomain::<i64>::default()),
        L2Distance::<f64>::default(),
        SCALE,
        None,
    )
    .unwrap();
    Row::new("Gaussian over 10^5 coordinates", Unit::Milliseconds)
        .ours(time(1, || {
            let noisy: Vec<i64> = zeros
                .iter()
                .map(|value| value.saturating_add(gaussian.sample(&mut rng)))
                .collect();
            black_box(noisy);
        }))
        .opendp(time(1, || _ = black_box(theirs.invoke(&zeros).unwrap())))
        .print();

    for dimension in [100, 10_000] {
        let vector = VectorLaplace::new(dimension, 1.0 / SCALE).unwrap();
        let name = format!("vector mechanism, a coordinate of {dimension}");
        Row::new(&name, Unit::Nanoseconds)
            .ours(time(1, || _ = black_box(vector.sample(&mut rng))).per(dimension))
            .print();
    }
}

fn selections() {
    let mut rng = SecureGenerator::from_system().unwrap();
    // Log-weights spread evenly over 20, and the same with one clear winner.
    let spread: Vec<i64> = (0..WIDE).map(|_| (rng.next_u64() >> 34) as i64).collect();
    let mut peaked = spread.clone();
    peaked[WIDE / 2] = 5 << 30;
    let scale = SCALE / 20.0;
    let ours = ExponentialSelector::new(1.0 / scale, Aim::Highest).unwrap();
    let domain = || VectorDomain::new(AtomDomain::<i64>::default());
    let metric = || LInfDistance::<i64>::default();
    let theirs =
        make_noisy_max(domain(), metric(), ZeroConcentratedDivergence, scale, false).unwrap();
    for (name, scores) in [
        ("selection among 10^5", &spread),
        ("selection among 10^5, a clear winner", &peaked),
    ] {
        Row::new(name, Unit::Milliseconds)
            .goal(0.5)
            .ours(time(1, || {
                _ = black_box(ours.choose(scores, &mut rng).unwrap());
            }))
            .opendp(time(1, || _ = black_box(theirs.invoke(scores).unwrap())))
            .print();
    }
    let theirs = make_noisy_top_k(
        domain(),
        metric(),
        ZeroConcentratedDivergence,
        WINNERS,
        scale,
        false,
    )
    .unwrap();
    Row::new("top 32 among 10^5", Unit::Milliseconds)
        .ours(time(1, || {
            _ = black_box(ours.choose_top(&spread, WINNERS, &mut rng).unwrap());
        }))
        .opendp(time(1, || _ = black_box(theirs.invoke(&spread).unwrap())))
        .print();
}

fn accountants() {
    let delta = Delta::new(1e-5).unwrap();
    let count = |n| NonZeroU64::new(n).unwrap();
    let subsampled = |noise, sampling| {
        let event = Event::SubsampledGaussian {
            noise,
            rate: SamplingRate::new(0.01).unwrap(),
            sampling,
        };
        vec![Charge::new(event, count(10_000))]
    };
    let noise = NoiseMultiplier::new(1.1).unwrap();
    let (poisson, removed) = (Sampling::Poisson, Sampling::WithoutReplacement);

    for (name, accountant, sampling) in [
        ("RDP, Poisson, 10^4 steps", Accountant::Rdp, poisson),
        ("RDP, no replacement, 10^4 steps", Accountant::Rdp, removed),
        ("PLD, Poisson, 10^4 steps", Accountant::Pld, poisson),
        ("PLD, no replacement, 10^4 steps", Accountant::Pld, removed),
    ] {
        let charges = subsampled(noise, sampling);
        let run = || account_by(accountant, &charges, sampling.adjacency(), delta).unwrap();
        Row::new(name, Unit::Microseconds)
            .ours(time(1, || _ = black_box(run())))
            .print();
    }

    let budget = Budget::new(Epsilon::new(1.0).unwrap(), delta);
    Row::new("calibration, 10^4 Poisson steps", Unit::Microseconds)
        .ours(time(1, || {
            let plan = |noise| subsampled(noise, poisson);
            _ = black_box(calibrate(plan, Adjacency::AddRemove, budget).unwrap());
        }))
        .print();
    Row::new("calibration, 30 Gaussians", Unit::Microseconds)
        .ours(time(1, || {
            let plan = |noise| vec![Charge::new(Event::Gaussian { noise }, count(30))];
            _ = black_box(calibrate(plan, Adjacency::ReplaceOne, budget).unwrap());
        }))
        .print();

    let billion = [
        Event::Gaussian {
            noise: NoiseMultiplier::new(1e6).unwrap(),
        },
        Event::Exponential {
            range: Range::new(1e-6).unwrap(),
        },
    ]
    .map(|event| Charge::new(event, count(1_000_000_000)));
    Row::new("10^9 Gaussians and 10^9 selections", Unit::Microseconds)
        .ours(time(1, || {
            _ = black_box(account(&billion, Adjacency::ReplaceOne, delta).unwrap());
        }))
        .print();
    let deep = Event::SubsampledGaussian {
        noise,
        rate: SamplingRate::new(1e-6).unwrap(),
        sampling: poisson,
    };
    let deep = [Charge::new(deep, count(1_000_000_000))];
    Row::new("10^9 Poisson steps at rate 10^-6", Unit::Microseconds)
        .ours(time(1, || {
            _ = black_box(account(&deep, Adjacency::AddRemove, delta).unwrap());
        }))
        .print();
}
