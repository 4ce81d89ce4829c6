//! Tensors of numbers: axes, and what broadcasts.

/// Numbers of some shape; those along the last axis are neighbours.
#[derive(Debug, Clone, PartialEq)]
pub struct Tensor {
    pub shape: Vec<usize>,
    pub numbers: Vec<f64>,
}

/// A shape as one long axis on each side of an axis.
fn around(shape: &[usize], axis: usize) -> (usize, usize) {
    (
        shape[..axis].iter().product(),
        shape[axis + 1..].iter().product(),
    )
}

/// The joint shape of two that broadcast.
pub fn joint(one: &[usize], other: &[usize]) -> Vec<usize> {
    let rank = one.len().max(other.len());
    let size = |shape: &[usize], axis: usize| match (axis + shape.len()).checked_sub(rank) {
        Some(axis) => shape[axis],
        None => 1,
    };
    let both = (0..rank).map(|axis| (size(one, axis), size(other, axis)));
    let joined = |(a, b): (usize, usize)| {
        assert!(a == b || a == 1 || b == 1, "{one:?} and {other:?}");
        if a == 1 { b } else { a }
    };
    both.map(joined).collect()
}

impl Tensor {
    pub fn new(shape: &[usize], numbers: Vec<f64>) -> Self {
        let size: usize = shape.iter().product();
        assert_eq!(numbers.len(), size, "{shape:?}");
        Self {
            shape: shape.to_vec(),
            numbers,
        }
    }

    pub fn map(&self, function: impl Fn(f64) -> f64) -> Self {
        let numbers = self.numbers.iter().map(|&x| function(x)).collect();
        Self::new(&self.shape, numbers)
    }

    /// Repeated to a larger shape.
    pub fn stretched(&self, shape: &[usize]) -> Self {
        let mut numbers = self.numbers.clone();
        let mut inner = 1;
        for (from_last, &size) in shape.iter().rev().enumerate() {
            let own = (self.shape.len().checked_sub(from_last + 1)).map_or(1, |k| self.shape[k]);
            if own != size {
                assert_eq!(own, 1, "{:?} to {shape:?}", self.shape);
                numbers = (numbers.chunks(inner))
                    .flat_map(|block| block.repeat(size))
                    .collect();
            }
            inner *= size;
        }
        Self::new(shape, numbers)
    }

    pub fn with(&self, other: &Self, function: impl Fn(f64, f64) -> f64) -> Self {
        let shape = joint(&self.shape, &other.shape);
        let (one, other) = (self.stretched(&shape), other.stretched(&shape));
        let pairs = one.numbers.iter().zip(&other.numbers);
        Self::new(&shape, pairs.map(|(&x, &y)| function(x, y)).collect())
    }

    /// Each line along an axis as another one; all of them of the same length.
    pub fn along(&self, axis: usize, function: impl Fn(&[f64]) -> Vec<f64>) -> Self {
        let (outer, inner) = around(&self.shape, axis);
        let size = self.shape[axis];
        let line = |o: usize, i: usize| -> Vec<f64> {
            let at = |k: usize| self.numbers[(o * size + k) * inner + i];
            function(&(0..size).map(at).collect::<Vec<_>>())
        };
        let mut shape = self.shape.clone();
        let mut numbers = Vec::new();
        for o in 0..outer {
            let lines: Vec<Vec<f64>> = (0..inner).map(|i| line(o, i)).collect();
            shape[axis] = lines[0].len();
            numbers.extend((0..lines[0].len()).flat_map(|k| lines.iter().map(move |line| line[k])));
        }
        Self::new(&shape, numbers)
    }

    pub fn without_axis(mut self, axis: usize) -> Self {
        assert_eq!(self.shape.remove(axis), 1);
        self
    }

    pub fn row(&self, i: usize) -> &[f64] {
        let width = self.shape[1];
        &self.numbers[i * width..(i + 1) * width]
    }

    pub fn transposed(&self, order: &[i64]) -> Self {
        let order: Vec<usize> = order.iter().map(|&axis| axis as usize).collect();
        let shape: Vec<usize> = order.iter().map(|&axis| self.shape[axis]).collect();
        let strides: Vec<usize> = order
            .iter()
            .map(|&axis| around(&self.shape, axis).1)
            .collect();
        let place = |mut to: usize| {
            let mut from = 0;
            for (size, stride) in shape.iter().zip(&strides).rev() {
                from += to % size * stride;
                to /= size;
            }
            from
        };
        let numbers = (0..self.numbers.len()).map(|to| self.numbers[place(to)]);
        Self::new(&shape, numbers.collect())
    }

    pub fn reshaped(&self, sizes: &[f64]) -> Self {
        let known: f64 = sizes.iter().filter(|&&size| size > 0.0).product();
        let size = |&size: &f64| match size > 0.0 {
            true => size as usize,
            false => self.numbers.len() / known as usize,
        };
        let shape: Vec<usize> = sizes.iter().map(size).collect();
        Self::new(&shape, self.numbers.clone())
    }

    /// One after the other along an axis.
    pub fn joined(tensors: &[&Self], axis: usize) -> Self {
        let outer = around(&tensors[0].shape, axis).0;
        let block = |tensor: &Self, o: usize| {
            let length = tensor.numbers.len() / outer;
            tensor.numbers[o * length..(o + 1) * length].to_vec()
        };
        let blocks = (0..outer).flat_map(|o| tensors.iter().map(move |tensor| block(tensor, o)));
        let numbers = blocks.flatten().collect();
        let mut shape = tensors[0].shape.clone();
        shape[axis] = tensors.iter().map(|tensor| tensor.shape[axis]).sum();
        Self::new(&shape, numbers)
    }

    /// The matrix product of the last two axes; those before broadcast.
    pub fn product(&self, other: &Self) -> Self {
        let ([before @ .., rows, inner], [others @ .., same, columns]) =
            (&self.shape[..], &other.shape[..])
        else {
            panic!("{:?} times {:?}", self.shape, other.shape);
        };
        assert_eq!(inner, same);
        let blocks = joint(before, others);
        let of = |tensor: &Self, sizes: [&usize; 2]| {
            let shape = [&blocks[..], &[*sizes[0], *sizes[1]]].concat();
            tensor.stretched(&shape).numbers
        };
        let (left, right) = (of(self, [rows, inner]), of(other, [inner, columns]));
        let mut numbers = Vec::new();
        let pairs = left.chunks(rows * inner).zip(right.chunks(inner * columns));
        for (left, right) in pairs {
            for left in left.chunks(*inner) {
                let mut sums = vec![0.0; *columns];
                for (x, right) in left.iter().zip(right.chunks(*columns)) {
                    (sums.iter_mut().zip(right)).for_each(|(sum, y)| *sum += x * y);
                }
                numbers.extend(sums);
            }
        }
        Self::new(&[&blocks[..], &[*rows, *columns]].concat(), numbers)
    }

    /// Of images (records × colours × rows × columns) with filters, without padding and in steps
    /// of one pixel.
    pub fn convolved(&self, filters: &Self) -> Self {
        let [records, colours, height, width] = self.shape[..] else {
            panic!("{:?}", self.shape);
        };
        let [count, same, down, across] = filters.shape[..] else {
            panic!("{:?}", filters.shape);
        };
        assert_eq!(colours, same);
        let (rows, columns) = (height + 1 - down, width + 1 - across);
        let taps = colours * down * across;
        let response = |at: usize| -> f64 {
            let (record, f) = (at / (count * rows * columns), at / (rows * columns) % count);
            let (y, x) = (at / columns % rows, at % columns);
            let product = |tap: usize| {
                let (colour, dy, dx) = (tap / (down * across), tap / across % down, tap % across);
                let row = (record * colours + colour) * height + y + dy;
                self.numbers[row * width + x + dx] * filters.numbers[f * taps + tap]
            };
            (0..taps).map(product).sum()
        };
        let shape = [records, count, rows, columns];
        Self::new(
            &shape,
            (0..shape.iter().product::<usize>()).map(response).collect(),
        )
    }
}
