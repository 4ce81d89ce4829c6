//! Models: weights, what was spent on them, the file format, prediction.
