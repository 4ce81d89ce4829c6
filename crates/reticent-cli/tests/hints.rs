//! What people are likely to type is answered with what to write instead.

mod run;

use run::{event_refused, refused};

#[test]
fn events_that_have_another_name_here_are_named() {
    for (event, meant) in [
        ("laplace:epsilon=1", "Laplace noise is pure:epsilon=E"),
        ("Laplace:scale=1", "Laplace noise is pure:epsilon=E"),
        ("geometric:epsilon=1", "geometric noise is pure:epsilon=E"),
        ("vector", "the vector mechanism is pure:epsilon=E"),
        ("topk:k=3", "one-shot top-k is exponential:range=H,count=K"),
        ("top-k:k=3", "one-shot top-k is exponential:range=H,count=K"),
        ("discrete_gaussian:noise=3", "zcdp:rho=R, R = 1/(2Z²)"),
        ("dp-sgd", "subsampled-gaussian:noise=Z,rate=Q,sampling=..."),
    ] {
        event_refused(event, &["is not a kind; allowed: gaussian", meant]);
    }
}

#[test]
fn settings_that_have_another_name_here_are_named() {
    let sampled = "subsampled-gaussian:noise=1,sampling=poisson";
    for (event, meant) in [
        ("gaussian:sigma=2", "write noise=σ/Δ"),
        ("gaussian:sigma", "write noise=σ/Δ"),
        (
            "gaussian:noise_multiplier=2",
            "half of it under replace-one",
        ),
        (
            "gaussian:rate=0.1",
            "a release on a batch is subsampled-gaussian",
        ),
        ("exponential:eta=1", "write range=η"),
        (
            "exponential:epsilon=1",
            "write range=H, which is ε for weights exp(ε·score/(2Δ))",
        ),
        ("exponential:range=1,k=3", "write count=N"),
        (&format!("{sampled},q=0.1"), "write rate=batch/records"),
        (&format!("{sampled},batch=256"), "like rate=256/60000"),
    ] {
        event_refused(event, &["is not a key of", "; allowed: ", meant]);
    }
}

#[test]
fn capitals_are_answered_with_small_letters() {
    event_refused("GAUSSIAN:noise=1", &["did you mean gaussian?"]);
    event_refused("gaussian:NOISE=1", &["did you mean noise?"]);
    event_refused(
        "subsampled-gaussian:noise=1,rate=0.1,sampling=Poisson",
        &["did you mean poisson?"],
    );
}

#[test]
fn a_decimal_or_thousands_comma_is_answered_with_the_number() {
    event_refused(
        "gaussian:noise=0,5",
        &["a comma ends a value; if 0,5 is a number, write 0.5"],
    );
    event_refused(
        "subsampled-gaussian:noise=1,rate=0,01,sampling=poisson",
        &["if 0,01 is a number, write 0.01"],
    );
    event_refused(
        "gaussian:noise=1,count=10,000",
        &["if 10,000 is a number, write 10000 or 1e4"],
    );
    event_refused(
        "gaussian:count=1,000,000,noise=1",
        &["if 1,000,000 is a number, write 1000000 or 1e6"],
    );
    event_refused(
        "gaussian:noise=1,count=1,5",
        &["'5' is not a key of gaussian"],
    );
    refused(
        "account --event gaussian:noise=1 --delta 0,5",
        &["'0,5' is not a number; if 0,5 is a number, write 0.5"],
    );
}

#[test]
fn a_typographic_minus_is_called_that() {
    event_refused("gaussian:noise=1e−2", &["typographic minus (−, U+2212)"]);
    event_refused(
        "gaussian:noise=1,count=−2",
        &["typographic minus (−, U+2212)"],
    );
    refused(
        "account --event gaussian:noise=1 --delta 1e–6",
        &["'1e–6' has a typographic minus (–, U+2013); write the keyboard's (-)"],
    );
}

#[test]
fn a_number_out_of_range_is_repeated_as_it_was_typed() {
    event_refused("gaussian:noise=1e300", &["noise is 1e300; it must be"]);
    event_refused(
        "gaussian:noise=1 --event pure:epsilon=1e400",
        &["epsilon is 1e400 (too large for a 64-bit float); it must be"],
    );
    for tiny in ["1e-400", "1e-300/1e300"] {
        refused(
            &format!("account --event gaussian:noise=1 --delta {tiny}"),
            &[&format!(
                "delta is {tiny} (too small for a 64-bit float); it must be"
            )],
        );
    }
    refused(
        "account --event gaussian:noise=1 --delta 0e5",
        &["delta is 0e5; it must be above 0"],
    );
    event_refused(
        "subsampled-gaussian:noise=1,rate=60000/256,sampling=poisson",
        &["rate is 60000/256; it must be above 0 and at most 1"],
    );
    event_refused(
        "gaussian:noise=1 --epsilon 1e300 --solve noise",
        &["--epsilon 1e300 has nothing to find"],
    );
    refused(
        "account --event pure:epsilon=1e308,count=1e9 --delta 1e-300",
        &["at delta = 1e-300;"],
    );
}

#[test]
fn a_fraction_of_nothing_is_refused() {
    for bad in ["1/0", "0/0", "1/-5"] {
        refused(
            &format!("account --event gaussian:noise=1 --delta {bad}"),
            &[bad, "divides by a number that is not above 0"],
        );
    }
    event_refused(
        "gaussian:noise=1/2/3",
        &["'1/2/3' is not a number", "256/60000"],
    );
}
