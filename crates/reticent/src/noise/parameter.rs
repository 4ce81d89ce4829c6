//! Checked parameters: a positive float is an exact fraction, and is used as one.

use dashu_int::UBig;

use super::big::Span;

/// A sampler's parameter is not a number the sampler supports.
///
/// Parameters are public, so the message may quote them.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error("the {name} must lie between 2^{low} and 2^{high}, but {value:e} was given")]
pub struct ParameterError {
    /// What the parameter is called.
    pub name: &'static str,
    /// What was given.
    pub value: f64,
    /// Binary logarithm of the least value allowed.
    pub low: i32,
    /// Binary logarithm of the greatest value allowed.
    pub high: i32,
}

/// A positive float taken for what it is: `mantissa`·2^`exponent`, 2⁵² ≤ mantissa < 2⁵³.
#[derive(Clone, Copy, Debug)]
pub(super) struct Dyadic {
    pub mantissa: u64,
    pub exponent: i32,
    pub real: f64,
}

impl Dyadic {
    /// `value`, if 2^`low` ≤ `value` ≤ 2^`high`. Both powers must be normal floats.
    pub fn within(
        name: &'static str,
        value: f64,
        low: i32,
        high: i32,
    ) -> Result<Self, ParameterError> {
        // A NaN is in no range, so it is refused too.
        if !(power_of_two(low)..=power_of_two(high)).contains(&value) {
            return Err(ParameterError {
                name,
                value,
                low,
                high,
            });
        }
        let bits = value.to_bits();
        Ok(Self {
            mantissa: (bits & ((1 << 52) - 1)) | (1 << 52),
            exponent: (bits >> 52) as i32 - 1075,
            real: value,
        })
    }
}

/// 2^`exponent` as a float, exactly. `exponent` must be that of a normal float; the library
/// function `powi` promises no accuracy.
#[inline(always)]
pub(super) fn power_of_two(exponent: i32) -> f64 {
    debug_assert!((-1022..=1023).contains(&exponent));
    f64::from_bits(((exponent + 1023) as u64) << 52)
}

/// Bounds for `mantissa`·2^`exponent` in units of 2^−`p`, equal if it is a whole number of them.
pub(super) fn dyadic_span(mantissa: &UBig, exponent: i32, p: usize) -> Span {
    let shift = exponent as isize + p as isize;
    if shift >= 0 {
        let value = mantissa << shift.unsigned_abs();
        Span {
            low: value.clone(),
            high: value,
        }
    } else {
        let low = mantissa >> shift.unsigned_abs();
        let high = &low + 1u8;
        Span { low, high }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_float_is_its_mantissa_times_a_power_of_two() {
        for value in [1.0, 0.1, 7.5, 1e-12, 3e15] {
            let d = Dyadic::within("scale", value, -100, 100).unwrap();
            assert_eq!(d.mantissa as f64 * power_of_two(d.exponent), value);
            assert!((1 << 52..1 << 53).contains(&d.mantissa));
        }
    }

    #[test]
    fn what_is_no_number_in_range_is_refused_by_name() {
        for value in [f64::NAN, f64::INFINITY, -1.0, 0.0, 2.1, 0.24] {
            let error = Dyadic::within("scale", value, -2, 1).unwrap_err();
            assert!(
                error
                    .to_string()
                    .contains("the scale must lie between 2^-2 and 2^1")
            );
        }
    }
}
