//! Discrete Fourier transforms of small images.
//!
//! Why not rustfft: it picks instructions by the processor, so that its last bits differ from one
//! machine to the next, and a map has to be the same everywhere. The transforms here are short
//! and many; they run along columns, so that each inner loop is over neighbouring numbers that
//! share one twiddle factor, which the compiler turns into vector instructions by itself.

use core::f64::consts::TAU;

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

/// The transform of the columns of a matrix of `length` rows, by decimation in frequency with the
/// results in order (Stockham's form): each stage reads one piece of memory and writes the other.
#[derive(Debug, Clone)]
struct Fft {
    length: usize,
    stages: Vec<Stage>,
}

/// Splits transforms of length `radix`·`rest` into transforms of length `rest`.
#[derive(Debug, Clone)]
struct Stage {
    radix: usize,
    rest: usize,
    /// exp(−2πi·p·u/(radix·rest)) as entry p·radix + u.
    twiddles: Vec<(f32, f32)>,
    /// exp(−2πi·u/radix).
    roots: Vec<(f32, f32)>,
}

/// exp(−2πi·k/n), by an angle below one turn.
fn root(k: usize, n: usize) -> (f32, f32) {
    let angle = TAU * (k % n) as f64 / n as f64;
    (libm::cos(angle) as f32, -libm::sin(angle) as f32)
}

/// The factors of a stage each: fours first, which cost least per number, then primes.
fn radix_of(length: usize) -> usize {
    if length.is_multiple_of(4) {
        return 4;
    }
    (2..)
        .take_while(|factor| factor * factor <= length)
        .find(|&factor| length.is_multiple_of(factor))
        .unwrap_or(length)
}

impl Fft {
    fn new(length: usize) -> Self {
        let mut stages = Vec::new();
        let mut left = length;
        while left > 1 {
            let radix = radix_of(left);
            let rest = left / radix;
            let twiddles = (0..left)
                .map(|i| root((i / radix) * (i % radix), left))
                .collect();
            let roots = (0..radix).map(|u| root(u, radix)).collect();
            stages.push(Stage {
                radix,
                rest,
                twiddles,
                roots,
            });
            left = rest;
        }
        Self { length, stages }
    }

    /// Transforms `batch` columns. Returns where the result is, then the other memory.
    fn run<'a>(
        &self,
        mut from: Planes<'a>,
        mut to: Planes<'a>,
        batch: usize,
    ) -> (Planes<'a>, Planes<'a>) {
        let mut run = batch;
        for stage in &self.stages {
            stage.run(&from, &mut to, run);
            std::mem::swap(&mut from, &mut to);
            run *= stage.radix;
        }
        (from, to)
    }
}

impl Stage {
    /// Runs of `run` neighbouring numbers are treated alike: run p + rest·t of `from` is the t-th
    /// input of butterfly p, and run radix·p + u of `to` its u-th output.
    fn run(&self, from: &Planes, to: &mut Planes, run: usize) {
        let block = self.radix * run;
        let outputs = (to.re.chunks_exact_mut(block)).zip(to.im.chunks_exact_mut(block));
        let twiddles = self.twiddles.chunks_exact(self.radix);
        for (p, ((re, im), twiddles)) in outputs.zip(twiddles).enumerate() {
            let input = |t: usize| {
                let start = (p + self.rest * t) * run;
                (&from.re[start..start + run], &from.im[start..start + run])
            };
            match self.radix {
                2 => two([0, 1].map(input), re, im, twiddles),
                3 => three([0, 1, 2].map(input), re, im, twiddles),
                4 => four([0, 1, 2, 3].map(input), re, im, twiddles),
                _ => self.any(input, re, im, twiddles),
            }
        }
    }

    /// A butterfly of any size, by its definition.
    fn any<'a>(
        &self,
        input: impl Fn(usize) -> (&'a [f32], &'a [f32]),
        re: &mut [f32],
        im: &mut [f32],
        twiddles: &[(f32, f32)],
    ) {
        let run = re.len() / self.radix;
        let outputs = re.chunks_exact_mut(run).zip(im.chunks_exact_mut(run));
        for (u, (re, im)) in outputs.enumerate() {
            re.fill(0.0);
            im.fill(0.0);
            for t in 0..self.radix {
                let factor = product(self.roots[t * u % self.radix], twiddles[u]);
                let (from_re, from_im) = input(t);
                for i in 0..run {
                    let value = product((from_re[i], from_im[i]), factor);
                    re[i] += value.0;
                    im[i] += value.1;
                }
            }
        }
    }
}

type Pair<'a> = (&'a [f32], &'a [f32]);

#[inline(always)]
fn product(a: (f32, f32), b: (f32, f32)) -> (f32, f32) {
    (a.0 * b.0 - a.1 * b.1, a.0 * b.1 + a.1 * b.0)
}

#[inline(always)]
fn sum(a: (f32, f32), b: (f32, f32)) -> (f32, f32) {
    (a.0 + b.0, a.1 + b.1)
}

#[inline(always)]
fn difference(a: (f32, f32), b: (f32, f32)) -> (f32, f32) {
    (a.0 - b.0, a.1 - b.1)
}

/// A butterfly of `N`, whose outputs are the runs of `re` and `im` one after another.
#[inline(always)]
fn each<const N: usize>(
    inputs: [Pair; N],
    re: &mut [f32],
    im: &mut [f32],
    twiddles: &[(f32, f32)],
    butterfly: impl Fn([(f32, f32); N]) -> [(f32, f32); N],
) {
    let run = re.len() / N;
    let inputs = inputs.map(|(re, im)| (&re[..run], &im[..run]));
    let mut re = re.chunks_exact_mut(run);
    let mut im = im.chunks_exact_mut(run);
    let outputs: [(&mut [f32], &mut [f32]); N] = std::array::from_fn(|_| {
        let chunks = re.next().zip(im.next());
        chunks.unwrap_or((&mut [], &mut []))
    });
    let twiddles: [(f32, f32); N] = std::array::from_fn(|u| twiddles[u]);
    for i in 0..run {
        let values = butterfly(inputs.map(|(re, im)| (re[i], im[i])));
        for u in 0..N {
            let value = product(values[u], twiddles[u]);
            outputs[u].0[i] = value.0;
            outputs[u].1[i] = value.1;
        }
    }
}

fn two(inputs: [Pair; 2], re: &mut [f32], im: &mut [f32], twiddles: &[(f32, f32)]) {
    each(inputs, re, im, twiddles, |[a, b]| {
        [sum(a, b), difference(a, b)]
    });
}

fn three(inputs: [Pair; 3], re: &mut [f32], im: &mut [f32], twiddles: &[(f32, f32)]) {
    /// √3/2, rounded.
    const HEIGHT: f32 = 0.866_025_4;
    each(inputs, re, im, twiddles, |[a, b, c]| {
        let both = sum(b, c);
        let middle = (a.0 - 0.5 * both.0, a.1 - 0.5 * both.1);
        let apart = difference(b, c);
        let turned = (HEIGHT * apart.1, -HEIGHT * apart.0);
        [
            sum(a, both),
            sum(middle, turned),
            difference(middle, turned),
        ]
    });
}

fn four(inputs: [Pair; 4], re: &mut [f32], im: &mut [f32], twiddles: &[(f32, f32)]) {
    each(inputs, re, im, twiddles, |[a, b, c, d]| {
        let (even, odd) = (sum(a, c), sum(b, d));
        let (left, right) = (difference(a, c), difference(b, d));
        let turned = (right.1, -right.0);
        [
            sum(even, odd),
            sum(left, turned),
            difference(even, odd),
            difference(left, turned),
        ]
    });
}

#[cfg(test)]
mod tests {
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
