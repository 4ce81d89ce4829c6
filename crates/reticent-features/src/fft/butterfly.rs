//! Transforms of two, three and four numbers, many side by side.

/// Real and imaginary parts of neighbouring numbers.
type Pair<'a> = (&'a [f32], &'a [f32]);

#[inline(always)]
pub(super) fn product(a: (f32, f32), b: (f32, f32)) -> (f32, f32) {
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

pub(super) fn two(inputs: [Pair; 2], re: &mut [f32], im: &mut [f32], twiddles: &[(f32, f32)]) {
    each(inputs, re, im, twiddles, |[a, b]| {
        [sum(a, b), difference(a, b)]
    });
}

pub(super) fn three(inputs: [Pair; 3], re: &mut [f32], im: &mut [f32], twiddles: &[(f32, f32)]) {
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

pub(super) fn four(inputs: [Pair; 4], re: &mut [f32], im: &mut [f32], twiddles: &[(f32, f32)]) {
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
