//! The point of a noisy descent: the gradient moves it, and the model is what a threshold leaves of it.
//!
//! Of each coordinate: one released number in, and out of it the velocity, the hidden point and the
//! weight, all in one pass over these vectors, on several threads if there are many columns.
//! Coordinates are in the order of a released gradient.

use std::sync::Mutex;

use super::shrinkage::{Counts, Shrinkage};
use super::step_rule::Pace;
use crate::mechanism::Released;
use crate::parallel::{self, COORDINATES};

/// A point, and the model that follows from it.
pub(super) struct Point {
    /// What the gradient moves.
    hidden: Vec<f64>,
    velocity: Vec<f64>,
    /// The model.
    weights: Vec<f64>,
    /// The weights of all functions before their constants.
    columns: usize,
}

impl Point {
    /// At rest. The last `constants` coordinates are those of constants.
    pub fn new(start: Vec<f64>, constants: usize) -> Self {
        Self {
            velocity: vec![0.0; start.len()],
            weights: start.clone(),
            columns: start.len() - constants,
            hidden: start,
        }
    }

    /// The model.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// Moves along a released sum of gradients over so many records; weights below the threshold
    /// become 0, and others smaller by it. The constants' weights are kept as they are, or at 0 if
    /// they are `fixed`.
    pub fn follow(
        &mut self,
        sums: &Released,
        records: u64,
        pace: Pace,
        threshold: f64,
        fixed: bool,
    ) {
        let moves = Moves {
            pace,
            step: sums.grid().step(),
            records: records as f64,
            threshold,
        };
        let threads = parallel::threads(self.hidden.len());
        let steps = sums.steps().chunks(COORDINATES);
        let hidden = self.hidden.chunks_mut(COORDINATES);
        let velocity = self.velocity.chunks_mut(COORDINATES);
        let chunks = self
            .weights
            .chunks_mut(COORDINATES)
            .zip(hidden)
            .zip(velocity);
        parallel::share(
            chunks.zip(steps),
            threads,
            |(((weights, hidden), velocity), steps)| {
                pulp::Arch::new().dispatch(Wide {
                    moves: &moves,
                    weights,
                    hidden,
                    velocity,
                    steps,
                });
            },
        );
        let constants = &mut self.hidden[self.columns..];
        if fixed {
            constants.fill(0.0);
        }
        self.weights[self.columns..].copy_from_slice(constants);
    }

    /// Keeps the largest weights only, so many of them, and moves the point there.
    pub fn keep_largest(&mut self, count: usize) {
        crate::solve::keep_largest(&mut self.hidden[..self.columns], count);
        self.weights.copy_from_slice(&self.hidden);
    }

    /// Makes the model the part of each weight that is taken for signal, or 0 where that is less than
    /// `least` of it. Weights hold noise of this deviation; what is likely is learnt in so many rounds.
    pub fn shrink(&mut self, shrinkage: &mut Shrinkage, noise: f64, rounds: usize, least: f64) {
        let hidden = &self.hidden[..self.columns];
        let threads = parallel::threads(hidden.len());
        let counts = Mutex::new(Counts::of(&[], noise));
        parallel::share(hidden.chunks(COORDINATES), threads, |hidden| {
            let some = Counts::of(hidden, noise);
            counts.lock().expect("no thread panics").add(&some);
        });
        shrinkage.learn(&counts.into_inner().expect("no thread panics"), rounds);
        let shares = shrinkage.shares();
        let weights = self.weights[..self.columns].chunks_mut(COORDINATES);
        let chunks = weights.zip(hidden.chunks(COORDINATES));
        parallel::share(chunks, threads, |(weights, hidden)| {
            weights.copy_from_slice(hidden);
            shares.keep(weights, noise, least);
        });
    }

    /// The model, by itself.
    pub fn into_weights(self) -> Vec<f64> {
        self.weights
    }
}

/// How each coordinate moves.
struct Moves {
    pace: Pace,
    /// Of the grid of the sums.
    step: f64,
    records: f64,
    threshold: f64,
}

/// Some coordinates; `pulp` compiles their loop for several kinds of registers.
struct Wide<'a> {
    moves: &'a Moves,
    weights: &'a mut [f64],
    hidden: &'a mut [f64],
    velocity: &'a mut [f64],
    steps: &'a [i64],
}

impl pulp::NullaryFnOnce for Wide<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Moves {
            pace,
            step,
            records,
            threshold,
        } = *self.moves;
        let points = self.weights.iter_mut().zip(self.hidden).zip(self.velocity);
        for (((weight, x), velocity), steps) in points.zip(self.steps) {
            let slope = *steps as f64 * step / records;
            pace.follow(x, velocity, slope);
            *weight = x.signum() * (x.abs() - threshold).max(0.0);
        }
    }
}
