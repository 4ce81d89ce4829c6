//! As sparse as the truth: which weights are kept where no number of them is asked for.
//!
//! A fit on few columns releases an estimate of which everything but the truth is known: the
//! variance of its noise in each direction exactly, that of sampling from what was released. A
//! column is kept if its weight exceeds both together, at a false discovery rate of
//! [`FALSE_DISCOVERIES`] (Benjamini and Hochberg 1995), counted among *all* columns of the table:
//! those that did not come so far have a p-value of 1, so that having looked at all of them first
//! is paid for. The weights that are left are the estimate under the condition that the others are 0.
//! `docs/derivations/sparsity.md` has the derivation.
//!
//! # Privacy
//!
//! Everything here is a function of released values and of public numbers.

use std::f64::consts::FRAC_1_SQRT_2;

use super::super::Facts;
use crate::solve::{Eigen, largest};

/// The false discovery rate that is aimed at: half of the tenth that is promised, as the variances leave
/// out that the second moments are noisy, too.
const FALSE_DISCOVERIES: f64 = 0.05;
/// A column comes into the fit if what a look at all columns found exceeds so many deviations of its
/// noise: one that is missed makes others look true that go with it.
const TO_BE_FITTED: f64 = 1.75;
/// The most columns that are fitted: that many times √d, as the noise of their second moments grows
/// with them, or all of few.
const MOST: (f64, usize) = (4.0, 64);
/// The most columns whose eigenvectors are computed.
const LARGEST_FIT: usize = 256;
/// The share of columns that exceed so many deviations by chance: P(|Z| ≥ 1.75).
const BY_CHANCE: f64 = 0.08;
/// The share of all squared deviations, less those of noise, that the largest hold where the truth is
/// sparse: correlation alone makes many columns exceed their noise, but not by much.
const SPARSE: f64 = 0.9;

/// The most columns that are fitted, unless all are.
pub(super) fn most_columns(facts: &Facts) -> usize {
    let by_noise = (MOST.0 * (facts.columns as f64).sqrt()).ceil() as usize;
    let most = by_noise.max(MOST.1).min(LARGEST_FIT);
    most.min(facts.columns)
}

/// The columns to fit.
#[derive(Debug, PartialEq)]
pub(super) enum ColumnsToFit {
    /// These, in increasing order, of which those that are discovered are kept.
    Few(Vec<u32>),
    /// All, which are kept: more of them matter than could be told apart.
    All,
}

/// The columns to fit, by how many deviations each exceeds its noise; at least the first of them.
pub(super) fn columns_to_fit(deviations: &[f64], most: usize) -> ColumnsToFit {
    let exceeding = deviations.iter().filter(|z| z.abs() >= TO_BE_FITTED);
    let exceeding = exceeding.count();
    let by_chance = BY_CHANCE * deviations.len() as f64;
    let places = largest(deviations, exceeding.clamp(1, most));
    let crowded = exceeding as f64 > most as f64 + by_chance;
    if crowded && deviations.len() <= LARGEST_FIT && held(deviations, &places) < SPARSE {
        return ColumnsToFit::All;
    }
    ColumnsToFit::Few(places.into_iter().map(|place| place as u32).collect())
}

/// The share of all squared deviations, less the 1 that noise has each, that some of them hold.
fn held(deviations: &[f64], places: &[usize]) -> f64 {
    let less_noise = |z: &f64| z * z - 1.0;
    let some: f64 = places
        .iter()
        .map(|place| less_noise(&deviations[*place]))
        .sum();
    some / deviations.iter().map(less_noise).sum::<f64>()
}

/// An estimate, and its variance along each eigenvector of the curvature.
pub(super) struct Estimate<'a> {
    /// One weight per column, and the constant's.
    pub weights: Vec<f64>,
    pub eigen: &'a Eigen,
    /// Which columns can be discovered at all; empty for all.
    pub seen: &'a [bool],
    pub variances: Vec<f64>,
    /// One over the variance that weights are expected to have; 0 if nothing is expected of them.
    pub prior: f64,
}

impl Estimate<'_> {
    fn unseen(&self, column: usize) -> bool {
        self.seen.get(column) == Some(&false)
    }

    /// The probability that noise and sampling alone make a weight of this size, for each column.
    fn p_values(&self) -> Vec<f64> {
        let of_weight = |(j, weight): (usize, &f64)| {
            if self.unseen(j) {
                return 1.0;
            }
            let parts = self.eigen.vectors.iter().zip(&self.variances);
            let variance: f64 = parts.map(|(v, variance)| v[j] * v[j] * variance).sum();
            libm::erfc(weight.abs() / variance.sqrt() * FRAC_1_SQRT_2)
        };
        let columns = self.weights.len() - 1;
        self.weights
            .iter()
            .enumerate()
            .take(columns)
            .map(of_weight)
            .collect()
    }

    /// The probability that noise and sampling alone make the weight that each column would have by
    /// itself, with the constant (if there is one) and no other column.
    ///
    /// It rests on the score at 0 of that column alone, P·ŵ, so it does not depend on which other
    /// columns came into the fit.
    fn p_values_alone(&self, constant: bool) -> Vec<f64> {
        let last = self.weights.len() - 1;
        let precision = |i: usize| 1.0 / self.variances[i];
        let entry = |j: usize, k: usize| -> f64 {
            let vectors = self.eigen.vectors.iter().enumerate();
            vectors.map(|(i, v)| v[j] * v[k] * precision(i)).sum()
        };
        let score = self.eigen.apply(&self.weights, precision);
        let of_constant = entry(last, last);
        let of_column = |j: usize| {
            if self.unseen(j) {
                return 1.0;
            }
            // The part of the constant comes off score and variance (a Schur complement).
            let part = match constant {
                true => entry(j, last) / of_constant,
                false => 0.0,
            };
            let variance = entry(j, j) - part * part * of_constant;
            let z = (score[j] - part * score[last]) / variance.sqrt();
            libm::erfc(z.abs() * FRAC_1_SQRT_2)
        };
        (0..last).map(of_column).collect()
    }

    /// The weights where those of all columns but the `kept` ones are 0; without a constant its
    /// weight is 0, too.
    ///
    /// The conditional mean of a normal estimate of precision P, with a prior of precision τ for the
    /// weights of columns: (P_SS + τ)·w_S = (P·ŵ)_S. The prior plays no part in what is kept.
    fn given_zeros(&self, kept: &[usize], constant: bool) -> Vec<f64> {
        let last = self.weights.len() - 1;
        let places: Vec<usize> = kept
            .iter()
            .copied()
            .chain(constant.then_some(last))
            .collect();
        let precision = |i: usize| 1.0 / self.variances[i];
        let pull = self.eigen.apply(&self.weights, precision);
        let entry = |j: usize, k: usize| -> f64 {
            let vectors = self.eigen.vectors.iter().enumerate();
            vectors.map(|(i, v)| v[j] * v[k] * precision(i)).sum()
        };
        let row = |j: &usize| places.iter().map(|k| entry(*j, *k)).collect();
        let mut matrix: Vec<Vec<f64>> = places.iter().map(row).collect();
        for (k, row) in matrix.iter_mut().enumerate().take(kept.len()) {
            row[k] += self.prior;
        }
        let eigen = Eigen::of(matrix);
        let pull: Vec<f64> = places.iter().map(|place| pull[*place]).collect();
        let mut weights = vec![0.0; self.weights.len()];
        let found = eigen.apply(&pull, |i| 1.0 / eigen.values[i]);
        for (place, weight) in places.iter().zip(found) {
            weights[*place] = weight;
        }
        weights
    }
}

/// The weights of the estimates, one per function, after each other: those of columns that are not
/// discovered among so many are 0. With several functions a column is discovered if one of its weights
/// is, allowing for their number (Bonferroni).
pub(super) fn sparse(estimates: &[Estimate<'_>], columns: usize, constant: bool) -> Vec<f64> {
    let functions = estimates.len() as f64;
    let mut p_values = vec![1.0; estimates.first().map_or(0, |one| one.weights.len() - 1)];
    for estimate in estimates {
        for (least, p) in p_values.iter_mut().zip(estimate.p_values()) {
            *least = f64::min(*least, functions * p);
        }
    }
    let kept = match any_alone(estimates, columns, constant) {
        true => discoveries(&p_values, columns),
        false => Vec::new(),
    };
    let all = estimates.iter();
    all.flat_map(|estimate| estimate.given_zeros(&kept, constant))
        .collect()
}

/// Whether any column is discovered by itself. Where none matters, columns that came into the fit because of
/// the same records make each other look true: what each says alone decides first whether there is
/// anything, so that at most a share of [`FALSE_DISCOVERIES`] of such tables keep a weight.
fn any_alone(estimates: &[Estimate<'_>], columns: usize, constant: bool) -> bool {
    let tests = (estimates.len() * columns) as f64;
    let alone = |estimate: &Estimate<'_>| estimate.p_values_alone(constant);
    let least = estimates.iter().flat_map(alone).fold(1.0, f64::min);
    least * tests <= FALSE_DISCOVERIES
}

/// The places of the p-values that are discoveries among so many hypotheses, in increasing order: the
/// largest k of which the k-th least p-value is at most k/m of the rate. P-values that are not in the
/// list are 1.
fn discoveries(p_values: &[f64], hypotheses: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|a, b| p_values[*a].total_cmp(&p_values[*b]));
    let level = |k: usize| FALSE_DISCOVERIES * (k + 1) as f64 / hypotheses as f64;
    let count = order
        .iter()
        .enumerate()
        .rposition(|(k, place)| p_values[*place] <= level(k))
        .map_or(0, |last| last + 1);
    order.truncate(count);
    order.sort_unstable();
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Benjamini and Hochberg 1995, § 4: fifteen p-values, of which four are rejected at 0.05.
    #[test]
    fn discoveries_are_those_of_benjamini_and_hochberg() {
        let p_values = [
            0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262,
            0.5719, 0.6528, 0.7590, 1.0,
        ];
        assert_eq!(discoveries(&p_values, 15), [0, 1, 2, 3]);
        // Among twice as many hypotheses, whose other p-values are 1: at 0.05·k/30, by hand.
        assert_eq!(discoveries(&p_values, 30), [0, 1, 2]);
        assert_eq!(discoveries(&[0.9, 0.001, 0.5], 3), [1]);
        assert_eq!(discoveries(&[0.9, 0.2], 2), [] as [usize; 0]);
        assert_eq!(discoveries(&[], 2), [] as [usize; 0]);
    }

    #[test]
    fn columns_that_exceed_their_noise_are_fitted_and_the_largest_of_them_first() {
        let few = |deviations: &[f64], most| match columns_to_fit(deviations, most) {
            ColumnsToFit::Few(columns) => columns,
            ColumnsToFit::All => Vec::new(),
        };
        assert_eq!(few(&[0.3, -5.0, 2.1, 1.8, 4.0, 1.7], 5), [1, 2, 3, 4]);
        // Among twenty, one more than two may exceed it by chance.
        let among_twenty = [&[0.3, -5.0, 2.1, 1.4, 4.0], &[0.2; 15][..]].concat();
        assert_eq!(few(&among_twenty, 2), [1, 4]);
        assert_eq!(few(&[0.3, -0.5], 2), [1]);
    }

    #[test]
    fn where_more_columns_matter_than_can_be_told_apart_all_are_fitted() {
        let exceeding = |count: usize, all: usize| -> Vec<f64> {
            (0..all)
                .map(|j| if j < count { 9.0 } else { 0.1 })
                .collect()
        };
        // 64, and 16 of 200 by chance.
        assert_eq!(columns_to_fit(&exceeding(81, 200), 64), ColumnsToFit::All);
        // Ten that matter, and 80 that go with them: (10·899 + 54·8)/(10·899 + 80·8) is above 0.9.
        let together = [&[30.0; 10][..], &[3.0; 80], &[1.0; 110]].concat();
        let few = columns_to_fit(&together, 64);
        assert!(matches!(few, ColumnsToFit::Few(columns) if columns.len() == 64));
        let few = columns_to_fit(&exceeding(80, 200), 64);
        assert!(matches!(few, ColumnsToFit::Few(columns) if columns.len() == 64));
        let many = columns_to_fit(&exceeding(1000, 1000), 64);
        assert!(matches!(many, ColumnsToFit::Few(columns) if columns.len() == 64));
    }

    /// By hand, for two columns and a constant of variance 1 and correlation r between the columns: alone,
    /// a weight is w₀ + r'·w₁ with the precisions' own correlation r' = −r, and its variance 1 − r².
    #[test]
    fn a_weight_by_itself_is_what_the_score_at_zero_says() {
        let r = 0.6;
        let eigen = Eigen::of(vec![
            vec![1.0, r, 0.0],
            vec![r, 1.0, 0.0],
            vec![0.0, 0.0, 1.0],
        ]);
        let estimate = Estimate {
            weights: vec![3.0, 1.0, 0.5],
            variances: eigen.values.clone(),
            eigen: &eigen,
            seen: &[],
            prior: 0.0,
        };
        let z = |w: f64, other: f64| (w - r * other) / (1.0 - r * r).sqrt();
        let expected = [z(3.0, 1.0), z(1.0, 3.0)].map(|z| libm::erfc(z.abs() * FRAC_1_SQRT_2));
        for constant in [true, false] {
            let found = estimate.p_values_alone(constant);
            assert!(
                found
                    .iter()
                    .zip(expected)
                    .all(|(a, b)| (a - b).abs() < 1e-12)
            );
        }
        let estimates = [estimate];
        assert!(any_alone(&estimates, 2, true));
        assert!(!any_alone(&estimates, 600, true));
    }

    /// Two weights whose errors go together: given that one is 0, so is its error, and the other's
    /// is what it says of it. By hand: for variances 1 and correlation r, w₀ − r·w₁.
    #[test]
    fn the_weights_that_are_left_are_those_given_that_the_others_are_zero() {
        let r = 0.6;
        let eigen = Eigen::of(vec![
            vec![1.0, r, 0.0],
            vec![r, 1.0, 0.0],
            vec![0.0, 0.0, 1.0],
        ]);
        let estimate = Estimate {
            weights: vec![3.0, 1.0, 0.5],
            variances: eigen.values.clone(),
            eigen: &eigen,
            seen: &[],
            prior: 0.0,
        };
        let found = estimate.given_zeros(&[0], true);
        let expected = [3.0 - r, 0.0, 0.5];
        assert!(
            found
                .iter()
                .zip(expected)
                .all(|(a, b)| (a - b).abs() < 1e-12)
        );
        assert_eq!(estimate.given_zeros(&[0], false)[2], 0.0);
    }
}
