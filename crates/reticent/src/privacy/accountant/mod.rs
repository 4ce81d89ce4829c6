//! One file an accountant: pure functions from events to ε.
