//! Images that are not among the data sets: where they are, or how to get them.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::python::environment;
use crate::step::{Failure, run};
use crate::{data, target};

const AGAIN: &str = "cargo xtask reproduce batches";

/// The folder of Fashion-MNIST: four idx files, compressed, as Debian's package has them.
pub fn fashion_mnist() -> Result<PathBuf, Failure> {
    const FILE: &str = "train-images-idx3-ubyte.gz";
    let places = [
        named("RETICENT_FASHION_MNIST"),
        Some(data().join("fashion-mnist")),
        Some(PathBuf::from("/usr/share/datasets/fashion-mnist")),
    ];
    found(places, FILE).ok_or_else(|| Failure {
        reason: format!(
            "Fashion-MNIST is not there ({FILE} and its three siblings): install Debian's package \
             dataset-fashion-mnist, or name their folder in RETICENT_FASHION_MNIST"
        ),
        again: AGAIN.to_owned(),
    })
}

/// The folder of CIFAR-10 in its binary layout. Where the data sets come with the tool that makes it,
/// it is made.
pub fn cifar10() -> Result<PathBuf, Failure> {
    const FILE: &str = "test_batch.bin";
    let made = target().join("reproduce/cifar10");
    let places = [
        named("RETICENT_CIFAR10"),
        Some(data().join("cifar10")),
        Some(made.clone()),
    ];
    if let Some(folder) = found(places, FILE) {
        return Ok(folder);
    }
    let tool = data().with_file_name("tools").join("cifar10");
    if !tool.exists() {
        return Err(Failure {
            reason: format!(
                "CIFAR-10 is not there ({FILE} and data_batch_1.bin to data_batch_5.bin): name their \
                 folder in RETICENT_CIFAR10"
            ),
            again: AGAIN.to_owned(),
        });
    }
    let python = environment("cifar10", "cifar10-requirements.txt")?;
    let python = python.map_err(|absent| absent.fatal(AGAIN))?;
    // A folder that is whole has its last file: that one is written last.
    run(Command::new(python).arg(tool).arg(&made))?;
    Ok(made)
}

fn named(variable: &str) -> Option<PathBuf> {
    std::env::var_os(variable).map(PathBuf::from)
}

fn found(places: [Option<PathBuf>; 3], file: &str) -> Option<PathBuf> {
    let has = |folder: &PathBuf| Path::new(folder).join(file).exists();
    places.into_iter().flatten().find(has)
}
