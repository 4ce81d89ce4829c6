//! Discrete Fourier transforms of small images.
//!
//! Why not rustfft: it picks instructions by the processor, so that its last bits differ from one
//! machine to the next, and a map has to be the same everywhere. The transforms here are short
//! and many; they run along columns, so that each inner loop is over neighbouring numbers that
//! share one twiddle factor, which the compiler turns into vector instructions by itself.

mod butterfly;
mod columns;

use columns::Fft;

/// Real and imaginary parts, each as its own plane.
pub(crate) struct Planes<'a> {
    pub(crate) re: &'a mut [f32],
    pub(crate) im: &'a mut [f32],
}

impl<'a> Planes<'a> {
    /// The first `length` numbers of a piece of memory, and the `length` numbers after them.
    pub(crate) fn of(memory: &'a mut [f32], length: usize) -> Self {
        let (re, im) = memory[..2 * length].split_at_mut(length);
        Self { re, im }
    }

    /// Multiplied by i and conjugated: the transform of this, taken back by the same exchange, is
    /// the inverse transform, times the length.
    fn exchanged(self) -> Self {
        Self {
            re: self.im,
            im: self.re,
        }
    }
}

/// The transform of a grid of `height` rows and `width` columns. Spectra are stored transposed:
/// the coefficient of the frequencies (y, x) is entry x·height + y.
#[derive(Debug, Clone)]
pub(crate) struct Fft2 {
    height: Fft,
    width: Fft,
}

impl Fft2 {
    pub(crate) fn new(height: usize, width: usize) -> Self {
        Self {
            height: Fft::new(height),
            width: Fft::new(width),
        }
    }

    /// From values in rows to the transposed spectrum. Returns it first, then the other memory.
    pub(crate) fn forward<'a>(
        &self,
        values: Planes<'a>,
        spare: Planes<'a>,
    ) -> (Planes<'a>, Planes<'a>) {
        let (height, width) = (self.height.length, self.width.length);
        let (half, spare) = self.height.run(values, spare, width);
        transpose(half.re, spare.re, height, width);
        transpose(half.im, spare.im, height, width);
        self.width.run(spare, half, height)
    }

    /// From the transposed spectrum to height·width times the values, in rows.
    pub(crate) fn inverse<'a>(
        &self,
        spectrum: Planes<'a>,
        spare: Planes<'a>,
    ) -> (Planes<'a>, Planes<'a>) {
        let (height, width) = (self.height.length, self.width.length);
        let (half, spare) = self
            .width
            .run(spectrum.exchanged(), spare.exchanged(), height);
        transpose(half.re, spare.re, width, height);
        transpose(half.im, spare.im, width, height);
        let (values, spare) = self.height.run(spare, half, width);
        (values.exchanged(), spare.exchanged())
    }
}

/// `to[x][y] = from[y][x]`.
fn transpose(from: &[f32], to: &mut [f32], height: usize, width: usize) {
    for (x, column) in to.chunks_exact_mut(height).enumerate().take(width) {
        for (y, value) in column.iter_mut().enumerate() {
            *value = from[y * width + x];
        }
    }
}

#[cfg(test)]
mod tests {
    use core::f64::consts::TAU;

    use super::*;

    /// Against the definition, in doubles; the sizes have every kind of butterfly.
    #[test]
    fn transforms_follow_the_definition_and_inverses_undo_them() {
        for (height, width) in [(36, 36), (18, 40), (7, 12), (1, 22), (9, 10)] {
            let n = height * width;
            let values: Vec<f32> = (0..2 * n).map(|i| ((i * i) % 17) as f32 - 8.0).collect();
            let mut memory = values.clone();
            let mut spare = vec![0.0; 2 * n];
            let plan = Fft2::new(height, width);
            let (spectrum, other) =
                plan.forward(Planes::of(&mut memory, n), Planes::of(&mut spare, n));
            for (ky, kx) in [(0, 0), (height / 2, 1 % width), (height - 1, width - 1)] {
                let (mut re, mut im) = (0.0, 0.0);
                for i in 0..n {
                    let turns = (ky * (i / width)) as f64 / height as f64
                        + (kx * (i % width)) as f64 / width as f64;
                    let (sin, cos) = (-TAU * turns).sin_cos();
                    let (a, b) = (f64::from(values[i]), f64::from(values[n + i]));
                    re += a * cos - b * sin;
                    im += a * sin + b * cos;
                }
                let at = kx * height + ky;
                assert!(
                    (f64::from(spectrum.re[at]) - re).abs() < 1e-2,
                    "{height} {width}"
                );
                assert!(
                    (f64::from(spectrum.im[at]) - im).abs() < 1e-2,
                    "{height} {width}"
                );
            }
            let (back, _) = plan.inverse(spectrum, other);
            for i in 0..n {
                assert!((back.re[i] / n as f32 - values[i]).abs() < 1e-4);
                assert!((back.im[i] / n as f32 - values[n + i]).abs() < 1e-4);
            }
        }
    }
}
