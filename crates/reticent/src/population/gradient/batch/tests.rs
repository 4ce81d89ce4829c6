//! Tests of the gradient over batches.
