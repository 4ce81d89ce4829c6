//! A gradient at weights that are laid out function after function, one per column and then the
//! constant's.

use std::borrow::Cow;

use crate::population::Gradient;

/// Sets the functions of a gradient. A `constant` b₀ stands for the intercept, and rows are shifted
/// by a `centre` m: b = b₀·w₀ − m·w.
pub(in crate::fit) fn set_weights(
    gradient: &mut Gradient<'_>,
    weights: &[f64],
    constant: f64,
    centre: &[f64],
) {
    let functions = weights.chunks(weights.len() / gradient.outputs());
    let intercept = |(last, weights): (&f64, &[f64])| constant * last - product(centre, weights);
    let pairs = functions.filter_map(<[f64]>::split_last);
    let intercepts: Vec<f64> = pairs.clone().map(intercept).collect();
    match gradient.outputs() {
        1 => gradient.set_weights(&weights[..weights.len() - 1]),
        _ => {
            let columns: Vec<f64> = pairs.flat_map(|(_, weights)| weights).copied().collect();
            gradient.set_weights(&columns);
        }
    }
    gradient.set_intercepts(&intercepts);
}

/// A released gradient, converted to that layout: as released, the columns of all functions come
/// first, and then the constants.
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
pub(in crate::fit) fn times_scales<'a>(weights: &'a [f64], scales: &[f64]) -> Cow<'a, [f64]> {
    if scales.is_empty() {
        return Cow::Borrowed(weights);
    }
    let mut scaled = weights.to_vec();
    for weights in scaled.chunks_mut(scales.len() + 1) {
        for (weight, scale) in weights.iter_mut().zip(scales) {
            *weight *= scale;
        }
    }
    Cow::Owned(scaled)
}

/// m·w.
pub(in crate::fit) fn product(centre: &[f64], weights: &[f64]) -> f64 {
    centre.iter().zip(weights).map(|(m, w)| m * w).sum()
}
