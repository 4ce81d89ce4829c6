//! Morlet wavelets and the Gaussian low-pass filter, in closed form.
//!
//! Filters are sampled in space with a period of the padded image. By Poisson's formula the
//! transform of such a filter is the sum of its continuous transform over the frequencies
//! ω + 2πm, and that of a Gaussian is a Gaussian: so there is nothing to transform. (kymatio sums
//! in space, and divides by 3.1415 where we have π: its order-m features are 1.00003ᵐ⁺¹ times ours.)

use core::f64::consts::{PI, TAU};

/// σ of the finest wavelet in pixels; scale j has 2ʲ times as much.
const SIGMA: f64 = 0.8;

/// The frequency that the finest wavelet is centred on; scale j has 2⁻ʲ times as much.
const FREQUENCY: f64 = 0.75 * PI;

/// Gaussians below this are taken as 0: subnormal numbers would slow the products down.
const LEAST: f64 = 1e-15;

/// An oriented Gaussian window: how far it reaches along and across its angle.
struct Window {
    cos: f64,
    sin: f64,
    along: f64,
    across: f64,
}

impl Window {
    /// The transform at (y, x) of the window times a wave of frequency `centre` along its angle,
    /// with period 2π; 1 at its highest.
    fn transform(&self, y: f64, x: f64, centre: f64) -> f64 {
        let mut sum = 0.0;
        for my in -2..=2 {
            for mx in -2..=2 {
                let (y, x) = (y + TAU * f64::from(my), x + TAU * f64::from(mx));
                let along = (y * self.cos + x * self.sin - centre) * self.along;
                let across = (x * self.cos - y * self.sin) * self.across;
                sum += bell(along * along + across * across);
            }
        }
        sum
    }
}

/// exp(−square/2), or 0 if that is tiny.
fn bell(square: f64) -> f64 {
    // exp(−35) < 10⁻¹⁵.
    if square > 70.0 {
        0.0
    } else {
        libm::exp(-0.5 * square)
    }
}

/// The frequency of coefficient k of n, in radians per pixel; aliases make the choice irrelevant,
/// so it is the one in [−π, π).
fn frequency(k: usize, n: usize) -> f64 {
    let k = if 2 * k < n {
        k as f64
    } else {
        k as f64 - n as f64
    };
    TAU * k / n as f64
}

/// The transform of the Morlet wavelet of a scale and angle on a grid: real, and transposed as
/// spectra are (entry x·height + y). A Morlet wavelet is a wave in a Gaussian window, minus as
/// much of the window as makes its sum 0. L angles cover half a turn; with slant 4/L the windows
/// are the longer the more angles there are.
pub(super) fn morlet(
    (height, width): (usize, usize),
    scale: u32,
    angle: u32,
    angles: u32,
) -> Vec<f64> {
    let growth = f64::from(1u32 << scale);
    let first = (f64::from(angles) / 2.0 - 1.0).trunc();
    let theta = (first - f64::from(angle)) * PI / f64::from(angles);
    let window = Window {
        cos: libm::cos(theta),
        sin: libm::sin(theta),
        along: SIGMA * growth,
        across: SIGMA * growth * f64::from(angles) / 4.0,
    };
    let centre = FREQUENCY / growth;
    let share = window.transform(0.0, 0.0, centre) / window.transform(0.0, 0.0, 0.0);
    let mut spectrum = Vec::with_capacity(height * width);
    for kx in 0..width {
        for ky in 0..height {
            let (y, x) = (frequency(ky, height), frequency(kx, width));
            let value = window.transform(y, x, centre) - share * window.transform(y, x, 0.0);
            spectrum.push(if value.abs() < LEAST { 0.0 } else { value });
        }
    }
    spectrum
}

/// Which coefficient of `n` stands for coefficient k of n / 2ˡ: the one of the same frequency,
/// where kymatio's choice at the highest one is the negative frequency.
fn fine_index(k: usize, n: usize, level: u32) -> usize {
    let coarse = n >> level;
    if 2 * k < coarse { k } else { k + n - coarse }
}

/// A spectrum on the grid of `level`, which has 2⁻ˡ times as many rows and columns: the
/// frequencies that it has.
pub(super) fn restrict(spectrum: &[f64], (height, width): (usize, usize), level: u32) -> Vec<f64> {
    let mut coarse = Vec::new();
    for kx in 0..width >> level {
        for ky in 0..height >> level {
            coarse.push(
                spectrum[fine_index(kx, width, level) * height + fine_index(ky, height, level)],
            );
        }
    }
    coarse
}

/// The low-pass filter along one side of n pixels, at a level: the value at distance d, for d from
/// 0 to n / 2ˡ − 1, of a filter that is symmetric and has that period. In two dimensions the
/// filter is the product of both sides'.
pub(super) fn low_pass(n: usize, level: u32, scales: u32) -> Vec<f64> {
    let sigma = SIGMA * f64::from(1u32 << (scales - 1));
    let coarse = n >> level;
    let spectrum: Vec<f64> = (0..coarse)
        .map(|k| {
            let omega = frequency(fine_index(k, n, level), n);
            (-2..=2)
                .map(|m| (omega + TAU * f64::from(m)) * sigma)
                .map(|argument| bell(argument * argument))
                .sum()
        })
        .collect();
    (0..coarse)
        .map(|d| {
            let waves = spectrum.iter().enumerate().map(|(k, value)| {
                value * libm::cos(TAU * ((k * d) % coarse) as f64 / coarse as f64)
            });
            let value = waves.sum::<f64>() / coarse as f64;
            if value.abs() < LEAST { 0.0 } else { value }
        })
        .collect()
}
