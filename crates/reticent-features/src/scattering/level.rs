//! What is done with images at one resolution: averages, spectra and convolutions.
//!
//! Convolutions with wavelets are products of spectra. What follows a modulus is averaged and kept
//! at every 2ᴶ-th pixel alone, which is a product with one small matrix on each side.

use super::Scattering;
use super::filters::low_pass;
use super::prepared::padded;
use crate::fft::{Fft2, Planes};

/// What belongs to images that were subsampled to 2⁻ˡ of their padded sides, l < J.
#[derive(Debug, Clone)]
pub struct ScatteringLevel {
    height: usize,
    width: usize,
    rows: Vec<f32>,
    columns: Vec<f32>,
    transform: Fft2,
}

impl ScatteringLevel {
    pub(super) fn new(map: &Scattering, level: u32) -> Self {
        let (padded_height, padded_width) = padded(map);
        let (height, width) = (padded_height >> level, padded_width >> level);
        let (grid_rows, grid_columns) = map.grid();
        let step = 1 << (map.scales - level);
        // Feature i is at pixel (i + 1)·step: the first and the last lie in the padding.
        let value = |filter: &[f64], i: usize, pixel: usize| {
            let n = filter.len();
            filter[((i + 1) * step + n - pixel) % n] as f32
        };
        let down = low_pass(padded_height, level, map.scales);
        let across = low_pass(padded_width, level, map.scales);
        Self {
            height,
            width,
            rows: (0..grid_rows * height)
                .map(|at| value(&down, at / height, at % height))
                .collect(),
            columns: (0..width * grid_columns)
                .map(|at| value(&across, at % grid_columns, at / grid_columns))
                .collect(),
            transform: Fft2::new(height, width),
        }
    }

    /// Rows and columns of an image at this level.
    pub fn size(&self) -> (usize, usize) {
        (self.height, self.width)
    }

    /// R, one row per row of features and one column per row of the image, row after row. The
    /// averages of an image U are R·U·C.
    pub fn low_pass_rows(&self) -> &[f32] {
        &self.rows
    }

    /// C, one row per column of the image and one column per column of features, row after row.
    pub fn low_pass_columns(&self) -> &[f32] {
        &self.columns
    }

    /// R·U·C, of the image at the start of `image`; `half` is overwritten.
    pub(super) fn average(&self, image: &[f32], half: &mut [f32], out: &mut [f32]) {
        let (height, width) = (self.height, self.width);
        let rows = self.rows.len() / height;
        multiply(
            &self.rows,
            &image[..height * width],
            &mut half[..rows * width],
            height,
        );
        multiply(&half[..rows * width], &self.columns, out, width);
    }

    /// The transposed spectrum of the image at the start of `image`: its real parts, then its
    /// imaginary ones. `work` is four planes and is overwritten.
    pub(super) fn spectrum(&self, image: &[f32], work: &mut [f32], spectrum: &mut [f32]) {
        let n = self.height * self.width;
        let (values, spare) = planes(work, n);
        values.re.copy_from_slice(&image[..n]);
        values.im.fill(0.0);
        let (result, _) = self.transform.forward(values, spare);
        spectrum[..n].copy_from_slice(result.re);
        spectrum[n..2 * n].copy_from_slice(result.im);
    }

    /// |x ∗ ψ| at the level `after`, to the start of `out`, from the spectrum of x at this level.
    pub(super) fn modulus(
        &self,
        spectrum: &[f32],
        filter: &[f32],
        after: &ScatteringLevel,
        work: &mut [f32],
        out: &mut [f32],
    ) {
        let n = self.height * self.width;
        let (product, spare) = planes(work, after.height * after.width);
        self.fold(&spectrum[..n], filter, after, product.re);
        self.fold(&spectrum[n..2 * n], filter, after, product.im);
        let (values, _) = after.transform.inverse(product, spare);
        for ((out, re), im) in out.iter_mut().zip(values.re).zip(values.im) {
            *out = (*re * *re + *im * *im).sqrt();
        }
    }

    /// The product with a filter; what falls on the same frequency of the level `after` is added.
    fn fold(&self, spectrum: &[f32], filter: &[f32], after: &ScatteringLevel, out: &mut [f32]) {
        out.fill(0.0);
        let columns = spectrum
            .chunks_exact(self.height)
            .zip(filter.chunks_exact(self.height));
        for (kx, (spectrum, filter)) in columns.enumerate() {
            let start = kx % after.width * after.height;
            let out = &mut out[start..start + after.height];
            let parts = spectrum
                .chunks_exact(after.height)
                .zip(filter.chunks_exact(after.height));
            for (spectrum, filter) in parts {
                for ((sum, value), factor) in out.iter_mut().zip(spectrum).zip(filter) {
                    *sum += value * factor;
                }
            }
        }
    }
}

/// Two complex planes of `n` numbers each.
fn planes(work: &mut [f32], n: usize) -> (Planes<'_>, Planes<'_>) {
    let (first, second) = work.split_at_mut(2 * n);
    (Planes::of(first, n), Planes::of(second, n))
}

/// The matrix product of `left`, whose rows have `inner` numbers, and `right`.
fn multiply(left: &[f32], right: &[f32], out: &mut [f32], inner: usize) {
    let width = right.len() / inner;
    out.fill(0.0);
    for (out, left) in out.chunks_exact_mut(width).zip(left.chunks_exact(inner)) {
        for (&factor, right) in left.iter().zip(right.chunks_exact(width)) {
            for (sum, &value) in out.iter_mut().zip(right) {
                *sum += factor * value;
            }
        }
    }
}
