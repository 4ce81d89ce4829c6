//! Experiments: the papers' tables and theorems, recomputed with certificates that hold.
//!
//! `cargo xtask reproduce STUDY` runs it. Fits are seeded, so that anyone gets the same figures;
//! a fit for use never is. Failures panic: a laboratory has no caller to report to.

mod batches;
mod budget;
mod chart;
mod file;
mod fits;
mod frank_wolfe;
mod images;
mod memo;
mod page;
mod panel;
mod scores;
mod sparse;
mod split;
mod summary;
mod synthetic;
mod trust;

use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["frank-wolfe", data, results] => {
            frank_wolfe::study(Path::new(data), Path::new(results));
            ExitCode::SUCCESS
        }
        ["sparse", data, results, memory, ref only @ ..] if only.len() < 2 => {
            let [data, results, memory] = [data, results, memory].map(Path::new);
            sparse::study(data, results, memory, only.first().copied());
            ExitCode::SUCCESS
        }
        ["fits", data, results, memory] => {
            fits::study(Path::new(data), Path::new(results), Path::new(memory));
            ExitCode::SUCCESS
        }
        ["trust", data, results, memory, ref only @ ..] if only.len() < 2 => {
            let [data, results, memory] = [data, results, memory].map(Path::new);
            trust::study(data, results, memory, only.first().copied());
            ExitCode::SUCCESS
        }
        [
            "batches",
            data,
            results,
            memory,
            fashion,
            cifar10,
            ref rest @ ..,
        ] if rest.len() < 3 => {
            let [data, results, memory, fashion, cifar10] =
                [data, results, memory, fashion, cifar10].map(Path::new);
            let folders = batches::Folders {
                data,
                results,
                memory,
                fashion,
                cifar10,
            };
            let only = rest.iter().find(|word| **word != "--quick").copied();
            batches::study(&folders, rest.contains(&"--quick"), only);
            ExitCode::SUCCESS
        }
        _ => {
            eprintln!(
                "usage: reticent-lab frank-wolfe DATA RESULTS\n       \
                 reticent-lab sparse DATA RESULTS MEMORY [PART]\n       \
                 reticent-lab fits DATA RESULTS MEMORY\n       \
                 reticent-lab trust DATA RESULTS MEMORY [PART]\n       \
                 reticent-lab batches DATA RESULTS MEMORY FASHION-MNIST CIFAR-10 [--quick] [PART]"
            );
            ExitCode::from(2)
        }
    }
}
