//! Tests of models.
