//! Ctrl-C during a fit: exit code 130, a word about the budget, and no file.
#![cfg(unix)]

mod run;
mod table;

use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use table::{Folder, libsvm};

/// A fit that would take far longer than any test.
fn long_fit(folder: &Folder) -> Child {
    let train = folder.write("train", &libsvm(20_000, 1));
    Command::new(env!("CARGO_BIN_EXE_reticent"))
        .args([
            "fit",
            &train,
            "--task",
            "logistic",
            "--epsilon",
            "1",
            "--delta",
            "1e-6",
        ])
        .args([
            "--rows",
            "linf=1",
            "--method",
            "frank-wolfe",
            "--iterations",
            "1e7",
        ])
        .args(["--out", &folder.at("model.json")])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

fn interrupt(child: &Child) {
    let status = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status()
        .unwrap();
    assert!(status.success());
}

/// Waits for the end, which must come soon.
fn ended(mut child: Child) -> (Option<i32>, String, String) {
    let start = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if start.elapsed() > Duration::from_secs(60) {
            child.kill().unwrap();
            panic!("it did not stop");
        }
        sleep(Duration::from_millis(20));
    }
    let output = child.wait_with_output().unwrap();
    (
        output.status.code(),
        String::from_utf8(output.stdout).unwrap(),
        String::from_utf8(output.stderr).unwrap(),
    )
}

#[test]
fn a_fit_that_is_interrupted_writes_no_file_and_says_what_stays_spent() {
    let folder = Folder::new("interrupt");
    let child = long_fit(&folder);
    sleep(Duration::from_secs(3));
    interrupt(&child);
    let (code, out, err) = ended(child);
    assert_eq!(code, Some(130), "{err}");
    assert_eq!(out, "");
    assert!(err.contains("interrupted after"), "{err}");
    assert!(err.contains("stays spent"), "{err}");
    assert!(err.contains("no model was written"), "{err}");
    assert_eq!(folder.names(), ["train"]);
}

#[test]
fn an_interrupt_while_reading_spends_nothing() {
    let folder = Folder::new("interrupt-read");
    let pipe = folder.at("pipe");
    assert!(
        Command::new("mkfifo")
            .arg(&pipe)
            .status()
            .unwrap()
            .success()
    );
    let child = Command::new(env!("CARGO_BIN_EXE_reticent"))
        .args([
            "fit",
            &pipe,
            "--task",
            "logistic",
            "--epsilon",
            "1",
            "--delta",
            "1e-6",
        ])
        .args(["--rows", "linf=1", "--out", &folder.at("model.json")])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // Nothing writes to the pipe: it waits to be opened.
    sleep(Duration::from_secs(2));
    interrupt(&child);
    let (code, out, err) = ended(child);
    assert_eq!(code, Some(130), "{err}");
    assert_eq!(out, "");
    assert!(err.contains("nothing was spent"), "{err}");
    assert_eq!(folder.names(), ["pipe"]);
}
