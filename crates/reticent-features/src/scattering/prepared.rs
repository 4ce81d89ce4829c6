//! Scattering, ready to run: filters as numbers, and one row at a time.

use super::Scattering;
use super::filters::{morlet, restrict};
use super::level::ScatteringLevel;
use crate::group_norm::{normalise, to_unit_range};

/// One wavelet: its spectrum at each level below its scale, the first of them always.
#[derive(Debug, Clone)]
struct Wavelet {
    scale: usize,
    spectra: Vec<Vec<f32>>,
}

/// A [`Scattering`] whose filters are computed.
#[derive(Debug, Clone)]
pub struct PreparedScattering {
    map: Scattering,
    levels: Vec<ScatteringLevel>,
    wavelets: Vec<Wavelet>,
    /// For each row and column of a padded image, the pixel that it mirrors.
    mirrored: (Vec<usize>, Vec<usize>),
}

/// Height and width of a padded image.
pub(super) fn padded(map: &Scattering) -> (usize, usize) {
    (map.padded(map.image.height), map.padded(map.image.width))
}

/// The pixels that a padded side shows: mirrored at the first and at the last one, which are not
/// repeated. If the padding is odd, the longer half comes last.
fn mirrored(pixels: usize, padded: usize) -> Vec<usize> {
    let before = (padded - pixels) / 2;
    (0..padded)
        .map(|at| {
            let distance = at.abs_diff(before);
            distance.min((2 * (pixels - 1)).abs_diff(distance))
        })
        .collect()
}

impl PreparedScattering {
    pub(crate) fn new(map: &Scattering) -> Self {
        let size = padded(map);
        let levels: Vec<ScatteringLevel> = (0..map.scales)
            .map(|level| ScatteringLevel::new(map, level))
            .collect();
        let wavelet = |scale: u32, angle: u32| {
            let fine = morlet(size, scale, angle, map.angles);
            let spectrum = |level: u32| {
                let (height, width) = levels[level as usize].size();
                // Of the inverse transform, and of the mean over what is folded together.
                let factor = 1.0 / (height * width) as f64;
                restrict(&fine, size, level)
                    .iter()
                    .map(|value| (value * factor) as f32)
                    .collect()
            };
            Wavelet {
                scale: scale as usize,
                spectra: (0..scale.max(1)).map(spectrum).collect(),
            }
        };
        Self {
            wavelets: (0..map.scales)
                .flat_map(|scale| (0..map.angles).map(move |angle| (scale, angle)))
                .map(|(scale, angle)| wavelet(scale, angle))
                .collect(),
            map: map.clone(),
            mirrored: (
                mirrored(map.image.height as usize, size.0),
                mirrored(map.image.width as usize, size.1),
            ),
            levels,
        }
    }

    /// What it was prepared from.
    pub fn description(&self) -> &Scattering {
        &self.map
    }

    /// For each row, then for each column of a padded image: the pixel of the image that it shows.
    pub fn padding(&self) -> (&[usize], &[usize]) {
        (&self.mirrored.0, &self.mirrored.1)
    }

    /// Levels 0 to J − 1.
    pub fn levels(&self) -> &[ScatteringLevel] {
        &self.levels
    }

    /// The transform of a wavelet at a level below its scale (or level 0), divided by the pixels of
    /// that level. It is real; the coefficient of the frequencies (y, x) is entry x·height + y.
    ///
    /// With X̂ = Σ x·exp(−2πi(…)) the transform of an image at level l, |x ∗ ψ| at the level j of the
    /// wavelet is the modulus of the unscaled inverse transform of X̂·ψ̂, in which the
    /// coefficients that fall on the same one of the coarser level are added up.
    ///
    /// # Panics
    ///
    /// If there is no such wavelet or level.
    pub fn wavelet(&self, scale: u32, angle: u32, level: u32) -> &[f32] {
        &self.wavelets[(scale * self.map.angles + angle) as usize].spectra[level as usize]
    }

    pub(crate) fn outputs(&self) -> usize {
        self.map.outputs()
    }

    /// A scaled row; then ten planes as large as a padded image, see `one_colour`.
    pub(crate) fn scratch_length(&self) -> usize {
        let (height, width) = padded(&self.map);
        self.map.image.pixels() + 10 * height * width
    }

    pub(crate) fn apply(&self, row: &[f32], scratch: &mut [f32], out: &mut [f32]) {
        assert_eq!(row.len(), self.map.image.pixels(), "one number per pixel");
        self.coefficients(row, scratch, out);
        normalise(out, self.map.groups as usize);
    }

    /// Everything but the normalisation of groups.
    pub(super) fn coefficients(&self, row: &[f32], scratch: &mut [f32], out: &mut [f32]) {
        let (scaled, scratch) = scratch.split_at_mut(row.len());
        if !to_unit_range(row, scaled) {
            out.fill(0.0);
            return;
        }
        self.map.colours.apply(scaled);
        let colours = self.map.image.channels as usize;
        let (pixels, features) = (row.len() / colours, out.len() / colours);
        let images = scaled.chunks_exact(pixels);
        for (image, out) in images.zip(out.chunks_exact_mut(features)) {
            self.one_colour(image, scratch, out);
        }
    }

    fn one_colour(&self, image: &[f32], scratch: &mut [f32], out: &mut [f32]) {
        let fine = &self.levels[0];
        let (height, width) = fine.size();
        let plane = height * width;
        let (values, scratch) = scratch.split_at_mut(plane);
        let (half, scratch) = scratch.split_at_mut(plane);
        let (first_spectrum, scratch) = scratch.split_at_mut(2 * plane);
        let (second_spectrum, work) = scratch.split_at_mut(2 * plane);

        let (rows, columns) = self.map.grid();
        let cells = rows * columns;
        let (zeroth, rest) = out.split_at_mut(cells);
        let (first, second) = rest.split_at_mut(self.wavelets.len() * cells);
        let mut second = second.chunks_exact_mut(cells);

        self.pad(image, values);
        fine.average(values, half, zeroth);
        fine.spectrum(values, work, first_spectrum);
        for (wavelet, out) in self.wavelets.iter().zip(first.chunks_exact_mut(cells)) {
            let level = &self.levels[wavelet.scale];
            fine.modulus(first_spectrum, &wavelet.spectra[0], level, work, values);
            level.average(values, half, out);
            if wavelet.scale + 1 == self.levels.len() {
                continue;
            }
            level.spectrum(values, work, second_spectrum);
            let coarser = self
                .wavelets
                .iter()
                .filter(|next| next.scale > wavelet.scale);
            for (next, out) in coarser.zip(second.by_ref()) {
                let after = &self.levels[next.scale];
                let filter = &next.spectra[wavelet.scale];
                level.modulus(second_spectrum, filter, after, work, values);
                after.average(values, half, out);
            }
        }
    }

    fn pad(&self, image: &[f32], padded: &mut [f32]) {
        let (rows, columns) = &self.mirrored;
        let width = self.map.image.width as usize;
        for (to, &y) in padded.chunks_exact_mut(columns.len()).zip(rows) {
            let from = &image[y * width..(y + 1) * width];
            for (to, &x) in to.iter_mut().zip(columns) {
                *to = from[x];
            }
        }
    }
}
