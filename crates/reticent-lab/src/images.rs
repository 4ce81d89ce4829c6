//! Images with their classes: MNIST and what has its layout, and CIFAR-10.

use std::io::Read;
use std::path::Path;

use flate2::read::GzDecoder;
use reticent::table::{Table, Target};

use crate::synthetic::dense;

/// Classes of every set.
pub const CLASSES: u32 = 10;

/// A pair of idx files, images of 28 × 28 and their labels. Pixels are scaled to between 0 and 1.
pub fn idx(folder: &Path, name: &str) -> Table<'static> {
    const WIDTH: usize = 28 * 28;
    // What comes before pixels, and before labels.
    const HEADERS: (usize, usize) = (16, 8);
    let read = |end: &str| {
        let path = folder.join(format!("{name}-{end}-ubyte.gz"));
        let file = std::fs::File::open(&path)
            .unwrap_or_else(|error| panic!("{} could not be opened: {error}", path.display()));
        let mut bytes = Vec::new();
        let read = GzDecoder::new(file).read_to_end(&mut bytes);
        read.expect("the images can be read");
        bytes
    };
    let (pixels, labels) = (read("images-idx3"), read("labels-idx1"));
    table(
        pixels[HEADERS.0..].iter(),
        labels[HEADERS.1..].iter(),
        WIDTH,
    )
}

/// Files of CIFAR-10 in its binary layout, one after another: of each image its label, then 1024
/// pixels of each of three channels.
pub fn cifar10(folder: &Path, names: &[&str]) -> Table<'static> {
    const WIDTH: usize = 3 * 32 * 32;
    let read = |name: &&str| {
        let path = folder.join(format!("{name}.bin"));
        std::fs::read(&path)
            .unwrap_or_else(|error| panic!("{} could not be read: {error}", path.display()))
    };
    let bytes: Vec<u8> = names.iter().flat_map(read).collect();
    let (images, []) = bytes.as_chunks::<{ WIDTH + 1 }>() else {
        panic!("a file of CIFAR-10 has whole images");
    };
    table(
        images.iter().flat_map(|image| &image[1..]),
        images.iter().map(|image| &image[0]),
        WIDTH,
    )
}

fn table<'a>(
    pixels: impl Iterator<Item = &'a u8>,
    labels: impl Iterator<Item = &'a u8>,
    width: usize,
) -> Table<'static> {
    let values: Vec<f32> = pixels.map(|x| f32::from(*x) / 255.0).collect();
    let class: Vec<u32> = labels.map(|label| u32::from(*label)).collect();
    let names = (0..CLASSES).map(|class| class.to_string()).collect();
    dense(values, class.len(), width, Target::Classes { class, names })
}
