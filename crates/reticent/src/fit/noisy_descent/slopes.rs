//! A gradient at weights that are laid out function after function, one per column and then the
//! constant's.

use std::borrow::Cow;

use crate::population::Gradient;

/// Sets the functions of a gradient, from weights in this layout.
pub(in crate::fit) fn set_weights(
    gradient: &mut Gradient<'_>,
    weights: &[f64],
    constant: f64,
    centre: &[f64],
) {
    let weights = as_released(weights, gradient.outputs());
    set_as_released(gradient, &weights, constant, centre);
}

/// The same from weights in the order in which a gradient is released.
pub(super) fn set_as_released(
    gradient: &mut Gradient<'_>,
    weights: &[f64],
    constant: f64,
    centre: &[f64],
) {
    let outputs = gradient.outputs();
    gradient.set_weights(&weights[..weights.len() - outputs]);
    gradient.set_intercepts(&intercepts_as_released(weights, outputs, constant, centre));
}

/// The intercepts of weights in the order in which a gradient is released. A `constant` b₀ stands for the
/// intercept, and rows are shifted by a `centre` m: b = b₀·w₀ − m·w.
pub(in crate::fit) fn intercepts_as_released(
    weights: &[f64],
    outputs: usize,
    constant: f64,
    centre: &[f64],
) -> Vec<f64> {
    let (weights, constants) = weights.split_at(weights.len() - outputs);
    let width = weights.len() / outputs;
    let intercept = |(l, last): (usize, &f64)| {
        constant * last - product(centre, &weights[l * width..][..width])
    };
    constants.iter().enumerate().map(intercept).collect()
}

/// Weights in the order in which a gradient is released: the columns of all functions come first,
/// and then the constants.
pub(super) fn as_released(weights: &[f64], outputs: usize) -> Vec<f64> {
    let functions = weights.chunks(weights.len() / outputs);
    let pairs = functions.filter_map(<[f64]>::split_last);
    let columns = pairs.clone().flat_map(|(_, columns)| columns);
    let constants = pairs.clone().map(|(constant, _)| constant);
    columns.chain(constants).copied().collect()
}

/// The inverse of [`as_released`].
pub(in crate::fit) fn by_function(released: Vec<f64>, outputs: usize) -> Vec<f64> {
    if outputs == 1 {
        return released;
    }
    let (columns, constants) = released.split_at(released.len() - outputs);
    let of_function = columns.chunks(columns.len() / outputs).zip(constants);
    of_function
        .flat_map(|(columns, constant)| columns.iter().copied().chain([*constant]))
        .collect()
}

/// The weights of columns, from those of columns that were multiplied by `scales` (none for 1): s∘w for
/// each function, and the constant's as it is.
pub(in crate::fit) fn times_scales(mut weights: Vec<f64>, scales: &[f64]) -> Vec<f64> {
    if !scales.is_empty() {
        let functions = weights.chunks_mut(scales.len() + 1);
        functions.for_each(|weights| multiply(weights, scales));
    }
    weights
}

/// The same in the order in which a gradient is released.
pub(in crate::fit) fn scaled_as_released<'a>(
    weights: &'a [f64],
    scales: &[f64],
    outputs: usize,
) -> Cow<'a, [f64]> {
    if scales.is_empty() {
        return Cow::Borrowed(weights);
    }
    let mut scaled = weights.to_vec();
    let columns = scaled.len() - outputs;
    let functions = scaled[..columns].chunks_mut(scales.len());
    functions.for_each(|weights| multiply(weights, scales));
    Cow::Owned(scaled)
}

fn multiply(weights: &mut [f64], scales: &[f64]) {
    let pairs = weights.iter_mut().zip(scales);
    pairs.for_each(|(weight, scale)| *weight *= scale);
}

/// m·w.
pub(in crate::fit) fn product(centre: &[f64], weights: &[f64]) -> f64 {
    centre.iter().zip(weights).map(|(m, w)| m * w).sum()
}
