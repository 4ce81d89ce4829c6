//! Group normalisation of one record (Wu and He 2018), and the scaling of its pixels before.
//!
//! Both use the numbers of one row alone, so what a record becomes depends on no other record.

/// What is added to the variance of a group.
///
/// Image maps divide each row by its largest magnitude first, and ε is relative to that: a group
/// whose standard deviation is far below √ε = 0.001 of the brightest pixel stays near 0, instead of
/// its rounding errors being blown up.
pub const EPSILON: f64 = 1e-6;

/// Copies a row into `scaled`, divided by its largest magnitude; all zeros stay zeros. So features
/// are the same for pixels from 0 to 1 and from 0 to 255, and nothing later overflows.
///
/// A row with a NaN or an infinity is refused: `false`.
pub(crate) fn to_unit_range(row: &[f32], scaled: &mut [f32]) -> bool {
    if !row.iter().all(|value| value.is_finite()) {
        return false;
    }
    let largest = row.iter().fold(0.0f32, |most, value| most.max(value.abs()));
    let divisor = if largest > 0.0 { largest } else { 1.0 };
    for (to, &from) in scaled.iter_mut().zip(row) {
        *to = from / divisor;
    }
    true
}

/// Replaces each value x of a group by (x − mean)/√(variance + ε)/√D, where D is the length of
/// all groups together. `features` is `groups` equal runs.
///
/// The squares of a group of n then sum to n·v/(v + ε)/D ≤ n/D, so those of all groups to at
/// most 1: the bound of the ℓ₂ norm that maps promise.
pub(crate) fn normalise(features: &mut [f32], groups: usize) {
    let total = features.len() as f64;
    let length = features.len() / groups;
    for group in features.chunks_exact_mut(length) {
        let n = length as f64;
        let mean = group.iter().map(|&x| f64::from(x)).sum::<f64>() / n;
        let variance = group
            .iter()
            .map(|&x| (f64::from(x) - mean) * (f64::from(x) - mean))
            .sum::<f64>()
            / n;
        let factor = 1.0 / ((variance + EPSILON).sqrt() * total.sqrt());
        for x in group {
            *x = ((f64::from(*x) - mean) * factor) as f32;
        }
    }
}

/// The largest divisor of `channels` that is at most `most`: how many groups there are by default.
pub(crate) fn groups_up_to(most: u32, channels: u64) -> u32 {
    (1..=most)
        .rev()
        .find(|&groups| channels.is_multiple_of(u64::from(groups)))
        .unwrap_or(1)
}
