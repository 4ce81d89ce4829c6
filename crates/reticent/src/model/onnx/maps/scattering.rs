//! Scattering: transforms are products with matrices of cosines and sines.
//!
//! Images are the last two axes of a tensor; the axis before has records, colours and first
//! wavelets, all in one. Of a row of complex numbers the real parts come first, then the imaginary
//! ones. Spectra are columns of frequencies, as the filters are: (kx, then the parts of all ky).
//!
//! What follows a modulus is computed at the pixels of the coarser image alone. There the waves of
//! frequencies that fall on the same one are equal, so that adding those up, as the map does, is
//! part of the product.

use core::f64::consts::TAU;
use std::collections::HashSet;

use crate::features::PreparedScattering;

use crate::model::onnx::Graph;

impl Graph<'_> {
    /// Averages of each colour, path and place, in this order, of rows in [−1, 1].
    pub(super) fn scattering(&mut self, map: &PreparedScattering, rows: &str, output: &str) {
        let described = map.description();
        let angles = described.angles as usize;
        let scales = described.scales as usize;
        let cells = described.grid();
        let mut part = Part {
            graph: self,
            map,
            made: HashSet::new(),
        };
        part.pad(rows, "map_x");
        let mut channels = vec![part.average("map_x", 0, 1)];
        part.spectrum("map_x", 0);
        for first in 0..scales {
            let moduli = part.moduli("map_x", 0, first);
            channels.push(part.average(&moduli, first, angles));
        }
        for first in 0..scales - 1 {
            let images = format!("map_x_{first}");
            part.spectrum(&images, first);
            let mut coarser = Vec::new();
            for second in first + 1..scales {
                let moduli = part.moduli(&images, first, second);
                coarser.push(part.average(&moduli, second, angles));
            }
            let (of_each, of_all) = (format!("{images}_each"), format!("{images}_all"));
            let count = angles * angles * coarser.len();
            part.concat(&coarser, 1, &of_each);
            let shape = [count, cells.0, cells.1];
            part.graph.blocks(&of_each, &shape, &of_all);
            channels.push(of_all);
        }
        part.concat(&channels, 1, output);
    }
}

/// The graph while it gets nodes of scattering.
struct Part<'a, 'g> {
    graph: &'a mut Graph<'g>,
    map: &'a PreparedScattering,
    /// The constants that it has, by name.
    made: HashSet<String>,
}

impl Part<'_, '_> {
    /// Mirrored images of all colours.
    fn pad(&mut self, rows: &str, output: &str) {
        let image = self.map.description().image;
        let (down, across) = self.map.padding();
        let places = |pixels: &[usize]| -> Vec<i64> {
            // Images have at most 1024 pixels along a side.
            pixels.iter().map(|&pixel| pixel as i64).collect()
        };
        self.graph.integers("map_mirrored_rows", &places(down));
        self.graph.integers("map_mirrored_columns", &places(across));
        let shape = [image.height as usize, image.width as usize];
        let rows = self.colours(rows);
        self.graph.blocks(&rows, &shape, "map_images");
        let rows = ["map_images", "map_mirrored_rows"];
        let columns = ["map_tall_images", "map_mirrored_columns"];
        self.graph
            .node_with("Gather", &rows, "map_tall_images", &[("axis", 1)]);
        self.graph
            .node_with("Gather", &columns, output, &[("axis", 2)]);
    }

    /// Rows with the colours that wavelets see.
    fn colours(&mut self, rows: &str) -> String {
        let described = self.map.description();
        let Some(matrix) = described.colours.matrix() else {
            return rows.to_owned();
        };
        let pixels = described.image.pixels() / matrix.len();
        self.graph
            .blocks(rows, &[matrix.len(), pixels], "map_given_colours");
        let shape = [matrix.len(), matrix.len()];
        self.graph.floats("map_mix", &shape, &matrix.concat());
        self.graph
            .node("MatMul", &["map_mix", "map_given_colours"], "map_colours");
        "map_colours".to_owned()
    }

    /// A constant that may be there already, by its name.
    fn once(&mut self, name: String, shape: &[usize], values: impl FnOnce() -> Vec<f32>) -> String {
        if self.made.insert(name.clone()) {
            self.graph.floats(&name, shape, &values());
        }
        name
    }

    /// Averages of images at a level, `paths` of each colour or of each image before.
    fn average(&mut self, images: &str, level: usize, paths: usize) -> String {
        let (rows, columns) = self.map.description().grid();
        let here = &self.map.levels()[level];
        let (height, width) = here.size();
        let left = self.once(format!("map_rows_{level}"), &[rows, height], || {
            here.low_pass_rows().to_vec()
        });
        let right = self.once(format!("map_columns_{level}"), &[width, columns], || {
            here.low_pass_columns().to_vec()
        });
        let name = |what: &str| format!("{images}_{what}");
        let (half, averages, channels) = (name("half"), name("averages"), name("channels"));
        self.graph.node("MatMul", &[images, &right], &half);
        self.graph.node("MatMul", &[&left, &half], &averages);
        let shape = [paths, rows, columns];
        self.graph.blocks(&averages, &shape, &channels);
        channels
    }

    /// The spectrum of images at a level, for [`Self::moduli`].
    fn spectrum(&mut self, images: &str, level: usize) {
        let (height, width) = self.map.levels()[level].size();
        let real = self.once(format!("map_forward_{width}"), &[width, 2 * width], || {
            // Of real numbers: the upper half of the matrix.
            waves(width, width, -1.0)[..2 * width * width].to_vec()
        });
        let shape = [2 * height, 2 * height];
        let complex = self.once(format!("map_complex_{height}"), &shape, || {
            waves(height, height, -1.0)
        });
        let name = |what: &str| format!("{images}_{what}");
        let (across, parts, turned) = (name("across"), name("parts"), name("turned"));
        let (columns, down, spectrum) = (name("columns"), name("down"), name("spectrum"));
        self.graph.node("MatMul", &[images, &real], &across);
        self.graph.blocks(&across, &[height, 2, width], &parts);
        self.graph.transpose(&parts, &[0, 3, 2, 1], &turned);
        self.graph.blocks(&turned, &[width, 2 * height], &columns);
        self.graph.node("MatMul", &[&columns, &complex], &down);
        // An axis for the wavelets.
        self.graph.blocks(&down, &[1, width, 2 * height], &spectrum);
    }

    /// |x ∗ ψ| for all wavelets of a scale, at the level of that scale, of images x at the level
    /// `from` whose spectrum is there.
    fn moduli(&mut self, images: &str, from: usize, scale: usize) -> String {
        let (height, width) = self.map.levels()[from].size();
        let (rows, columns) = self.map.levels()[scale].size();
        let filters = self.filters(from, scale);
        let down = self.inverse(height, rows);
        let across = self.inverse(width, columns);
        let moduli = format!("{images}_{scale}");
        let name = |what: &str| format!("{moduli}_{what}");
        let (product, half, parts) = (name("product"), name("tall"), name("tall_parts"));
        let (turned, lines) = (name("turned_parts"), name("lines"));
        let (values, both) = (name("values"), name("both_parts"));
        let spectrum = format!("{images}_spectrum");
        self.graph.node("Mul", &[&spectrum, &filters], &product);
        self.graph.node("MatMul", &[&product, &down], &half);
        self.graph.blocks(&half, &[width, 2, rows], &parts);
        self.graph.transpose(&parts, &[0, 3, 2, 1], &turned);
        self.graph.blocks(&turned, &[rows, 2 * width], &lines);
        self.graph.node("MatMul", &[&lines, &across], &values);
        self.graph.blocks(&values, &[rows, 2, columns], &both);
        let axis = [&*both, "map_parts_axis"];
        if self.made.insert("map_parts_axis".to_owned()) {
            self.graph.integers("map_parts_axis", &[2]);
        }
        self.graph
            .node_with("ReduceL2", &axis, &moduli, &[("keepdims", 0)]);
        moduli
    }

    /// The wavelets of a scale for images at the level `from`, once for each part of a spectrum.
    fn filters(&mut self, from: usize, scale: usize) -> String {
        let (height, width) = self.map.levels()[from].size();
        let map = self.map;
        let angles = map.description().angles;
        let shape = [angles as usize, width, height];
        let once = self.once(format!("map_wavelets_{from}_{scale}"), &shape, || {
            // Scales and levels are below 10.
            let wavelet = |angle| map.wavelet(scale as u32, angle, from as u32);
            (0..angles).flat_map(wavelet).copied().collect()
        });
        let both = format!("{once}_twice");
        if self.made.insert(both.clone()) {
            self.concat(&[once.clone(), once], 2, &both);
        }
        both
    }

    /// The matrix of an inverse transform to `kept` of `size` pixels.
    fn inverse(&mut self, size: usize, kept: usize) -> String {
        let name = format!("map_inverse_{size}_{kept}");
        self.once(name, &[2 * size, 2 * kept], || waves(size, kept, 1.0))
    }

    /// One after the other.
    fn concat(&mut self, parts: &[String], axis: i64, output: &str) {
        let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
        self.graph
            .node_with("Concat", &parts, output, &[("axis", axis)]);
    }
}

/// The matrix that a row of `size` complex numbers is multiplied by to get their sums with the
/// waves exp(±2πi·k·y/size), at every (size/kept)-th y. Functions of `libm` are the same on every
/// platform, so files are.
fn waves(size: usize, kept: usize, sign: f64) -> Vec<f32> {
    let step = size / kept;
    let angle = |k: usize, y: usize| TAU * ((k * y * step) % size) as f64 / size as f64;
    let cos = |k, y| libm::cos(angle(k, y)) as f32;
    let sin = |k, y| (sign * libm::sin(angle(k, y))) as f32;
    let mut matrix = Vec::with_capacity(4 * size * kept);
    for k in 0..size {
        matrix.extend((0..kept).map(|y| cos(k, y)));
        matrix.extend((0..kept).map(|y| sin(k, y)));
    }
    for k in 0..size {
        matrix.extend((0..kept).map(|y| -sin(k, y)));
        matrix.extend((0..kept).map(|y| cos(k, y)));
    }
    matrix
}
