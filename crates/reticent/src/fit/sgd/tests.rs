//! Tests of private stochastic optimisation.
