//! What `reticent account` promises to programs.

mod run;

use run::{account, reticent};

/// δ(ε) of a Gaussian mechanism of noise multiplier `noise` (Balle–Wang 2018), with the
/// normal distribution by Simpson's rule: good to about 1e-12, and independent of the library.
fn gaussian_delta(noise: f64, epsilon: f64) -> f64 {
    let mu = 1.0 / noise;
    phi(mu / 2.0 - epsilon / mu) - epsilon.exp() * phi(-mu / 2.0 - epsilon / mu)
}

fn phi(x: f64) -> f64 {
    let (low, steps) = (-40.0f64, 200_000);
    let width = (x - low) / f64::from(steps);
    let density = |t: f64| (-t * t / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt();
    let inner: f64 = (1..steps)
        .map(|i| f64::from(2 + 2 * (i % 2)) * density(low + f64::from(i) * width))
        .sum();
    (density(low) + inner + density(x)) * width / 3.0
}

#[test]
fn the_json_is_one_object_of_exactly_this_shape() {
    let run = reticent(
        "account --json --delta 1e-5 --event gaussian:noise=1.1,count=30 \
         --event exponential:range=0.1,count=100",
    );
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    assert_eq!(run.out.lines().count(), 1);
    let value: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    let number = |value: &serde_json::Value| serde_json::to_string(value).unwrap();
    let (first, second) = (&value["events"][0], &value["events"][1]);
    assert_eq!(
        run.out,
        format!(
            "{{\"epsilon\":{},\"delta\":{},\"adjacency\":\"replace-one\",\"accountant\":{},\
             \"events\":[{{\"kind\":\"gaussian\",\"noise\":1.1,\"count\":30,\"share\":{}}},\
             {{\"kind\":\"exponential\",\"range\":0.1,\"count\":100,\"share\":{}}}]}}\n",
            number(&value["epsilon"]),
            number(&value["delta"]),
            number(&value["accountant"]),
            number(&first["share"]),
            number(&second["share"]),
        )
    );
    assert_eq!(value["delta"].as_f64(), Some(1e-5));
    let shares = first["share"].as_f64().unwrap() + second["share"].as_f64().unwrap();
    assert!((shares - 1.0).abs() < 1e-9, "{shares}");
}

#[test]
fn every_kind_of_event_comes_back_as_it_was_given() {
    let value = account(
        "--delta 1e-5 --event pure:epsilon=0.1 --event zcdp:rho=0.001 \
         --event subsampled-gaussian:noise=2,rate=0.01,count=1e3,sampling=poisson",
    );
    let mut events = value["events"].clone();
    for event in events.as_array_mut().unwrap() {
        let share = event.as_object_mut().unwrap().remove("share").unwrap();
        assert!((0.0..=1.0).contains(&share.as_f64().unwrap()));
    }
    let expected = serde_json::json!([
        {"kind": "pure", "epsilon": 0.1, "count": 1},
        {"kind": "zcdp", "rho": 0.001, "count": 1},
        {"kind": "subsampled-gaussian", "noise": 2.0, "rate": 0.01, "sampling": "poisson",
         "count": 1000},
    ]);
    assert_eq!(events, expected);
}

#[test]
fn the_epsilon_of_a_gaussian_is_its_exact_one_rounded_up() {
    let value = account("--delta 1e-5 --event gaussian:noise=1.5");
    let epsilon = value["epsilon"].as_f64().unwrap();
    let delta = gaussian_delta(1.5, epsilon);
    assert!(delta <= 1e-5 * (1.0 + 1e-6), "{delta}");
    let tighter = gaussian_delta(1.5, epsilon * (1.0 - 1e-6));
    assert!(tighter > 1e-5 * (1.0 - 1e-6), "{tighter}");
}

#[test]
fn poisson_sampling_means_add_remove_and_all_else_replace_one() {
    let adjacency = |events: &str| account(&format!("--delta 1e-5 {events}"))["adjacency"].clone();
    assert_eq!(adjacency("--event gaussian:noise=3"), "replace-one");
    assert_eq!(
        adjacency("--event gaussian:noise=3 --adjacency add-remove"),
        "add-remove"
    );
    assert_eq!(
        adjacency("--event subsampled-gaussian:noise=3,rate=0.1,sampling=poisson"),
        "add-remove"
    );
    assert_eq!(
        adjacency("--event subsampled-gaussian:noise=3,rate=0.1,sampling=without-replacement"),
        "replace-one"
    );
}

#[test]
fn the_noise_that_is_found_fits_the_budget_and_hardly_less_would() {
    let plan = |noise: &str| {
        format!(
            "--delta 1e-6 --event gaussian:{noise}count=30 --event exponential:range=0.02,count=100 \
             --event gaussian:noise=40"
        )
    };
    let found = account(&format!("{} --epsilon 1 --solve noise", plan("")));
    let epsilon = found["epsilon"].as_f64().unwrap();
    assert!(epsilon <= 1.0, "{epsilon}");
    let noise = found["noise"].as_f64().unwrap();
    assert_eq!(found["events"][0]["noise"].as_f64(), Some(noise));
    assert_eq!(found["events"][2]["noise"].as_f64(), Some(40.0));

    let again = account(&plan(&format!("noise={noise},")));
    assert_eq!(again["epsilon"].as_f64(), Some(epsilon));
    assert!(again.get("noise").is_none());
    let less = account(&plan(&format!("noise={},", noise * 0.999)));
    assert!(less["epsilon"].as_f64().unwrap() > 1.0);
}

#[test]
fn every_event_that_leaves_its_noise_out_gets_the_same() {
    let found = account(
        "--delta 1e-6 --epsilon 2 --solve noise --event gaussian:count=2 \
         --event subsampled-gaussian:rate=0.01,count=100,sampling=poisson",
    );
    assert!(found["epsilon"].as_f64().unwrap() <= 2.0);
    assert_eq!(found["events"][0]["noise"], found["noise"]);
    assert_eq!(found["events"][1]["noise"], found["noise"]);
}

#[test]
fn a_named_accountant_is_the_one_that_answers_and_never_beats_the_default() {
    let events = "--delta 1e-5 --event gaussian:noise=2,count=3";
    let best = account(events)["epsilon"].as_f64().unwrap();
    for name in ["zcdp", "gaussian", "rdp"] {
        let value = account(&format!("{events} --accountant {name}"));
        assert_eq!(value["accountant"], name);
        assert!(value["epsilon"].as_f64().unwrap() >= best, "{name}");
    }
}

#[test]
fn a_billion_releases_are_one_event() {
    let value = account("--delta 1e-6 --event gaussian:noise=1e6,count=1e9");
    assert_eq!(value["events"][0]["count"].as_u64(), Some(1_000_000_000));
    assert!(value["epsilon"].as_f64().unwrap() < 1.0);
}

#[test]
fn spaces_in_a_quoted_event_do_no_harm() {
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_reticent"))
        .args(["account", "--delta", "1e-6", "--event"])
        .arg("gaussian: noise = 20, count = 30")
        .output()
        .unwrap();
    assert!(output.status.success());
}

#[test]
fn a_fraction_is_the_number_that_it_stands_for() {
    let event = "--event subsampled-gaussian:noise=2,sampling=poisson,rate";
    let fraction = account(&format!("{event}=256/60000 --delta 1/60000"));
    let rate = 256.0 / 60000.0;
    let number = account(&format!("{event}={rate} --delta {}", 1.0 / 60000.0));
    assert_eq!(fraction, number);
    assert_eq!(fraction["events"][0]["rate"].as_f64(), Some(rate));
}
