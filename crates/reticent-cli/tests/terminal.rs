//! How `reticent` behaves at a terminal and in a pipe; what it says is in `wording`.

mod run;

use std::io::Read;
use std::process::{Command, Stdio};

use run::{account, reticent};

const EXAMPLE: &str = "--event gaussian:noise=20,count=30 \
                       --event exponential:range=0.1,count=100 --delta 1e-6";

fn printed_number(text: &str, name: &str) -> f64 {
    let start = text.find(&format!("{name} = ")).unwrap() + name.len() + 3;
    let number = text[start..].split_whitespace().next().unwrap();
    number.parse().unwrap()
}

#[test]
fn the_printed_epsilon_is_rounded_up_to_four_digits() {
    for noise in ["0.7", "1.1", "3", "8.3", "20", "99", "1e4"] {
        let arguments = format!("--delta 1e-6 --event gaussian:noise={noise}");
        let text = reticent(&format!("account {arguments}")).out;
        let shown = printed_number(&text, "ε");
        let exact = account(&arguments)["epsilon"].as_f64().unwrap();
        assert!(shown >= exact && shown <= exact * 1.001, "{shown} {exact}");
    }
}

#[test]
fn the_printed_noise_may_be_used_as_it_stands() {
    let plan = "--delta 1e-6 --event gaussian";
    let text = reticent(&format!("account {plan} --epsilon 0.7 --solve noise")).out;
    let noise = printed_number(&text, "noise");
    let again = account(&format!("{plan}:noise={noise}"));
    assert!(again["epsilon"].as_f64().unwrap() <= 0.7);
}

#[test]
fn a_pipe_gets_no_colours() {
    for arguments in [
        format!("account {EXAMPLE}"),
        "account --help".to_owned(),
        "account --delta 7".to_owned(),
    ] {
        let run = reticent(&arguments);
        assert!(!run.out.contains('\x1b') && !run.err.contains('\x1b'));
    }
}

#[test]
fn colours_can_be_forced_and_forbidden() {
    for (variable, coloured) in [("CLICOLOR_FORCE", true), ("NO_COLOR", false)] {
        let output = Command::new(env!("CARGO_BIN_EXE_reticent"))
            .arg("account")
            .args(EXAMPLE.split_whitespace())
            .env_remove("NO_COLOR")
            .env_remove("CLICOLOR_FORCE")
            .env(variable, "1")
            .output()
            .unwrap();
        assert_eq!(output.stdout.contains(&b'\x1b'), coloured, "{variable}");
    }
}

#[test]
fn a_reader_that_stops_listening_is_no_error() {
    for last in ["--json", ""] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_reticent"))
            .arg("account")
            .args(EXAMPLE.split_whitespace())
            .args(last.split_whitespace())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let mut complaint = String::new();
        child
            .stderr
            .take()
            .unwrap()
            .read_to_string(&mut complaint)
            .unwrap();
        assert!(child.wait().unwrap().success());
        assert_eq!(complaint, "");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn what_cannot_be_written_is_a_failure() {
    for arguments in [
        format!("account {EXAMPLE}"),
        format!("account {EXAMPLE} --json"),
        "account --help".to_owned(),
        "--help".to_owned(),
        "--version".to_owned(),
    ] {
        let full = std::fs::OpenOptions::new()
            .write(true)
            .open("/dev/full")
            .unwrap();
        let output = Command::new(env!("CARGO_BIN_EXE_reticent"))
            .args(arguments.split_whitespace())
            .stdout(full)
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(1), "{arguments}");
        let complaint = String::from_utf8(output.stderr).unwrap();
        assert!(complaint.contains("could not be written"), "{complaint}");
    }
}

#[test]
fn the_help_teaches_every_event_and_the_two_numbers() {
    let run = reticent("account --help");
    assert_eq!(run.code, 0);
    let help = run.out.split_whitespace().collect::<Vec<_>>().join(" ");
    for word in [
        "gaussian:noise=",
        "exponential:range=",
        "pure:epsilon=",
        "zcdp:rho=",
        "sampling=poisson",
        "sampling=without-replacement",
        "σ/Δ",
        "1/n",
        "--solve noise",
        "Examples:",
        "`noise_multiplier` of Opacus and TensorFlow Privacy is σ/C",
        "share, in the answer, is a share of the sum that the accountant adds up",
        "ε around 1 is a strong promise, and beyond 10 a weak one.",
        "256/60000",
        "(not with --solve)",
    ] {
        assert!(help.contains(word), "{word}\n{}", run.out);
    }
}

#[test]
fn the_help_fits_a_narrow_terminal() {
    for flag in ["-h", "--help"] {
        let output = Command::new(env!("CARGO_BIN_EXE_reticent"))
            .args(["account", flag])
            .env("COLUMNS", "80")
            .output()
            .unwrap();
        let help = String::from_utf8(output.stdout).unwrap();
        for line in help.lines() {
            assert!(line.chars().count() <= 80, "{line}");
        }
        // What is laid out by hand was not wrapped into the margin.
        let by_hand = match flag {
            "-h" => " --delta 1e-6 \\\n    --epsilon 1 --solve noise\n",
            _ => "\n      subsampled-gaussian:noise=1.1,rate=0.01,count=1e4,sampling=poisson\n",
        };
        assert!(help.contains(by_hand), "{help}");
    }
}

#[test]
fn the_first_line_of_the_help_says_what_it_is() {
    let first = "Sparse linear models under differential privacy\n";
    assert!(reticent("--help").out.starts_with(first));
    assert!(reticent("-h").out.starts_with(first));
}

#[test]
fn the_version_is_the_packages() {
    let expected = format!("reticent {}\n", env!("CARGO_PKG_VERSION"));
    assert_eq!(reticent("--version").out, expected);
}
