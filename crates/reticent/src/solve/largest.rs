//! The largest of some numbers.

/// The places of the `count` numbers largest in size, in increasing order; the first of equals.
pub(crate) fn largest(values: &[f64], count: usize) -> Vec<usize> {
    let mut places: Vec<usize> = (0..values.len()).collect();
    if count < places.len() {
        let larger = |a: &usize, b: &usize| {
            let sizes = values[*b].abs().total_cmp(&values[*a].abs());
            sizes.then(a.cmp(b))
        };
        places.select_nth_unstable_by(count, larger);
        places.truncate(count);
        places.sort_unstable();
    }
    places
}

/// Sets all but the `count` largest weights to 0.
pub(crate) fn keep_largest(weights: &mut [f64], count: usize) {
    let mut kept = largest(weights, count).into_iter().peekable();
    for (place, weight) in weights.iter_mut().enumerate() {
        if kept.next_if_eq(&place).is_none() {
            *weight = 0.0;
        }
    }
}
