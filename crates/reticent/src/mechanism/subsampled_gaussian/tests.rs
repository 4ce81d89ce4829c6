//! Tests of releases over batches.
