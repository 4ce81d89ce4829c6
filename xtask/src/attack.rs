//! `cargo xtask attack`: coupled replay of every method on hostile tables, for minutes; and an audit of a
//! million released steps.

use std::process::ExitCode;

use crate::step::{Failure, Outcome};
use crate::{cargo, exit_code, misused};

/// How long it takes where nobody says.
const MINUTES: u64 = 5;

/// Runs the attack with these arguments.
pub fn command(arguments: &[String]) -> ExitCode {
    let (mut minutes, mut seed) = (MINUTES, 1);
    let mut pairs = arguments.chunks(2);
    loop {
        let (place, value) = match pairs.next() {
            None => break,
            Some([flag, value]) if flag == "--minutes" => (&mut minutes, value),
            Some([flag, value]) if flag == "--seed" => (&mut seed, value),
            Some(other) => {
                let given = other.join(" ");
                return misused(&format!(
                    "attack takes --minutes N and --seed N; '{given}' was given"
                ));
            }
        };
        match value.parse::<u32>() {
            Ok(number) if number > 0 => *place = u64::from(number),
            _ => return misused(&format!("'{value}' is not a whole number above 0")),
        }
    }
    exit_code(attack(minutes, seed))
}

fn attack(minutes: u64, seed: u64) -> Result<Outcome, Failure> {
    println!("attacking for {minutes} minutes, seed {seed}");
    let mut command = cargo();
    command
        .args(["test", "--quiet", "--package", "reticent", "--lib"])
        .args(["--", "--ignored", "--nocapture"])
        .args(["attack::for_minutes", "audit::a_million_draws"])
        .env("ATTACK_MINUTES", minutes.to_string())
        .env("ATTACK_SEED", seed.to_string());
    match command.status() {
        Ok(status) if status.success() => Ok(Outcome::Passed),
        Ok(_) => Err(Failure {
            reason: "something moved by more than was charged, differed, or told more than is \
                     certified: see above"
                .to_owned(),
            again: format!("cargo xtask attack --minutes {minutes} --seed {seed}"),
        }),
        Err(error) => Err(Failure {
            reason: format!("cargo could not be started: {error}"),
            again: "cargo xtask attack".to_owned(),
        }),
    }
}
