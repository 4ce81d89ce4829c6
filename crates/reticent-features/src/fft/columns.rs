//! The transform of each column of a matrix.

use core::f64::consts::TAU;

use super::Planes;
use super::butterfly::{four, product, three, two};

/// The transform of the columns of a matrix of `length` rows, by decimation in frequency with the
/// results in order (Stockham's form): each stage reads one piece of memory and writes the other.
#[derive(Debug, Clone)]
pub(super) struct Fft {
    pub(super) length: usize,
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
    pub(super) fn new(length: usize) -> Self {
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
    pub(super) fn run<'a>(
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
